#include "harness/fuzz/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "harness/fuzz/difference_examiner.h"
#include "harness/records/files.h"
#include "harness/reduce/column_examiner.h"
#include "harness/reduce/program_yaml.h"

namespace assay::harness {
namespace {

using Clock = std::chrono::steady_clock;

std::set<std::string> ops_of(const Candidate& c) {
  std::set<std::string> ops;
  for (const Node& node : c.nodes) {
    if (!further_output(node)) ops.insert(node.op);
  }
  return ops;
}

// What a clause is about: "exp" of "exp/A1"; of one that belongs to no
// operation, the last call's.
std::string subject_of(const std::string& clause, const Candidate& c,
                       const language::SpecSet& specs) {
  const std::size_t slash = clause.find('/');
  if (slash != std::string::npos) return clause.substr(0, slash);
  for (std::size_t n = c.nodes.size(); n-- > 0;) {
    const language::OpSpec* op = specs.find_aten(c.nodes[n].op);
    if (op != nullptr) return op->name;
  }
  return {};
}

// "bundled" of "bundled+engine=nest/cpu-avx512": for names of files.
std::string short_name(const std::string& column) {
  std::string out;
  for (const char c : column) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) break;
    out += c;
  }
  return out;
}

// A program that breaks the protocol shrinks like one that crashes.
bool is_worth_reducing(const Failure& f) {
  return is_reducible(f) || f.status == CellStatus::internal_error;
}

}  // namespace

SearchLimits Findings::limits() const {
  SearchLimits limits = setup_.limits;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(setup_.seconds));
  limits.stop = [end, stop = setup_.limits.stop] {
    return Clock::now() > end || (stop && stop());
  };
  return limits;
}

bool Findings::count_if_known(std::size_t column, const CaseResult& result,
                              const Candidate& c) {
  const std::string op = subject_of(result.clause, c, setup_.specs);
  if (!is_known(setup_.columns[column], result, op)) return false;
  const bool of_an_op = result.clause.find('/') != std::string::npos;
  ++known_[{column, of_an_op ? result.clause : op + "/" + result.clause}];
  return true;
}

// The same clause is broken in the same way, and whatever the smallest program
// of that finding calls is called here, too.
bool Findings::count_if_like_another(const FuzzFinding& f) {
  for (FuzzFinding& g : found_) {
    if (g.column != f.column || !is_same(g.failure, f.failure) ||
        g.failure.clause != f.failure.clause ||
        !std::includes(f.ops.begin(), f.ops.end(), g.ops.begin(),
                       g.ops.end())) {
      continue;
    }
    ++g.times;
    return true;
  }
  return false;
}

void Findings::reduce(Examiner& examiner, FuzzFinding* f) const {
  const Examined first = examiner.examine(f->smallest, false);
  if (!first.fails) return;
  const Reduced r =
      search(f->smallest, first, setup_.specs, examiner, limits());
  f->smallest = r.candidate;
  f->ops = ops_of(f->smallest);
  f->reduced = true;
}

Status Findings::keep(FuzzFinding f) {
  const FuzzColumn& column = setup_.columns[f.column];
  std::string name = fmt::format("fuzz_{}_{}_{}", setup_.seed, f.number,
                                 short_name(column.name));
  // One program may be several findings: of an interpreter, too.
  const auto same =
      std::count_if(found_.begin(), found_.end(), [&](const FuzzFinding& g) {
        return g.number == f.number &&
               short_name(setup_.columns[g.column].name) ==
                   short_name(column.name);
      });
  if (same > 0) name += fmt::format("_{}", same + 1);
  f.file = setup_.out / (name + ".yaml");
  const std::string doc = fmt::format(
      "Found by `assay fuzz --seed {} --program {}`; {} fails it: {}.",
      setup_.seed, f.number, column.name, to_text(f.failure));
  const Status written =
      replace_file(f.file, program_yaml(f.smallest, name, doc));
  found_.push_back(std::move(f));
  return written;
}

Status Findings::add(std::size_t column, std::uint64_t number,
                     const Candidate& c, const CaseResult& result,
                     const Observation& observation) {
  if (count_if_known(column, result, c)) return success();
  FuzzFinding f;
  f.column = column;
  f.number = number;
  f.failure = failure_of(result, observation);
  f.reason = result.reason;
  f.smallest = c;
  f.ops = ops_of(c);
  if (count_if_like_another(f)) return success();
  if (!is_worth_reducing(f.failure)) return keep(std::move(f));
  const auto worker = setup_.columns[column].workers->lend();
  ColumnExaminer examiner(setup_.adjudicator, *worker, f.failure);
  reduce(examiner, &f);
  if (f.reduced) {
    // Which operation of it is at fault shows only now.
    const cases::Case smallest = case_of(f.smallest, "fuzz");
    const auto prepared = setup_.adjudicator.prepare(smallest);
    const Attempt last = attempt(*prepared, *worker, setup_.adjudicator);
    if (count_if_known(column, last.result, f.smallest)) return success();
    const Failure again = failure_of(last.result, last.observation);
    if (is_worth_reducing(again)) {
      f.failure = again;
      f.reason = last.result.reason;
    }
    if (count_if_like_another(f)) return success();
  }
  return keep(std::move(f));
}

Status Findings::add_difference(std::size_t column, std::uint64_t number,
                                const Candidate& c) {
  const FuzzColumn& twin = setup_.columns[column];
  const FuzzColumn& other = setup_.columns[*twin.twin_of];
  FuzzFinding f;
  f.column = column;
  f.number = number;
  f.failure.status = CellStatus::fail;
  f.failure.clause = "the same bits as " + other.name;
  f.smallest = c;
  f.ops = ops_of(c);
  if (count_if_like_another(f)) return success();
  const auto a = other.workers->lend();
  const auto b = twin.workers->lend();
  DifferenceExaminer examiner(setup_.specs, *a, *b);
  reduce(examiner, &f);
  if (f.reduced && count_if_like_another(f)) return success();
  return keep(std::move(f));
}

}  // namespace assay::harness
