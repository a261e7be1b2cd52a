// Packs: cases that are compiled together as one program, because a subject
// compiles slowly. What fails in a pack is run again alone, unless it is known
// to fail so; what fails only in a pack is flaky, never a pass.
#ifndef ASSAY_HARNESS_RUN_PACK_H_
#define ASSAY_HARNESS_RUN_PACK_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/records/result.h"
#include "harness/subject/observation.h"
#include "suite/cases/case.h"

namespace assay::harness {

inline constexpr std::size_t kPackLimit = 30;

// Cases by index. Packs of one case where `slow` is false; else up to
// kPackLimit packable cases that return, in path order. Heavy packs first. A
// function of the cases alone, so that a resumed run packs as the first did.
std::vector<std::vector<std::size_t>> make_packs(
    const std::vector<const cases::Case*>& cases, bool slow);

// The part of a pack's outputs that belongs to each case. Requires that there
// are as many outputs as the programs have together.
std::vector<Observation> unpack(const Observation& packed,
                                const std::vector<const cases::Case*>& cases);

// Does the subject keep its promises here, as far as this case can tell?
bool conforms(const CaseResult& result);

// The result of a case that conformed in one run and not in another.
CaseResult flaky_result(const CaseResult& good, const CaseResult& bad,
                        const std::string& difference);

// A result with the observations that it rests on.
struct Finding {
  std::size_t case_index = 0;
  CaseResult result;
  std::vector<Observation> observations;
};

// A pack that failed as a whole, and so was taken apart. If its parts all do
// well, the failure is put down to its first case.
class FailedPack {
 public:
  // `observation` says how the whole failed.
  FailedPack(std::vector<std::size_t> cases, Observation observation);

  // A part of it has also failed as a whole. That explains this failure, and
  // the part's cases are no longer watched here.
  std::vector<Finding> part_failed(const std::vector<std::size_t>& cases);

  // The finding about one of its cases, alone or in a smaller pack.
  // Returns what can be reported now.
  std::vector<Finding> settle(Finding finding);

 private:
  std::vector<Finding> close_if_complete();

  Observation observation_;
  std::string description_;
  std::size_t first_ = 0;
  std::size_t remaining_ = 0;
  bool explained_ = false;
  std::optional<Finding> withheld_;  // of the first case
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RUN_PACK_H_
