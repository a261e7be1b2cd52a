// Compiled for each instruction set, under the name that ASSAY_LOOPS gives.
#include "reference/sweep/loops.h"

#include "reference/sweep/sleef-inl.h"

namespace assay::reference {
namespace {

using Size = std::size_t;
using U64 = unsigned long;

// Without a branch, which && and || would be: a loop that has one is not
// vectorised.
bool both(bool a, bool b) {
  return (static_cast<unsigned>(a) & static_cast<unsigned>(b)) != 0;
}
bool either(bool a, bool b) {
  return (static_cast<unsigned>(a) | static_cast<unsigned>(b)) != 0;
}
U64 one_if(bool a) { return a ? 1 : 0; }
U64 mask_if(bool a) { return a ? ~U64{0} : 0; }

U64 bits_of(double x) { return __builtin_bit_cast(U64, x); }
double from_bits(U64 b) { return __builtin_bit_cast(double, b); }
bool is_nan(double x) { return x != x; }
double nan() { return __builtin_nan(""); }

constexpr U64 kSign = U64{1} << 63;
constexpr U64 kNan = ~kSign;
constexpr double kInf = __builtin_inf();
constexpr double kLargest = 0x1.fffffffffffffp1023;
// Below this a double has lost relative accuracy, or soon will.
constexpr double kTiny = 0x1p-1000;
constexpr double kUnit = 0x1p-52;

double magnitude_of(double x) { return from_bits(bits_of(x) & ~kSign); }

// A number below and one above, a little further than the next double. An
// infinity stays.
double lowered(double x) {
  const double y = x - (magnitude_of(x) * kUnit + 0x1p-1074);
  return magnitude_of(x) == kInf ? x : y;
}
double raised(double x) {
  const double y = x + (magnitude_of(x) * kUnit + 0x1p-1074);
  return magnitude_of(x) == kInf ? x : y;
}

// NaN if either is; max(-0, +0) is +0.
double greater_of(double a, double b) {
  const double equal = from_bits(bits_of(a) & bits_of(b));
  const double number = a > b ? a : b > a ? b : equal;
  return either(is_nan(a), is_nan(b)) ? nan() : number;
}
double lesser_of(double a, double b) {
  const double equal = from_bits(bits_of(a) | bits_of(b));
  const double number = a < b ? a : b < a ? b : equal;
  return either(is_nan(a), is_nan(b)) ? nan() : number;
}

// A result that overflowed is no infinity of the exact one.
double not_infinite(double x, bool finite) {
  const double last = from_bits(bits_of(kLargest) | (bits_of(x) & kSign));
  return both(finite, magnitude_of(x) == kInf) ? last : x;
}

template <class F>
void map(Lanes a, Lanes out, Size n, F f) {
  for (Size i = 0; i < n; ++i) out.lo[i] = f(a.lo[i]);
  if (out.point()) return;
  for (Size i = 0; i < n; ++i) out.hi[i] = f(a.hi[i]);
}

// Marks the lanes i where lost(i) is not 0. Bytes and doubles in one loop would
// not be vectorised, so that lanes are only marked where there are some.
template <class F>
void mark(unsigned char* hard, Size n, F lost) {
  U64 any = 0;
  for (Size i = 0; i < n; ++i) any |= lost(i);
  if (any == 0) return;
  for (Size i = 0; i < n; ++i) {
    hard[i] |= static_cast<unsigned char>(lost(i));
  }
}

// Where a function may have lost the size of its result.
void enclose_extremes(const double* x, const double* y, Lanes out,
                      bool underflows, bool overflows, Size n) {
  for (Size i = 0; i < n; ++i) {
    const double size = magnitude_of(y[i]);
    const bool negative = (bits_of(y[i]) & kSign) != 0;
    const bool inner = both(x[i] != 0, magnitude_of(x[i]) < kInf);
    const bool tiny = both(both(underflows, size < kTiny), x[i] != 0);
    const bool huge = both(both(overflows, size == kInf), inner);
    const double low = negative ? -kTiny : 0.0;
    const double high = negative ? -0.0 : kTiny;
    const double least = negative ? -kInf : kLargest;
    const double most = negative ? -kLargest : kInf;
    out.lo[i] = tiny ? low : huge ? least : out.lo[i];
    out.hi[i] = tiny ? high : huge ? most : out.hi[i];
  }
}

void enclose(const double* x, const double* y, Lanes out, bool underflows,
             bool overflows, Size n) {
  U64 extremes = 0;
  for (Size i = 0; i < n; ++i) {
    const double size = magnitude_of(y[i]);
    const double margin = size < kInf ? size * kMargin : 0.0;
    out.lo[i] = y[i] - margin;
    out.hi[i] = y[i] + margin;
    extremes |= one_if(size < kTiny) | one_if(size == kInf);
  }
  if (extremes != 0 && (underflows || overflows)) {
    enclose_extremes(x, y, out, underflows, overflows, n);
  }
}

void enclose2(const double* x, const double* y, const double* r, Lanes out,
              Size n) {
  for (Size i = 0; i < n; ++i) {
    const double size = magnitude_of(r[i]);
    const double margin = size < kInf ? size * kMargin : 0.0;
    const double low = r[i] - margin, high = r[i] + margin;
    const bool negative = (bits_of(r[i]) & kSign) != 0;
    const bool finite =
        both(magnitude_of(x[i]) < kInf, magnitude_of(y[i]) < kInf);
    const bool ordinary = both(finite, x[i] != 0);
    const bool tiny = both(both(ordinary, y[i] != 0), size < kTiny);
    const bool huge = both(ordinary, size == kInf);
    const double tiny_low = negative ? -kTiny : 0.0;
    const double tiny_high = negative ? -0.0 : kTiny;
    const double huge_low = negative ? -kInf : kLargest;
    const double huge_high = negative ? -kLargest : kInf;
    out.lo[i] = tiny ? tiny_low : huge ? huge_low : low;
    out.hi[i] = tiny ? tiny_high : huge ? huge_high : high;
  }
}

void hull(Lanes a, Lanes b, Lanes out, unsigned char* hard, Size n) {
  mark(hard, n,
       [&](Size i) { return one_if(is_nan(a.lo[i]) != is_nan(b.lo[i])); });
  for (Size i = 0; i < n; ++i) {
    const double low = lesser_of(a.lo[i], b.lo[i]);
    const double high = greater_of(a.hi[i], b.hi[i]);
    out.lo[i] = low;
    out.hi[i] = high;
  }
}

// A product or quotient whose corners all have one sign has it too, though the
// step outward from a zero may have left it.
double not_below_zero(double low, U64 signs) {
  return both((signs & kSign) == 0, low < 0) ? 0.0 : low;
}
double not_above_zero(double high, U64 signs) {
  return both((signs & kSign) != 0, high > 0) ? -0.0 : high;
}

// By corners, whatever the operation: monotone in each operand or not at all
// defined on some corner, which is hard unless both operands are points.
// `factors`: the signs of the operands decide that of the result.
template <bool factors, class F, class Finite>
void corners(Lanes a, Lanes b, Lanes out, unsigned char* hard, Size n, F f,
             Finite finite) {
  if (a.point() && b.point()) {
    for (Size i = 0; i < n; ++i) {
      const double r = f(a.lo[i], b.lo[i]);
      const double last = not_infinite(r, finite(a.lo[i], b.lo[i]));
      const double below = lowered(last < r ? last : r);
      const double above = raised(last > r ? last : r);
      out.lo[i] = factors ? not_below_zero(below, bits_of(r)) : below;
      out.hi[i] = factors ? not_above_zero(above, bits_of(r)) : above;
    }
    return;
  }
  for (Size i = 0; i < n; ++i) {
    const double p = f(a.lo[i], b.lo[i]), q = f(a.lo[i], b.hi[i]);
    const double r = f(a.hi[i], b.lo[i]), s = f(a.hi[i], b.hi[i]);
    // The signs of zeros are lost in the steps outward.
    const double pq = p < q ? p : q, rs = r < s ? r : s;
    const double low = pq < rs ? pq : rs;
    const double qp = p > q ? p : q, sr = r > s ? r : s;
    const double high = qp > sr ? qp : sr;
    const U64 lost = mask_if(is_nan(p)) | mask_if(is_nan(q)) |
                     mask_if(is_nan(r)) | mask_if(is_nan(s));
    const bool all = both(finite(a.lo[i], b.lo[i]), finite(a.hi[i], b.hi[i]));
    const double least = not_infinite(low, all);
    const double most = not_infinite(high, all);
    double below = lowered(least < low ? least : low);
    double above = raised(most > high ? most : high);
    if (factors) {
      const U64 any = bits_of(p) | bits_of(q) | bits_of(r) | bits_of(s);
      const U64 all_of = bits_of(p) & bits_of(q) & bits_of(r) & bits_of(s);
      below = not_below_zero(below, any);
      above = not_above_zero(above, all_of);
    }
    out.lo[i] = from_bits(bits_of(below) | (lost & kNan));
    out.hi[i] = from_bits(bits_of(above) | (lost & kNan));
  }
  mark(hard, n, [&](Size i) {
    const bool given = either(is_nan(a.lo[i]), is_nan(b.lo[i]));
    return one_if(both(is_nan(out.lo[i]), !given));
  });
}

template <class F>
void at_points(Lanes a, Lanes b, Lanes out, Size n, F f) {
  for (Size i = 0; i < n; ++i) out.lo[i] = f(a.lo[i], b.lo[i]);
}

bool both_finite(double a, double b) {
  return both(magnitude_of(a) < kInf, magnitude_of(b) < kInf);
}
bool no_pole(double a, double b) { return both(both_finite(a, b), b != 0); }

double sum(double a, double b) { return a + b; }
double difference(double a, double b) { return a - b; }
double product(double a, double b) { return a * b; }
double quotient(double a, double b) { return a / b; }

void add(Lanes a, Lanes b, Lanes out, unsigned char* hard, Size n) {
  corners<false>(a, b, out, hard, n, sum, both_finite);
}
void sub(Lanes a, Lanes b, Lanes out, unsigned char* hard, Size n) {
  corners<false>(a, b, out, hard, n, difference, both_finite);
}
void mul(Lanes a, Lanes b, Lanes out, unsigned char* hard, Size n) {
  corners<true>(a, b, out, hard, n, product, both_finite);
}
void div(Lanes a, Lanes b, Lanes out, unsigned char* hard, Size n) {
  // Across zero the quotient has no bounds.
  mark(hard, n, [&](Size i) {
    const bool signs = ((bits_of(b.lo[i]) ^ bits_of(b.hi[i])) & kSign) != 0;
    const bool one_zero = (b.lo[i] == 0) != (b.hi[i] == 0);
    return one_if(both(either(signs, one_zero), !is_nan(b.lo[i])));
  });
  corners<true>(a, b, out, hard, n, quotient, no_pole);
}
void root_add(Lanes a, Lanes b, Lanes out, unsigned char*, Size n) {
  at_points(a, b, out, n, sum);
}
void root_sub(Lanes a, Lanes b, Lanes out, unsigned char*, Size n) {
  at_points(a, b, out, n, difference);
}
void root_mul(Lanes a, Lanes b, Lanes out, unsigned char*, Size n) {
  at_points(a, b, out, n, product);
}
void root_div(Lanes a, Lanes b, Lanes out, unsigned char*, Size n) {
  at_points(a, b, out, n, quotient);
}

template <class F>
void by_ends(Lanes a, Lanes b, Lanes out, Size n, F f) {
  for (Size i = 0; i < n; ++i) {
    const double low = f(a.lo[i], b.lo[i]);
    const double high = f(a.hi[i], b.hi[i]);
    out.lo[i] = low;
    out.hi[i] = high;
  }
}
void max(Lanes a, Lanes b, Lanes out, unsigned char*, Size n) {
  by_ends(a, b, out, n, greater_of);
}
void min(Lanes a, Lanes b, Lanes out, unsigned char*, Size n) {
  by_ends(a, b, out, n, lesser_of);
}

void negate(Lanes a, Lanes out, Size n) {
  for (Size i = 0; i < n; ++i) {
    const double low = -a.hi[i], high = -a.lo[i];
    out.lo[i] = low;
    out.hi[i] = high;
  }
}
void magnitude(Lanes a, Lanes out, Size n) {
  for (Size i = 0; i < n; ++i) {
    const double p = magnitude_of(a.lo[i]), q = magnitude_of(a.hi[i]);
    const bool across = ((bits_of(a.lo[i]) ^ bits_of(a.hi[i])) & kSign) != 0;
    const double low = p < q ? p : q, high = p < q ? q : p;
    out.lo[i] = both(across, !is_nan(p)) ? 0.0 : low;
    out.hi[i] = high;
  }
}
// NaN stays what it is.
double truncated(double x) {
  const double size = magnitude_of(x);
  const auto whole = static_cast<double>(static_cast<long>(size));
  const double t = size < 0x1p52 ? whole : size;
  return is_nan(x) ? x : from_bits(bits_of(t) | (bits_of(x) & kSign));
}
// The sign of a zero is that of the argument.
double floored(double x) {
  const double t = truncated(x);
  const double below = t - 1.0;
  return t > x ? below : t;
}
double ceiled(double x) {
  const double r = -floored(-x);
  return r;
}
double sign_of(double x) {
  const double s = x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0;
  return is_nan(x) ? x : s;
}
void floor(Lanes a, Lanes out, Size n) { map(a, out, n, floored); }
void ceil(Lanes a, Lanes out, Size n) { map(a, out, n, ceiled); }
void trunc(Lanes a, Lanes out, Size n) { map(a, out, n, truncated); }
void sign(Lanes a, Lanes out, Size n) { map(a, out, n, sign_of); }
void root_sqrt(Lanes a, Lanes out, Size n) {
  map(a, out, n, [](double x) { return __builtin_sqrt(x); });
}

// Truth values are [0, 1], [0, 0] and [1, 1].
void is_nan_lanes(Lanes a, Lanes out, Size n) {
  for (Size i = 0; i < n; ++i) {
    const double t = is_nan(a.lo[i]) ? 1.0 : 0.0;
    out.lo[i] = t;
    out.hi[i] = t;
  }
}
void is_infinite(Lanes a, Lanes out, Size n) {
  for (Size i = 0; i < n; ++i) {
    const bool low = magnitude_of(a.lo[i]) == kInf;
    const bool high = magnitude_of(a.hi[i]) == kInf;
    const bool one = a.lo[i] == a.hi[i];
    out.lo[i] = both(low, one) ? 1.0 : 0.0;
    out.hi[i] = either(low, high) ? 1.0 : 0.0;
  }
}
void sign_bit(Lanes a, Lanes out, Size n) {
  for (Size i = 0; i < n; ++i) {
    const bool low = (bits_of(a.lo[i]) & kSign) != 0;
    const bool high = (bits_of(a.hi[i]) & kSign) != 0;
    const bool unknown = is_nan(a.lo[i]);
    out.lo[i] = both(high, !unknown) ? 1.0 : 0.0;
    out.hi[i] = either(low, unknown) ? 1.0 : 0.0;
  }
}
double can_be_true(double lo, double hi) {
  return either(is_nan(lo), either(lo != 0, hi != 0)) ? 1.0 : 0.0;
}
double must_be_true(double lo, double hi) {
  return either(is_nan(lo), either(lo > 0, hi < 0)) ? 1.0 : 0.0;
}
void logical_not(Lanes a, Lanes out, Size n) {
  for (Size i = 0; i < n; ++i) {
    const double low = 1.0 - can_be_true(a.lo[i], a.hi[i]);
    const double high = 1.0 - must_be_true(a.lo[i], a.hi[i]);
    out.lo[i] = low;
    out.hi[i] = high;
  }
}
void logical_and(Lanes a, Lanes b, Lanes out, unsigned char*, Size n) {
  for (Size i = 0; i < n; ++i) {
    const double low =
        must_be_true(a.lo[i], a.hi[i]) * must_be_true(b.lo[i], b.hi[i]);
    const double high =
        can_be_true(a.lo[i], a.hi[i]) * can_be_true(b.lo[i], b.hi[i]);
    out.lo[i] = low;
    out.hi[i] = high;
  }
}
void logical_or(Lanes a, Lanes b, Lanes out, unsigned char*, Size n) {
  for (Size i = 0; i < n; ++i) {
    const double low = greater_of(must_be_true(a.lo[i], a.hi[i]),
                                  must_be_true(b.lo[i], b.hi[i]));
    const double high = greater_of(can_be_true(a.lo[i], a.hi[i]),
                                   can_be_true(b.lo[i], b.hi[i]));
    out.lo[i] = low;
    out.hi[i] = high;
  }
}

void compare(Comparison op, Lanes a, Lanes b, Lanes out, Size n) {
  using C = Comparison;
  if (op == C::gt) return compare(C::lt, b, a, out, n);
  if (op == C::ge) return compare(C::le, b, a, out, n);
  for (Size i = 0; i < n; ++i) {
    const double al = a.lo[i], ah = a.hi[i], bl = b.lo[i], bh = b.hi[i];
    bool must = false, can = false;
    if (op == C::lt) {
      must = ah < bl;
      can = al < bh;
    } else if (op == C::le) {
      must = ah <= bl;
      can = al <= bh;
    } else {
      must = both(al == bh, ah == bl);
      can = both(al <= bh, bl <= ah);
    }
    const bool ne = op == C::ne;
    out.lo[i] = (ne ? !can : must) ? 1.0 : 0.0;
    out.hi[i] = (ne ? !must : can) ? 1.0 : 0.0;
  }
}

void select(Lanes c, Lanes a, Lanes b, Lanes out, Size n) {
// Arrays are the same or do not overlap; the compiler does not test so many.
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (Size i = 0; i < n; ++i) {
    const double al = a.lo[i], ah = a.hi[i], bl = b.lo[i], bh = b.hi[i];
    const U64 yes = mask_if(must_be_true(c.lo[i], c.hi[i]) != 0);
    const U64 no = mask_if(can_be_true(c.lo[i], c.hi[i]) == 0);
    // Neither: both, unless one is NaN, which NaN as an end makes hard.
    const U64 mixed = mask_if(is_nan(al) != is_nan(bl));
    const U64 low =
        (bits_of(-kInf) & mixed) | (bits_of(lesser_of(al, bl)) & ~mixed);
    const U64 high =
        (bits_of(nan()) & mixed) | (bits_of(greater_of(ah, bh)) & ~mixed);
    const U64 open = ~(yes | no);
    out.lo[i] = from_bits((bits_of(al) & yes) | (bits_of(bl) & no & ~yes) |
                          (low & open));
    out.hi[i] = from_bits((bits_of(ah) & yes) | (bits_of(bh) & no & ~yes) |
                          (high & open));
  }
}

// Adding 1.5 * 2^(q + 52) and taking it away again leaves a multiple of 2^q,
// the nearest, ties to even; q is the exponent of the format's last place.
double rounded(const NarrowFormat& f, double x) {
  const double limit = from_bits(static_cast<U64>(f.emax + 2 + 1023) << 52);
  const double least = from_bits(static_cast<U64>(f.emin + 1023) << 52);
  const double size = magnitude_of(x);
  const double y = size > limit ? limit : size;
  const double base = y < least ? least : y;
  const U64 last = (bits_of(base) & (U64{0x7ff} << 52)) + (U64{53 - 1} << 52) -
                   (static_cast<U64>(f.precision - 1) << 52);
  const double shift = from_bits(last | (U64{1} << 51));
  const double t = (y + shift) - shift;
  const double r = t > f.largest ? kInf : t;
  const double s = from_bits(bits_of(r) | (bits_of(x) & kSign));
  return is_nan(x) ? x : s;
}

void round(const NarrowFormat& f, Lanes a, Lanes out, Size n) {
  const NarrowFormat g = f;
  map(a, out, n, [g](double x) { return rounded(g, x); });
}

// All bits of a lane's two patterns that differ, NaN from NaN aside.
U64 difference_of(double a, double b) {
  const U64 both_nan = both(is_nan(a), is_nan(b)) ? ~U64{0} : U64{0};
  return (bits_of(a) ^ bits_of(b)) & ~both_nan;
}

// Does any lane? Vectorised, as marking the lanes would not be.
bool any_difference(const double* a, const double* b, Size n) {
  U64 all = 0;
  for (Size i = 0; i < n; ++i) all |= difference_of(a[i], b[i]);
  return all != 0;
}

Size differ(const double* a, const double* b, unsigned char* out, Size n) {
  if (!any_difference(a, b, n)) return 0;
  Size count = 0;
  for (Size i = 0; i < n; ++i) {
    const bool d = difference_of(a[i], b[i]) != 0;
    out[i] = static_cast<unsigned char>(d);
    count += static_cast<Size>(d);
  }
  return count;
}

// For binary32 by the processor's own conversion.
void round_ends(const NarrowFormat& f, const double* x, double* out, Size n) {
  const NarrowFormat g = f;
  if (g.precision == 24) {
    for (Size i = 0; i < n; ++i) out[i] = static_cast<float>(x[i]);
  } else {
    for (Size i = 0; i < n; ++i) out[i] = rounded(g, x[i]);
  }
}

bool settle(const NarrowFormat& f, Lanes a, double* result, double* scratch,
            unsigned char* hard, Size n) {
  round_ends(f, a.lo, result, n);
  if (a.point()) return false;
  round_ends(f, a.hi, scratch, n);
  if (!any_difference(result, scratch, n)) return false;
  mark(hard, n, [&](Size i) {
    return one_if(difference_of(result[i], scratch[i]) != 0);
  });
  return true;
}

void from_binary32(unsigned first, double* out, Size n) {
  for (Size i = 0; i < n; ++i) {
    const unsigned bits = first + static_cast<unsigned>(i);
    out[i] = __builtin_bit_cast(float, bits);
  }
}

}  // namespace

const Loops ASSAY_LOOPS = {
    kIsa,        kSleef,   kSleef2,     enclose,     enclose2,     hull,
    add,         sub,      mul,         div,         root_add,     root_sub,
    root_mul,    root_div, max,         min,         negate,       magnitude,
    floor,       ceil,     trunc,       sign,        root_sqrt,    is_nan_lanes,
    is_infinite, sign_bit, logical_not, logical_and, logical_or,   compare,
    select,      round,    differ,      settle,      from_binary32};

}  // namespace assay::reference
