// assay new: a first spec of an operation from its schema.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/records/files.h"
#include "suite/language/load.h"
#include "suite/language/schema/draft.h"
#include "suite/language/schema/schema.h"
#include "suite/language/syntax/suggest.h"

namespace assay::harness {
namespace {

struct NewOptions {
  std::string op;
  std::string family = "new";
  std::filesystem::path specs;
};

// Overloads that the word names: aten.NAME.OVERLOAD itself, or all of NAME.
std::vector<std::string> overloads_of(const language::SchemaSet& schemas,
                                      std::string word) {
  if (word.starts_with("aten::")) word.replace(0, 6, "aten.");
  if (!word.starts_with("aten.")) word = "aten." + word;
  if (schemas.contains(word)) return {word};
  std::vector<std::string> found;
  for (const auto& [name, _] : schemas) {
    if (name.starts_with(word + ".")) found.push_back(name);
  }
  return found;
}

std::string unknown(const language::SchemaSet& schemas,
                    const std::string& word) {
  std::vector<std::string> names;
  for (const auto& [name, _] : schemas) {
    names.push_back(name.substr(5, name.find('.', 5) - 5));
  }
  return fmt::format("no operation of ATen is called {}{}", word,
                     language::did_you_mean(word, names));
}

std::string decisions(const std::string& text) {
  std::string out;
  int n = 0;
  for (std::size_t at = text.find(language::kDecide); at != std::string::npos;
       at = text.find(language::kDecide, at + 1)) {
    const std::size_t begin = at + language::kDecide.size() + 1;
    out += fmt::format("  {}. {}\n", ++n,
                       text.substr(begin, text.find('\n', at) - begin));
  }
  return out;
}

int make_new(const NewOptions& o) {
  std::vector<language::Diagnostic> faults;
  const language::SchemaSet schemas =
      language::load_schemas(language::schema_file(o.specs), &faults);
  if (!faults.empty()) return complain(language::to_string(faults.front()));
  const std::vector<std::string> found = overloads_of(schemas, o.op);
  if (found.empty()) return complain(unknown(schemas, o.op));
  if (found.size() > 1) {
    return complain(fmt::format("{} has several overloads; name one of: {}",
                                o.op, fmt::join(found, ", ")));
  }
  const language::Schema& schema = schemas.at(found.front());
  const std::string name = language::draft_name(schema);
  const std::filesystem::path file =
      o.specs / "ops" / o.family / (name + ".yaml");
  std::error_code error;
  for (const auto& e :
       std::filesystem::recursive_directory_iterator(o.specs / "ops", error)) {
    if (e.path().filename() == file.filename()) {
      return complain(e.path().string() + " is there already");
    }
  }
  for (const language::OpSpec& op : language::load_specs(o.specs).specs.ops) {
    if (op.aten != found.front()) continue;
    return complain(
        fmt::format("{} has a spec: '{}' in {}", op.aten, op.name, op.file));
  }
  std::filesystem::create_directories(file.parent_path(), error);
  const std::string text = language::draft_spec(schema);
  const Status written = replace_file(file, text);
  if (!written) return complain(written.error().message);
  return print(fmt::format(
      "{} is a first draft. Decide, and remove each mark:\n{}then\n  "
      "./assay lint {}\n  ./assay run {}\ndocs/spec-language.md describes the "
      "language.\n",
      file.string(), decisions(text), file.string(), name));
}

}  // namespace

void add_new_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<NewOptions>();
  CLI::App* c = app.add_subcommand(
      "new", "Write a first spec of an operation from its schema.");
  c->add_option("OP", o->op, "erfinv, or one overload, aten.eq.Scalar")
      ->required();
  c->add_option("--family", o->family, "folder in specs/ops")
      ->capture_default_str();
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = make_new(*o); });
}

}  // namespace assay::harness
