// Inductor's code for GPUs that are not there: programs become launch plans
// (docs/launch-plan.md), refusals stay refusals, and what only a closed library
// computes is declared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/subject/places.h"
#include "harness/testing/command.h"
#include "harness/testing/variable.h"
#include "harness/testing/workers.h"

namespace assay::harness::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::chrono::milliseconds kCompiling{120000};

SubjectConfig compiler(const std::string& target) {
  SubjectConfig config = subject("torch:inductor");
  config.target = target;
  return config;
}

// Loading torch takes seconds: one worker for a target, for all tests.
Worker& worker(const std::string& target) {
  static std::map<std::string, std::unique_ptr<Worker>> workers;
  setenv("ASSAY_CACHE", build_file("test-cache").c_str(), 0);
  auto& w = workers[target];
  if (!w) w = std::make_unique<Worker>(compiler(target));
  return *w;
}

class Launches : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto identity = worker("cuda-sm_90").identify();
    if (!identity.ok() &&
        identity.error().message.find("has no Triton") != std::string::npos) {
      GTEST_SKIP() << "launches are Triton's: " << identity.error().message;
    }
    ASSERT_TRUE(identity.ok()) << identity.error().message;
  }
};

json plan(const std::string& target, const std::string& lines,
          const std::string& kind = "launches") {
  const std::string text = worker(target).explain(program(lines), kind);
  json found = json::parse(text, nullptr, false);
  EXPECT_FALSE(found.is_discarded())
      << target << " has no plan of\n"
      << lines << worker(target).run(program(lines), {}, {}, kCompiling).detail;
  return found;
}

Observation ask(const std::string& lines) {
  return worker("cuda-sm_90").run(program(lines), {}, {}, kCompiling);
}

std::int64_t elements(const json& output) {
  std::int64_t span = 1;
  for (std::size_t d = 0; d < output["sizes"].size(); ++d) {
    const std::int64_t size = output["sizes"][d];
    if (size == 0) return 0;
    span += (size - 1) * output["strides"][d].get<std::int64_t>();
  }
  return span;
}

// Bytes of each parameter of an entry, as its PTX declares them.
std::vector<std::int64_t> widths(const std::string& ptx,
                                 const std::string& entry) {
  const std::size_t begin = ptx.find(".entry " + entry + "(");
  EXPECT_NE(begin, std::string::npos) << entry;
  if (begin == std::string::npos) return {};
  const std::string head = ptx.substr(begin, ptx.find("\n)", begin) - begin);
  const std::regex type(R"(\.param \.[busf](\d+))");
  std::vector<std::int64_t> found;
  for (auto m = std::sregex_iterator(head.begin(), head.end(), type);
       m != std::sregex_iterator(); ++m) {
    found.push_back(std::stol((*m)[1]) / 8);
  }
  return found;
}

const json& buffer(const json& p, const json& place) {
  return p["buffers"].at(place["buffer"].get<std::size_t>());
}

// Bytes of a buffer; `inputs` has those of the program's inputs.
std::int64_t bytes(const json& buffer,
                   const std::vector<std::int64_t>& inputs) {
  if (buffer["kind"] == "input")
    return inputs.at(buffer["index"].get<std::size_t>());
  if (buffer["kind"] == "constant") {
    // Four digits stand for three bytes; short of that by the padding.
    return static_cast<std::int64_t>(
        buffer["base64"].get_ref<const std::string&>().size() / 4 * 3);
  }
  return buffer["bytes"];
}

void expect_well_formed(const json& p,
                        const std::vector<std::int64_t>& inputs) {
  for (const json& launch : p["launches"]) {
    if (!launch.contains("entry")) continue;
    const std::string ptx =
        p["modules"].at(launch["module"].get<std::size_t>())["ptx"];
    EXPECT_THAT(ptx, HasSubstr("\n.target " + p["target"].get<std::string>()));
    const std::vector<std::int64_t> parameters = widths(ptx, launch["entry"]);
    ASSERT_EQ(parameters.size(), launch["arguments"].size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const json& a = launch["arguments"][i];
      if (a.contains("value")) {
        EXPECT_EQ(a["value"].get<std::string>().size(), 2 * parameters[i]);
        continue;
      }
      EXPECT_EQ(parameters[i], 8);
      EXPECT_LT(a.value("offset", 0), bytes(buffer(p, a), inputs));
    }
    EXPECT_THAT(launch["grid"], AllOf(SizeIs(3), Each(::testing::Ge(1))));
    EXPECT_EQ(launch["block"][0].get<int>() % 32, 0);
    EXPECT_THAT(ptx, HasSubstr(".reqntid " +
                               std::to_string(launch["block"][0].get<int>())));
  }
  for (const json& output : p["outputs"]) {
    const auto dtype = parse_dtype(output["dtype"].get<std::string>());
    ASSERT_TRUE(dtype.has_value());
    EXPECT_LE(output.value("offset", std::int64_t{0}) +
                  elements(output) * size_bytes(*dtype),
              bytes(buffer(p, output), inputs));
  }
}

struct Known {
  std::string name, lines, instruction;
  std::vector<std::int64_t> inputs;
};

const Known kPrograms[] = {
    {"e8m0",
     "%0 = input f32[1000]\n%1 = aten.abs.default(%0)\n"
     "%2 = aten.log2.default(%1)\n%3 = aten.ceil.default(%2)\n"
     "%4 = aten.clamp.default(%3, -127, 127)\n"
     "%5 = aten.add.Tensor(%4, 127)\n"
     "%6 = aten._to_copy.default(%5, dtype=u8)\nreturn %6\n",
     "cvt.rpi",
     {4000}},
    {"round_trip",
     "%0 = input f32[1000]\n%1 = aten._to_copy.default(%0, dtype=f16)\n"
     "%2 = aten._to_copy.default(%1, dtype=f32)\nreturn %2\n",
     "ld.global",
     {4000}},
    {"softmax",
     "%0 = input f32[64, 1000]\n"
     "%1 = aten._softmax.default(%0, 1, false)\nreturn %1\n",
     "ex2.approx",
     {256000}},
    {"sum",
     "%0 = input f32[65536]\n%1 = aten.sum.default(%0)\nreturn %1\n",
     "shfl.sync",
     {262144}},
};

TEST_F(Launches, ProgramsArePlannedForEachGeneration) {
  for (const char* sm : {"80", "90", "100"}) {
    for (const Known& k : kPrograms) {
      SCOPED_TRACE(std::string(sm) + " " + k.name);
      const json p = plan("cuda-sm_" + std::string(sm), k.lines);
      ASSERT_FALSE(p.is_discarded());
      // Triton writes sm_90a and sm_100a.
      EXPECT_THAT(p["target"].get<std::string>(),
                  ::testing::StartsWith("sm_" + std::string(sm)));
      expect_well_formed(p, k.inputs);
      EXPECT_THAT(p["outputs"], SizeIs(1));
      EXPECT_THAT(p["modules"].dump(), HasSubstr(k.instruction));
      // The sum of many elements goes through a buffer between two kernels.
      EXPECT_THAT(p["launches"], SizeIs(k.name == "sum" ? 2 : 1));
      EXPECT_EQ(p["outputs"][0]["sizes"].size(), k.name == "sum"       ? 0u
                                                 : k.name == "softmax" ? 2u
                                                                       : 1u);
    }
  }
}

TEST_F(Launches, BlocksCoverTheElementsAndTheLastHasATail) {
  const json p = plan("cuda-sm_90",
                      "%0 = input f32[100001]\n%1 = aten.neg.default(%0)\n"
                      "return %1\n");
  const json& launch = p["launches"][0];
  EXPECT_EQ(launch["arguments"][2]["value"], "a1860100");  // 100001
  // Inductor's blocks have a power of two of elements.
  std::vector<int> grids;
  for (int block = 32; block <= 4096; block *= 2) {
    grids.push_back((100001 + block - 1) / block);
  }
  EXPECT_THAT(grids, Contains(launch["grid"][0].get<int>()));
}

TEST_F(Launches, TheSameProgramGivesTheSameBytes) {
  namespace fs = std::filesystem;
  const Program sum = program(kPrograms[3].lines);
  // "launches+cubin": ptxas takes part.
  const std::string kept = worker("cuda-sm_90").explain(sum, "launches+cubin");
  const fs::path folder = build_file("own-plans");
  fs::remove_all(folder);
  const Variable own("ASSAY_CACHE", folder.string());
  Worker fresh(compiler("cuda-sm_90"));
  EXPECT_EQ(fresh.explain(sum, "launches+cubin"), kept);
  EXPECT_THAT(kept, Not(HasSubstr(ASSAY_BINARY_DIR)));
  const json p = json::parse(kept);
  EXPECT_EQ(p["cubins"].size(), 2u);
  EXPECT_EQ(p["modules"].size(), 2u);
  fs::remove_all(folder);
}

TEST_F(Launches, ViewsConstantsAndMutationsAreBuffers) {
  const json p = plan("cuda-sm_90",
                      "%0 = input f32[4, 3]\n"
                      "%1 = const f32[3] {0x3f800000, 0x40000000, 0x40400000}\n"
                      "%2 = aten.select.int(%0, 0, 2)\n"
                      "%3 = aten.add.Tensor(%0, %1)\n"
                      "%4 = aten.mul_.Tensor(%0, 2)\n"
                      "return %2, %3, %1\n");
  ASSERT_FALSE(p.is_discarded());
  expect_well_formed(p, {48});
  const json& view = p["outputs"][0];
  EXPECT_EQ(buffer(p, view)["kind"], "input");
  EXPECT_EQ(view["offset"], 24);
  EXPECT_EQ(buffer(p, p["outputs"][1])["kind"], "output");
  EXPECT_EQ(buffer(p, p["outputs"][2]),
            (json{{"kind", "constant"}, {"base64", "AACAPwAAAEAAAEBA"}}));
}

TEST_F(Launches, CopiesAndFillsOfAtenAreEntries) {
  SubjectConfig config = compiler("cuda-sm_90");
  config.options["fallback_by_default"] = "true";
  Worker falls_back(config);
  const json p = json::parse(falls_back.explain(
      program("%0 = input f32[3, 4]\n"
              "%1 = aten.slice.Tensor(%0, 1, 1, 3)\n"
              "%2 = aten.clone.default(%1)\n"
              "%3 = aten.full.default([2, 3], 1.5)\nreturn %2, %3\n"),
      "launches"));
  std::vector<json> copies;
  for (const int row : {0, 1, 2}) {
    copies.push_back({{"from", {{"buffer", 0}, {"offset", 16 * row + 4}}},
                      {"to", {{"buffer", 1}, {"offset", 8 * row}}},
                      {"bytes", 8}});
  }
  EXPECT_EQ(p["launches"], (json{{{"copy", copies[0]}},
                                 {{"copy", copies[1]}},
                                 {{"copy", copies[2]}},
                                 {{"fill",
                                   {{"buffer", 2},
                                    {"offset", 0},
                                    {"bytes", 24},
                                    {"value", "0000c03f"}}}}}));
  EXPECT_THAT(falls_back
                  .run(program("%0 = input f32[3]\n"
                               "%1 = aten.neg.default(%0)\nreturn %1\n"),
                       {}, {}, kCompiling)
                  .detail,
              HasSubstr("calls ATen's CUDA kernels (aten.neg.default)"));
}

// Blocks of a long scan wait for what the one before has written there.
TEST_F(Launches, WhatBlocksShareIsClearedBefore) {
  const json p = plan("cuda-sm_90",
                      "%0 = input f32[100000]\n"
                      "%1 = aten.cumsum.default(%0, 0)\nreturn %1\n");
  ASSERT_THAT(p["launches"], SizeIs(2));
  const json& fill = p["launches"][0]["fill"];
  EXPECT_EQ(fill["value"], "00");
  EXPECT_EQ(fill["bytes"], buffer(p, fill)["bytes"]);
  EXPECT_THAT(p["launches"][1]["arguments"],
              Contains(json{{"buffer", fill["buffer"]}}));
}

TEST_F(Launches, RefusesWhatTheProgramRaises) {
  const Observation rank =
      ask("%0 = input f32[2, 3]\n%1 = aten.sum.dim_IntList(%0, [2])\n"
          "return %1\n");
  ASSERT_EQ(rank.kind, Kind::raised) << rank.detail;
  EXPECT_EQ(rank.error.exception, "IndexError");
  EXPECT_EQ(rank.error.phase, "compile");
  const Observation types =
      ask("%0 = input f16[2, 3, 4]\n%1 = input f32[2, 4, 3]\n"
          "%2 = aten.bmm.default(%0, %1)\nreturn %2\n");
  // Inductor takes them, and would call cuBLAS.
  EXPECT_EQ(types.kind, Kind::unsupported) << types.detail;
  EXPECT_EQ(ask("%0 = input bool[2, 3]\n%1 = aten.frac.default(%0)\n"
                "return %1\n")
                .kind,
            Kind::raised);
}

TEST_F(Launches, DeclaresWhatCallsAClosedLibrary) {
  EXPECT_THAT(ask("%0 = input f32[32, 32]\n%1 = aten.mm.default(%0, %0)\n"
                  "return %1\n")
                  .detail,
              HasSubstr("calls cuBLAS (aten.mm.out)"));
  EXPECT_THAT(ask("%0 = input f32[2, 16, 8, 8]\n%1 = input f32[8, 16, 3, 3]\n"
                  "%2 = aten.conv2d.default(%0, %1)\nreturn %2\n")
                  .detail,
              HasSubstr("calls cuDNN (aten.convolution"));
  EXPECT_THAT(ask("%0 = input f32[9000]\n%1 = aten.sort.default(%0)\n"
                  "%2 = getitem(%1, 1)\nreturn %1, %2\n")
                  .detail,
              HasSubstr("calls ATen's CUDA kernels (aten.sort"));
  EXPECT_THAT(ask("%0 = input f32[8]\n"
                  "%1 = aten._to_copy.default(%0, dtype=f8e8m0fnu)\n"
                  "return %1\n")
                  .detail,
              HasSubstr("calls ATen's CUDA kernels (prims.convert_element"));
}

TEST_F(Launches, RunsNothing) {
  const std::string lines =
      "%0 = input f32[8]\n%1 = aten.neg.default(%0)\nreturn %1\n";
  const Tensor x = tensor(DType::f32, {8}, {1});
  const Observation o =
      worker("cuda-sm_90")
          .run(program(lines), {x}, {TensorType::contiguous(DType::f32, {8})},
               kCompiling);
  EXPECT_EQ(o.kind, Kind::unsupported);
  EXPECT_THAT(o.detail, HasSubstr("PTX machine"));
}

TEST_F(Launches, ShowsTheWrapperAndThePtx) {
  const Program p =
      program("%0 = input f32[8]\n%1 = aten.neg.default(%0)\nreturn %1\n");
  EXPECT_THAT(worker("cuda-sm_90").explain(p, "code"),
              AllOf(HasSubstr("def call("), HasSubstr("triton_poi_fused_neg")));
  EXPECT_THAT(worker("cuda-sm_90").explain(p, "ptx"),
              HasSubstr(".visible .entry triton_poi_fused_neg"));
  EXPECT_THAT(worker("cuda-sm_90").explain(p, "python"),
              HasSubstr("torch.ops.aten.neg.default(v0)"));
}

TEST_F(Launches, TheColumnSaysWhichGpuItIsFor) {
  const auto identity = worker("cuda-sm_100").identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_THAT(identity->column, ::testing::EndsWith("/cuda-sm_100"));
  EXPECT_THAT(identity->column, ::testing::StartsWith("inductor@"));
  EXPECT_THAT(identity->facts, Contains(::testing::Key("triton")));
  EXPECT_THAT(identity->facts, Contains(::testing::Key("ptxas")));
  EXPECT_THAT(identity->facts,
              Contains(::testing::Pair("gpu", HasSubstr("B200"))));
}

TEST_F(Launches, AnUnknownTargetIsToldTheKnownOnes) {
  Worker wrong(compiler("cuda-sm_42"));
  ASSERT_FALSE(wrong.identify().ok());
  EXPECT_THAT(wrong.identify().error().message,
              AllOf(HasSubstr("cuda-sm_42"), HasSubstr("cuda-sm_90")));
  SubjectConfig other = subject("torch:aot_eager");
  other.target = "cuda-sm_90";
  EXPECT_THAT(Worker(other).identify().error().message,
              HasSubstr("aot_eager cannot make code"));
  SubjectConfig options = compiler("cuda-sm_90");
  options.options["no_such_option"] = "true";
  EXPECT_THAT(Worker(options).identify().error().message,
              HasSubstr("no_such_option"));
}

// The machine need not have it, and the code is the same.
TEST_F(Launches, TheSecondDeviceHasAPlanToo) {
  const std::string lines =
      "%0 = input f32[5]\n%1 = const f32[5] {0x3f800000, 0x3f800000, "
      "0x3f800000, 0x3f800000, 0x3f800000}\n"
      "%2 = aten.mul.Tensor(%0, %1)\n%3 = aten.full.default([5], 2.0)\n"
      "return %2, %3\n";
  const json first = plan("cuda-sm_90", lines);
  Program second = program(lines);
  second.device = 1;
  Worker& one = worker("cuda-sm_90");
  EXPECT_EQ(json::parse(one.explain(second, "launches")), first);
  EXPECT_THAT(one.explain(second, "python"), HasSubstr("device='cuda:1'"));
  EXPECT_THAT(one.explain(second, "code"), HasSubstr("set_device(1)"));
}

// Newer versions of Dynamo keep a table of these and refuse one that is there.
TEST_F(Launches, WhatIsReplacedInTorchDiffersFromEachOther) {
  const Result<std::string> python = find_python("", "");
  ASSERT_TRUE(python.ok()) << python.error().message;
  const CommandResult r =
      run_command({*python, "-B", "-c",
                   "import sys; sys.path.insert(0, sys.argv[1])\n"
                   "import torch, torch_cuda_static, torch_cuda_targets\n"
                   "torch_cuda_static.StaticDevice(torch,"
                   " torch_cuda_targets.TARGETS['cuda-sm_90'])\n"
                   "c = torch.cuda\n"
                   "print(len({c.set_device, c._exchange_device,"
                   " c._maybe_exchange_device}))",
                   ASSAY_SOURCE_DIR "/harness/workers/python"},
                  {});
  EXPECT_EQ(r.out, "3\n") << r.err;
}

}  // namespace
}  // namespace assay::harness::testing
