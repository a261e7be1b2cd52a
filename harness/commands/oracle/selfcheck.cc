// assay selfcheck: what this machine has, which columns it can run, and
// whether they answer right.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/machine/parts.h"
#include "harness/run/interrupt.h"
#include "harness/run/run.h"
#include "harness/run/session.h"
#include "harness/subject/subject.h"

namespace assay::harness {
namespace {

// Values exact and rounded, a reduction and a refusal, which every column is
// right about: a wrong answer is this machine's fault, or the bundle's.
const std::vector<std::string> kCases = {"abs/C1/f32/17", "exp/C1/f32/17",
                                         "sum/C1/f32/17",
                                         "softmax/E1/f32/16/dim=16"};

struct ColumnCheck {
  std::string name;     // of the column, or of one that does not start
  std::string subject;  // as the command line spells it
  int right = 0, wrong = 0;
  int open = 0;       // unsupported, or only hardware can tell
  bool runs = false;  // computed something; a refusal alone shows nothing
  Evidence evidence = Evidence::none;
  std::string reason;  // why it cannot run, or what was wrong first
};

// "bundled{target=cuda-sm_90,run=false}": "bundled/cuda-sm_90".
std::string label_of(const std::string& spelling) {
  const std::string target = "{target=";
  const std::size_t brace = spelling.find(target);
  if (brace == std::string::npos) return spelling;
  const std::size_t begin = brace + target.size();
  return spelling.substr(0, brace) + "/" +
         spelling.substr(begin, spelling.find_first_of(",}", begin) - begin);
}

// Without the subject's name in front, so that equal reasons are equal.
std::string bare_reason(const AbsentColumn& a) {
  std::string why = a.why;
  for (const std::string& front :
       {fmt::format("subject '{}': ", a.spelling),
        fmt::format("subject {} cannot be started: ", a.spelling),
        fmt::format("subject {} does not start: ", a.spelling)}) {
    if (why.starts_with(front)) why.erase(0, front.size());
  }
  return why.substr(0, why.find('\n'));
}

void count(const CaseResult& r, bool refusal, ColumnCheck* check) {
  const bool asked =
      r.status != CellStatus::unsupported && r.status != CellStatus::not_run;
  if (asked && !refusal) check->runs = true;
  const auto remember = [&](const std::string& reason) {
    check->reason = reason.substr(0, reason.find('\n'));
  };
  switch (r.status) {
    case CellStatus::pass:
    case CellStatus::quality_warning:
      ++check->right;
      // A refusal counts as run: the weakest is what the others have.
      check->evidence = check->right == 1
                            ? r.evidence
                            : std::min(check->evidence, r.evidence);
      break;
    case CellStatus::unsupported:
    case CellStatus::hardware:
    case CellStatus::not_run:
      if (++check->open == 1 && check->wrong == 0) remember(r.reason);
      break;
    default:
      if (++check->wrong > 1) break;
      remember(fmt::format("{} is {}{}{}", r.case_path, status_name(r.status),
                           r.reason.empty() ? "" : ": ", r.reason));
  }
}

Result<std::vector<const cases::Case*>> chosen_cases(const Session& session) {
  std::vector<const cases::Case*> out;
  for (const std::string& path : kCases) {
    const Result<const cases::Case*> found = find_case(session, path);
    if (!found) return found.error();
    out.push_back(*found);
  }
  return out;
}

// Runs the cases on all columns of --device all that start.
Result<std::vector<ColumnCheck>> check_columns(
    const std::filesystem::path& specs) {
  const Result<std::vector<std::string>> subjects =
      subjects_of_device("all", false);
  if (!subjects) return subjects.error();
  // Columns take as long to start as the specs to be read.
  std::vector<AbsentColumn> absent;
  auto starting = std::async(std::launch::async,
                             [&] { return start_columns(*subjects, &absent); });
  Result<std::unique_ptr<Session>> session = open_session(specs);
  Result<std::vector<StartedColumn>> started = starting.get();
  if (!session) return session.error();
  const Result<std::vector<const cases::Case*>> cases = chosen_cases(**session);
  if (!cases) return cases.error();
  if (!started && absent.size() != subjects->size()) return started.error();

  std::vector<ColumnCheck> checks;
  std::map<std::string, std::size_t> by_name;
  if (started) {
    for (const StartedColumn& c : *started) {
      by_name[c.identity.column] = checks.size();
      checks.emplace_back().name = c.identity.column;
      checks.back().subject = c.config.spelling;
    }
    RunSetup setup;
    setup.cases = *cases;
    setup.columns = plans_of(&*started);
    setup.options.jobs =
        static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    setup.options.stop = &interrupt_flag();
    const auto oracle = live_oracle((*session)->specs);
    const Adjudicator adjudicator(*oracle, reference::Numerics::fused,
                                  &(*session)->specs);
    const RunOutcome outcome = run_cases(std::move(setup), adjudicator);
    if (!outcome.lost.empty()) return Error{outcome.lost};
    std::map<std::string, bool> refusal;
    for (const cases::Case* c : *cases) {
      refusal[c->path] = !c->must_raise.empty();
    }
    for (const CaseResult& r : outcome.results) {
      count(r, refusal.at(r.case_path), &checks[by_name.at(r.column)]);
    }
  }
  for (const AbsentColumn& a : absent) {
    checks.emplace_back().name = label_of(a.spelling);
    checks.back().subject = a.spelling;
    checks.back().reason = bare_reason(a);
  }
  return checks;
}

std::string outcome_text(const ColumnCheck& c) {
  if (!c.runs) return "cannot run: " + c.reason;
  std::string text = fmt::format("{} of {} right", c.right, kCases.size());
  if (c.right > 0) text += fmt::format(" ({})", evidence_name(c.evidence));
  if (c.wrong > 0) {
    text = "WRONG: " + text;
  } else if (c.open > 0) {
    text += fmt::format(", {} open", c.open);
  }
  if (c.reason.empty()) return text;
  constexpr std::size_t kColumns = 100;
  text += ": " + c.reason.substr(0, kColumns);
  return c.reason.size() > kColumns ? text + "..." : text;
}

// A line for each column; CUDA columns of a subject that fare alike are one.
std::string column_lines(const std::vector<ColumnCheck>& checks) {
  const std::string family = "/cuda-sm_";
  std::vector<std::pair<std::string, std::string>> lines;  // name, outcome
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  for (const ColumnCheck& c : checks) {
    const std::size_t at = c.name.find(family);
    const std::string outcome = outcome_text(c);
    if (at != std::string::npos) {
      const auto [line, fresh] =
          seen.emplace(std::pair(c.name.substr(0, at), outcome), lines.size());
      if (!fresh) {
        lines[line->second].first += "," + c.name.substr(at + family.size());
        continue;
      }
    }
    lines.emplace_back(c.name, outcome);
  }
  std::string out;
  for (const auto& [name, outcome] : lines) {
    out += fmt::format("  {:<30} {}\n", name, outcome);
  }
  return out;
}

std::string text_of(const std::vector<Part>& parts,
                    const std::vector<ColumnCheck>& checks) {
  std::string out = "this machine\n";
  for (const Part& p : parts) {
    out += fmt::format("  {:<13} {}{}\n", p.name, p.found ? "" : "-- ", p.text);
  }
  return out + "\ncolumns of --device all\n" + column_lines(checks);
}

std::string json_of(const std::vector<Part>& parts,
                    const std::vector<ColumnCheck>& checks, bool good) {
  nlohmann::ordered_json j = {{"good", good},
                              {"machine", nlohmann::ordered_json::array()},
                              {"columns", nlohmann::ordered_json::array()}};
  for (const Part& p : parts) {
    j["machine"].push_back(
        {{"part", p.name}, {"found", p.found}, {"text", p.text}});
  }
  for (const ColumnCheck& c : checks) {
    j["columns"].push_back({{"column", c.name},
                            {"subject", c.subject},
                            {"runs", c.runs},
                            {"right", c.right},
                            {"wrong", c.wrong},
                            {"open", c.open},
                            {"evidence", evidence_name(c.evidence)},
                            {"reason", c.reason}});
  }
  return j.dump(2) + "\n";
}

int selfcheck(const std::filesystem::path& specs, bool json) {
  auto looking = std::async(std::launch::async, look_around);
  const Result<std::vector<ColumnCheck>> checks = check_columns(specs);
  const std::vector<Part> parts = looking.get();
  if (!checks) return complain(checks.error().message);
  if (interrupt_flag()) return complain("interrupted", 3);
  const auto running = std::count_if(checks->begin(), checks->end(),
                                     [](const auto& c) { return c.runs; });
  const bool wrong = std::any_of(checks->begin(), checks->end(),
                                 [](const auto& c) { return c.wrong > 0; });
  const bool intact = std::none_of(parts.begin(), parts.end(), [](auto& p) {
    return p.name == kProgramsPart && !p.found;
  });
  const bool good = running > 0 && !wrong && intact;
  if (json) return print(json_of(parts, *checks, good), good ? 0 : 1);
  return print(
      text_of(parts, *checks) +
          fmt::format("\n{} of {} columns can run{}\n", running, checks->size(),
                      wrong     ? ", and NOT all of them answer right"
                      : !intact ? "; the bundle is damaged"
                                : ""),
      good ? 0 : 1);
}

}  // namespace

void add_selfcheck_command(CLI::App& app, int* exit_code) {
  struct Options {
    std::filesystem::path specs;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "selfcheck",
      "Say what this machine has, which columns it can run, and whether those "
      "answer right: exit code 0 if they do.");
  c->add_flag("--json", o->json, "print it as JSON");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = selfcheck(o->specs, o->json); });
}

}  // namespace assay::harness
