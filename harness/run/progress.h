// One line on standard error that says how far a run is; nothing if that is no
// terminal.
#ifndef ASSAY_HARNESS_RUN_PROGRESS_H_
#define ASSAY_HARNESS_RUN_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <string>

#include "harness/records/result.h"

namespace assay::harness {

class Progress {
 public:
  // `total` results are expected, `done` of them are there already.
  Progress(std::size_t total, std::size_t done, bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(const CaseResult& result);
  // Whole lines above the one that says how far the run is.
  void print(const std::string& lines);

 private:
  void draw();

  std::size_t total_;
  std::size_t done_;
  std::size_t wrong_ = 0;
  bool enabled_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RUN_PROGRESS_H_
