#include <gnu/libc-version.h>
#include <math.h>

#include <bit>
#include <cstring>

#include "harness/identity.h"
#include "harness/sweep/subject.h"

namespace assay {
namespace {

using Function = float (*)(float);
using reference::Elementary;

// lgammaf() writes the sign of gamma to a global variable.
float log_gamma(float x) {
  int sign = 0;
  return ::lgammaf_r(x, &sign);
}

// In the order of Elementary.
constexpr Function kFunctions[] = {
    ::expf,   ::exp2f, ::expm1f,  ::logf,   ::log2f, ::log10f, ::log1pf,
    ::sqrtf,  ::cbrtf, ::sinhf,   ::coshf,  ::tanhf, ::asinhf, ::acoshf,
    ::atanhf, ::asinf, ::acosf,   ::atanf,  ::erff,  ::erfcf,  ::sinf,
    ::cosf,   ::tanf,  log_gamma, ::tgammaf};
static_assert(std::size(kFunctions) == reference::kElementaryFunctions);

float reciprocal_root(float x) { return 1.0f / ::sqrtf(x); }

Function function_of(const reference::Sweep& sweep) {
  if (sweep.function()) {
    return kFunctions[static_cast<std::size_t>(*sweep.function())];
  }
  return sweep.name() == "rsqrt/f32" ? reciprocal_root : nullptr;
}

class LibmSubject : public SweepSubject {
 public:
  Result<Identity> identify() override {
    Identity i;
    i.column = std::string("libm@") + ::gnu_get_libc_version() + "/cpu";
    i.facts = {{"glibc", ::gnu_get_libc_version()},
               {"cpu_flags", cpu_identity().flags}};
    return i;
  }

  Result<Tensor> results(const reference::Sweep& sweep, std::uint64_t first,
                         std::int64_t n) override {
    const Function f = function_of(sweep);
    if (f == nullptr || sweep.dtype() != DType::f32) {
      return Error{"unsupported: the C library has no function for " +
                   sweep.name()};
    }
    Tensor out = Tensor::zeros(DType::f32, {n});
    std::byte* to = out.storage->data();
    for (std::int64_t i = 0; i < n; ++i) {
      const auto bits =
          static_cast<std::uint32_t>(first + static_cast<std::uint64_t>(i));
      const float y = f(std::bit_cast<float>(bits));
      std::memcpy(to + 4 * i, &y, 4);
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<SweepSubject> libm_subject() {
  return std::make_unique<LibmSubject>();
}

}  // namespace assay
