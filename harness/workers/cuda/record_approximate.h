// Asks this machine's GPU for the results of approximate instructions, all of
// them, and keeps them as tables (harness/workers/approximate).
#ifndef ASSAY_HARNESS_WORKERS_CUDA_RECORD_APPROXIMATE_H_
#define ASSAY_HARNESS_WORKERS_CUDA_RECORD_APPROXIMATE_H_

#include <string>
#include <vector>

namespace assay::harness::worker::cuda {

// assay-cuda-worker --record TABLES SUMMARIES JOBS FIRST COUNT [INSTRUCTION...]
//
// TABLES (recordings_folder() where empty) gets a folder for the device, with a
// file for each instruction that it has (all, where none is named), and
// SUMMARIES one with summary.json. Inputs are FIRST ... FIRST + COUNT - 1, or
// all where COUNT is 0; FIRST is a multiple of 65,536. What is whole there
// already is left. Lines on standard output say what was found. The exit code:
// 0, 2 for a wrong request, 3 where there is no device, it is lost, or the
// files cannot be written.
int record_approximate(const std::vector<std::string>& arguments);

}  // namespace assay::harness::worker::cuda

#endif  // ASSAY_HARNESS_WORKERS_CUDA_RECORD_APPROXIMATE_H_
