// Plans: every argument is a buffer of the size that its kernel touches, and
// nothing of a plan depends on when it was made.
#include "compiler/cuda/launch_plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compiler/testing/cuda_testing.h"

namespace assay::compiler {
namespace {

using Json = nlohmann::json;

Json plan_of(const Artifact& artifact, const std::string& kind = "launches") {
  return Json::parse(const_cast<Artifact&>(artifact).explain(kind));
}

// A parameter list of PTX holds as many parameters as are passed.
int parameters_in(const std::string& ptx, const std::string& entry) {
  const std::size_t from = ptx.find(".entry " + entry + "(");
  EXPECT_NE(from, std::string::npos) << entry;
  const std::string list = ptx.substr(from, ptx.find(')', from) - from);
  int n = 0;
  for (std::size_t at = list.find(".param .u64"); at != std::string::npos;
       at = list.find(".param .u64", at + 1)) {
    ++n;
  }
  return n;
}

// The threads that each block of an entry may have.
int threads_of(const std::string& ptx, const std::string& entry) {
  const std::size_t from = ptx.find(".entry " + entry + "(");
  const std::string kWord = ".maxntid ";
  const std::size_t at = ptx.find(kWord, from);
  EXPECT_NE(at, std::string::npos) << entry;
  return std::stoi(ptx.substr(at + kWord.size()));
}

TEST(LaunchPlan, NamesWhatThePtxHas) {
  ASSAY_NEEDS_NVRTC();
  for (const NamedProgram& p : kCudaPrograms) {
    const auto artifact = compiled(parsed(p.text), for_cuda("sm_80"));
    ASSERT_NE(artifact, nullptr);
    const Json plan = plan_of(*artifact);
    EXPECT_EQ(plan["plan"], 1);
    EXPECT_EQ(plan["target"], "sm_80");
    ASSERT_EQ(plan["modules"].size(), 1u);
    const std::string ptx = plan["modules"][0]["ptx"];
    EXPECT_EQ(ptx, artifact->explain("ptx"));
    EXPECT_GT(plan["launches"].size(), 0u);
    for (const Json& l : plan["launches"]) {
      EXPECT_EQ(static_cast<int>(l["arguments"].size()),
                parameters_in(ptx, l["entry"]));
      EXPECT_GT(l["grid"][0], 0);
      EXPECT_EQ(l["block"], Json({threads_of(ptx, l["entry"]), 1, 1}));
      for (const Json& a : l["arguments"]) {
        EXPECT_LT(a["buffer"], plan["buffers"].size());
      }
    }
    ASSERT_EQ(plan["outputs"].size(), artifact->outputs().size());
    for (std::size_t i = 0; i < plan["outputs"].size(); ++i) {
      const Json& o = plan["outputs"][i];
      const Type& type = artifact->outputs()[i];
      EXPECT_EQ(o["sizes"], Json(type.sizes));
      EXPECT_EQ(o["dtype"], dtype_name(type.dtype));
      EXPECT_EQ(plan["buffers"][o["buffer"].get<std::size_t>()]["bytes"],
                element_count(type.sizes) * size_bytes(type.dtype));
    }
  }
}

// The guard of the index comes first, so it is the launch that refuses.
TEST(LaunchPlan, ProgramsThatOnlyRefuseLaunchNothing) {
  const auto artifact =
      compiled(parsed("%0 = input i64[2]\n%1 = input f32[3, 4]\n"
                      "%2 = aten.embedding.default(%1, %0)\n"
                      "%3 = aten.mm.default(%2, %1)\nreturn %3\n"),
               for_cuda("sm_90"));
  ASSERT_NE(artifact, nullptr);
  for (const char* kind : {"launches", "launches+cubin"}) {
    const Json plan = Json::parse(artifact->explain(kind));
    EXPECT_EQ(plan["target"], "sm_90");
    EXPECT_TRUE(plan["modules"].empty() && plan["launches"].empty());
  }
}

TEST(LaunchPlan, HoldsConstantsAndMachineCode) {
  ASSAY_NEEDS_NVRTC();
  const auto artifact =
      compiled(parsed("%0 = input f32[3]\n%1 = const f32[3] "
                      "{0x3f800000, 0x40000000, 0xc0400000}\n"
                      "%2 = aten.add.Tensor(%0, %1)\nreturn %2\n"),
               for_cuda("sm_90"));
  ASSERT_NE(artifact, nullptr);
  const Json plan = plan_of(*artifact);
  EXPECT_FALSE(plan.contains("cubins"));
  bool found = false;
  for (const Json& b : plan["buffers"]) {
    if (b["kind"] != "constant") continue;
    EXPECT_EQ(b["base64"], "AACAPwAAAEAAAEDA");  // 1, 2, -3
    found = true;
  }
  EXPECT_TRUE(found) << plan.dump(1);
  const Json whole = plan_of(*artifact, "launches+cubin");
  const std::string cubin = whole["cubins"][0]["base64"];
  EXPECT_EQ(cubin.substr(0, 5), "f0VMR");  // 7f 45 4c 46
  EXPECT_EQ(whole.dump(), plan_of(*artifact, "launches+cubin").dump());
}

TEST(LaunchPlan, ProgramsWithoutPointsLaunchNothing) {
  ASSAY_NEEDS_NVRTC();
  const auto artifact =
      compiled(parsed("%0 = input f32[0, 4]\n%1 = input f32[4, 5]\n"
                      "%2 = aten.mm.default(%0, %1)\n"
                      "%3 = aten.exp.default(%0)\nreturn %2, %3\n"),
               for_cuda("sm_90"));
  ASSERT_NE(artifact, nullptr);
  const Json plan = plan_of(*artifact);
  EXPECT_TRUE(plan["launches"].empty()) << plan["launches"].dump();
  EXPECT_EQ(plan["outputs"][0]["sizes"], Json({0, 5}));
}

}  // namespace
}  // namespace assay::compiler
