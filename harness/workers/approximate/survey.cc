#include "harness/workers/approximate/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/program_text.h"

namespace assay::harness::worker {
namespace {

using ptx::Approximate;
using ptx::Approximation;

struct Layout {
  std::uint64_t sign, infinity;  // bit patterns
};

Layout layout_of(const ApproximateInstruction& i) {
  if (i.bits == 32) return {0x80000000U, 0x7f800000U};
  const bool brain = i.function == Approximate::ex2_bf16 ||
                     i.function == Approximate::tanh_bf16;
  return {0x8000U, brain ? 0x7f80U : 0x7c00U};
}

// What the machine would give, .ftz included.
class Machine {
 public:
  explicit Machine(const ApproximateInstruction& i)
      : instruction_(i), layout_(layout_of(i)) {}

  std::uint64_t operator()(Approximation which, std::uint64_t input) const {
    return flushed(
        ptx::approximate(instruction_.function, which, flushed(input)));
  }
  bool is_nan(std::uint64_t x) const {
    return (x & ~layout_.sign) > layout_.infinity;
  }
  // Neighbours differ by one; both zeros are 0.
  std::int64_t place(std::uint64_t x) const {
    const auto size = static_cast<std::int64_t>(x & ~layout_.sign);
    return (x & layout_.sign) != 0 ? -size : size;
  }

 private:
  std::uint64_t flushed(std::uint64_t x) const {
    const std::uint64_t exponent = x & layout_.infinity;
    return instruction_.ftz && exponent == 0 ? x & layout_.sign : x;
  }

  const ApproximateInstruction& instruction_;
  Layout layout_;
};

// Of a sequence, so that the parts of one can be joined.
std::uint64_t joined(std::uint64_t hash, std::uint64_t next) {
  const std::uint64_t both[2] = {hash, next};
  return fnv1a({reinterpret_cast<const char*>(both), sizeof both});
}

}  // namespace

void Survey::add(std::uint64_t first, std::span<const std::uint32_t> results) {
  const Machine machine(*instruction_);
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::uint64_t input = first + k;
    const std::uint64_t got = results[k];
    const std::uint64_t nominal = machine(Approximation::nominal, input);
    if (got == nominal) {
      ++distances_[kMost + 1];
      continue;
    }
    const bool nan = machine.is_nan(got);
    if (nan && machine.is_nan(nominal)) {
      ++distances_[kMost + 1];  // which NaN it is, is promised by nobody
      continue;
    }
    const Witness w = {input, got, nominal};
    if (!first_) first_ = w;
    last_ = w;
    bool outside = true;
    if (nan != machine.is_nan(nominal)) {
      ++other_class_;
    } else {
      const std::int64_t by = machine.place(got) - machine.place(nominal);
      const auto bucket = std::clamp<std::int64_t>(by, -kMost - 1, kMost + 1);
      ++distances_[static_cast<std::size_t>(bucket + kMost + 1)];
      if (std::abs(by) > std::abs(most_)) {
        most_ = by;
        farthest_ = w;
      }
      outside = machine.place(got) <
                    machine.place(machine(Approximation::lowest, input)) ||
                machine.place(got) >
                    machine.place(machine(Approximation::highest, input));
    }
    if (!outside) continue;
    ++outside_;
    if (!first_outside_) first_outside_ = w;
    last_outside_ = w;
  }
  inputs_ += results.size();
  hash_ = joined(hash_, fnv1a({reinterpret_cast<const char*>(results.data()),
                               results.size_bytes()}));
}

void Survey::add(const Survey& next) {
  inputs_ += next.inputs_;
  hash_ = joined(hash_, next.hash_);
  for (std::size_t i = 0; i < distances_.size(); ++i) {
    distances_[i] += next.distances_[i];
  }
  other_class_ += next.other_class_;
  outside_ += next.outside_;
  if (std::abs(next.most_) > std::abs(most_)) {
    most_ = next.most_;
    farthest_ = next.farthest_;
  }
  if (!first_) first_ = next.first_;
  if (next.last_) last_ = next.last_;
  if (!first_outside_) first_outside_ = next.first_outside_;
  if (next.last_outside_) last_outside_ = next.last_outside_;
}

nlohmann::ordered_json Survey::json_of(const std::optional<Witness>& w,
                                       unsigned bits) {
  if (!w) return nullptr;
  const auto pattern = [bits](std::uint64_t x) {
    return fmt::format("0x{:0{}x}", x, bits / 4);
  };
  return {{"input", pattern(w->input)},
          {"got", pattern(w->got)},
          {"nominal", pattern(w->nominal)}};
}

nlohmann::ordered_json Survey::to_json() const {
  const unsigned bits = instruction_->bits;
  nlohmann::ordered_json distances = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < distances_.size(); ++i) {
    if (distances_[i] == 0) continue;
    const int by = static_cast<int>(i) - kMost - 1;
    const bool open = by < -kMost || by > kMost;
    distances[open ? (by < 0 ? "less" : "more") : fmt::format("{}", by)] =
        distances_[i];
  }
  return {{"instruction", instruction_->name},
          {"inputs", inputs_},
          {"hash", fmt::format("{:016x}", hash_)},
          {"distances", distances},
          {"other_class", other_class_},
          {"largest_distance", most_},
          {"farthest", json_of(farthest_, bits)},
          {"first", json_of(first_, bits)},
          {"last", json_of(last_, bits)},
          {"outside_of_bound", outside_},
          {"first_outside", json_of(first_outside_, bits)},
          {"last_outside", json_of(last_outside_, bits)}};
}

}  // namespace assay::harness::worker
