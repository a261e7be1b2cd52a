#include "reference/oracle/explain_text.h"

#include <fmt/format.h>

#include <cmath>

#include "reference/golden/element_ranges.h"
#include "reference/numbers/element_order.h"
#include "reference/sets/round.h"

namespace assay::reference {

std::string element_text(DType t, std::uint64_t bits) {
  const int digits = 2 * size_bytes(t);
  if (!is_float(t)) {
    return fmt::format("{} (0x{:0{}x})", integer_text(t, bits), bits, digits);
  }
  const double x = decode_float(t, bits);
  return fmt::format("0x{:0{}x} ({:a} = {:.9g})", bits, digits, x, x);
}

std::string set_text(DType t, const ElementSet& e) {
  if (e.unspecified) return "anything";
  std::string text;
  if (e.has_values) {
    for (const ElementRange& r : ranges_of(e)) {
      text += (text.empty() ? "" : " or ") + element_text(t, r.lo);
      if (r.lo != r.hi) text += " .. " + element_text(t, r.hi);
    }
    if (e.lo == e.hi) text = "only " + text;
    if (e.any_zero_sign) text += ", either sign of zero";
  }
  if (e.nan) text += text.empty() ? "NaN" : ", or NaN";
  if (e.undecided) text += " (undecided)";
  return text.empty() ? "nothing" : text;
}

namespace {

constexpr int kDigits = 40;

std::string decimal(const Mp& x, mpfr_rnd_t direction, int digits) {
  char* text = nullptr;
  if (mpfr_asprintf(&text, "%.*R*g", digits, direction, x.get()) < 0) return {};
  std::string out = text;
  mpfr_free_str(text);
  return out;
}

// How far x, which lies between the elements a < b, is above a; in b - a.
double share_between(const Mp& x, double a, double b) {
  mpfr_t share;
  mpfr_init2(share, 64);
  mpfr_sub_d(share, x.get(), a, MPFR_RNDN);
  mpfr_div_d(share, share, b - a, MPFR_RNDN);
  const double out = mpfr_get_d(share, MPFR_RNDN);
  mpfr_clear(share);
  return out;
}

}  // namespace

std::string number_text(const Real<Mp>& x) {
  if (x.is_point()) {
    const std::string digits = decimal(x.a, MPFR_RNDN, kDigits);
    const double lo = below(x.a), hi = above(x.a);
    return lo == hi ? fmt::format("{} ({:a})", digits, lo) : digits;
  }
  for (int digits = kDigits; digits > 1; --digits) {
    const std::string lo = decimal(x.a, MPFR_RNDN, digits);
    if (lo == decimal(x.b, MPFR_RNDN, digits)) return lo + "...";
  }
  return fmt::format("[{:a}, {:a}]", below(x.a), above(x.b));
}

std::string values_text(const Set<Mp>& s) {
  if (s.unspecified) return "anything";
  std::string text = "NaN";
  if (s.has_values) {
    text = s.point ? number_text(s.lo)
                   : "from " + number_text(s.lo) + " to " + number_text(s.hi);
    if (s.may_nan) text += ", or NaN";
  }
  return text;
}

std::string place_text(DType t, const Set<Mp>& s) {
  if (!is_float(t) || !s.has_values || s.unspecified) return {};
  const auto between = [t](const Real<Mp>& x) -> std::string {
    const std::uint64_t a = bits_at_or_below(t, x.a);
    const std::uint64_t b = bits_at_or_above(t, x.b);
    if (a == b) return "at " + element_text(t, a);
    const double lo = decode_float(t, a), hi = decode_float(t, b);
    std::string text =
        "between " + element_text(t, a) + " and " + element_text(t, b);
    const bool near = step(t, a, 1) == b || (lo == 0 && step(t, a, 2) == b);
    if (near && std::isfinite(lo) && std::isfinite(hi)) {
      text += fmt::format(", {:.6g} of the way", share_between(x.a, lo, hi));
    }
    return text;
  };
  const std::string low = between(s.lo);
  if (s.point) return low;
  const std::string high = between(s.hi);
  return low == high ? low : "its lower end " + low + ", its upper " + high;
}

}  // namespace assay::reference
