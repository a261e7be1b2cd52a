// Subjects as the command line spells them, and how to start each.
#ifndef ASSAY_HARNESS_SUBJECT_SUBJECT_H_
#define ASSAY_HARNESS_SUBJECT_SUBJECT_H_

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"

namespace assay::harness {

// How to start a worker, and what column it fills.
struct SubjectConfig {
  std::string spelling;              // as on the command line: "torch:inductor"
  std::vector<std::string> command;  // argv of the worker
  std::map<std::string, std::string> environment;  // added to ours
  std::map<std::string, std::string> options;      // passed to compile
  std::string target = "cpu";
  bool plugin = false;    // outputs are allocated by the harness
  bool versioned = true;  // the column's name holds the version
  // For starting the process and its first answer.
  std::chrono::milliseconds hello_deadline{180000};
};

// Reads a subject's spelling: eager, eager{isa=avx2}, bundled,
// bundled{defect=drop-cast}, plugin:/path/to.so, torch:inductor,
// torch:inductor@2.15.0, torch:inductor{"numerics":"strict"},
// torch:inductor{"dynamic":true},
// bundled{target=cuda-sm_90}, bundled{target=cuda-sm_80,run=false},
// bundled{target=cuda}, bundled{target=cuda,compare=FILE}, jax, onnxruntime,
// onnxruntime{optimize=none},
// torch:eager{target=cuda}, torch:inductor{target=cuda,launcher=torch},
// worker:/path/to/program. Only braces at the end are options, so a path may
// hold them, and one that ends in a brace takes {} after it. Errors say what is
// known.
Result<SubjectConfig> parse_subject(const std::string& spelling);

// The columns of a device, as spellings:
//   cpu          eager per ISA level of this machine, bundled, torch:inductor
//   cuda         bundled, eager and torch.compile on this machine's first GPU
//   cuda-static  bundled and torch:inductor for SM generations, without a GPU:
//                three of each are executed by the PTX machine, the others are
//                compiled and linted; `all_run`: all are executed
//   all          all of these, as far as there is a GPU: an SM whose columns
//                run on one is not emulated
// Errors say what is known.
Result<std::vector<std::string>> subjects_of_device(const std::string& device,
                                                    bool all_run);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_SUBJECT_H_
