#include "core/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace assay {

void in_parallel(std::size_t count, int jobs,
                 const std::function<void(std::size_t)>& work) {
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  if (jobs <= 0) jobs = static_cast<int>(cores);
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> pool;
  for (int i = 1; i < jobs; ++i) pool.emplace_back(run);
  run();
  for (std::thread& t : pool) t.join();
}

}  // namespace assay
