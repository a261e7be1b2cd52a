// Sums of products as tight loops over packed doubles, with a rigorous bound
// on their rounding error. Only the fast engine has it.
#ifndef ASSAY_REFERENCE_ELEMENTS_CONTRACTION_H_
#define ASSAY_REFERENCE_ELEMENTS_CONTRACTION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/plan/nest.h"
#include "reference/sets/set.h"

namespace assay::reference {

// All elements of an operand in separate arrays: outer ends, widths of the
// enclosures of the ends, and largest magnitudes. Elements that are no finite
// numbers, or not surely, are NaN, and so is every sum that meets one.
struct Packed {
  std::vector<double> lo, hi, width, magnitude;
  bool exact = true;   // every element one exact number: hi, width are empty
  bool points = true;  // every element one number, known or enclosed
  bool finite = true;  // no element is NaN here
  // Every element is a multiple of 2^grain.
  int grain = 0;
};

Packed pack(const std::vector<Set<double>>& elements);
// The number 1, for sums of single elements.
const Packed& packed_one();

// The terms that the loops of a contraction go through at one element.
struct TermBox {
  std::vector<std::int64_t> from, to;  // per loop
  // The index in every dimension of every factor, one factor after another,
  // when all loops are at 0.
  std::vector<std::int64_t> base;

  std::vector<std::int64_t> extents() const;
  double count() const;  // of terms
};
// Cuts it to the terms whose guarded factors are in range. False if there are
// none. What is cut away is 0 for finite factors alone: 0 * inf is NaN.
bool apply_guards(const Nest& plan, const Contraction& c, TermBox* box);

// A factor's place in the loops: where it starts and how it moves.
struct Walk {
  const Packed* data = nullptr;
  std::int64_t start = 0;
  std::vector<std::int64_t> steps;  // per loop
};

// The walks of the factors, without their data; nothing if a factor would be
// read out of range.
std::optional<std::vector<Walk>> walks_of(const Nest& plan,
                                          const Contraction& c,
                                          const TermBox& box);

// What a number is a multiple of: 2^grain_of(x). Of zero kAllGrains, of what
// is no known number kNoGrain.
inline constexpr int kAllGrains = 1 << 20;
inline constexpr int kNoGrain = -kAllGrains;
int grain_of(double x);
// Do multiples of 2^grain whose magnitudes add up to this much fit a
// significand of so many bits? Then every sum of them, in every order, is
// exact.
bool fits(double magnitude, int precision, int grain);

struct ContractionResult {
  Set<double> value;
  double magnitude = 0;  // sum of the terms' magnitudes, an upper bound
  int grain = kNoGrain;  // of which every term is a multiple
  // A term was no finite number, or the sum an exact zero whose sign the
  // loops do not know: evaluate term by term.
  bool by_terms = false;
};

// sum over the box of `extents` of a * b.
ContractionResult contract(const Walk& a, const Walk& b,
                           const std::vector<std::int64_t>& extents);

// The grain of the terms of this one sum, which other elements of the operands
// do not spoil; kNoGrain as soon as the terms do not fit `precision`. Requires
// exact factors and a term.
int grain_of_terms(const Walk& a, const Walk& b,
                   const std::vector<std::int64_t>& extents, double magnitude,
                   int precision);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ELEMENTS_CONTRACTION_H_
