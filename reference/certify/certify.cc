#include "reference/certify/certify.h"

#include <arb.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "core/float_bits.h"
#include "reference/certify/boundaries.h"

namespace assay::reference {
namespace {

constexpr std::size_t kExamples = 8;

bool agree(DType t, const std::optional<std::uint64_t>& mpfr,
           const std::optional<std::uint64_t>& arb) {
  if (!mpfr || !arb) return false;
  if (*mpfr == *arb) return true;
  // Arb's balls have no sign of zero.
  const std::uint64_t sign = sign_bit_mask(t);
  return (*arb & ~sign) == 0 && (*mpfr & ~sign) == 0;
}

class Certifier {
 public:
  Certifier(Elementary f, DType t, const std::atomic<bool>* stop)
      : stop_(stop) {
    out_.function = f;
    out_.dtype = t;
  }

  // `input(n)` for n < count, by `jobs` threads.
  template <class Input>
  void compare(std::uint64_t count, int jobs, const Input& input) {
    std::atomic<std::uint64_t> next{0};
    const auto work = [&] {
      constexpr std::uint64_t kAtOnce = 256;
      while (stop_ == nullptr || !*stop_) {
        const std::uint64_t begin = next.fetch_add(kAtOnce);
        if (begin >= count) break;
        const std::uint64_t end = std::min(begin + kAtOnce, count);
        for (std::uint64_t n = begin; n < end; ++n) one(input(n));
      }
      flint_cleanup();
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < jobs; ++i) threads.emplace_back(work);
    for (std::thread& t : threads) t.join();
  }

  Certificate take() {
    out_.compared = compared_;
    std::sort(out_.examples.begin(), out_.examples.end(),
              [](const Disagreement& a, const Disagreement& b) {
                return a.input < b.input;
              });
    return std::move(out_);
  }

 private:
  void one(std::uint64_t bits) {
    const Elementary f = out_.function;
    const DType t = out_.dtype;
    if (is_nan_bits(t, bits) || !arb_defines(f, decode_float(t, bits))) return;
    const auto mpfr = rounded_by_mpfr(f, t, bits);
    const auto arb = rounded_by_arb(f, t, bits);
    ++compared_;
    if (agree(t, mpfr, arb)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    ++out_.disagreements;
    if (out_.examples.size() < kExamples) {
      out_.examples.push_back({bits, mpfr, arb});
    }
  }

  const std::atomic<bool>* stop_;
  std::atomic<std::uint64_t> compared_{0};
  std::mutex mutex_;
  Certificate out_;
};

// The n-th of a fixed sequence of patterns (SplitMix64: Steele, Lea, Flood,
// 2014).
std::uint64_t random_bits(std::uint64_t n) {
  std::uint64_t z = (n + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

std::vector<std::uint64_t> telling_inputs(Elementary f, DType t) {
  std::set<std::uint64_t> all;
  const auto add = [&](std::uint64_t bits) {
    for (const std::int64_t k : {-2, -1, 0, 1, 2}) all.insert(step(t, bits, k));
  };
  const auto add_both = [&](double x) {
    const std::uint64_t bits = encode_float(t, x);
    add(bits);
    add(bits | sign_bit_mask(t));
  };
  for (const Boundary& b : solve_boundaries(f, t)) {
    add(b.before);
    add(b.after);
  }
  const FloatFormat& format = float_format(t);
  for (int e = format.emin - format.precision + 1; e <= format.emax; ++e) {
    add_both(std::ldexp(1.0, e));
  }
  for (int n = 0; n <= 256; ++n) add_both(n / 2.0);
  for (int n = 1; n <= 64; ++n) add_both(n * 0x1.921fb54442d18p+0);
  add_both(decode_float(t, largest_bits(t)));
  return {all.begin(), all.end()};
}

Certificate certify(Elementary f, DType t, std::uint64_t samples, int jobs,
                    const std::atomic<bool>* stop) {
  Certifier certifier(f, t, stop);
  if (size_bytes(t) <= 2) {
    certifier.compare(std::uint64_t{1} << (8 * size_bytes(t)), jobs,
                      [](std::uint64_t n) { return n; });
    return certifier.take();
  }
  const std::vector<std::uint64_t> telling = telling_inputs(f, t);
  certifier.compare(telling.size(), jobs, [&](std::uint64_t n) {
    return telling[static_cast<std::size_t>(n)];
  });
  const int unused = 64 - 8 * size_bytes(t);
  certifier.compare(samples, jobs, [unused](std::uint64_t n) {
    return random_bits(n) >> unused;
  });
  return certifier.take();
}

}  // namespace assay::reference
