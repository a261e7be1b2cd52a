// Launches before a screen is there, while it is compiled and after it: each
// refuses what it should, by the same clause. What screens pass is held against
// the requirements by derived/clauses_test.cc.
#include "compiler/screen.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "compiler/graph/passes.h"
#include "compiler/import.h"
#include "compiler/testing/programs.h"

namespace assay::compiler {
namespace {

constexpr char kLoss[] =
    "%0 = input f32[4, 3]\n"
    "%1 = input i64[4]\n"
    "%2 = aten.cross_entropy_loss.default(%0, %1)\n"
    "return %2\n";

std::vector<Tensor> inputs(std::int64_t last_class) {
  std::vector<Tensor> out = {Tensor::zeros(DType::f32, {4, 3}),
                             Tensor::zeros(DType::i64, {4})};
  out[1].set_number(3, static_cast<double>(last_class));
  return out;
}

// Until it passes, or for so long that it never will.
bool comes_to_pass(Screen* screen) {
  for (int n = 0; n < 2000 && !screen->passes({}); ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return screen->passes({});
}

TEST(Screen, IsCompiledOnceAfterSoManyLaunches) {
  std::atomic<int> compiled = 0;
  bool kept = true;
  Screen screen(3, [&]() -> Screen::Check {
    ++compiled;
    return [&](const auto&) { return kept; };
  });
  for (int n = 0; n < 3; ++n) EXPECT_FALSE(screen.passes({}));
  EXPECT_EQ(compiled, 0);
  EXPECT_TRUE(comes_to_pass(&screen));
  kept = false;
  EXPECT_FALSE(screen.passes({}));
  EXPECT_EQ(compiled, 1);
}

TEST(Screen, PassesNothingWhileItIsCompiled) {
  std::promise<void> released;
  Screen screen(0, [&]() -> Screen::Check {
    released.get_future().wait();
    return [](const auto&) { return true; };
  });
  for (int n = 0; n < 9; ++n) EXPECT_FALSE(screen.passes({}));
  released.set_value();
  EXPECT_TRUE(comes_to_pass(&screen));
}

TEST(Screen, PassesNothingThatDoesNotCompile) {
  std::atomic<int> compiled = 0;
  Screen screen(0, [&]() -> Screen::Check {
    ++compiled;
    return nullptr;
  });
  while (compiled == 0) screen.passes({});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(screen.passes({}));
  EXPECT_FALSE(screen.passes({}));
  EXPECT_EQ(compiled, 1);
}

TEST(Screen, LaunchesRefuseByTheSameClauseAllAlong) {
  const auto artifact = compiled(parsed(kLoss), CompileOptions());
  ASSERT_NE(artifact, nullptr);
  std::vector<Tensor> above = inputs(3);
  std::vector<Tensor> loss = {Tensor::zeros(DType::f32, {})};
  for (int n = 0; n < 200; ++n) {
    launched(artifact.get(), inputs(2));
    const auto failure = artifact->launch(refs(above), refs(loss));
    ASSERT_TRUE(failure) << "launch " << n;
    EXPECT_EQ(failure->refusal.clause, "cross_entropy_loss/E11");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace
}  // namespace assay::compiler
