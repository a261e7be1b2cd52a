#include "harness/certify/assess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace assay::harness {
namespace {

std::string counts_text(const std::map<CellStatus, std::size_t>& counts) {
  std::vector<std::string> parts;
  for (const auto& [status, n] : counts) {
    parts.push_back(fmt::format("{} {}", n, status_name(status)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void Assessment::add(const Duty& duty, const CaseResult& result, CaseResult r) {
  ++rows_[duty.source->spec][result.status];
  if (result.status == CellStatus::fail) ++classes_[result.failure];
  forget_known(&r);
  switch (r.status) {
    case CellStatus::pass:
    case CellStatus::quality_warning:
      if (r.evidence < level_.evidence) {
        objections_->add(Objection::evidence,
                         fmt::format("{}, where the level asks for {}",
                                     evidence_name(r.evidence),
                                     evidence_name(level_.evidence)),
                         r.case_path);
      }
      return;
    case CellStatus::unsupported:
      if (may_be_unsupported(duty)) return;
      objections_->add(
          Objection::unsupported,
          fmt::format("{}, which the level wants executed", duty.source->spec),
          r.case_path);
      return;
    case CellStatus::not_run:
    case CellStatus::device_lost:
      objections_->add(
          Objection::missing,
          fmt::format("{}: {}", duty.source->spec, status_name(r.status)),
          r.case_path);
      return;
    case CellStatus::mistrusted:
      objections_->add(Objection::ours, r.reason, r.case_path);
      return;
    case CellStatus::internal_error:
      // A subject that breaks the protocol is at fault itself.
      if (r.clause != "P0") {
        objections_->add(Objection::ours, r.reason, r.case_path);
        return;
      }
      break;
    default:
      break;
  }
  object(duty, r);
}

void Assessment::object(const Duty& duty, const CaseResult& result) {
  CaseResult r = result;
  apply_known(waivers_, today_, &r);
  if (r.known && may_be_waived(duty, r.clause)) {
    ++waived_;
    return;
  }
  if (r.known) {
    objections_->add(Objection::waiver,
                     fmt::format("failures by {} cannot be waived at level {}",
                                 r.clause, level_.name),
                     r.case_path);
    return;
  }
  const std::string failure = r.failure == FailureClass::none
                                  ? ""
                                  : fmt::format(" {}", failure_name(r.failure));
  objections_->add(Objection::fails,
                   fmt::format("{}: {}{}, clause {}", duty.source->spec,
                               status_name(r.status), failure, r.clause),
                   r.case_path);
}

std::string Assessment::summary() const {
  std::map<CellStatus, std::size_t> all;
  std::size_t cases = 0;
  for (const auto& [row, counts] : rows_) {
    for (const auto& [status, n] : counts) {
      all[status] += n;
      cases += n;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [failure, n] : classes_) {
    parts.push_back(fmt::format("{} {}", n, failure_name(failure)));
  }
  return fmt::format(
      "{} cases: {}{}", cases, counts_text(all),
      parts.empty() ? "" : fmt::format("; fails: {}", fmt::join(parts, ", ")));
}

std::string Assessment::matrix() const {
  std::size_t width = 0;
  for (const auto& [row, counts] : rows_) width = std::max(width, row.size());
  std::string out = summary() + "\n\n";
  for (const auto& [row, counts] : rows_) {
    out += fmt::format("{:<{}}  {}\n", row, width, counts_text(counts));
  }
  return out;
}

}  // namespace assay::harness
