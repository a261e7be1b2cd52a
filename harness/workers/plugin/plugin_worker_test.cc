// The plugin host, with test_plugin behind it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/testing/workers.h"

namespace assay::harness::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string spelling(const std::string& braces = "") {
  return "plugin:" + build_file("lib/test_plugin.so") + braces;
}

Observation run(const std::string& op, const Tensor& input,
                const std::vector<TensorType>& expected) {
  Worker worker(subject(spelling()));
  return worker.run(
      program("%0 = input f32[3]" +
              (input.type.is_contiguous() ? std::string()
                                          : std::string(" strides[2]")) +
              "\n%1 = " + op + "(%0)\nreturn %1\n"),
      {input}, expected, kAmple);
}

const TensorType kThree = TensorType::contiguous(DType::f32, {3});

TEST(PluginWorker, NamesItsColumnByTargetAndOptions) {
  Worker plain(subject(spelling()));
  ASSERT_TRUE(plain.identify().ok());
  EXPECT_EQ(plain.identify()->column, "tiny@0.3/cpu-plain");
  Worker fancy(subject(spelling("{target=cpu-fancy,defect=drop-cast}")));
  ASSERT_TRUE(fancy.identify().ok());
  EXPECT_EQ(fancy.identify()->column, "tiny@0.3+defect=drop-cast/cpu-fancy");
}

TEST(PluginWorker, WritesToPlacesOfTheHarness) {
  const Observation o =
      run("aten.neg.default", tensor(kThree, {1, 2, 3}), {kThree});
  ASSERT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_THAT(o.breaches, IsEmpty());
  ASSERT_EQ(o.outputs.size(), 1u);
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(-1, -2, -3));
}

TEST(PluginWorker, SeesStridesAndOffsets) {
  const Observation o =
      run("aten.neg.default",
          tensor(TensorType{DType::f32, {3}, {2}}, {1, 2, 3}, 1), {kThree});
  ASSERT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_THAT(numbers(o.outputs[0]), ElementsAre(-1, -2, -3));
}

TEST(PluginWorker, MapsRefusals) {
  const Tensor good = tensor(kThree, {1});
  const Observation early = run("aten.refused.default", good, {});
  ASSERT_EQ(early.kind, Kind::raised);
  EXPECT_EQ(early.error.exception, "IndexError");
  EXPECT_THAT(early.error.classes,
              ElementsAre("IndexError", "LookupError", "Exception"));
  EXPECT_EQ(early.error.clause, "refused/E2");
  EXPECT_EQ(early.error.phase, "compile");
  // What depends on values is refused when it runs, with no outputs at hand.
  const Observation late = run("aten.neg.default", tensor(kThree, {-1}), {});
  ASSERT_EQ(late.kind, Kind::raised);
  EXPECT_EQ(late.error.exception, "ValueError");
  EXPECT_EQ(late.error.phase, "run");
  const Observation accepted = run("aten.neg.default", good, {});
  EXPECT_EQ(accepted.kind, Kind::returned);
  EXPECT_THAT(accepted.outputs, IsEmpty());
}

TEST(PluginWorker, MapsUnsupportedAndInternal) {
  const Tensor good = tensor(kThree, {1});
  const Observation exotic = run("aten.exotic.default", good, {kThree});
  EXPECT_EQ(exotic.kind, Kind::unsupported);
  EXPECT_EQ(exotic.detail, "exotic operations are not for us");
  const Observation broken = run("aten.broken.default", good, {kThree});
  EXPECT_EQ(broken.kind, Kind::malformed);
  EXPECT_THAT(broken.detail, HasSubstr("pass 3 failed"));
}

// Reports are published: the file's name, not where it lay.
TEST(PluginWorker, NamesItselfWithoutPaths) {
  Worker worker(subject(spelling("")));
  const auto identity = worker.identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_EQ(identity->facts.at("plugin"), "test_plugin.so");
  EXPECT_EQ(identity->facts.at("promises"), "values, errors, rows");
}

TEST(PluginWorker, PassesOptionsAndExplains) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"a": true, "b": "text", "n": 3})",
       "for cpu-plain a=true b=text n=3"},
      {"{a=true,b=text}", "for cpu-plain a=true b=text"}};
  for (const auto& [braces, text] : cases) {
    Worker worker(subject(spelling(braces)));
    const Program p =
        program("%0 = input f32[3]\n%1 = aten.neg.default(%0)\nreturn %1\n");
    EXPECT_EQ(worker.explain(p, "options"), text);
    EXPECT_EQ(worker.explain(p, "ptx"), "");
  }
}

TEST(PluginWorker, AsksWithOptionsWhetherAProgramIsSupported) {
  SubjectConfig config = subject(spelling("{exotic=yes}"));
  const Program p =
      program("%0 = input f32[3]\n%1 = aten.neg.default(%0)\nreturn %1\n");
  const std::vector<Tensor> in = {tensor(kThree, {1, 2, 3})};
  Worker worker(config);
  const Observation o = worker.run(p, in, {kThree}, kAmple);
  EXPECT_EQ(o.kind, Kind::unsupported);
  EXPECT_EQ(o.detail, "no exotic=yes");
  config.environment["TEST_PLUGIN_IS_OLD"] = "yes";
  Worker old(config);
  const Observation ran = old.run(p, in, {kThree}, kAmple);
  EXPECT_EQ(ran.kind, Kind::returned) << ran.detail;
  EXPECT_EQ(ran.lowering, Lowering::untold);
}

TEST(PluginWorker, TellsHowAProgramWasLowered) {
  const auto lowering = [](const std::string& op, double first) {
    return run(op, tensor(kThree, {first}), {}).lowering;
  };
  EXPECT_EQ(lowering("aten.neg.default", 1), Lowering::derived);
  EXPECT_EQ(lowering("aten.neg.default", -1), Lowering::derived);
  EXPECT_EQ(lowering("aten.refused.default", 1), Lowering::hand);
  EXPECT_EQ(lowering("aten.exotic.default", 1), Lowering::untold);
}

struct BadPlugin {
  std::string spelling;
  std::string text;
};

TEST(PluginWorker, SaysWhatIsWrongWithAFile) {
  const std::vector<BadPlugin> files = {
      {"plugin:" + build_file("bin/tests/plugin_worker_test"), "cannot load"},
      {"plugin:" + build_file("lib/empty_plugin.so"),
       "does not export assay_plugin_query"},
      {spelling("{target=cuda-sm_90}"),
       "has no target cuda-sm_90; it has cpu-plain cpu-fancy"}};
  for (const BadPlugin& f : files) {
    Worker worker(subject(f.spelling));
    const auto identity = worker.identify();
    ASSERT_FALSE(identity.ok());
    EXPECT_THAT(identity.error().message, HasSubstr(f.text));
  }
}

}  // namespace
}  // namespace assay::harness::testing
