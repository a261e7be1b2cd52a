// Loops over blocks of doubles, compiled once per instruction set. A value is
// an enclosure per lane, [lo, hi]; a point has both in one array. NaN in both
// says that the value is NaN. A lane that a loop cannot decide is marked as
// `hard`, and MPFR evaluates it again.
//
// This header and loops.cc include nothing that has inline functions: compiled
// for AVX-512, one of those could be what the linker keeps for all.
#ifndef ASSAY_REFERENCE_SWEEP_LOOPS_H_
#define ASSAY_REFERENCE_SWEEP_LOOPS_H_

#include <cstddef>

#include "reference/numbers/margin.h"
#include "suite/language/functions/comparison.h"

namespace assay::reference {

using language::Comparison;

struct Lanes {
  double* lo;
  double* hi;
  bool point() const { return lo == hi; }
};

// A format with infinities that rounds as IEEE 754 does, of at most 24 bits.
struct NarrowFormat {
  int precision, emin, emax;
  double largest;
};

struct Loops {
  using Function = void (*)(const double* x, double* y, std::size_t n);
  using Unary = void (*)(Lanes a, Lanes out, std::size_t n);
  using Binary = void (*)(Lanes a, Lanes b, Lanes out, unsigned char* hard,
                          std::size_t n);
  struct Named {
    const char* name;
    Function function;
  };
  using Function2 = void (*)(const double* x, const double* y, double* r,
                             std::size_t n);
  struct Named2 {
    const char* name;
    Function2 function;
  };

  const char* isa;
  const Named* sleef;  // ends with a null name; empty without SLEEF
  const Named2* sleef2;

  // From y = f(x), inexact, at points x. `underflows`: y may be a zero or
  // below 2^-1000 where the exact value is not; `overflows`: it may be
  // infinite where that is finite.
  void (*enclose)(const double* x, const double* y, Lanes out, bool underflows,
                  bool overflows, std::size_t n);
  // From r = f(x, y), inexact, at points.
  void (*enclose2)(const double* x, const double* y, const double* r, Lanes out,
                   std::size_t n);
  // The hull of two such enclosures, in either order.
  void (*hull)(Lanes a, Lanes b, Lanes out, unsigned char* hard, std::size_t n);

  // Outward, unless `root`: then both operands are points of at most 24 bits,
  // and the nearest double rounds on as the exact result would (Figueroa, When
  // is double rounding innocuous?, 1995: 53 >= 2 * 24 + 2).
  Binary add, sub, mul, div;
  Binary root_add, root_sub, root_mul, root_div;
  Binary max, min;
  Unary negate, magnitude, floor, ceil, trunc, sign, root_sqrt;
  Unary is_nan, is_infinite, sign_bit, logical_not;
  Binary logical_and, logical_or;
  void (*compare)(Comparison op, Lanes a, Lanes b, Lanes out, std::size_t n);
  // a where the condition is 1, b where it is 0.
  void (*select)(Lanes condition, Lanes a, Lanes b, Lanes out, std::size_t n);
  void (*round)(const NarrowFormat& f, Lanes a, Lanes out, std::size_t n);

  // Lanes whose bits differ, NaN from NaN aside; returns how many.
  std::size_t (*differ)(const double* a, const double* b, unsigned char* out,
                        std::size_t n);

  // The last step: `rounded` is what every number of the enclosure rounds to.
  // Marks where that is not one element; true if it is so anywhere.
  bool (*settle)(const NarrowFormat& f, Lanes a, double* rounded,
                 double* scratch, unsigned char* hard, std::size_t n);
  // The numbers whose patterns are first, first + 1, ...
  void (*from_binary32)(unsigned first, double* out, std::size_t n);
};

extern const Loops loops_baseline, loops_avx2, loops_avx512;

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SWEEP_LOOPS_H_
