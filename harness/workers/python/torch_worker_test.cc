// The Python worker: programs reach torch.compile as written, and what it
// raises comes back with the classes of the program's own exception.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/testing/variable.h"
#include "harness/testing/workers.h"

namespace assay::harness::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

// Backends take seconds to load: one worker each, for all tests.
Worker& worker(const std::string& backend) {
  static std::map<std::string, std::unique_ptr<Worker>> workers;
  // Not the person's own cache of compiled programs.
  setenv("ASSAY_CACHE", build_file("test-cache").c_str(), 0);
  auto& w = workers[backend];
  if (!w) w = std::make_unique<Worker>(subject("torch:" + backend));
  return *w;
}

constexpr std::chrono::milliseconds kCompiling{120000};

Observation run(const std::string& backend, const std::string& lines,
                const std::vector<Tensor>& inputs) {
  return worker(backend).run(program(lines), inputs, {}, kCompiling);
}

Tensor value(const std::string& backend, const std::string& lines,
             const std::vector<Tensor>& inputs) {
  const Observation o = run(backend, lines, inputs);
  EXPECT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(o.breaches, IsEmpty());
  if (o.outputs.size() != 1) return Tensor::zeros(DType::boolean, {0});
  return o.outputs[0];
}

// A graph from Inductor's cache has loops in steps of the vectors that it was
// made for. Which these are is a fact of the column.
TEST(Inductor, KeepsProgramsOfInstructionSetsApart) {
  auto whole = worker("inductor").identify();  // chooses the cache
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  const bool has_avx = whole->facts["vec_isa"].starts_with("avx");
  const Program neg =
      program("%0 = input f32[65]\n%1 = aten.neg.default(%0)\nreturn %1\n");
  std::vector<double> ones(65, 1);
  for (const char* level : {"", "avx2"}) {
    SubjectConfig config = subject("torch:inductor");
    if (*level != 0) config.environment["ATEN_CPU_CAPABILITY"] = level;
    Worker own(config);
    const Observation o =
        own.run(neg, {tensor(DType::f32, {65}, ones)}, {}, kCompiling);
    ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
    EXPECT_THAT(numbers(o.outputs[0]), ::testing::Each(-1)) << level;
    const auto identity = own.identify();
    ASSERT_TRUE(identity.ok()) << identity.error().message;
    EXPECT_EQ(identity->facts.at("vec_isa"),
              *level != 0 && has_avx ? level : whole->facts["vec_isa"]);
  }
}

class EveryBackend : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryBackend, CarriesComplexNumbers) {
  const Tensor x = Tensor::zeros(DType::c128, {1, 2});
  Tensor parts = components(x);
  for (int i = 0; i < 4; ++i) parts.set_number(i, i + 1);
  // One element of its parts lies two apart.
  const Observation o = run(GetParam(),
                            "%0 = input c128[1, 2]\n"
                            "%1 = const c128[2] {0x3ff0000000000000, 0x0, 0x0, "
                            "0x3ff0000000000000}\n"
                            "%2 = aten.mul.Tensor(%0, %1)\n"
                            "%3 = aten._conj.default(%2)\n"
                            "%4 = aten.select.int(%0, 1, 0)\n"
                            "%5 = aten.imag.default(%4)\n"
                            "return %3, %5\n",
                            {x});
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_EQ(o.outputs[0].dtype(), DType::c128);
  EXPECT_THAT(numbers(components(o.outputs[0])), ElementsAre(1, -2, -4, -3));
  EXPECT_THAT(numbers(o.outputs[1]), ElementsAre(2));
}

TEST_P(EveryBackend, NamesItsColumn) {
  const auto identity = worker(GetParam()).identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  const bool eager = GetParam() == "eager";
  EXPECT_THAT(identity->column,
              MatchesRegex((eager ? "torch-eager" : GetParam()) +
                           "@2\\.1[0-9]\\.[0-9]/cpu" +
                           (eager ? "-(default|avx2|avx512)" : "")));
  EXPECT_EQ(identity->slow_compile, GetParam() != "eager");
  EXPECT_THAT(identity->facts, Contains(::testing::Key("torch")));
}

TEST_P(EveryBackend, ReturnsEveryOutputOfACall) {
  const Observation o = run(GetParam(),
                            "%0 = input f32[2, 3]\n%1 = aten.max.dim(%0, 1)\n"
                            "%2 = getitem(%1, 1)\n%3 = aten.neg.default(%1)\n"
                            "return %2, %1, %3\n",
                            {tensor(DType::f32, {2, 3}, {1, 5, 2, 9, 8, 7})});
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  ASSERT_EQ(o.outputs.size(), 3u);
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(1, 0));
  EXPECT_THAT(numbers(o.outputs[1]), ElementsAre(5, 9));
  EXPECT_THAT(numbers(o.outputs[2]), ElementsAre(-5, -9));
  // Its first output alone would be a tuple.
  EXPECT_EQ(run(GetParam(),
                "%0 = input f32[2]\n%1 = aten.max.dim(%0, 0)\nreturn %1\n",
                {tensor(DType::f32, {2}, {1, 2})})
                .kind,
            Kind::unsupported);
}

TEST_P(EveryBackend, TakesAListApart) {
  const std::string head = "%0 = input f32[5]\n";
  const std::vector<Tensor> five = {tensor(DType::f32, {5}, {1, 2, 3, 4, 5})};
  const Observation o =
      run(GetParam(),
          head +
              "%1 = aten.split.Tensor(%0, 3)\n%2 = getitem(%1, 1)\n"
              "return %2, %1\n",
          five);
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(4, 5));
  EXPECT_THAT(numbers(o.outputs[1]), ElementsAre(1, 2, 3));
  const Observation one = run(
      GetParam(), head + "%1 = aten.split.Tensor(%0, 9)\nreturn %1\n", five);
  ASSERT_EQ(one.kind, Kind::returned) << one.detail << one.error.message;
  EXPECT_EQ(one.outputs[0].sizes(), Shape{5});
  // One member more than the program takes is no answer to it: eager raises,
  // Dynamo declines to take such a list apart.
  const Observation more =
      run(GetParam(),
          head +
              "%1 = aten.split.Tensor(%0, 2)\n%2 = getitem(%1, 1)\n"
              "return %2, %1\n",
          five);
  EXPECT_EQ(more.kind,
            GetParam() == "eager" ? Kind::raised : Kind::unsupported);
}

TEST_P(EveryBackend, RunsAProgramOfEverything) {
  // Strides, an offset, a constant, lists, none, a float, infinity, a dtype,
  // a named argument and a string.
  const Observation o = run(
      GetParam(),
      "%0 = input f32[2, 3] strides[1, 2]\n"
      "%1 = const f32[3] {0x3f800000, 0x40000000, 0xbf800000}\n"
      "%2 = aten.mul.Tensor(%0, %1)\n"
      "%3 = aten.clamp.default(%2, none, 9.5)\n"
      "%4 = aten.clamp.default(%3, -inf, inf)\n"
      "%5 = aten.cat.default([%4, %0], 1)\n"
      "%6 = aten.sum.dim_IntList(%5, [1])\n"
      "%7 = aten._to_copy.default(%6, dtype=f64)\n"
      "%8 = aten.gelu.default(%0, approximate=\"tanh\")\n"
      "%9 = aten.add.Tensor(%7, 0.5, alpha=2)\n"
      "return %9, %2\n",
      {tensor(TensorType{DType::f32, {2, 3}, {1, 2}}, {1, 2, 3, 4, 5, 6}, 3)});
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  ASSERT_EQ(o.outputs.size(), 2u);
  EXPECT_EQ(o.outputs[0].dtype(), DType::f64);
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(9, 23.5));
  EXPECT_THAT(numbers(o.outputs[1]), ElementsAre(1, 4, -3, 4, 10, -6));
  EXPECT_THAT(o.layouts, ElementsAre(ReturnedLayout{{1}, 0, 1},
                                     ReturnedLayout{{1, 2}, 0, 2}));
}

TEST_P(EveryBackend, KeepsDtypesRanksAndBits) {
  Tensor x = Tensor::zeros(DType::f32, {4});
  x.set_bits(0, 0x00000001);  // must not be flushed on the way
  x.set_bits(1, 0x7fc00001);
  x.set_bits(2, 0x80000000);
  x.set_bits(3, 0x7f800000);
  const std::string view =
      "%0 = input f32[4]\n%1 = aten.view.default(%0, [2, 2])\nreturn %1\n";
  const Tensor y = value(GetParam(), view, {x});
  EXPECT_EQ(y.sizes(), (Shape{2, 2}));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(y.bits(i), x.bits(i));
  Tensor u = Tensor::zeros(DType::u64, {4});
  for (int i = 0; i < 4; ++i) u.set_bits(i, ~std::uint64_t{0} << (63 * i / 3));
  const Tensor v = value(
      GetParam(),
      "%0 = input u64[4]\n%1 = aten.view.default(%0, [2, 2])\nreturn %1\n",
      {u});
  EXPECT_EQ(v.dtype(), DType::u64);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(v.bits(i), u.bits(i));
  EXPECT_EQ(value(GetParam(),
                  "%0 = input i64[]\n%1 = aten.neg.default(%0)\nreturn %1\n",
                  {tensor(DType::i64, {}, {7})})
                .number(0),
            -7);
  EXPECT_EQ(value(GetParam(),
                  "%0 = input f16[0, 3]\n%1 = aten.exp.default(%0)\n"
                  "return %1\n",
                  {Tensor::zeros(DType::f16, {0, 3})})
                .sizes(),
            (Shape{0, 3}));
  EXPECT_EQ(value(GetParam(),
                  "%0 = input f32[5]\n%1 = aten.slice.Tensor(%0, 0, 3, 3, 2)\n"
                  "return %1\n",
                  {Tensor::zeros(DType::f32, {5})})
                .sizes(),
            (Shape{0}));
}

TEST_P(EveryBackend, MutatesInPlaceOnlyWhereTheProgramSaysSo) {
  EXPECT_THAT(numbers(value(GetParam(),
                            "%0 = input f32[2]\n%1 = aten.add_.Tensor(%0, 1)\n"
                            "return %0\n",
                            {tensor(DType::f32, {2}, {1, 2})})),
              ElementsAre(2, 3));
}

TEST_P(EveryBackend, RaisesTheProgramsOwnException) {
  const Tensor x = tensor(DType::f32, {2, 3}, {1});
  const Observation rank =
      run(GetParam(),
          "%0 = input f32[2, 3]\n%1 = aten.sum.dim_IntList(%0, [2])\n"
          "return %1\n",
          {x});
  ASSERT_EQ(rank.kind, Kind::raised) << rank.detail;
  EXPECT_EQ(rank.error.exception, "IndexError");
  EXPECT_THAT(rank.error.classes, Contains("LookupError"));
  EXPECT_THAT(rank.error.message, HasSubstr("Dimension out of range"));
  EXPECT_EQ(rank.error.phase, GetParam() == "eager" ? "run" : "compile");
  const Observation shapes = run(
      GetParam(),
      "%0 = input f32[2, 3]\n%1 = aten.mm.default(%0, %0)\nreturn %1\n", {x});
  ASSERT_EQ(shapes.kind, Kind::raised) << shapes.detail;
  EXPECT_THAT(shapes.error.classes, Contains("RuntimeError"));
  // From 2.15 on this is a NotImplementedError, which Dynamo wraps.
  const Observation dtype = run(
      GetParam(), "%0 = input bool[2]\n%1 = aten.neg.default(%0)\nreturn %1\n",
      {tensor(DType::boolean, {2}, {1})});
  ASSERT_EQ(dtype.kind, Kind::raised) << dtype.detail;
  EXPECT_THAT(dtype.error.classes, Contains("RuntimeError"));
}

TEST_P(EveryBackend, DeclaresWhatThisTorchDoesNotHave) {
  const Observation o = run(GetParam(),
                            "%0 = input f32[2]\n%1 = aten.no_such.default(%0)\n"
                            "return %1\n",
                            {tensor(DType::f32, {2}, {1})});
  EXPECT_EQ(o.kind, Kind::unsupported);
  EXPECT_THAT(o.detail, HasSubstr("aten.no_such.default"));
}

INSTANTIATE_TEST_SUITE_P(All, EveryBackend,
                         ::testing::Values("eager", "aot_eager", "inductor"),
                         [](const auto& test) { return test.param; });

TEST(TorchWorker, ManyProgramsInOneProcess) {
  // More than Dynamo's limit of recompilations for one piece of code.
  for (int i = 1; i <= 40; ++i) {
    const Tensor y = value("aot_eager",
                           "%0 = input f32[" + std::to_string(i) +
                               "]\n%1 = aten.mul.Tensor(%0, " +
                               std::to_string(i) + ")\nreturn %1\n",
                           {tensor(DType::f32, {i}, {2})});
    ASSERT_EQ(y.numel(), i);
    ASSERT_EQ(y.number(i - 1), 2.0 * i);
  }
}

TEST(TorchWorker, InductorReallyCompiles) {
  const Program p = program(
      "%0 = input f32[64]\n%1 = aten.exp.default(%0)\n"
      "%2 = aten.add.Tensor(%1, 1)\nreturn %2\n");
  const Observation o =
      worker("inductor")
          .run(p, {tensor(DType::f32, {64}, {0})}, {}, kCompiling);
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_EQ(o.outputs[0].number(63), 2);
  const std::string code = worker("inductor").explain(p, "code");
  EXPECT_THAT(code, HasSubstr("cpp_fused_add_exp"));
}

// An empty cache in place of the one that ASSAY_CACHE names.
class OwnCache {
 public:
  OwnCache() { std::filesystem::remove_all(folder_); }
  ~OwnCache() { std::filesystem::remove_all(folder_); }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_ = build_file("own-cache");
  Variable cache_{"ASSAY_CACHE", folder_.string()};
};

// As a run that was killed while its compiler wrote leaves it behind.
TEST(TorchWorker, ATornLibraryIsCompiledAgain) {
  namespace fs = std::filesystem;
  const std::string lines =
      "%0 = input f32[3]\n%1 = aten.mul.Tensor(%0, 41)\nreturn %1\n";
  const Tensor x = tensor(DType::f32, {3}, {1, 2, 3});
  // A cache of its own: nobody else's libraries are to be torn.
  const OwnCache own;
  const fs::path& cache = own.folder();
  {
    Worker first(subject("torch:inductor"));
    const Observation o = first.run(program(lines), {x}, {}, kCompiling);
    ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  }
  int torn = 0;
  for (const auto& e : fs::recursive_directory_iterator(cache / "inductor")) {
    if (!e.path().string().ends_with(".main.so")) continue;
    fs::resize_file(e.path(), 0);
    fs::last_write_time(
        e.path(), fs::file_time_type::clock::now() - std::chrono::minutes(1));
    ++torn;
  }
  EXPECT_GT(torn, 0);
  Worker fresh(subject("torch:inductor"));
  const Observation o = fresh.run(program(lines), {x}, {}, kCompiling);
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(41, 82, 123));
}

TEST(TorchWorker, ShowsTheFunctionThatItCompiled) {
  const Program p = program(
      "%0 = input f32[2]\n%1 = aten.add.Tensor(%0, 0.5, alpha=2)\n"
      "return %1\n");
  EXPECT_THAT(worker("aot_eager").explain(p, "python"),
              HasSubstr("v1 = torch.ops.aten.add.Tensor(v0, 0.5, alpha=2)"));
}

TEST(TorchWorker, OptionsNameTheColumnAndReachTheBackend) {
  Worker right(subject("torch:inductor{\"emulate_precision_casts\":true}"));
  const auto identity = right.identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_THAT(identity->column,
              MatchesRegex("inductor@.*\\+emulate_precision_casts=true/cpu"));
  Worker wrong(subject("torch:inductor{\"no_such_option\":true}"));
  ASSERT_FALSE(wrong.identify().ok());
  EXPECT_THAT(wrong.identify().error().message,
              AllOf(HasSubstr("no_such_option"), HasSubstr("inductor")));
}

// With sizes that are symbols one program serves all, and code takes them as
// arguments.
TEST(TorchWorker, DynamicMakesSymbolsOfSizes) {
  Worker dynamic(subject("torch:inductor{\"dynamic\":true}"));
  const auto identity = dynamic.identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_THAT(identity->column, MatchesRegex("inductor@.*\\+dynamic=true/cpu"));
  const Program p =
      program("%0 = input f32[61]\n%1 = aten.exp.default(%0)\nreturn %1\n");
  const Observation o =
      dynamic.run(p, {tensor(DType::f32, {61}, {0})}, {}, kCompiling);
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_EQ(o.outputs[0].number(60), 1);
  EXPECT_THAT(dynamic.explain(p, "code"),
              AllOf(HasSubstr("const int64_t ks0"), Not(HasSubstr("61L"))));
  EXPECT_THAT(worker("inductor").explain(p, "code"),
              AllOf(HasSubstr("61L"), Not(HasSubstr("ks0"))));
}

TEST(TorchWorker, OptionsOfTheCallAreCheckedBeforeAnythingRuns) {
  for (const auto& [option, message] :
       {std::pair("\"dynamic\":1", "option dynamic takes true or false, not 1"),
        std::pair("\"mode\":true",
                  "option mode takes the name of a mode, not True"),
        std::pair("\"mode\":\"fastest\"", "Unrecognized mode=fastest"),
        std::pair("\"calls\":\"words\"",
                  "option calls takes one of overloads, functions, methods"),
        std::pair("\"numbers\":\"arguments\"",
                  "option numbers takes dynamic beside it")}) {
    Worker wrong(subject(std::string("torch:inductor{") + option + "}"));
    const auto identity = wrong.identify();
    ASSERT_FALSE(identity.ok()) << option;
    EXPECT_THAT(identity.error().message, HasSubstr(message));
  }
}

// Frozen are parameters, and only if Dynamo is told, too: what hangs on them
// alone is worked out when the program is compiled.
TEST(TorchWorker, FreezingFoldsWhatIsCaptured) {
  Worker frozen(subject("torch:inductor{\"freezing\":true}"));
  const Program p = program(
      "%0 = input f32[2]\n%1 = const f32[2] {0x00000000, 0x80000000}\n"
      "%2 = aten.exp.default(%1)\n%3 = aten.add.Tensor(%0, %2)\n"
      "return %3\n");
  const Observation o =
      frozen.run(p, {tensor(DType::f32, {2}, {1, 2})}, {}, kCompiling);
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(2, 3));
  EXPECT_THAT(frozen.explain(p, "code"),
              AllOf(HasSubstr("cpp_fused_add_0"), Not(HasSubstr("exp("))));
  EXPECT_THAT(worker("inductor").explain(p, "code"),
              HasSubstr("cpp_fused_add_exp_0"));
}

// A program is asked as people write it, where that is the same in eager mode.
TEST(TorchWorker, ProgramsAreWrittenAsTheOptionSays) {
  const Program p = program(
      "%0 = input f32[2, 3]\n%1 = aten.mul.Scalar(%0, 2.5)\n"
      "%2 = aten.slice.Tensor(%1, -1, 1, 3)\n%3 = aten.relu.default(%2)\n"
      "return %3\n");
  const std::vector<Tensor> inputs = {
      tensor(DType::f32, {2, 3}, {1, 2, -3, 4, -5, 6})};
  const char* const lines[][2] = {
      {R"({"calls":"functions"})",
       "v1 = torch.mul(v0, 2.5)\n        v2 = v1[..., 1:3]\n"
       "        v3 = torch.relu(v2)\n"},
      {R"({"calls":"methods"})",
       "v1 = v0 * 2.5\n        v2 = v1[..., 1:3]\n        v3 = v2.relu()\n"},
      {R"({"dynamic":true,"numbers":"arguments"})",
       "def program(v0, n0=2.5, n1=1, n2=3):\n"
       "        v1 = torch.ops.aten.mul.Scalar(v0, n0)\n"}};
  for (const auto& [options, text] : lines) {
    Worker w(subject(std::string("torch:aot_eager") + options));
    const Observation o = w.run(p, inputs, {}, kCompiling);
    ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
    EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(5, 0, 0, 15)) << options;
    EXPECT_THAT(w.explain(p, "python"), HasSubstr(text));
  }
}

// A later write shows in what was made before the call, so that eager mode
// returns the same; each call has copies before it, which it leaves alone.
TEST(TorchWorker, ViewsOfInputsAreArguments) {
  const Program p = program(
      "%0 = input f32[3, 2]\n%1 = aten.fill_.Scalar(%0, 5)\n"
      "%2 = aten.select.int(%0, 0, 2)\n%3 = aten.neg.default(%2)\n"
      "return %3, %0\n");
  const std::vector<Tensor> inputs = {
      tensor(DType::f32, {3, 2}, {1, 2, 3, 4, 5, 6})};
  for (const char* way : {"arguments", "after_copies", "after_others"}) {
    Worker w(subject(fmt::format(R"(torch:aot_eager{{"views":"{}"}})", way)));
    const Observation o = w.run(p, inputs, {}, kCompiling);
    ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
    EXPECT_THAT(w.explain(p, "python"),
                HasSubstr("    def program(v0, v2):\n"
                          "        v1 = torch.ops.aten.fill_.Scalar(v0, 5)\n"));
    if (std::string_view(way) == "after_copies") continue;  // pytorch#139789
    EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(-5, -5)) << way;
  }
  Worker words(
      subject(R"(torch:aot_eager{"calls":"methods","views":"arguments"})"));
  const Observation both = words.run(p, inputs, {}, kCompiling);
  ASSERT_EQ(both.kind, Kind::returned) << both.detail;
  EXPECT_THAT(numbers(both.outputs[0]), ElementsAre(-5, -5));
  Worker w(subject(R"(torch:aot_eager{"views":"arguments"})"));
  const Observation copied =
      w.run(program("%0 = input f32[3, 2]\n%1 = aten.t.default(%0)\n"
                    "%2 = aten.reshape.default(%1, [6])\n"
                    "%3 = aten.neg.default(%2)\nreturn %3\n"),
            inputs, {}, kCompiling);
  EXPECT_THAT(copied.detail, HasSubstr("what may be a view is a copy"));
  const Observation none =
      w.run(program("%0 = input f32[3, 2]\n%1 = aten.neg.default(%0)\n"
                    "return %1\n"),
            inputs, {}, kCompiling);
  EXPECT_THAT(none.detail, HasSubstr("no views of inputs"));
}

// torch.cdist has words for its modes, and refuses the numbers of ATen.
TEST(TorchWorker, WhatAnotherSpellingChangesIsNotAsked) {
  Worker w(subject(R"(torch:aot_eager{"calls":"functions"})"));
  const Tensor x = tensor(DType::f32, {2, 1}, {1, 2});
  const Observation other =
      w.run(program("%0 = input f32[2, 1]\n"
                    "%1 = aten.cdist.default(%0, %0, 2.0, 1)\nreturn %1\n"),
            {x}, {}, kCompiling);
  EXPECT_EQ(other.kind, Kind::unsupported);
  EXPECT_THAT(other.detail, HasSubstr("eager mode does not do"));
  const Observation same =
      w.run(program("%0 = input f32[2]\n"
                    "%1 = aten.slice_copy.Tensor(%0, 0)\nreturn %1\n"),
            {tensor(DType::f32, {2}, {1, 2})}, {}, kCompiling);
  EXPECT_EQ(same.kind, Kind::returned) << same.detail;
  const Observation none =
      w.run(program("%0 = input f32[2]\n%1 = aten.alias.default(%0)\n"
                    "return %1\n"),
            {tensor(DType::f32, {2}, {1, 2})}, {}, kCompiling);
  EXPECT_THAT(none.detail, HasSubstr("no functions to call"));
}

// Another graph is made, and a leaf may not be written to.
TEST(TorchWorker, InputsRequireGradients) {
  Worker w(subject(R"(torch:aot_eager{"grad":true})"));
  const std::vector<Tensor> two = {tensor(DType::f32, {2}, {1, 2})};
  const Observation o =
      w.run(program("%0 = input f32[2]\n%1 = aten.mul.Tensor(%0, %0)\n"
                    "return %1\n"),
            two, {}, kCompiling);
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(1, 4));
  EXPECT_EQ(w.run(program("%0 = input f32[2]\n%1 = aten.exp_.default(%0)\n"
                          "return %1\n"),
                  two, {}, kCompiling)
                .kind,
            Kind::unsupported);
}

TEST(TorchWorker, ABackendsPackageIsAFactWhateverItIsCalled) {
  namespace fs = std::filesystem;
  const fs::path folder = build_file("own-packages");
  const fs::path about = folder / "tiny_compiler-1.2.dist-info";
  fs::create_directories(about);
  std::ofstream(folder / "tiny_backend.py")
      << "def build(graph, inputs):\n    return graph.forward\n";
  std::ofstream(about / "METADATA")
      << "Metadata-Version: 2.1\nName: tiny-compiler\nVersion: 1.2\n";
  std::ofstream(about / "entry_points.txt")
      << "[torch_dynamo_backends]\ntiny = tiny_backend:build\n";
  SubjectConfig config = subject("torch:tiny");
  config.environment["PYTHONPATH"] = folder.string();
  Worker tiny(config);
  const auto identity = tiny.identify();
  fs::remove_all(folder);
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_THAT(identity->facts,
              Contains(::testing::Pair("tiny-compiler", "1.2")));
}

TEST(TorchWorker, ABackendThatIsNotInstalledIsSaidSo) {
  Worker wrong(subject("torch:nobodys"));
  const auto identity = wrong.identify();
  ASSERT_FALSE(identity.ok());
  EXPECT_THAT(identity.error().message,
              AllOf(HasSubstr("knows no backend 'nobodys'"),
                    HasSubstr("inductor"), HasSubstr("ASSAY_PYTHON")));
}

}  // namespace
}  // namespace assay::harness::testing
