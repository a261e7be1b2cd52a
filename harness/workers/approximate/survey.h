// What is said of a recorded instruction without its 2^32 results: how far
// they are from the correctly rounded ones and from what the ISA promises.
#ifndef ASSAY_HARNESS_WORKERS_APPROXIMATE_SURVEY_H_
#define ASSAY_HARNESS_WORKERS_APPROXIMATE_SURVEY_H_

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "harness/workers/approximate/instructions.h"

namespace assay::harness::worker {

class Survey {
 public:
  explicit Survey(const ApproximateInstruction& instruction)
      : instruction_(&instruction) {}

  // Results of the inputs from `first` on.
  void add(std::uint64_t first, std::span<const std::uint32_t> results);
  // What follows: blocks are counted by several threads, and joined in order.
  void add(const Survey& next);

  // Distances are numbers of neighbours, of a result from the correctly
  // rounded one: positive where it is greater.
  nlohmann::ordered_json to_json() const;

 private:
  struct Witness {
    std::uint64_t input = 0, got = 0, nominal = 0;
  };
  static nlohmann::ordered_json json_of(const std::optional<Witness>& w,
                                        unsigned bits);

  static constexpr int kMost = 8;  // beyond it, distances are not told apart
  const ApproximateInstruction* instruction_;
  std::uint64_t inputs_ = 0;
  std::uint64_t hash_ = 0;
  std::array<std::uint64_t, 2 * kMost + 3> distances_{};
  std::uint64_t other_class_ = 0;  // NaN where a number is right, or reverse
  std::uint64_t outside_ = 0;      // of what the ISA's bound admits
  std::int64_t most_ = 0;
  std::optional<Witness> farthest_, first_, last_, first_outside_,
      last_outside_;
};

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_APPROXIMATE_SURVEY_H_
