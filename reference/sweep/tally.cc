#include "reference/sweep/tally.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "reference/elements/accuracy.h"
#include "reference/numbers/element_order.h"
#include "reference/numbers/margin.h"

namespace assay::reference {
namespace {

double ulp_at_value(const FloatFormat& f, double exact) {
  const int e = exact == 0 ? f.emin : std::ilogb(exact);
  return ulp_at(f, e);
}

template <class T>
std::uint64_t element(const std::byte* from, std::size_t i) {
  T bits;
  std::memcpy(&bits, from + i * sizeof(T), sizeof(T));
  return bits;
}

std::uint64_t element(DType t, const std::byte* from, std::size_t i) {
  switch (size_bytes(t)) {
    case 8:
      return element<std::uint64_t>(from, i);
    case 4:
      return element<std::uint32_t>(from, i);
    case 2:
      return element<std::uint16_t>(from, i);
    default:
      return element<std::uint8_t>(from, i);
  }
}

}  // namespace

void Tally::add(const Tally& o) {
  inputs += o.inputs;
  unspecified += o.unspecified;
  not_rounded += o.not_rounded;
  for (std::size_t i = 0; i < over.size(); ++i) over[i] += o.over[i];
  wrong_nan += o.wrong_nan;
  wrong_infinity += o.wrong_infinity;
  wrong_zero_sign += o.wrong_zero_sign;
  flushed += o.flushed;
  broken += o.broken;
  by_mpfr += o.by_mpfr;
  // Among equals the first input counts, so that the order of parts does not
  // matter.
  const auto earlier = [](const auto& a, const auto& b) {
    return a && (!b || a->input < b->input);
  };
  if (o.max_error > max_error ||
      (o.max_error == max_error && earlier(o.error_at, error_at))) {
    max_error = o.max_error;
    error_at = o.error_at;
  }
  if (o.max_distance > max_distance ||
      (o.max_distance == max_distance && earlier(o.distance_at, distance_at))) {
    max_distance = o.max_distance;
    distance_at = o.distance_at;
  }
  if (earlier(o.broken_at, broken_at)) broken_at = o.broken_at;
}

BlockJudge::BlockJudge(const Sweep& sweep, const NestAccuracy& accuracy,
                       const Loops& loops)
    : t_(sweep.result()), is_float_(is_float(t_)), loops_(loops) {
  if (is_float_) {
    format_ = float_format(t_);
    measured_ = float_format(accuracy.measured);
    same_format_ = accuracy.measured == t_;
  }
  any_zero_sign_ = accuracy.spec->any_zero_sign;
  range_ = accuracy.spec->range;
  tolerant_ = accuracy.spec->bound == language::Accuracy::Bound::tolerance;
  if (size_bytes(t_) > 2) return;
  values_.resize(std::size_t{1} << (8 * size_bytes(t_)));
  for (std::size_t b = 0; b < values_.size(); ++b) {
    values_[b] = number_of_bits(t_, b);
  }
}

void BlockJudge::decode(const std::byte* got, std::size_t n) {
  if (t_ == DType::f32) {
    for (std::size_t i = 0; i < n; ++i) {
      float x;
      std::memcpy(&x, got + 4 * i, 4);
      numbers_[i] = static_cast<double>(x);
    }
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = element(t_, got, i);
    numbers_[i] = values_.empty() ? number_of_bits(t_, bits)
                                  : values_[static_cast<std::size_t>(bits)];
  }
}

double BlockJudge::error_of(double got, double exact) const {
  const double beyond = std::ldexp(1.0, format_.emax + 1);
  const auto within = [beyond](double x) {
    return std::clamp(x, -beyond, beyond);
  };
  return std::fabs(within(got) - within(exact)) / ulp_at_value(format_, exact);
}

bool BlockJudge::is_right(double got, double right) const {
  return got == right &&
         (std::signbit(got) == std::signbit(right) || any_zero_sign_);
}

// Within the tolerance, and as much further as the exact value is uncertain;
// in a wider format than the result's, the ends of the interval are rounded.
bool BlockJudge::admitted(double got, const RightElement& right,
                          const BlockTolerance& granted) const {
  const double exact = right.exact;
  if (!tolerant_ || std::isnan(got) || std::isnan(right.rounded)) return false;
  if (std::isinf(exact)) return false;
  const bool subnormal = std::fabs(exact) < std::ldexp(1.0, measured_.emin);
  const double units =
      subnormal ? granted.subnormal_ulp[right.lane] : granted.ulp[right.lane];
  // Zero grants no units. An enclosure that only ends at zero, as that of
  // exp(-inf) does here, has another middle and grants them.
  const double relative =
      exact == 0 ? 0 : units * ulp_at_value(measured_, exact);
  const double reach = std::max(relative, granted.absolute[right.lane]) +
                       2 * kMargin * std::fabs(exact);
  // A relative error does not change a sign.
  const bool keeps_sign =
      granted.absolute[right.lane] == 0 && !(any_zero_sign_ && got == 0);
  if (keeps_sign && std::signbit(got) != std::signbit(exact)) return false;
  const auto rounded = [this](double x) {
    return decode_float(t_, nearest_bits(t_, x));
  };
  if (range_ && (got < rounded(range_->first) || got > rounded(range_->second)))
    return false;
  if (same_format_) {
    const double beyond = std::ldexp(1.0, format_.emax + 1);
    const double stands = std::isinf(got) ? std::copysign(beyond, got) : got;
    return std::fabs(stands - exact) <= reach;
  }
  return rounded(exact - reach) <= got && got <= rounded(exact + reach);
}

void BlockJudge::differs(std::uint64_t input, const RightElement& nearest,
                         bool broken, Tally* tally) {
  const double got = numbers_[nearest.lane];
  const double right = nearest.rounded;
  const double exact = nearest.exact;
  Witness w;
  w.input = input;
  if (is_float_) {
    w.got = encode_float(t_, got);
    w.right = encode_float(t_, right);
  } else {
    w.got = static_cast<std::uint64_t>(static_cast<std::int64_t>(got));
    w.right = static_cast<std::uint64_t>(static_cast<std::int64_t>(right));
  }
  ++tally->not_rounded;
  double error = kInfinity;
  if (std::isnan(got) != std::isnan(right)) {
    ++tally->wrong_nan;
  } else if (is_float_) {
    const bool infinite = std::isinf(got) != std::isinf(right) ||
                          (std::isinf(got) && got != right);
    if (infinite) ++tally->wrong_infinity;
    if (got == 0 && right == 0) ++tally->wrong_zero_sign;
    const double least_normal = std::ldexp(1.0, format_.emin);
    if (got == 0 && right != 0 && std::fabs(right) < least_normal) {
      ++tally->flushed;
    }
    error = error_of(got, exact);
    const bool far =
        infinite && std::fabs(exact) < std::ldexp(1.0, format_.emax);
    if (far) error = kInfinity;
    if (!far && error > tally->max_error) {
      tally->max_error = error;
      tally->error_at = w;
    }
    for (std::size_t b = 0; b < Tally::kBounds.size(); ++b) {
      if (error > Tally::kBounds[b]) ++tally->over[b];
    }
    if (!infinite) {
      const std::int64_t d =
          std::abs(ordinal(t_, w.got) - ordinal(t_, w.right));
      if (d > tally->max_distance) {
        tally->max_distance = d;
        tally->distance_at = w;
      }
    }
  }
  if (broken) {
    ++tally->broken;
    if (!tally->broken_at) tally->broken_at = w;
  }
}

bool BlockJudge::compare(std::uint64_t first, std::size_t n,
                         const BlockResult& golden, const std::byte* got,
                         Tally* tally) {
  decode(got, n);
  const std::size_t wrong =
      loops_.differ(numbers_, golden.rounded, differs_, n);
  if (golden.common && wrong > 0) return false;
  tally->inputs += n;
  if (golden.any_hard) {
    const auto open = std::count(golden.hard, golden.hard + n, kUnspecified);
    tally->unspecified += static_cast<std::uint64_t>(open);
  }
  if (wrong == 0) return true;
  for (std::size_t i = 0; i < n; ++i) {
    if (differs_[i] == 0) continue;
    if (golden.any_hard && golden.hard[i] == kUnspecified) continue;
    const double x = numbers_[i];
    RightElement nearest = {i, golden.rounded[i], golden.middle(i)};
    bool right = is_right(x, nearest.rounded);
    bool within = admitted(x, nearest, golden.tolerance);
    for (const RightElement& other : golden.others) {
      if (other.lane != i) continue;
      right = right || is_right(x, other.rounded);
      within = within || admitted(x, other, golden.tolerance);
      const double distance = std::fabs(x - other.exact);
      if (distance < std::fabs(x - nearest.exact)) nearest = other;
    }
    if (!right) differs(first + i, nearest, !within, tally);
  }
  return true;
}

}  // namespace assay::reference
