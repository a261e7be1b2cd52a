// Many pieces of work of one kind, on threads.
#ifndef ASSAY_HARNESS_RUN_IN_PARALLEL_H_
#define ASSAY_HARNESS_RUN_IN_PARALLEL_H_

#include <cstddef>
#include <functional>

namespace assay::harness {

// Calls work(i) for all i below `count`, on `jobs` threads; 0: one per core.
void in_parallel(std::size_t count, int jobs,
                 const std::function<void(std::size_t)>& work);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RUN_IN_PARALLEL_H_
