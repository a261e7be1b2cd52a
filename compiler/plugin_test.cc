// The shared object through its C interface, and each defect through it: a
// program that returns other bits, or another refusal, with the defect than
// without.
#include "assay/plugin.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/graph/defects.h"
#include "compiler/graph/graph.h"
#include "core/float_bits.h"
#include "core/tensor.h"

namespace assay::compiler {
namespace {

const AssayPlugin* plugin() {
  static const AssayPlugin* const loaded = [] {
    void* handle = dlopen(ASSAY_BINARY_DIR "/lib/assay_bundled.so", RTLD_NOW);
    if (handle == nullptr) {
      ADD_FAILURE() << dlerror();
      return static_cast<const AssayPlugin*>(nullptr);
    }
    auto query = reinterpret_cast<decltype(&assay_plugin_query)>(
        dlsym(handle, ASSAY_PLUGIN_SYMBOL));
    return query(ASSAY_PLUGIN_ABI_MAJOR, ASSAY_PLUGIN_ABI_MINOR);
  }();
  return loaded;
}

AssayDType wire(DType t) {
  const auto bits = static_cast<std::uint8_t>(8 * size_bytes(t));
  if (t == DType::boolean) return {6, bits, 1};
  if (t == DType::bf16) return {4, bits, 1};
  if (is_float(t)) return {2, bits, 1};
  return {static_cast<std::uint8_t>(is_signed(t) ? 0 : 1), bits, 1};
}

AssayTensor wire(Tensor& t) {
  return {sizeof(AssayTensor), t.storage->data(),
          wire(t.dtype()),     static_cast<std::int32_t>(t.rank()),
          t.type.sizes.data(), t.type.strides.data()};
}

struct Outcome {
  AssayCode code = ASSAY_OK;
  std::string exception, clause, message;
  std::vector<Tensor> outputs;

  void error(AssayCode c, const AssayError& e) {
    code = c;
    if (e.exception != nullptr) exception = e.exception;
    if (e.clause != nullptr) clause = e.clause;
    if (e.message != nullptr) message = e.message;
  }
};

// What comes of the second of two calls, which must not remember the first.
Outcome run(const std::string& text, std::vector<Tensor> inputs,
            std::vector<Type> results, std::vector<AssayOption> options,
            std::string* explained = nullptr) {
  Outcome out;
  AssayError error{};
  error.struct_size = sizeof error;
  AssayArtifact* artifact = nullptr;
  const std::string program = "assay-program 1\n" + text;
  const AssayCode compiled =
      plugin()->compile(program.c_str(), "cpu", options.data(), options.size(),
                        &artifact, &error);
  if (compiled != ASSAY_OK) {
    out.error(compiled, error);
    return out;
  }
  std::vector<AssayTensor> in, wires;
  for (Tensor& t : inputs) in.push_back(wire(t));
  for (const Type& t : results) {
    out.outputs.push_back(Tensor::zeros(t.dtype, t.sizes));
    std::memset(out.outputs.back().storage->data(), 0x7f,
                out.outputs.back().storage->size());
  }
  for (Tensor& t : out.outputs) wires.push_back(wire(t));
  const auto launch = [&] {
    return plugin()->launch(artifact, in.data(), in.size(), wires.data(),
                            wires.size(), &error);
  };
  launch();
  const AssayCode ran = launch();
  if (ran != ASSAY_OK) out.error(ran, error);
  if (explained != nullptr) {
    for (const char* kind : {"graph", "ledger", "c++", "guards", "nest",
                             "graph after import", "asm"}) {
      const char* t = plugin()->explain(artifact, kind);
      *explained += t != nullptr ? t : "";
    }
    EXPECT_EQ(plugin()->explain(artifact, "ptx"), nullptr);
  }
  plugin()->destroy(artifact);
  return out;
}

Tensor filled(DType t, Shape sizes, std::vector<double> values) {
  Tensor out = Tensor::zeros(t, std::move(sizes));
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    out.set_number(i, values[static_cast<std::size_t>(i) % values.size()]);
  }
  return out;
}

TEST(Plugin, SaysWhatItIs) {
  ASSERT_NE(plugin(), nullptr);
  EXPECT_STREQ(plugin()->name, "bundled");
  EXPECT_NE(std::string(plugin()->targets).find("cpu-baseline"),
            std::string::npos);
  // With or without NVRTC: in the latter case compile says what is missing.
  EXPECT_NE(std::string(plugin()->targets).find(" cuda-sm_90 "),
            std::string::npos);
  EXPECT_EQ(plugin()->struct_size, sizeof(AssayPlugin));
}

TEST(Plugin, QueryTellsUnsupportedFromInvalid) {
  AssayError error{};
  error.struct_size = sizeof error;
  const auto ask = [&](const char* text, const char* target = "cpu") {
    return plugin()->query(text, target, &error);
  };
  const char* const good =
      "assay-program 1\n%0 = input f32[2]\n%1 = aten.exp.default(%0)\n"
      "return %1\n";
  EXPECT_EQ(ask(good), ASSAY_OK);
  // Invalid, but not unsupported: compile refuses it.
  EXPECT_EQ(ask("assay-program 1\n%0 = input bool[2]\n"
                "%1 = aten.neg.default(%0)\nreturn %1\n"),
            ASSAY_OK);
  EXPECT_EQ(ask("assay-program 1\n%0 = input f32[2]\n"
                "%1 = aten.special_airy_ai.default(%0)\nreturn %1\n"),
            ASSAY_UNSUPPORTED);
  EXPECT_EQ(std::string(error.message)
                .find("not supported: aten.special_airy_ai.default: "),
            0u)
      << error.message;
  EXPECT_EQ(ask(good, "cuda-sm_12"), ASSAY_UNSUPPORTED);
  EXPECT_NE(std::string(error.message).find("there is cpu-"),
            std::string::npos);
  EXPECT_EQ(ask("nonsense"), ASSAY_INTERNAL);
}

// No spec describes assay.e8m0_encode.
TEST(Plugin, QueryHeedsTheOptions) {
  AssayError error{};
  error.struct_size = sizeof error;
  const auto ask = [&](const char* name, const char* value) {
    const AssayOption option = {name, value};
    return plugin()->query_with_options(
        "assay-program 1\n%0 = input f32[2]\n"
        "%1 = assay.e8m0_encode(%0)\nreturn %1\n",
        "cpu", &option, 1, &error);
  };
  EXPECT_EQ(ask("lowering", "hand"), ASSAY_OK);
  EXPECT_EQ(ask("lowering", "derived"), ASSAY_UNSUPPORTED);
  EXPECT_NE(std::string(error.message).find("no spec"), std::string::npos);
  EXPECT_EQ(ask("tensor_cores", "off"), ASSAY_OK);
  EXPECT_EQ(ask("tensor_cores", "some"), ASSAY_INTERNAL);
  EXPECT_EQ(ask("speed", "high"), ASSAY_INTERNAL);
}

TEST(Plugin, ExplainsItself) {
  std::string text;
  const Outcome o =
      run("%0 = input f32[2]\n%1 = aten._to_copy.default(%0, dtype=f16)\n"
          "return %1\n",
          {filled(DType::f32, {2}, {1, 2})}, {{DType::f16, {2}}}, {}, &text);
  EXPECT_EQ(o.code, ASSAY_OK) << o.message;
  EXPECT_NE(text.find("%1 = round f16[2] %0 cast#1"), std::string::npos);
  EXPECT_NE(text.find("cast#1 round f32 -> f16"), std::string::npos);
  EXPECT_NE(text.find("// cast#1"), std::string::npos);
  EXPECT_NE(text.find("v1 = round f16 v0 cast#1"), std::string::npos);
  EXPECT_NE(text.find("assay_kernels:"), std::string::npos);
}

TEST(Plugin, BadOptionsAndTensorsAreInternalErrors) {
  const std::string text =
      "%0 = input f32[2]\n%1 = aten.exp.default(%0)\nreturn %1\n";
  const std::vector<Tensor> in = {filled(DType::f32, {2}, {1})};
  const Outcome option = run(text, in, {}, {{"defect", "none-such"}});
  EXPECT_EQ(option.code, ASSAY_INTERNAL);
  EXPECT_NE(option.message.find("drop-cast"), std::string::npos);
  EXPECT_EQ(run(text, in, {}, {{"speed", "high"}}).code, ASSAY_INTERNAL);
  const Outcome elsewhere = run(text, in, {}, {{"defect", "ftz"}});
  EXPECT_EQ(elsewhere.code, ASSAY_INTERNAL);
  EXPECT_NE(elsewhere.message.find("cuda target"), std::string::npos);
  const Outcome size = run(text, in, {{DType::f32, {3}}}, {});
  EXPECT_EQ(size.code, ASSAY_INTERNAL);
  EXPECT_NE(size.message.find("f32[2]"), std::string::npos) << size.message;
  EXPECT_EQ(run(text, {}, {{DType::f32, {2}}}, {}).code, ASSAY_INTERNAL);
}

// What a machine lacks is no failure of the compiler under test.
TEST(Plugin, WithoutACompilerProgramsAreUnsupported) {
  const Outcome o = run(
      "%0 = input f32[2]\n%1 = aten.exp.default(%0)\nreturn %1\n",
      {filled(DType::f32, {2}, {1})}, {}, {{"compiler", "no-such-compiler"}});
  EXPECT_EQ(o.code, ASSAY_UNSUPPORTED);
  EXPECT_NE(o.message.find("cannot run the compiler no-such-compiler"),
            std::string::npos)
      << o.message;
}

// What shows each defect: a program, its inputs, its results.
struct Revealing {
  Defect defect;
  std::string text;
  std::vector<Tensor> inputs;
  std::vector<Type> results;
  std::string before = {};  // a program that is compiled first
};

std::vector<double> noise(int n) {
  std::vector<double> out;
  for (int i = 0; i < n; ++i) out.push_back(100 * std::sin(i));
  return out;
}

// 0, 1, 2 ... row by row, of `n` rows and columns that lie column by column.
Tensor transposed(std::int64_t n) {
  Tensor t = Tensor::strided({DType::f32, {n, n}, {1, n}});
  for (std::int64_t i = 0; i < n * n; ++i) {
    t.set_bits(i, std::bit_cast<std::uint32_t>(static_cast<float>(i)));
  }
  return t;
}

std::vector<Revealing> revealing_programs() {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor f32 = filled(DType::f32, {9}, {0.1, 1.7, -3.3});
  const Type result = {DType::f32, {9}};
  return {
      {Defect::drop_cast,
       "%0 = input f32[9]\n%1 = aten._to_copy.default(%0, dtype=f16)\n"
       "%2 = aten._to_copy.default(%1, dtype=f32)\nreturn %2\n",
       {f32},
       {result}},
      {Defect::skip_guard,
       "%0 = input f16[1, 2, 2]\n%1 = input f32[1, 2, 2]\n"
       "%2 = aten.bmm.default(%0, %1)\nreturn %2\n",
       {filled(DType::f16, {1, 2, 2}, {1}), filled(DType::f32, {1, 2, 2}, {1})},
       {{DType::f32, {1, 2, 2}}}},
      {Defect::wrong_error_class,
       "%0 = input bool[2]\n%1 = aten.neg.default(%0)\nreturn %1\n",
       {filled(DType::boolean, {2}, {1})},
       {{DType::boolean, {2}}}},
      {Defect::wrong_promotion,
       "%0 = input f16[9]\n%1 = input f32[]\n%2 = aten.add.Tensor(%0, %1)\n"
       "return %2\n",
       {filled(DType::f16, {9}, {1}), filled(DType::f32, {}, {1})},
       {{DType::f16, {9}}}},
      {Defect::flush_subnormal,
       "%0 = input f32[9]\n%1 = aten.mul.Tensor(%0, 0.5)\nreturn %1\n",
       {filled(DType::f32, {9}, {1e-40, 1})},
       {result}},
      {Defect::contract_fma,
       "%0 = input f32[9]\n%1 = aten.mul.Tensor(%0, %0)\n"
       "%2 = aten.add.Tensor(%1, -0.01)\nreturn %2\n",
       {f32},
       {result}},
      {Defect::lose_signed_zero,
       "%0 = input f32[9]\n%1 = aten.neg.default(%0)\nreturn %1\n",
       {filled(DType::f32, {9}, {0, 1})},
       {result}},
      {Defect::nan_swallow_max,
       "%0 = input f32[9]\n%1 = aten.relu.default(%0)\nreturn %1\n",
       {filled(DType::f32, {9}, {nan, 1, inf})},
       {result}},
      {Defect::saturate_not_inf,
       "%0 = input f32[9]\n%1 = aten._to_copy.default(%0, dtype=f16)\n"
       "return %1\n",
       {filled(DType::f32, {9}, {1e6, 1})},
       {{DType::f16, {9}}}},
      {Defect::tail_off_by_one,
       "%0 = input f32[9]\n%1 = aten.neg.default(%0)\nreturn %1\n",
       {f32},
       {result}},
      {Defect::lose_last_term,
       "%0 = input f32[9]\n%1 = aten.sum.default(%0)\nreturn %1\n",
       {f32},
       {{DType::f32, {}}}},
      {Defect::f16_accumulator,
       "%0 = input f16[2, 300]\n%1 = input f16[300, 2]\n"
       "%2 = aten.mm.default(%0, %1)\nreturn %2\n",
       {filled(DType::f16, {2, 300}, {0.1, 1.7, 3.3}),
        filled(DType::f16, {300, 2}, {1, 2.3, 0.7})},
       {{DType::f16, {2, 2}}}},
      {Defect::wrong_argmax_tie,
       "%0 = input f32[9]\n%1 = aten.argmax.default(%0)\nreturn %1\n",
       {f32},
       {{DType::i64, {}}}},
      {Defect::tanh_gelu_for_gelu,
       "%0 = input f32[9]\n%1 = aten.gelu.default(%0)\nreturn %1\n",
       {f32},
       {result}},
      {Defect::approximate_rsqrt,
       "%0 = input f32[9]\n%1 = aten.rsqrt.default(%0)\nreturn %1\n",
       {filled(DType::f32, {9}, {0.1, 1.7})},
       {result}},
      {Defect::int_wrap_wide,
       "%0 = input u8[9]\n%1 = aten.add.Tensor(%0, %0)\n"
       "%2 = aten._to_copy.default(%1, dtype=i32)\nreturn %2\n",
       {filled(DType::u8, {9}, {200, 1})},
       {{DType::i32, {9}}}},
      {Defect::wrong_stride,
       "%0 = input f32[3, 3] strides[1, 3]\n%1 = aten.neg.default(%0)\n"
       "return %1\n",
       {transposed(3)},
       {{DType::f32, {3, 3}}}},
      {Defect::read_past_end,
       "%0 = input f32[3, 3]\n%1 = aten.sum.dim_IntList(%0, [1])\n"
       "return %1\n",
       {filled(DType::f32, {3, 3}, {1, 2, 3, 4, 5})},
       {{DType::f32, {3}}}},
      {Defect::reuse_live_buffer,
       "%0 = input f32[9, 9]\n%1 = input f32[9, 9]\n"
       "%2 = aten.mm.default(%0, %1)\n%3 = aten.mm.default(%1, %0)\n"
       "%4 = aten.mm.default(%2, %3)\n%5 = aten.mm.default(%3, %2)\n"
       "return %4, %5\n",
       {filled(DType::f32, {9, 9}, {1, 2, 3, 4, 5}),
        filled(DType::f32, {9, 9}, {1, 0, 3})},
       {{DType::f32, {9, 9}}, {DType::f32, {9, 9}}}},
      {Defect::alias_unsafe,
       "%0 = input f32[9, 9]\n%1 = aten.mm.default(%0, %0)\n"
       "%2 = aten.mm.default(%1, %0)\nreturn %2\n",
       {filled(DType::f32, {9, 9}, {1, 2, 3, 4, 5})},
       {{DType::f32, {9, 9}}}},
      {Defect::stale_cache,
       "%0 = input f32[9]\n%1 = aten.mul.Tensor(%0, 3.0)\nreturn %1\n",
       {f32},
       {result},
       "%0 = input f32[9]\n%1 = aten.mul.Tensor(%0, 5.0)\nreturn %1\n"},
      {Defect::unstable_order,
       "%0 = input f32[3000]\n%1 = aten.sum.default(%0)\nreturn %1\n",
       {filled(DType::f32, {3000}, noise(3000))},
       {{DType::f32, {}}}},
      {Defect::batch_dependent_row,
       "%0 = input f32[2, 1500]\n%1 = aten.sum.dim_IntList(%0, [1])\n"
       "return %1\n",
       {filled(DType::f32, {2, 1500}, noise(3000))},
       {{DType::f32, {2}}}},
      {Defect::race_on_output,
       "%0 = input f32[9]\n%1 = aten.neg.default(%0)\nreturn %1\n",
       {f32},
       {result}},
      {Defect::wrong_shape_specialisation,
       "%0 = input f32[9]\n%1 = aten.neg.default(%0)\nreturn %1\n",
       {f32},
       {result},
       "%0 = input f32[7]\n%1 = aten.neg.default(%0)\nreturn %1\n"},
  };
}

TEST(Plugin, EachDefectShows) {
  const std::vector<Revealing> programs = revealing_programs();
  std::size_t tested = 0;
  for (const DefectRow& row : kDefects) {
    if (row.place == DefectPlace::cuda) continue;  // cuda/emulated_test.cc
    ++tested;
    const auto found =
        std::find_if(programs.begin(), programs.end(),
                     [&](const auto& p) { return p.defect == row.defect; });
    ASSERT_NE(found, programs.end()) << row.name;
    const std::string name(row.name);
    if (!found->before.empty()) {
      run(found->before, found->inputs, found->results,
          {{"defect", name.c_str()}});
    }
    const Outcome good = run(found->text, found->inputs, found->results, {});
    const Outcome bad = run(found->text, found->inputs, found->results,
                            {{"defect", name.c_str()}});
    bool differs = good.code != bad.code || good.exception != bad.exception;
    for (std::size_t i = 0; !differs && i < good.outputs.size(); ++i) {
      differs = !identical(good.outputs[i], bad.outputs[i]);
    }
    EXPECT_TRUE(differs) << row.name << " changes nothing";
    // Apart from refusals, the sound compiler returns.
    if (row.defect != Defect::skip_guard &&
        row.defect != Defect::wrong_error_class) {
      EXPECT_EQ(good.code, ASSAY_OK) << row.name << ": " << good.message;
    }
  }
  EXPECT_EQ(programs.size(), tested);
}

}  // namespace
}  // namespace assay::compiler
