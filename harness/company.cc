#include "harness/company.h"

#include <fmt/format.h>

#include <utility>

#include "harness/show.h"

namespace assay {
namespace {

std::string failure_of(const Observation& o) {
  switch (o.kind) {
    case Observation::Kind::returned:
      return o.breaches.empty()
                 ? "returned the wrong number of outputs"
                 : fmt::format("{}", fmt::join(o.breaches, "; "));
    case Observation::Kind::raised:
      return fmt::format("raised {}: {}", o.error.exception, o.error.message);
    case Observation::Kind::crashed:
      return "crashed: " + o.detail;
    case Observation::Kind::malformed:
      return "broke the protocol: " + o.detail;
    case Observation::Kind::unsupported:
    case Observation::Kind::timed_out:
    case Observation::Kind::out_of_memory:
      break;
  }
  return o.detail;
}

// A program of thirty cases may be too large or too slow without any of them
// being wrong: packing them was our choice.
bool is_our_doing(const Observation& o) {
  return o.kind == Observation::Kind::unsupported ||
         o.kind == Observation::Kind::timed_out ||
         o.kind == Observation::Kind::out_of_memory;
}

}  // namespace

bool conforms(const CaseResult& r) {
  switch (r.status) {
    case CellStatus::pass:
    case CellStatus::quality_warning:
    case CellStatus::mistrusted:
      return true;
    case CellStatus::internal_error:
      return r.clause != "P0";  // ours, not the subject's
    default:
      return false;
  }
}

CaseResult flaky_result(const CaseResult& good, const CaseResult& bad,
                        const std::string& difference) {
  CaseResult r = bad;
  r.status = CellStatus::flaky;
  r.seconds = good.seconds + bad.seconds;
  r.reason = one_line(fmt::format("{} {}: {}", status_name(bad.status),
                                  difference, bad.reason));
  return r;
}

Company::Company(std::vector<std::size_t> cases, Observation observation)
    : observation_(std::move(observation)),
      description_(fmt::format("a program of {} cases that begins with this "
                               "one {}",
                               cases.size(), failure_of(observation_))),
      first_(cases.front()),
      remaining_(cases.size()),
      explained_(is_our_doing(observation_)) {}

std::vector<Finding> Company::part_failed(
    const std::vector<std::size_t>& cases) {
  explained_ = true;
  remaining_ -= cases.size();
  return close_if_complete();
}

std::vector<Finding> Company::settle(Finding finding) {
  if (!conforms(finding.result)) explained_ = true;
  --remaining_;
  std::vector<Finding> out;
  if (finding.case_index == first_) {
    withheld_ = std::move(finding);
  } else {
    out.push_back(std::move(finding));
  }
  for (Finding& f : close_if_complete()) out.push_back(std::move(f));
  return out;
}

std::vector<Finding> Company::close_if_complete() {
  if (remaining_ > 0 || !withheld_) return {};
  Finding f = std::move(*withheld_);
  withheld_.reset();
  if (!explained_) {
    f.result.status = CellStatus::flaky;
    f.result.reason =
        one_line(description_ + "; in smaller programs all of them do well");
    Observation whole = observation_;
    whole.outputs.clear();
    f.observations.push_back(std::move(whole));
  }
  std::vector<Finding> out;
  out.push_back(std::move(f));
  return out;
}

}  // namespace assay
