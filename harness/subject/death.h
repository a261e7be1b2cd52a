// What the end of a worker process means: crash or lack of memory, in words.
#ifndef ASSAY_HARNESS_SUBJECT_DEATH_H_
#define ASSAY_HARNESS_SUBJECT_DEATH_H_

#include <cstdint>
#include <string>

#include "core/result.h"

namespace assay::harness {

struct Death {
  bool out_of_memory = false;
  bool file_limit = false;  // it wrote beyond our limit on file sizes
  std::string how;          // "killed by SIGSEGV", "exited with code 3"
};

// How often the kernel has killed for lack of memory, in this control group or,
// where that is not shown, on the machine; 0 if neither is known.
std::int64_t out_of_memory_kills();

// `status` as waitpid gives it, or nothing known (-1). SIGKILL, and exit code
// 137, which a shell makes of it, count as out of memory only if the kernel's
// count rose.
Death describe_death(int status, const std::string& last_words,
                     std::int64_t kills_before);

// "; the limit on file sizes (ulimit -f) is 8192 bytes: raise it"; empty where
// there is none. Tensors travel in a file that the limit holds for.
std::string file_limit();

// "SIGSEGV"
std::string signal_name(int signal);

// Bytes of private memory that a worker may have: ASSAY_WORKER_MEMORY
// ("8G", "512M", bytes; "0" for no limit), by default 16 GiB or what the
// machine has. Fails if the variable holds anything else.
Result<std::int64_t> worker_memory_limit();

// Bytes of resident memory of a process, 0 if that cannot be told.
std::int64_t resident_memory(int pid);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_DEATH_H_
