// What a sweep counts: how a subject's results differ from the right ones.
#ifndef ASSAY_REFERENCE_SWEEP_TALLY_H_
#define ASSAY_REFERENCE_SWEEP_TALLY_H_

#include <array>
#include <cstdint>
#include <optional>

#include "reference/sweep/sweep.h"

namespace assay::reference {

struct Witness {
  std::uint64_t input = 0;  // its number in the sweep
  std::uint64_t got = 0;    // bit pattern
  std::uint64_t right = 0;  // of the exact value, rounded
};

// E = |got - exact| / ulp(exact), infinity counting as 2^(emax + 1) where the
// exact value lies in the last binade. D is the number of elements between
// `got` and the right one (docs/accuracy.md). Both are taken over finite pairs:
// NaN and infinity where they do not belong are counted separately.
struct Tally {
  static constexpr std::array<double, 4> kBounds = {0.5, 1, 2, 4};

  std::uint64_t inputs = 0;
  std::uint64_t unspecified = 0;
  std::uint64_t not_rounded = 0;  // not correctly rounded, of any kind
  std::array<std::uint64_t, 4> over = {};
  std::uint64_t wrong_nan = 0;        // NaN for a number, or the reverse
  std::uint64_t wrong_infinity = 0;   // infinity for a number, or the reverse
  std::uint64_t wrong_zero_sign = 0;  // zero, with the wrong sign
  std::uint64_t flushed = 0;          // zero for a subnormal
  std::uint64_t broken = 0;           // outside of the accuracy clause
  std::uint64_t by_mpfr = 0;          // goldens that MPFR decided
  double max_error = 0;               // E
  std::int64_t max_distance = 0;      // D
  // The witnesses of max_error and max_distance, and the first result that
  // breaks the clause.
  std::optional<Witness> error_at, distance_at, broken_at;

  void add(const Tally& other);
};

// Compares blocks with what a subject returned for them.
class BlockJudge {
 public:
  BlockJudge(const Sweep& sweep, const NestAccuracy& accuracy,
             const Loops& loops);

  // `got`: the returned elements of the block, contiguous. False, and nothing
  // is counted, where one differs from an element that is common to the block:
  // judging it takes what SweepOracle::golden says.
  [[nodiscard]] bool compare(std::uint64_t first, std::size_t n,
                             const BlockResult& golden, const std::byte* got,
                             Tally* tally);

 private:
  void decode(const std::byte* got, std::size_t n);
  // `nearest`: of what is right at its lane, the nearest to what came.
  void differs(std::uint64_t input, const RightElement& nearest, bool broken,
               Tally* tally);
  bool is_right(double got, double right) const;
  bool admitted(double got, const RightElement& right,
                const BlockTolerance& granted) const;
  double error_of(double got, double exact) const;

  DType t_;
  bool is_float_;
  FloatFormat format_ = {}, measured_ = {};
  bool same_format_ = true;
  bool tolerant_ = false;
  bool any_zero_sign_ = false;
  std::optional<std::pair<double, double>> range_;
  const Loops& loops_;
  std::vector<double> values_;  // by bit pattern, of narrow results
  double numbers_[kBlock];
  unsigned char differs_[kBlock];
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SWEEP_TALLY_H_
