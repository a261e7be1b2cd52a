#include "compiler/thread_pool.h"

#include <gtest/gtest.h>

#include <numeric>

namespace assay::compiler {
namespace {

constexpr std::int64_t kOne = 1;

// Adds the size to each part's count.
void count(void* const* buffers, const std::int64_t* sizes, long begin,
           long end) {
  auto* counts = static_cast<int*>(buffers[0]);
  for (long i = begin; i < end; ++i) counts[i] += static_cast<int>(*sizes);
}

TEST(ThreadPool, EachPartRunsOnceInEveryRun) {
  for (const int threads : {1, 2, 3, 8}) {
    const auto pool = ThreadPool::shared(threads);
    for (const long parts : {1L, 2L, 3L, 7L, 64L, 1000L}) {
      std::vector<int> counts(static_cast<std::size_t>(parts), 0);
      void* buffers[] = {counts.data()};
      for (int run = 1; run <= 50; ++run) {
        pool->run(count, buffers, &kOne, parts);
        // No lock here: what the threads wrote is seen.
        EXPECT_EQ(counts, std::vector<int>(counts.size(), run));
      }
    }
  }
}

TEST(ThreadPool, IsSharedAndMayBeUsedAtOnce) {
  const auto pool = ThreadPool::shared(3);
  EXPECT_EQ(pool, ThreadPool::shared(3));
  EXPECT_NE(pool, ThreadPool::shared(2));
  std::vector<std::thread> callers;
  std::vector<std::vector<int>> counts(4, std::vector<int>(100, 0));
  for (std::vector<int>& mine : counts) {
    callers.emplace_back([&mine, &pool] {
      void* buffers[] = {mine.data()};
      for (int run = 0; run < 200; ++run) {
        pool->run(count, buffers, &kOne, 100);
      }
    });
  }
  for (std::thread& t : callers) t.join();
  for (const std::vector<int>& mine : counts) {
    EXPECT_EQ(mine, std::vector<int>(100, 200));
  }
}

}  // namespace
}  // namespace assay::compiler
