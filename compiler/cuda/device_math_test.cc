// What CUDA has another text for (math/device.inc, math/half.inc) on the PTX
// machine against the C++ text, bit for bit but for NaN: conversions of f16 and
// bf16, and functions that use such text.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compiler/math/math.h"
#include "compiler/testing/cuda_testing.h"
#include "compiler/testing/emulate.h"
#include "core/float_bits.h"

namespace assay::compiler {
namespace {

// Of every exponent and sign, the ends and some significands between.
std::vector<std::uint32_t> some_floats() {
  std::mt19937 random(3);
  std::vector<std::uint32_t> out;
  for (std::uint32_t top = 0; top < 512; ++top) {
    const bool near_one = (top & 0xffu) > 90 && (top & 0xffu) < 140;
    for (const std::uint32_t s : {0u, 1u, 0x400000u, 0x7fffffu}) {
      out.push_back(top << 23 | s);
    }
    for (int i = 0; i < (near_one ? 400 : 20); ++i) {
      out.push_back(top << 23 | (random() & 0x7fffffu));
    }
  }
  return out;
}

Tensor of_patterns(DType t, const std::vector<std::uint32_t>& bits) {
  Tensor x = Tensor::zeros(t, {static_cast<std::int64_t>(bits.size())});
  for (std::size_t i = 0; i < bits.size(); ++i) {
    x.set_bits(static_cast<std::int64_t>(i), bits[i]);
  }
  return x;
}

// The results of `call` of tensors %0 and so on for all targets.
void expect_results(const std::string& call, const std::vector<Tensor>& inputs,
                    const std::vector<std::uint32_t>& expected) {
  std::string text;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    text += "%" + std::to_string(i) + " = input " +
            std::string(dtype_name(inputs[i].dtype())) + "[" +
            std::to_string(inputs[i].numel()) + "]\n";
  }
  const std::string result = "%" + std::to_string(inputs.size());
  text += result + " = " + call + "\nreturn " + result + "\n";
  for (const std::string& target : tested_targets()) {
    const auto artifact = compiled(parsed(text), for_cuda(target));
    ASSERT_NE(artifact, nullptr);
    const Emulated run =
        emulate(artifact->explain("launches"), inputs, Races::not_looked_for);
    ASSERT_TRUE(run.faults.empty()) << run.faults.front();
    ASSERT_TRUE(run.approximate.empty()) << run.approximate.front();
    const Tensor& out = run.outputs[0];
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      const std::uint32_t wanted = expected[static_cast<std::size_t>(i)];
      if (out.bits(i) == wanted) continue;
      ASSERT_TRUE(is_nan_bits(out.dtype(), out.bits(i)) &&
                  is_nan_bits(out.dtype(), wanted))
          << call << " for " << target << " of " << std::hex
          << inputs[0].bits(i) << ": " << out.bits(i) << ", not " << wanted;
    }
  }
}

struct Half {
  const char* name;
  DType dtype;
  unsigned dropped;  // bits of a float's significand
  float (*widen)(std::uint16_t);
  std::uint16_t (*narrow)(float);
};
constexpr Half kHalves[] = {
    {"f16", DType::f16, 13, math::a_from_f16, math::a_to_f16},
    {"bf16", DType::bf16, 16, math::a_from_bf16, math::a_to_bf16},
};

TEST(CudaMath, EveryHalfWidens) {
  ASSAY_NEEDS_NVRTC();
  for (const Half& h : kHalves) {
    std::vector<std::uint32_t> all, expected;
    for (std::uint32_t b = 0; b < 0x10000; ++b) {
      all.push_back(b);
      expected.push_back(math::a_bits(h.widen(static_cast<std::uint16_t>(b))));
    }
    expect_results("aten._to_copy.default(%0, dtype=f32)",
                   {of_patterns(h.dtype, all)}, expected);
  }
}

// Around every exponent of a float with either sign, what rounds up, down and
// to even: significands with few bits set where the narrow one ends, and with
// all but few. Among them are zeros, subnormals, overflow, infinities and NaN.
std::vector<std::uint32_t> floats_around_ties(unsigned dropped) {
  std::vector<std::uint32_t> significands;
  for (unsigned ends = dropped; ends < 25; ++ends) {
    const std::uint32_t half = ends < 24 ? 1u << (ends - 1) : 0;
    for (const std::uint32_t odd : {0u, 2u * half, 6u * half}) {
      for (const std::uint32_t step : {0u, 1u, 0xffffffffu}) {
        significands.push_back((odd + half + step) & 0x7fffffu);
        significands.push_back((odd + step) & 0x7fffffu);
        significands.push_back(~(odd + half + step) & 0x7fffffu);
      }
    }
  }
  std::vector<std::uint32_t> out;
  for (std::uint32_t top = 0; top < 512; ++top) {
    for (const std::uint32_t s : significands) out.push_back(top << 23 | s);
  }
  return out;
}

TEST(CudaMath, FloatsAroundTiesNarrow) {
  ASSAY_NEEDS_NVRTC();
  for (const Half& h : kHalves) {
    const std::vector<std::uint32_t> floats = floats_around_ties(h.dropped);
    std::vector<std::uint32_t> expected;
    for (const std::uint32_t b : floats) {
      expected.push_back(h.narrow(math::a_float(b)));
    }
    expect_results(
        std::string("aten._to_copy.default(%0, dtype=") + h.name + ")",
        {of_patterns(DType::f32, floats)}, expected);
  }
}

struct OfFloats {
  const char* call;
  float (*function)(float);
};
constexpr OfFloats kOfFloats[] = {
    {"aten.atan.default(%0)", math::a_atan},
    {"aten.erf.default(%0)", math::a_erf},
    {"aten.erfc.default(%0)", math::a_erfc},
    {"aten.gelu.default(%0)", math::a_gelu},
    {"aten.gelu.default(%0, \"tanh\")", math::a_gelu_tanh},
    {"aten.mish.default(%0)", math::a_mish},
    {"aten.sigmoid.default(%0)", math::a_sigmoid},
    {"aten.silu.default(%0)", math::a_silu},
    {"aten.tanh.default(%0)", math::a_tanh},
};

TEST(CudaMath, FunctionsOfFloats) {
  ASSAY_NEEDS_NVRTC();
  const std::vector<std::uint32_t> floats = some_floats();
  const Tensor x = of_patterns(DType::f32, floats);
  for (const OfFloats& f : kOfFloats) {
    std::vector<std::uint32_t> expected;
    for (const std::uint32_t b : floats) {
      expected.push_back(math::a_bits(f.function(math::a_float(b))));
    }
    expect_results(f.call, {x}, expected);
  }
}

TEST(CudaMath, FunctionsOfEveryHalf) {
  ASSAY_NEEDS_NVRTC();
  std::vector<std::uint32_t> all, gelu, silu, silu_bf16;
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    const auto h = static_cast<std::uint16_t>(b);
    const float x = math::a_from_f16(h), y = math::a_from_bf16(h);
    all.push_back(b);
    gelu.push_back(math::a_to_f16(math::a_gelu_f16(x)));
    silu.push_back(math::a_to_f16(math::a_silu_narrow(x)));
    silu_bf16.push_back(math::a_to_bf16(math::a_silu_narrow(y)));
  }
  const Tensor x = of_patterns(DType::f16, all);
  expect_results("aten.gelu.default(%0)", {x}, gelu);
  expect_results("aten.silu.default(%0)", {x}, silu);
  expect_results("aten.silu.default(%0)", {of_patterns(DType::bf16, all)},
                 silu_bf16);
}

TEST(CudaMath, MaximumAndMinimum) {
  ASSAY_NEEDS_NVRTC();
  const std::vector<std::uint32_t> ends = {
      0,           0x80000000u, 1,           0x80000001u,
      0x3f800000u, 0xbf800000u, 0x7f7fffffu, 0x7f800000u,
      0xff800000u, 0x7fc00000u, 0xffc00001u, 0x7f800001u};
  std::vector<std::uint32_t> a, b, greater, less;
  for (const std::uint32_t x : ends) {
    for (const std::uint32_t y : ends) {
      const float p = math::a_float(x), q = math::a_float(y);
      a.push_back(x);
      b.push_back(y);
      greater.push_back(math::a_bits(math::a_maximum(p, q)));
      less.push_back(math::a_bits(math::a_minimum(p, q)));
    }
  }
  const std::vector<Tensor> inputs = {of_patterns(DType::f32, a),
                                      of_patterns(DType::f32, b)};
  expect_results("aten.maximum.default(%0, %1)", inputs, greater);
  expect_results("aten.minimum.default(%0, %1)", inputs, less);
}

}  // namespace
}  // namespace assay::compiler
