// Calls that nobody lowered by hand: that every engine gives the same bits,
// right where an answer is known, and that requirements refuse.
#include <gtest/gtest.h>

#include <limits>

#include "compiler/artifact.h"
#include "core/program_text.h"

namespace assay::compiler {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Program call(const std::string& inputs, const std::string& rest) {
  std::string text = "assay-program 1\n";
  int id = 0;
  for (std::size_t from = 0; from < inputs.size();) {
    const std::size_t to = std::min(inputs.find("; ", from), inputs.size());
    text += "%" + std::to_string(id++) + " = input " +
            inputs.substr(from, to - from) + "\n";
    from = to + 2;
  }
  const Result<Program> program = parse_program(text + rest);
  EXPECT_TRUE(program.ok()) << program.error().message << "\n" << text << rest;
  return *program;
}

Tensor filled(const TensorType& type, const std::vector<double>& numbers) {
  Tensor t = Tensor::zeros(type.dtype, type.sizes);
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    const double v = numbers[static_cast<std::size_t>(i) % numbers.size()];
    if (is_float(type.dtype)) {
      t.set_number(i, v);
    } else {
      t.set_integer(i, static_cast<std::int64_t>(v));
    }
  }
  return t;
}

TensorRef ref(Tensor& t) { return {t.type, t.storage->data()}; }

struct Ran {
  std::vector<Tensor> outputs;
  std::optional<Failure> failure;
};

Ran run(const Program& program, std::vector<Tensor> inputs,
        CompileOptions::Engine engine, Lowering lowering = Lowering::hand) {
  CompileOptions options;
  options.engine = engine;
  options.lowering = lowering;
  Artifact::Made made = Artifact::compile(program, options);
  if (auto* failure = std::get_if<Failure>(&made)) return {{}, *failure};
  Artifact& artifact = *std::get<std::unique_ptr<Artifact>>(made);
  Ran out;
  std::vector<TensorRef> in, to;
  for (Tensor& t : inputs) in.push_back(ref(t));
  for (const Type& t : artifact.outputs()) {
    out.outputs.push_back(Tensor::zeros(t.dtype, t.sizes));
  }
  for (Tensor& t : out.outputs) to.push_back(ref(t));
  out.failure = artifact.launch(in, to);
  return out;
}

std::vector<double> numbers(const Tensor& t) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    out.push_back(is_float(t.dtype()) ? t.number(i)
                                      : static_cast<double>(t.integer(i)));
  }
  return out;
}

struct Known {
  const char* inputs;
  const char* calls;  // the rest of the program
  std::vector<std::vector<double>> given;
  std::vector<double> expected;  // the first output
};

const Known kKnown[] = {
    {"f32[4]",
     "%1 = aten.cumsum.default(%0, 0)\nreturn %1\n",
     {{1, 2, 3, -8}},
     {1, 3, 6, -2}},
    {"f16[2, 3]",
     "%1 = aten.cumprod.default(%0, -1)\nreturn %1\n",
     {{1, 2, 3, -1, 0.5, 4}},
     {1, 2, 6, -1, -0.5, -2}},
    {"i64[5]",
     "%1 = aten.argmax.default(%0, 0)\nreturn %1\n",
     {{3, 9, -1, 9, 2}},
     {1}},
    {"f32[2, 2]",
     "%1 = aten.flip.default(%0, [0])\nreturn %1\n",
     {{1, 2, 3, 4}},
     {3, 4, 1, 2}},
    {"f32[3]; i64[2]; f32[2]",
     "%3 = aten.index_add.default(%0, 0, %1, %2)\nreturn %3\n",
     {{1, 2, 3}, {2, 0}, {10, 20}},
     {21, 2, 13}},
    {"i32[4]; i32[4]",
     "%2 = aten.remainder.Tensor(%0, %1)\nreturn %2\n",
     {{7, -7, 7, -7}, {3, 3, -3, -3}},
     {1, 2, -2, -1}},
    {"f64[4]; f64[4]",
     "%2 = aten.fmod.Tensor(%0, %1)\nreturn %2\n",
     {{7.5, -7.5, 1e300, 5}, {2, 2, 7, kInf}},
     {1.5, -1.5, 1, 5}},
    // Elements next to a place alone; beyond the plane, and at no place.
    {"f32[1, 1, 5, 5]; f32[1, 1, 5, 2]",
     "%2 = aten.grid_sampler_2d.default(%0, %1, 0, 0, true)\nreturn %2\n",
     {{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
       14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25},
      {0, 0, -1, -1, 0.25, 0, 5, 5, kInf, 0}},
     {13, 1, 13.5, 0, 0}},
    // One that rounds onto the next whole number.
    {"f32[2]; f32[2]",
     "%2 = aten.div.Tensor_mode(%0, %1, rounding_mode=\"floor\")\nreturn %2\n",
     {{-1e-40, 16777215}, {1e30, 16777216}},
     {-1, 0}},
    {"i64[2]; i64[2]",
     "%2 = aten.bitwise_left_shift.Tensor(%0, %1)\nreturn %2\n",
     {{4503599627370497.0, -3}, {3, 2}},
     {36028797018963976.0, -12}},
    {"f32[1, 1, 3, 3]",
     "%1 = aten.avg_pool2d.default(%0, [2, 2], [1, 1])\nreturn %1\n",
     {{1, 2, 3, 4, 5, 6, 7, 8, 9}},
     {3, 4, 6, 7}},
    // Its squares are beyond f32, and what it gives is not.
    {"f32[2]",
     "%1 = aten.var.correction(%0, [0], correction=1)\n"
     "%2 = aten.sqrt.default(%1)\nreturn %1\n",
     {{1e10, -1e10}},
     {2e20}},
    {"u8[2]; i32[2]",
     "%2 = aten.float_power.Tensor_Tensor(%0, %1)\nreturn %2\n",
     {{4, 2}, {-2, 3}},
     {0.0625, 8}},
    {"i32[2]; i32[2]",
     "%2 = aten.pow.Tensor_Tensor(%0, %1)\nreturn %2\n",
     {{-3, 2}, {3, 0}},
     {-27, 1}},
    {"f64[4]; f32[4]",
     "%2 = aten.ldexp.Tensor(%0, %1)\nreturn %2\n",
     {{0, -3, 5, 1}, {-kInf, -kInf, 2, kInf}},
     {0, 0, 20, kInf}},
    {"bool[3]", "%1 = aten.any.dim(%0, 0)\nreturn %1\n", {{0, 1, 0}}, {1}},
    // One window, and windows of which one row is all there is.
    {"f32[1, 1, 2, 3]",
     "%1 = aten._adaptive_avg_pool2d.default(%0, [1, 1])\nreturn %1\n",
     {{1, 2, 3, 4, 5, 9}},
     {4}},
    {"f32[1, 2, 3]",
     "%1 = aten._adaptive_avg_pool2d.default(%0, [1, 2])\nreturn %1\n",
     {{1, 2, 3, 4, 5, 9}},
     {3, 4.75}},
};

TEST(Derived, EveryEngineGivesWhatIsKnown) {
  using Engine = CompileOptions::Engine;
  for (const Known& k : kKnown) {
    const Program program = call(k.inputs, k.calls);
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
      inputs.push_back(filled(program.inputs[i], k.given[i]));
    }
    for (const Engine e : {Engine::graph, Engine::nest, Engine::compiled}) {
      const Ran r = run(program, inputs, e);
      ASSERT_FALSE(r.failure) << k.calls << r.failure->refusal.message;
      const std::vector<double> got = numbers(r.outputs[0]);
      ASSERT_EQ(got.size(), k.expected.size()) << k.calls;
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_FLOAT_EQ(static_cast<float>(got[i]),
                        static_cast<float>(k.expected[i]))
            << k.calls << "element " << i;
      }
    }
  }
}

std::string graph_of(const Program& program) {
  Artifact::Made made = Artifact::compile(program, CompileOptions());
  auto* artifact = std::get_if<std::unique_ptr<Artifact>>(&made);
  return artifact == nullptr ? "" : (*artifact)->explain("graph");
}

// So that a plane is a row to reduce, of a known number of elements.
TEST(Derived, TheEndsOfARangeAreNumbersWhereAnIndexIsTheOnlyOne) {
  const std::string graph = graph_of(
      call("f32[2, 3, 5, 7]",
           "%1 = aten._adaptive_avg_pool2d.default(%0, [1, 1])\nreturn %1\n"));
  EXPECT_NE(graph.find("from 0 to 5"), std::string::npos) << graph;
  EXPECT_NE(graph.find("35)"), std::string::npos) << graph;
  EXPECT_EQ(graph.find("floor_div"), std::string::npos) << graph;
}

// The spec tells elements that the type holds from others, which may be
// flushed: code computes the first answer of both, and asks nothing.
TEST(Derived, AChoiceOfOneElementAsksNothing) {
  const std::string graph = graph_of(
      call("f32[4, 8]; f32[4, 8]",
           "%2 = aten.cosine_similarity.default(%0, %1)\nreturn %2\n"));
  EXPECT_NE(graph.find("sqrt"), std::string::npos) << graph;
  EXPECT_EQ(graph.find("?"), std::string::npos) << graph;
}

// By its definition: an index for which any of as many others holds.
TEST(Derived, AFoldWithinOneOfItsSizeReadsItsRow) {
  using Engine = CompileOptions::Engine;
  const Program program =
      call("f32[12]", "%1 = aten.argsort.default(%0)\nreturn %1\n");
  std::vector<Tensor> inputs = {
      filled(program.inputs[0], {5, -1, 3, 11, 0, 8, 2, -4, 10, 7, 1, 6})};
  for (const Engine e : {Engine::graph, Engine::nest, Engine::compiled}) {
    const Ran r = run(program, inputs, e, Lowering::derived);
    ASSERT_FALSE(r.failure) << r.failure->refusal.message;
    EXPECT_EQ(numbers(r.outputs[0]),
              (std::vector<double>{7, 1, 4, 10, 6, 2, 0, 11, 9, 5, 8, 3}));
  }
}

TEST(Derived, RequirementsRefuse) {
  const struct {
    const char* inputs;
    const char* calls;
    std::vector<std::vector<double>> given;
    const char* clause;
  } kCases[] = {
      // By types, when it is compiled.
      {"f32[3]; f16[3]",
       "%2 = aten.dot.default(%0, %1)\nreturn %2\n",
       {{1}, {1}},
       "dot/"},
      // By an input's elements, when it runs.
      {"f32[3]; i64[2]; f32[2]",
       "%3 = aten.index_add.default(%0, 0, %1, %2)\nreturn %3\n",
       {{1}, {0, 3}, {1}},
       "index_add/"},
      // By elements that the program computes.
      {"f32[3]; i64[2]; f32[2]",
       "%3 = aten.neg.default(%1)\n"
       "%4 = aten.index_add.default(%0, 0, %3, %2)\nreturn %4\n",
       {{1}, {0, 3}, {1}},
       "index_add/"},
  };
  for (const auto& c : kCases) {
    const Program program = call(c.inputs, c.calls);
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
      inputs.push_back(filled(program.inputs[i], c.given[i]));
    }
    const Ran r = run(program, inputs, CompileOptions::Engine::compiled);
    ASSERT_TRUE(r.failure) << c.calls;
    EXPECT_EQ(r.failure->kind, Failure::Kind::refused)
        << c.calls << r.failure->refusal.message;
    EXPECT_EQ(r.failure->refusal.clause.find(c.clause), 0u)
        << r.failure->refusal.clause;
    EXPECT_FALSE(r.failure->refusal.exception.empty());
  }
}

Tensor pairs(std::int64_t n, double first) {
  Tensor t = Tensor::zeros(DType::f32, {n, 2});
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    t.set_number(i, first + 0.1 * static_cast<double>(i % 37));
  }
  return t;
}

// To the compiler complex numbers are pairs. Where the real part subtracts
// products and the imaginary one adds them, GCC would round once for two.
TEST(Derived, EveryEngineRoundsPartsOfComplexProductsAlike) {
  const Program product =
      call("c64[999]; c64[999]", "%2 = aten.mul.Tensor(%0, %1)\nreturn %2\n");
  const std::vector<Tensor> inputs = {pairs(999, 0.3), pairs(999, -1.7)};
  const Ran by_graph = run(product, inputs, CompileOptions::Engine::graph);
  ASSERT_FALSE(by_graph.failure) << by_graph.failure->refusal.message;
  EXPECT_EQ(by_graph.outputs[0].sizes(), (Shape{999, 2}));
  for (const auto engine :
       {CompileOptions::Engine::nest, CompileOptions::Engine::compiled}) {
    const Ran r = run(product, inputs, engine);
    ASSERT_FALSE(r.failure) << r.failure->refusal.message;
    EXPECT_TRUE(identical(r.outputs[0], by_graph.outputs[0]));
  }
}

TEST(Derived, ComplexNumbersPassThroughAProgram) {
  const Ran r =
      run(call("f32[2, 2]; f32[2]",
               "%2 = aten.view_as_complex.default(%0)\n"
               "%3 = aten.add.Tensor(%2, %1)\n"
               "%4 = aten.conj.default(%3)\n"
               "%5 = aten.imag.default(%4)\n"
               "return %4, %5\n"),
          {filled(TensorType::contiguous(DType::f32, {2, 2}), {1, 2, 3, 4}),
           filled(TensorType::contiguous(DType::f32, {2}), {10, 20})},
          CompileOptions::Engine::compiled);
  ASSERT_FALSE(r.failure) << r.failure->refusal.message;
  EXPECT_EQ(numbers(r.outputs[0]), (std::vector<double>{11, -2, 23, -4}));
  EXPECT_EQ(numbers(r.outputs[1]), (std::vector<double>{-2, -4}));
}

TEST(Derived, ComplexNumbersAreWrittenThroughAView) {
  const Ran r = run(call("c64[2, 2]",
                         "%1 = aten.select.int(%0, 1, -1)\n"
                         "%2 = aten.neg_.default(%1)\n"
                         "return %0, %2\n"),
                    {filled(TensorType::contiguous(DType::f32, {2, 2, 2}),
                            {1, 2, 3, 4, 5, 6, 7, 8})},
                    CompileOptions::Engine::graph);
  ASSERT_FALSE(r.failure) << r.failure->refusal.message;
  EXPECT_EQ(numbers(r.outputs[0]),
            (std::vector<double>{1, 2, -3, -4, 5, 6, -7, -8}));
  EXPECT_EQ(numbers(r.outputs[1]), (std::vector<double>{-3, -4, -7, -8}));
}

TEST(Derived, SaysWhatHasNoText) {
  CompileOptions options;
  options.lowering = Lowering::derived;
  const Artifact::Made made = Artifact::compile(
      call("f32[2]", "%1 = aten.special_erfcx.default(%0)\nreturn %1\n"),
      options);
  const auto* failure = std::get_if<Failure>(&made);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->kind, Failure::Kind::unsupported);
  EXPECT_EQ(failure->refusal.message,
            "not supported: aten.special_erfcx.default: exp times erfc, of "
            "which one overflows");
}

TEST(Derived, AnOperationWithoutASpecIsUnsupported) {
  const Ran r =
      run(call("f32[2]", "%1 = aten.nothing.default(%0)\nreturn %1\n"),
          {filled(TensorType::contiguous(DType::f32, {2}), {1})},
          CompileOptions::Engine::graph);
  ASSERT_TRUE(r.failure);
  EXPECT_EQ(r.failure->kind, Failure::Kind::unsupported);
  EXPECT_NE(r.failure->refusal.message.find("no spec"), std::string::npos)
      << r.failure->refusal.message;
}

}  // namespace
}  // namespace assay::compiler
