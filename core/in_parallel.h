// Many pieces of work of one kind, on threads.
#ifndef ASSAY_CORE_IN_PARALLEL_H_
#define ASSAY_CORE_IN_PARALLEL_H_

#include <cstddef>
#include <functional>

namespace assay {

// Calls work(i) for all i below `count`, on `jobs` threads; 0: one per core.
void in_parallel(std::size_t count, int jobs,
                 const std::function<void(std::size_t)>& work);

}  // namespace assay

#endif  // ASSAY_CORE_IN_PARALLEL_H_
