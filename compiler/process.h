// Runs a program and collects what it prints.
#ifndef ASSAY_COMPILER_PROCESS_H_
#define ASSAY_COMPILER_PROCESS_H_

#include <string>
#include <vector>

namespace assay::compiler {

struct Finished {
  bool started = false;
  int exit_code = -1;  // 128 + signal where one ended it
  std::string output;  // standard output and error, at most 64 KiB
};

// Runs argv[0], found on PATH, with no input.
Finished run_process(const std::vector<std::string>& argv);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_PROCESS_H_
