// Ctrl-C: the first asks the run to stop, the second ends the process.
#ifndef ASSAY_HARNESS_RUN_INTERRUPT_H_
#define ASSAY_HARNESS_RUN_INTERRUPT_H_

#include <atomic>

namespace assay::harness {

// Takes over SIGINT, SIGTERM and SIGHUP. Also lets writes to a closed pipe or
// past a file size limit fail with an error instead of a signal; processes
// that we start are not affected.
void install_signal_handlers();

// Set once a signal has come.
const std::atomic<bool>& interrupt_flag();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RUN_INTERRUPT_H_
