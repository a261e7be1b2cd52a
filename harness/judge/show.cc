#include "harness/judge/show.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "core/float_bits.h"
#include "core/integer_bits.h"
#include "reference/golden/element_ranges.h"
#include "reference/numbers/element_order.h"

namespace assay::harness {

using reference::place_in_order;

namespace {

// std::printf's %a is exact and the same on every machine; fmt's is not
// normalised before version 10.
std::string hex_float(double value) {
  if (std::isnan(value)) return "nan";
  char text[48];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

// Without overflow where b >= a.
std::uint64_t distance(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
}

}  // namespace

std::string show_bits(DType t, std::uint64_t bits) {
  if (t == DType::boolean && bits < 2) return bits != 0 ? "true" : "false";
  if (t == DType::boolean) return fmt::format("bool with byte {:#04x}", bits);
  if (!is_float(t)) return integer_text(t, bits);
  return fmt::format("{:#0{}x} ({})", bits, 2 + 2 * size_bytes(t),
                     hex_float(decode_float(t, bits)));
}

std::string show_set(const reference::ElementSet& set, DType t) {
  if (set.unspecified) return "anything";
  std::string out;
  if (set.has_values && set.lo == set.hi) {
    out = fmt::format("[{}]", show_bits(t, set.lo));
  } else if (set.has_values) {
    for (const reference::ElementRange& r : reference::ranges_of(set)) {
      out += fmt::format("{}{}", out.empty() ? "[" : ", ", show_bits(t, r.lo));
      if (r.hi != r.lo) out += " .. " + show_bits(t, r.hi);
    }
    out = (set.pieces ? "one of " : "") + out + "]";
  }
  if (set.has_values && set.any_zero_sign) out += " with zero of either sign";
  if (set.nan) out += out.empty() ? "nan" : " or nan";
  return out.empty() ? "nothing" : out;
}

std::string show_number(double value) {
  if (!std::isfinite(value)) return hex_float(value);
  if (value == std::floor(value) && std::abs(value) < 1e15) {
    return fmt::format("{:.0f}", value);
  }
  return fmt::format("{} = {:.9g}", hex_float(value), value);
}

std::string show_distance(const reference::ElementSet& set, DType t,
                          std::uint64_t bits) {
  if (!set.has_values || set.unspecified) return {};
  if (is_float(t)) {
    if (is_nan_bits(t, bits)) return {};
    const double got = decode_float(t, bits);
    const double lo = decode_float(t, set.lo), hi = decode_float(t, set.hi);
    if (got == 0 && (lo == 0 || hi == 0)) return "zero of the wrong sign";
    if ((got > 0 && hi < 0) || (got < 0 && lo > 0)) return "the wrong sign";
  }
  const std::int64_t at = place_in_order(t, bits);
  const std::int64_t lo = place_in_order(t, set.lo);
  const std::int64_t hi = place_in_order(t, set.hi);
  const auto words = [](std::uint64_t n, const char* side) {
    return fmt::format("{} element{} {}", n, n == 1 ? "" : "s", side);
  };
  if (at > hi) return words(distance(hi, at), "above");
  if (at < lo) return words(distance(at, lo), "below");
  return set.pieces ? "between the admissible values" : "";
}

std::string one_line(const std::string& text, std::size_t limit) {
  std::string out;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  if (out.size() > limit) {
    std::size_t end = limit - 3;
    // Not in the middle of a UTF-8 sequence.
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0) == 0x80) {
      --end;
    }
    out = out.substr(0, end) + "...";
  }
  return out;
}

}  // namespace assay::harness
