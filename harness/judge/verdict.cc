#include "harness/judge/verdict.h"

#include <map>
#include <set>
#include <utility>

namespace assay::harness {
namespace {

enum class Side { conforms, wrong, silent };

Side side_of(const CaseResult& r) {
  switch (r.status) {
    case CellStatus::pass:
    case CellStatus::quality_warning:
      return Side::conforms;
    case CellStatus::fail:
    case CellStatus::flaky:
    case CellStatus::waived:
    case CellStatus::crash:
    case CellStatus::timeout:
      return Side::wrong;
    case CellStatus::unsupported:
    case CellStatus::hardware:
    case CellStatus::not_run:
    case CellStatus::mistrusted:
    case CellStatus::device_lost:
    case CellStatus::internal_error:
      break;
  }
  return Side::silent;
}

}  // namespace

bool is_eager_column(const std::string& column) {
  // By the worker in C++, or through Python.
  return column.starts_with("eager@") || column.starts_with("eager/") ||
         column == "eager" || column.starts_with("torch-eager@");
}

Verdict verdict_of(const std::vector<const CaseResult*>& results) {
  int judged = 0, eager_wrong = 0, compiled_wrong = 0;
  std::set<std::uint64_t> all_bits;
  // How each was wrong: a crash and a wrong value are different answers even
  // where neither has bits.
  std::set<std::pair<CellStatus, std::uint64_t>> wrong_answers;
  for (const CaseResult* r : results) {
    const Side side = side_of(*r);
    if (side == Side::silent) continue;
    ++judged;
    all_bits.insert(r->output_hash);
    if (side != Side::wrong) continue;
    wrong_answers.emplace(r->status, r->output_hash);
    ++(is_eager_column(r->column) ? eager_wrong : compiled_wrong);
  }
  if (judged < 2) return Verdict::undetermined;
  if (eager_wrong > 0 && compiled_wrong > 0) {
    return wrong_answers.size() == 1 ? Verdict::both_wrong_same
                                     : Verdict::both_wrong_differently;
  }
  if (eager_wrong > 0) return Verdict::eager_wrong;
  if (compiled_wrong > 0) return Verdict::compiled_wrong;
  return all_bits.size() == 1 ? Verdict::all_conform
                              : Verdict::conform_but_disagree;
}

void set_verdicts(std::vector<CaseResult>* results) {
  std::map<std::string, std::vector<const CaseResult*>> by_case;
  for (const CaseResult& r : *results) by_case[r.case_path].push_back(&r);
  std::map<std::string, Verdict> verdicts;
  for (const auto& [path, list] : by_case) verdicts[path] = verdict_of(list);
  for (CaseResult& r : *results) r.verdict = verdicts[r.case_path];
}

}  // namespace assay::harness
