// Random streams of the input generators: fixed by their seed alone, the same
// on every machine and with every standard library.
#ifndef ASSAY_SUITE_CASES_INPUTS_RANDOM_H_
#define ASSAY_SUITE_CASES_INPUTS_RANDOM_H_

#include <cmath>
#include <cstdint>

namespace assay::cases {

// SplitMix64 (Steele, Lea, Flood 2014): every seed gives a full-period
// stream, neighbouring seeds give unrelated ones.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // In [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // In [0, n). The bias of the remainder is below 2^-40 for any n we use.
  std::uint64_t below(std::uint64_t n) { return next() % n; }

  // In [lo, hi], both included; any pair of 64-bit ends.
  std::int64_t between(std::int64_t lo, std::int64_t hi) {
    const std::uint64_t width =
        static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
    const std::uint64_t step = width == 0 ? next() : below(width);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + step);
  }

  // Nearly standard normal: the sum of twelve uniforms less six (Irwin-Hall).
  // It only adds, so that no libm decides what a case's inputs are. Bounded by
  // 6; tests of tails have generators of their own.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += unit();
    return sum;
  }

 private:
  std::uint64_t state_;
};

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_INPUTS_RANDOM_H_
