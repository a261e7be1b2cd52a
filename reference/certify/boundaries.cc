#include "reference/certify/boundaries.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

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
  Solver(RealFunction f, DType t) : f_(f), t_(t) {
    const std::uint64_t last = largest_bits(t);
    greatest_ = ordinal(t, last);
    top_ = result(greatest_ + 1);
    bottom_ = result(-greatest_ - 2);
  }

  std::vector<Boundary> solve(std::size_t most) {
    std::set<std::int64_t> grid = places();
    std::set<Found> found;
    // A boundary of one kind may lie beside one of another kind that the grid
    // misses: exp is subnormal only next to where it underflows.
    for (std::size_t known = 1; known != grid.size();) {
      known = grid.size();
      found = between(grid);
      for (const Found& f : found) grid.insert({f.second, f.second + 1});
    }
    std::vector<Boundary> out;
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      std::vector<Boundary> own;
      for (const Found& f : found) {
        if (f.first != kind) continue;
        own.push_back({from_ordinal(t_, f.second),
                       from_ordinal(t_, f.second + 1), kKinds[kind]});
      }
      std::stable_sort(own.begin(), own.end(),
                       [this](const Boundary& a, const Boundary& b) {
                         return std::fabs(decode_float(t_, a.before)) <
                                std::fabs(decode_float(t_, b.before));
                       });
      if (own.size() > most) own.resize(most);
      out.insert(out.end(), own.begin(), own.end());
    }
    return out;
  }

  bool changes(std::size_t kind, std::uint64_t before) {
    const std::int64_t place = ordinal(t_, before);
    return place >= -greatest_ - 1 && place < greatest_ &&
           is(kind, place) != is(kind, place + 1);
  }

 private:
  using Found = std::pair<std::size_t, std::int64_t>;  // kind, place before

  std::set<Found> between(const std::set<std::int64_t>& grid) {
    std::set<Found> found;
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      for (auto it = grid.begin(); std::next(it) != grid.end(); ++it) {
        std::int64_t lo = *it, hi = *std::next(it);
        if (is(kind, lo) == is(kind, hi)) continue;
        while (hi - lo > 1) {
          const std::int64_t middle = lo + (hi - lo) / 2;
          (is(kind, middle) == is(kind, lo) ? lo : hi) = middle;
        }
        found.emplace(kind, lo);
      }
    }
    return found;
  }

  // From the least finite element to the greatest.
  std::set<std::int64_t> places() const {
    std::set<std::int64_t> all;
    constexpr std::int64_t kSteps = 4096;
    const std::int64_t step = std::max<std::int64_t>(1, greatest_ / kSteps);
    for (std::int64_t p = 0; p <= greatest_; p += step) all.insert(p);
    const FloatFormat& f = float_format(t_);
    for (int e = f.emin - f.precision + 1; e <= f.emax; ++e) {
      all.insert(ordinal(t_, encode_float(t_, std::ldexp(1.0, e))));
    }
    all.insert(greatest_);
    std::set<std::int64_t> out = all;
    for (const std::int64_t p : all) out.insert(-p - 1);
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

  RealFunction f_;
  DType t_;
  std::int64_t greatest_ = 0;
  std::uint64_t top_ = 0, bottom_ = 0;  // at the infinities
  std::map<std::int64_t, std::uint64_t> results_;
};

}  // namespace

std::vector<Boundary> solve_boundaries(const RealFunction& f, DType t,
                                       std::size_t most) {
  return Solver(f, t).solve(most);
}

bool is_boundary(const RealFunction& f, DType t, std::uint64_t before,
                 std::string_view what) {
  if (is_nan_bits(t, before)) return false;
  const auto kind = std::find(kKinds.begin(), kKinds.end(), what);
  return kind != kKinds.end() &&
         Solver(f, t).changes(static_cast<std::size_t>(kind - kKinds.begin()),
                              before);
}

}  // namespace assay::reference
