#include "harness/wire/fp_env.h"

#include <fmt/format.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace assay::harness {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kControlBits = 0xffc0;
constexpr std::uint32_t kFlushToZero = 0x8000;
constexpr std::uint32_t kDenormalsAreZero = 0x0040;
constexpr std::uint32_t kRounding = 0x6000;
constexpr const char* kRoundingNames[] = {"to nearest", "down", "up",
                                          "toward zero"};
constexpr int kRoundingShift = 13;
#else
constexpr std::uint32_t kFlushToZero = 1u << 24;
constexpr std::uint32_t kDenormalsAreZero = 0;
constexpr std::uint32_t kRounding = 3u << 22;
constexpr const char* kRoundingNames[] = {"to nearest", "up", "down",
                                          "toward zero"};
constexpr int kRoundingShift = 22;
#endif

}  // namespace

std::uint32_t fp_control() {
#if defined(__x86_64__)
  return _mm_getcsr() & kControlBits;
#elif defined(__aarch64__)
  std::uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return static_cast<std::uint32_t>(fpcr);
#else
  return 0;
#endif
}

void set_fp_control(std::uint32_t control) {
#if defined(__x86_64__)
  _mm_setcsr((_mm_getcsr() & ~kControlBits) | (control & kControlBits));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{control}));
#else
  (void)control;
#endif
}

std::string describe_fp_change(std::uint32_t before, std::uint32_t after) {
  const std::uint32_t changed = before ^ after;
  std::string text;
  const auto add = [&](const std::string& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  const auto set = [&](std::uint32_t bit) {
    return (after & bit) != 0 ? "set" : "cleared";
  };
  if (changed & kFlushToZero) {
    add(fmt::format("flush-to-zero {}", set(kFlushToZero)));
  }
  if (changed & kDenormalsAreZero) {
    add(fmt::format("denormals-are-zero {}", set(kDenormalsAreZero)));
  }
  if (changed & kRounding) {
    add(fmt::format("rounding {}",
                    kRoundingNames[(after & kRounding) >> kRoundingShift]));
  }
  if (changed & ~(kFlushToZero | kDenormalsAreZero | kRounding)) {
    add("exception masks changed");
  }
  return fmt::format("{} (control register {:#x}, was {:#x})", text, after,
                     before);
}

}  // namespace assay::harness
