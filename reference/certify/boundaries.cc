#include "reference/certify/boundaries.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/float_bits.h"
#include "reference/certify/rounded.h"

namespace assay::reference {
namespace {

struct Result {
  std::uint64_t x, y;
};

constexpr std::array<std::string_view, 7> kKinds = {
    "domain", "overflow",   "underflow", "subnormal",
    "sign",   "saturation", "identity"};

class Solver {
 public:
  Solver(Elementary f, DType t) : f_(f), t_(t) {
    const std::uint64_t last = largest_bits(t);
    greatest_ = ordinal(t, last);
    top_ = result(greatest_);
    bottom_ = result(-greatest_ - 1);
  }

  std::vector<Boundary> solve(std::size_t most) {
    std::vector<Boundary> out;
    const std::vector<std::int64_t> grid = places();
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      std::vector<Boundary> found;
      for (std::size_t i = 0; i + 1 < grid.size(); ++i) {
        std::int64_t lo = grid[i], hi = grid[i + 1];
        if (is(kind, lo) == is(kind, hi)) continue;
        while (hi - lo > 1) {
          const std::int64_t middle = lo + (hi - lo) / 2;
          (is(kind, middle) == is(kind, lo) ? lo : hi) = middle;
        }
        found.push_back(
            {from_ordinal(t_, lo), from_ordinal(t_, hi), kKinds[kind]});
      }
      std::stable_sort(found.begin(), found.end(),
                       [this](const Boundary& a, const Boundary& b) {
                         return std::fabs(decode_float(t_, a.before)) <
                                std::fabs(decode_float(t_, b.before));
                       });
      if (found.size() > most) found.resize(most);
      out.insert(out.end(), found.begin(), found.end());
    }
    return out;
  }

 private:
  // From the least finite element to the greatest.
  std::vector<std::int64_t> places() const {
    std::set<std::int64_t> all;
    constexpr std::int64_t kSteps = 4096;
    const std::int64_t step = std::max<std::int64_t>(1, greatest_ / kSteps);
    for (std::int64_t p = 0; p <= greatest_; p += step) all.insert(p);
    const FloatFormat& f = float_format(t_);
    for (int e = f.emin - f.precision + 1; e <= f.emax; ++e) {
      all.insert(ordinal(t_, encode_float(t_, std::ldexp(1.0, e))));
    }
    all.insert(greatest_);
    std::vector<std::int64_t> out(all.begin(), all.end());
    for (const std::int64_t p : all) out.push_back(-p - 1);
    std::sort(out.begin(), out.end());
    return out;
  }

  std::uint64_t result(std::int64_t place) {
    const auto known = results_.find(place);
    if (known != results_.end()) return known->second;
    const auto y = rounded_by_mpfr(f_, t_, from_ordinal(t_, place));
    return results_[place] = y.value_or(quiet_nan_bits(t_));
  }

  bool is(std::size_t kind, std::int64_t place) {
    const std::uint64_t y = result(place);
    const std::uint64_t magnitude = y & ~sign_bit_mask(t_);
    if (kKinds[kind] == "domain") return is_nan_bits(t_, y);
    if (kKinds[kind] == "overflow") return is_inf_bits(t_, y);
    if (kKinds[kind] == "underflow") return magnitude == 0;
    if (kKinds[kind] == "subnormal") return is_subnormal_bits(t_, y);
    if (kKinds[kind] == "sign") {
      return !is_nan_bits(t_, y) && magnitude != 0 && magnitude != y;
    }
    if (kKinds[kind] == "saturation") {
      return magnitude != 0 && !is_nan_bits(t_, y) && !is_inf_bits(t_, y) &&
             (y == top_ || y == bottom_);
    }
    return y == from_ordinal(t_, place);
  }

  Elementary f_;
  DType t_;
  std::int64_t greatest_ = 0;
  std::uint64_t top_ = 0, bottom_ = 0;  // at the largest arguments
  std::map<std::int64_t, std::uint64_t> results_;
};

}  // namespace

std::vector<Boundary> solve_boundaries(Elementary f, DType t,
                                       std::size_t most) {
  return Solver(f, t).solve(most);
}

}  // namespace assay::reference
