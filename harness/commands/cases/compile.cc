// assay compile: a program as each stage of the bundled compiler, or of any
// compiler that explains itself, has it.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/program_text.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/records/files.h"
#include "harness/run/session.h"
#include "harness/subject/subject.h"
#include "harness/subject/worker.h"
#include "suite/language/syntax/suggest.h"

namespace assay::harness {
namespace {

struct CompileWords {
  std::string what;
  std::vector<std::string> stages, passes;
  std::string subject;
  std::string target;
  std::vector<std::string> options;  // NAME=VALUE
  std::filesystem::path specs;
};

// The first case of a row that has to return, or the first at all.
const cases::Case* first_of_row(const Session& session,
                                const std::string& row) {
  const cases::Case* first = nullptr;
  for (const cases::Case& c : session.expansion.cases) {
    if (c.spec != row) continue;
    if (c.must_raise.empty() && c.context.empty()) return &c;
    if (first == nullptr) first = &c;
  }
  return first;
}

Result<Program> find_program(const CompileWords& w) {
  std::error_code failed;
  if (std::filesystem::is_regular_file(w.what, failed)) {
    const Result<std::string> text = read_file(w.what);
    if (!text) return text.error();
    Result<Program> program = parse_program(*text);
    if (program) return program;
    return Error{fmt::format("{}: {}", w.what, program.error().message)};
  }
  Result<std::unique_ptr<Session>> session = open_session(w.specs, {w.what});
  if (!session) return session.error();
  const Result<const cases::Case*> found = find_case(**session, w.what);
  if (found) return (*found)->program;
  const cases::Case* first = first_of_row(**session, w.what);
  if (first == nullptr) {
    return Error{fmt::format("'{}' is no file of a program's text, and {}",
                             w.what, found.error().message)};
  }
  fmt::print(std::cerr, "assay: {} is the case {}\n", w.what, first->path);
  return first->program;
}

// "avx2" is the CPU's "cpu-avx2"; "cuda-sm_90" and "cuda" say all.
std::string target_name(const std::string& word) {
  const bool whole = word.empty() || word == "cpu" || word == "cuda" ||
                     word.find('-') != std::string::npos;
  return whole ? word : "cpu-" + word;
}

Result<SubjectConfig> subject_of(const CompileWords& w) {
  if (!w.subject.empty()) return parse_subject(w.subject);
  nlohmann::json options = nlohmann::json::object();
  for (const std::string& word : w.options) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Error{fmt::format("--option {} is not NAME=VALUE", word)};
    }
    options[word.substr(0, equals)] = word.substr(equals + 1);
  }
  if (!w.target.empty()) options["target"] = target_name(w.target);
  return parse_subject("bundled" + options.dump());
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

// What is wrong with the names in `asked`, where the subject lists what there
// is; empty if nothing is.
std::string unknown(const char* what, const std::vector<std::string>& asked,
                    const std::vector<std::string>& known) {
  if (known.empty()) return {};
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return fmt::format("there is no {} '{}'{}; there are {}", what, name,
                       language::did_you_mean(name, known),
                       fmt::join(known, ", "));
  }
  return {};
}

// A program that was not compiled, and the exit code that says so.
int complain_of(const std::string& column, const Observation& o) {
  using Kind = Observation::Kind;
  if (o.kind == Kind::raised) {
    return complain(
        fmt::format("{} refuses the program{}: {}: {}", column,
                    o.error.clause.empty() ? "" : " by " + o.error.clause,
                    o.error.exception, o.error.message),
        1);
  }
  const bool incomplete =
      o.kind == Kind::not_run || o.kind == Kind::device_lost;
  const int code = o.kind == Kind::malformed ? 2 : incomplete ? 3 : 1;
  return complain(fmt::format("{}: {}", column, o.detail), code);
}

int compile(CompileWords w) {
  if (w.stages.empty() && w.passes.empty()) w.stages = {"graph"};
  const Result<Program> program = find_program(w);
  if (!program) return complain(program.error().message);
  const Result<SubjectConfig> config = subject_of(w);
  if (!config) return complain(config.error().message);
  Worker worker(*config);
  const Result<Identity> identity = worker.identify();
  if (!identity) return complain(identity.error().message);
  std::vector<std::string> kinds = {"kinds", "passes"};
  for (const std::string& pass : w.passes) {
    kinds.push_back("graph after " + pass);
  }
  kinds.insert(kinds.end(), w.stages.begin(), w.stages.end());
  const Worker::Texts made = worker.texts(*program, kinds);
  if (const auto* failure = std::get_if<Observation>(&made)) {
    return complain_of(identity->column, *failure);
  }
  const auto& texts = std::get<std::vector<std::string>>(made);
  const std::vector<std::string> known = words_of(texts[0]);
  std::string fault = unknown("stage", w.stages, known);
  if (fault.empty()) fault = unknown("pass", w.passes, words_of(texts[1]));
  if (!fault.empty()) {
    return complain(fmt::format("{}: {}", identity->column, fault));
  }
  std::string out;
  for (std::size_t i = 2; i < kinds.size(); ++i) {
    if (texts[i].empty() && known.empty()) {
      return complain(
          fmt::format("{} gives no text '{}'", identity->column, kinds[i]));
    }
    if (kinds.size() > 3) {
      out += fmt::format("{}== {} ==\n", i == 2 ? "" : "\n", kinds[i]);
    }
    out += texts[i];
    if (!texts[i].empty() && texts[i].back() != '\n') out += '\n';
  }
  return print(out);
}

}  // namespace

void add_compile_command(CLI::App& app, int* exit_code) {
  auto w = std::make_shared<CompileWords>();
  CLI::App* c = app.add_subcommand(
      "compile",
      "Print a program as each stage of the bundled compiler has it: graph, "
      "nest, text, assembly.");
  c->add_option("PROGRAM", w->what,
                "a file of a program's text, a case's whole path, or the name "
                "of an operation or program, for its first case")
      ->required();
  c->add_option("--emit", w->stages,
                "these stages: graph, nest, c++, asm, ledger, guards; of a "
                "CUDA target cuda, ptx, launches, launches+cubin; default "
                "graph")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("STAGE,...");
  c->add_option("--print-after", w->passes,
                "the graph as this pass has left it, \"import\" before all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PASS,...");
  auto* target = c->add_option("--target", w->target,
                               "avx2, avx512, baseline, cuda-sm_90, ...; "
                               "default: the best that this machine has")
                     ->type_name("TARGET");
  auto* option = c->add_option("--option", w->options,
                               "an option of the bundled subject: "
                               "lowering=derived, threads=2, defect=NAME")
                     ->allow_extra_args(false)
                     ->type_name("NAME=VALUE");
  c->add_option("--subject", w->subject,
                "another compiler that explains itself, as for run")
      ->excludes(target)
      ->excludes(option)
      ->type_name("S");
  add_specs_option(c, &w->specs);
  c->callback([=] { *exit_code = compile(*w); });
}

}  // namespace assay::harness
