// Starts a worker process so that it cannot outlive us, whatever ends us, and
// cannot reach anything of ours but its socket and its shared memory.
#ifndef ASSAY_HARNESS_SUBJECT_SPAWN_H_
#define ASSAY_HARNESS_SUBJECT_SPAWN_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"

namespace assay::harness {

// The numbers under which the worker finds its descriptors.
inline constexpr int kWorkerSocket = 3;
inline constexpr int kWorkerMemory = 4;

struct SpawnRequest {
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;  // added to ours
  int socket = -1;                                 // becomes kWorkerSocket
  int memory = -1;                                 // becomes kWorkerMemory
  int output = -1;                // becomes standard output and error
  std::int64_t memory_limit = 0;  // bytes of private memory; 0: none
};

// The leader of a process group of its own, killed when this process ends.
// Fails if the program cannot be executed.
Result<pid_t> spawn_worker(const SpawnRequest& request);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_SPAWN_H_
