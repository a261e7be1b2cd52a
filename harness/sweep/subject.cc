#include "harness/sweep/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <math.h>

#include <bit>
#include <chrono>
#include <cstring>

#include "harness/records/identity.h"

namespace assay::harness {
namespace {

constexpr std::chrono::milliseconds kDeadline{600000};

std::string what_it_did(const Observation& o) {
  using Kind = Observation::Kind;
  switch (o.kind) {
    case Kind::returned:
      return fmt::format("it returned {} tensors", o.outputs.size());
    case Kind::raised:
      return fmt::format("it raised {}: {}", o.error.exception,
                         o.error.message);
    case Kind::unsupported:
      return fmt::format("unsupported: {}", o.detail);
    case Kind::device_lost:
      return fmt::format("device lost: {}", o.detail);
    default:
      return fmt::format("it did not answer: {}", o.detail);
  }
}

class ExecutorSubject : public SweepSubject {
 public:
  explicit ExecutorSubject(std::unique_ptr<Executor> executor)
      : executor_(std::move(executor)) {}

  Result<Identity> identify() override { return executor_->identify(); }

  Result<Tensor> results(const reference::Sweep& sweep, std::uint64_t first,
                         std::int64_t n) override {
    const Program program = sweep.program(n);
    const std::vector<Tensor> inputs = sweep.tensors(first, n);
    const std::vector<TensorType> expected = {sweep.result_type(n)};
    Observation o = executor_->rerun(program, inputs, expected, kDeadline);
    using Kind = Observation::Kind;
    if (o.kind == Kind::crashed || o.kind == Kind::timed_out ||
        o.kind == Kind::device_lost) {
      // Asks a fresh process once more, so that an accident ends no sweep.
      o = executor_->rerun(program, inputs, expected, kDeadline);
    }
    lost_device_ = o.kind == Kind::device_lost;
    if (!o.depends_on.empty()) {
      return Error{fmt::format(
          "its results hang on {}, whose bits are each device's own: sweep on "
          "one, or with what was recorded of it (docs/ptx-machine.md)",
          fmt::join(o.depends_on, ", "))};
    }
    if (!o.breaches.empty()) return Error{o.breaches.front()};
    if (o.kind != Kind::returned || o.outputs.size() != 1) {
      return Error{what_it_did(o)};
    }
    const TensorType& type = o.outputs[0].type;
    if (type.dtype != expected[0].dtype || type.sizes != expected[0].sizes) {
      return Error{"it returned another dtype or shape"};
    }
    return type.is_contiguous() && o.outputs[0].offset == 0
               ? std::move(o.outputs[0])
               : o.outputs[0].contiguous();
  }

  bool lost_device() const override { return lost_device_; }

 private:
  std::unique_ptr<Executor> executor_;
  bool lost_device_ = false;
};

using Function = float (*)(float);
using reference::Elementary;

// lgammaf() writes the sign of gamma to a global variable.
float log_gamma(float x) {
  int sign = 0;
  return ::lgammaf_r(x, &sign);
}

// The C library's functions, in the order of Elementary; exp10f is not among
// them.
constexpr Function kFunctions[] = {
    ::expf,   ::exp2f, ::expm1f,  ::logf,   ::log2f, ::log10f, ::log1pf,
    ::sqrtf,  ::cbrtf, ::sinhf,   ::coshf,  ::tanhf, ::asinhf, ::acoshf,
    ::atanhf, ::asinf, ::acosf,   ::atanf,  ::erff,  ::erfcf,  ::sinf,
    ::cosf,   ::tanf,  log_gamma, ::tgammaf};

float reciprocal_root(float x) { return 1.0f / ::sqrtf(x); }

Function function_of(const reference::Sweep& sweep) {
  if (sweep.function()) {
    const auto n = static_cast<std::size_t>(*sweep.function());
    return n < std::size(kFunctions) ? kFunctions[n] : nullptr;
  }
  return sweep.name() == "rsqrt/f32" ? reciprocal_root : nullptr;
}

class LibmSubject : public SweepSubject {
 public:
  Result<Identity> identify() override {
    Identity i;
    i.column = fmt::format("libm@{}/cpu", ::gnu_get_libc_version());
    i.facts = {{"glibc", ::gnu_get_libc_version()},
               {"cpu_flags", cpu_identity().flags}};
    return i;
  }

  Result<Tensor> results(const reference::Sweep& sweep, std::uint64_t first,
                         std::int64_t n) override {
    const Function f = function_of(sweep);
    if (f == nullptr || sweep.dtype() != DType::f32) {
      return Error{fmt::format(
          "unsupported: the C library has no function for {}", sweep.name())};
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

std::unique_ptr<SweepSubject> executor_subject(
    std::unique_ptr<Executor> executor) {
  return std::make_unique<ExecutorSubject>(std::move(executor));
}

std::unique_ptr<SweepSubject> libm_subject() {
  return std::make_unique<LibmSubject>();
}

}  // namespace assay::harness
