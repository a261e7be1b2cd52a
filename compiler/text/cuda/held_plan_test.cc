#include "compiler/text/cuda/held_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/graph/passes.h"
#include "compiler/import.h"
#include "compiler/nest/build.h"
#include "compiler/nest/forward.h"
#include "compiler/testing/programs.h"

namespace assay::compiler {
namespace {

constexpr std::int64_t kMostShared = 96 << 10;

// Of each stage how many values are left in registers, "x" where a row is
// brought to shared memory, "k" where it still is there.
std::string plan_of(const std::string& type, const std::string& call) {
  Result<Imported> imported = import_program(
      parsed("%0 = input " + type + "\n%1 = aten." + call + "\nreturn %1\n"));
  EXPECT_TRUE(imported.ok());
  EXPECT_TRUE(run_passes(&imported->body, &imported->ledger).ok());
  Nest nest = build_nest(imported->body);
  forward_stores(&nest);
  const auto plan =
      plan_held(std::get<LoopKernel>(nest.kernels[0]), kMostShared);
  if (!plan) return "none";
  std::string text =
      fmt::format("{}{}, {} bytes:", plan->threads,
                  plan->by_team ? " of a warp" : "", plan->shared_bytes);
  for (const HeldStage& s : plan->stages) {
    text += fmt::format(" {}{}", s.registers.size(),
                        s.exchanged < 0 ? ""
                        : s.kept        ? "k"
                                        : "x");
  }
  return text;
}

struct Row {
  const char *type, *call, *expected;
};

TEST(HeldPlan, KeepsWhatLaterStagesNeed) {
  constexpr Row kRows[] = {
      // x until its maximum is known, then e^(x - m), which the sum needs in
      // shared memory and the quotient finds there.
      {"f32[9, 4096]", "softmax.int(%0, 1)", "256, 16384 bytes: 1 0x 0"},
      {"f32[9, 8192]", "softmax.int(%0, 1)", "256, 32768 bytes: 1 0x 0"},
      {"f32[9, 16384]", "softmax.int(%0, 1)", "512, 65536 bytes: 1 0x 0"},
      {"f32[9, 32768]", "softmax.int(%0, 1)", "none"},
      // The results are of x, in f64; x is what is exchanged.
      {"f32[9, 4096]", "layer_norm.default(%0, [4096])",
       "256, 16384 bytes: 0x 0k 0"},
      {"bf16[9, 32768]", "layer_norm.default(%0, [32768])",
       "1024, 65536 bytes: 0x 0k 0"},
      {"f32[9, 4096]", "var.correction(%0, [1])", "256, 16384 bytes: 0x 0k 0"},
      // A warp keeps all in registers.
      {"f32[4096, 1024]", "softmax.int(%0, 1)", "32 of a warp, 0 bytes: 1 1 0"},
      {"f32[9, 256]", "softmax.int(%0, 1)", "32 of a warp, 0 bytes: 1 1 0"},
      {"f32[9, 1024]", "softmax.int(%0, 1)", "256, 4096 bytes: 1 0x 0"},
      // 32 numbers of 64 bits are as many registers as there may be.
      {"f64[9, 8192]", "softmax.int(%0, 1)", "256, 65536 bytes: 1 0x 0"},
  };
  for (const Row& r : kRows) {
    EXPECT_EQ(plan_of(r.type, r.call), r.expected) << r.type << " " << r.call;
  }
}

}  // namespace
}  // namespace assay::compiler
