// Runs a program and collects what it prints.
#ifndef ASSAY_CORE_PROCESS_H_
#define ASSAY_CORE_PROCESS_H_

#include <string>
#include <vector>

namespace assay {

// Which of the program's streams are collected; the others stay this
// process's own.
enum class Collect { output, output_and_errors };

struct Finished {
  int start_error = 0;  // errno where it could not be started, else 0
  int exit_code = -1;   // 128 + signal where one ended it
  std::string output;   // at most 64 KiB; what comes after that is dropped

  bool started() const { return start_error == 0; }
};

// Runs argv[0], found on PATH unless it holds a slash, with no input.
Finished run_process(const std::vector<std::string>& argv,
                     Collect collect = Collect::output_and_errors);

// argv as exec and posix_spawn take it. Points into `words`.
std::vector<char*> argument_pointers(const std::vector<std::string>& words);

}  // namespace assay

#endif  // ASSAY_CORE_PROCESS_H_
