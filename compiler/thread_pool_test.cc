#include "compiler/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
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

// Where each of two threads may run. Who comes first waits for the other.
struct Places {
  std::atomic<int> arrived{0};
  cpu_set_t allowed[2];
};

void note_place(void* const* buffers, const std::int64_t*, long, long) {
  auto* places = static_cast<Places*>(buffers[0]);
  const int me = places->arrived++;
  if (me > 1) return;
  sched_getaffinity(0, sizeof(cpu_set_t), &places->allowed[me]);
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (places->arrived < 2 && std::chrono::steady_clock::now() < late) {
    std::this_thread::yield();
  }
}

TEST(ThreadPool, LeavesTheProcessorOfItsCallerAlone) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) {
    GTEST_SKIP() << "one processor: the threads have nowhere else to run";
  }
  Places places;
  void* buffers[] = {&places};
  ThreadPool::shared(2)->run(note_place, buffers, &kOne, 2);
  ASSERT_GE(places.arrived, 2);
  const bool caller_first = CPU_EQUAL(&places.allowed[0], &all);
  EXPECT_TRUE(CPU_EQUAL(&places.allowed[caller_first ? 0 : 1], &all));
  const cpu_set_t& others = places.allowed[caller_first ? 1 : 0];
  EXPECT_EQ(CPU_COUNT(&others), CPU_COUNT(&all) - 1);
  cpu_set_t both;
  CPU_AND(&both, &others, &all);
  EXPECT_TRUE(CPU_EQUAL(&both, &others));
}

}  // namespace
}  // namespace assay::compiler
