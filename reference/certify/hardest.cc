#include "reference/certify/hardest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/float_bits.h"
#include "reference/sweep/function_specs.h"
#include "reference/sweep/sweep.h"

namespace assay::reference {
namespace {

constexpr int kPrecision = 256;
constexpr std::uint64_t kAtOnce = 1 << 20;

// What a sweep keeps for MPFR, in ulps: it must exceed how far an enclosure
// that passes the rounding test can mislead (2^-18 in f32), and leave enough
// of the few inputs of the 16-bit types.
double kept_below(DType t) { return t == DType::f32 ? 0x1p-20 : 0x1p-4; }

// Exponent of the ulp of a number whose binade is 2^e.
int ulp_exponent(const FloatFormat& f, int e) {
  return std::clamp(e, f.emin, f.emax) - f.precision + 1;
}

// Distances of a block's lanes from midpoints, as far as doubles tell.
class Estimate {
 public:
  explicit Estimate(DType t) : f_(float_format(t)) {}

  double operator()(double exact, double rounded) const {
    const auto biased =
        static_cast<int>(std::bit_cast<std::uint64_t>(exact) >> 52) & 0x7ff;
    const int scale = 1023 - ulp_exponent(f_, biased - 1023);
    const double per_ulp =
        std::bit_cast<double>(static_cast<std::uint64_t>(scale) << 52);
    if (std::isinf(rounded)) rounded = std::copysign(beyond(), rounded);
    return std::fabs(std::fabs(exact - rounded) * per_ulp - 0.5);
  }

 private:
  double beyond() const { return std::ldexp(1.0, f_.emax + 1); }
  FloatFormat f_;
};

class Search {
 public:
  Search(const Sweep& sweep, const Engine& engine, bool half,
         const std::atomic<bool>* stop)
      : sweep_(sweep), engine_(engine), stop_(stop) {
    inputs_ = half ? sweep.inputs() / 2 : sweep.inputs();
  }

  Result<std::vector<std::uint64_t>> run(int jobs) {
    std::vector<std::thread> threads;
    for (int i = 0; i < jobs; ++i) {
      threads.emplace_back([this] { work(); });
    }
    for (std::thread& t : threads) t.join();
    if (!fault_.empty()) return Error{fault_};
    return std::move(found_);
  }

 private:
  void work() {
    const auto oracle = SweepOracle::make(sweep_, &engine_);
    if (!oracle) return fail(oracle.error().message);
    while (stop_ == nullptr || !*stop_) {
      const std::uint64_t begin = next_.fetch_add(kAtOnce);
      if (begin >= inputs_) return;
      const Status done =
          part(begin, std::min(begin + kAtOnce, inputs_), **oracle);
      if (!done) return fail(done.error().message);
    }
  }

  // A block of one common element is flat: the function is nearly constant
  // there, which makes it an expansion.
  Status part(std::uint64_t begin, std::uint64_t end, SweepOracle& oracle) {
    const Estimate estimate(sweep_.dtype());
    const double limit = kept_below(sweep_.dtype());
    const auto golden = std::make_unique<BlockResult>();
    std::vector<std::uint64_t> near;
    for (std::uint64_t first = begin; first < end; first += kBlock) {
      const std::size_t n = std::min<std::uint64_t>(kBlock, end - first);
      const Status known = oracle.elements(first, n, golden.get());
      if (!known) return known;
      if (golden->common) continue;
      for (std::size_t i = 0; i < n; ++i) {
        // False of NaN.
        if (estimate(golden->middle(i), golden->rounded[i]) < limit) {
          near.push_back(first + i);
        }
      }
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    found_.insert(found_.end(), near.begin(), near.end());
    return success();
  }

  void fail(const std::string& what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    fault_ = what;
  }

  const Sweep& sweep_;
  const Engine& engine_;
  const std::atomic<bool>* stop_;
  std::uint64_t inputs_ = 0;
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;
  std::vector<std::uint64_t> found_;
  std::string fault_;
};

// Is |x - y| at most an ulp of x? As exactly as 256 bits allow.
bool within_ulp(const FloatFormat& f, const Mp& x, const Mp& y) {
  if (is_inf(x) || is_inf(y)) return false;
  Mp apart = Mp::fresh(kPrecision);
  mpfr_sub(apart.writable(), x.get(), y.get(), MPFR_RNDN);
  const int e = is_zero(x) ? f.emin : exponent(x);
  return mpfr_zero_p(apart.get()) != 0 ||
         mpfr_cmpabs(apart.get(),
                     exact<Mp>(std::ldexp(1.0, ulp_exponent(f, e))).get()) <= 0;
}

}  // namespace

std::optional<double> midpoint_distance(const RealFunction& f, DType t,
                                        std::uint64_t x) {
  const PrecisionScope precision(kPrecision);
  const Set<Mp> y = f(Set<Mp>::of(decode_float(t, x)));
  if (y.unsure || !y.has_values || is_inf(y.lo.a) || is_zero(y.lo.a)) {
    return std::nullopt;
  }
  const FloatFormat& format = float_format(t);
  const int e = exponent(y.lo.a);
  if (e > format.emax) return std::nullopt;
  Mp in_ulps = Mp::fresh(kPrecision);
  mpfr_mul_2si(in_ulps.writable(), y.lo.a.get(), -ulp_exponent(format, e),
               MPFR_RNDN);
  Mp part = Mp::fresh(kPrecision);
  mpfr_frac(part.writable(), in_ulps.get(), MPFR_RNDN);
  mpfr_abs(part.writable(), part.get(), MPFR_RNDN);
  mpfr_sub_d(part.writable(), part.get(), 0.5, MPFR_RNDN);
  return std::fabs(mpfr_get_d(part.get(), MPFR_RNDN));
}

bool is_expansion(const RealFunction& f, DType t, std::uint64_t x) {
  const PrecisionScope precision(kPrecision);
  const Set<Mp> at = Set<Mp>::of(decode_float(t, x));
  const Set<Mp> y = f(at);
  if (!y.has_values) return false;
  const FloatFormat& format = float_format(t);
  if (within_ulp(format, y.lo.a, at.lo.a)) return true;
  for (const double place : {0.0, kInfinity, -kInfinity}) {
    const Set<Mp> there = f(Set<Mp>::of(place));
    if (there.has_values && within_ulp(format, y.lo.a, there.lo.a)) return true;
  }
  return false;
}

Result<std::vector<HardInput>> hardest_inputs(const RealFunction& f, DType t,
                                              std::size_t most,
                                              const Engine& engine, int jobs,
                                              const std::atomic<bool>* stop) {
  const Result<Sweep> sweep =
      Sweep::open(function_specs(), {std::string(f.name()), t, {}});
  if (!sweep) return sweep.error();
  const auto near = Search(*sweep, engine, f.is_symmetric(), stop).run(jobs);
  if (!near) return near.error();
  std::vector<HardInput> all;
  for (const std::uint64_t x : *near) {
    const auto distance = midpoint_distance(f, t, x);
    if (distance && *distance > 0) all.push_back({x, *distance});
  }
  const auto from_one = [t](const HardInput& h) {
    return std::fabs(std::log2(std::fabs(decode_float(t, h.x))));
  };
  std::sort(all.begin(), all.end(),
            [&](const HardInput& a, const HardInput& b) {
              if (a.distance != b.distance) return a.distance < b.distance;
              const double one = from_one(a), other = from_one(b);
              return one != other ? one < other : a.x < b.x;
            });
  std::vector<HardInput> out;
  for (const HardInput& h : all) {
    if (out.size() == most) break;
    if (!out.empty() && out.back().distance == h.distance) continue;
    if (!is_expansion(f, t, h.x)) out.push_back(h);
  }
  return out;
}

}  // namespace assay::reference
