// Processes that a worker started and that left its process group (setsid, a
// daemon): no signal to the group reaches them, and once their parent has
// ended they are no descendants of ours. They are known by a variable that
// every process inherits from the worker.
#ifndef ASSAY_HARNESS_SUBJECT_LEFTOVERS_H_
#define ASSAY_HARNESS_SUBJECT_LEFTOVERS_H_

#include <string>

namespace assay::harness {

// The variable that the mark stands in.
inline constexpr const char* kMarkVariable = "ASSAY_WORKER";

// A value that no other worker on this machine has.
std::string new_mark();

// Kills every process that bears the mark, and what those start meanwhile.
void kill_marked(const std::string& mark);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_LEFTOVERS_H_
