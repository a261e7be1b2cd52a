#include "ptx/numbers/dot.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace assay::ptx {
namespace {

constexpr int kFractionBits = 52;
constexpr std::uint64_t kHidden = std::uint64_t{1} << kFractionBits;

// |x| = significand * 2^exponent, x finite and not zero.
struct Parts {
  std::uint64_t significand;
  int exponent;
};
Parts parts_of(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  auto field = static_cast<int>(bits >> kFractionBits & 0x7ffU);
  return {(bits & (kHidden - 1)) | (field != 0 ? kHidden : 0),
          std::max(field, 1) - 1075};
}

// The power of two of the last bit that is set.
int last_place(double x) {
  Parts p = parts_of(x);
  return p.exponent + std::countr_zero(p.significand);
}

// Sums that are never rounded. The least product is one of two subnormals of
// tf32, 2^-272; the greatest are below 2^256.
class ExactSum {
 public:
  void add(double x) {
    if (x == 0) return;
    Parts p = parts_of(x);
    auto at = static_cast<unsigned>(p.exponent + kLowest);
    std::uint64_t low = p.significand << (at % 32);
    std::uint64_t high =
        at % 32 != 0 ? p.significand >> (64 - at % 32) : std::uint64_t{0};
    std::int64_t sign = std::signbit(x) ? -1 : 1;
    std::int64_t* limb = &limbs_.at(at / 32);
    limb[0] += sign * static_cast<std::int64_t>(low & 0xffffffffU);
    limb[1] += sign * static_cast<std::int64_t>(low >> 32);
    limb[2] += sign * static_cast<std::int64_t>(high);
  }

  // To odd, with 33 to 53 bits: a later rounding to fewer than 31 is right.
  double rounded_to_odd() {
    bool negative = carry();
    if (negative) {
      for (std::int64_t& limb : limbs_) limb = -limb;
      carry();
    }
    std::size_t top = limbs_.size();
    while (top > 0 && limbs_.at(top - 1) == 0) --top;
    if (top == 0) return 0;
    std::size_t first = top > 2 ? top - 2 : 0;
    std::uint64_t upper = 0;
    for (std::size_t i = top; i > first; --i)
      upper = upper << 32 | static_cast<std::uint64_t>(limbs_.at(i - 1));
    bool rest = false;
    for (std::size_t i = 0; i < first; ++i) rest |= limbs_.at(i) != 0;
    int spare = std::max(11 - std::countl_zero(upper), 0);
    rest |= (upper & ((std::uint64_t{1} << spare) - 1)) != 0;
    upper = upper >> spare | (rest ? 1 : 0);
    double sum = std::ldexp(static_cast<double>(upper),
                            static_cast<int>(first) * 32 + spare - kLowest);
    return negative ? -sum : sum;
  }

 private:
  static constexpr int kLowest = 400;

  // Limbs from 0 to 2^32 - 1; whether the whole is negative.
  bool carry() {
    std::int64_t over = 0;
    for (std::int64_t& limb : limbs_) {
      limb += over;
      over = limb >> 32;
      limb &= 0xffffffff;
    }
    if (over < 0) limbs_.back() -= std::int64_t{1} << 32;
    return over < 0;
  }

  std::array<std::int64_t, 24> limbs_{};
};

// The sum, to odd; infinity or NaN where these come in.
double exact_sum(const double* a, const double* b, unsigned count, double c) {
  double sum = c;
  bool exact = true;
  for (unsigned k = 0; k < count; ++k) {
    double term = a[k] * b[k];
    double next = sum + term;
    double taken = next - sum;
    double lost = (sum - (next - taken)) + (term - taken);
    exact &= lost == 0;
    sum = next;
  }
  // What is not finite is not exact either.
  if (exact || !std::isfinite(sum)) return sum;
  ExactSum all;
  all.add(c);
  for (unsigned k = 0; k < count; ++k) all.add(a[k] * b[k]);
  return all.rounded_to_odd();
}

struct Precision {
  int bits;
  int last_place;  // of the least number
};
constexpr Precision precision_of(Format format) {
  return format == Format::f16 ? Precision{11, -24} : Precision{24, -149};
}

// What additions in any order can be off by.
double error_of(const double* a, const double* b, unsigned count, double c,
                Format format) {
  Precision precision = precision_of(format);
  double magnitude = 0;
  int place = 4096;
  int terms = 0;
  auto take = [&](double term) {
    if (term == 0) return;
    magnitude += std::fabs(term);
    place = std::min(place, last_place(term));
    ++terms;
  };
  take(c);
  for (unsigned k = 0; k < count; ++k) take(a[k] * b[k]);
  if (place >= precision.last_place &&
      magnitude <= std::ldexp(1.0, place + precision.bits))
    return 0;
  // A product alone is rounded to the accumulator's format, if it does not fit.
  double roundings = std::max(terms - 1, 1);
  double unit = std::ldexp(roundings, -precision.bits);
  return unit / (1 - unit) * magnitude;
}

}  // namespace

std::uint32_t dot(const double* a, const double* b, unsigned count, double c,
                  Format format, Approximation which) {
  double sum = exact_sum(a, b, count, c);
  std::uint32_t nominal = narrow(sum, {.format = format});
  if (which == Approximation::nominal || !std::isfinite(sum)) return nominal;
  double error = error_of(a, b, count, c, format);
  if (error == 0) return nominal;
  bool least = which == Approximation::lowest;
  // The outermost number of the format that is within.
  std::uint32_t end =
      narrow(least ? sum - error : sum + error,
             {.format = format, .round = least ? RoundTo::up : RoundTo::down});
  bool beyond = least ? widen(format, end) < widen(format, nominal)
                      : widen(format, end) > widen(format, nominal);
  return beyond ? end : nominal;
}

}  // namespace assay::ptx
