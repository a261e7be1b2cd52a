// How the fake driver behaves: the variable ASSAY_FAKE_CUDA, words of the form
// name=value with blanks between them.
//
//   sm=80          the device's compute capability, 9.0 where left out
//   count=0        how many devices there are
//   init=999       what cuInit answers; likewise alloc, load, ptx (a load of
//                  PTX alone) and refuse (a launch, at once)
//   launch=3:700   the third launch of the process ends with that error, or
//                  never where it is -1
//   skip=1         kernels are launched and do nothing
//   once=FILE      the device is there for one process, which makes the file
//   context=2      what cuDevicePrimaryCtxRetain answers
//   swap=neg:abs   the driver's compiler takes one opcode for another
#ifndef ASSAY_HARNESS_WORKERS_CUDA_TESTING_FAKE_SETTINGS_H_
#define ASSAY_HARNESS_WORKERS_CUDA_TESTING_FAKE_SETTINGS_H_

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

namespace assay::harness::worker::cuda {

inline std::map<std::string, std::string> fake_settings() {
  std::map<std::string, std::string> out;
  const char* text = std::getenv("ASSAY_FAKE_CUDA");
  std::istringstream words(text == nullptr ? "" : text);
  std::string word;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    out[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return out;
}

}  // namespace assay::harness::worker::cuda

#endif  // ASSAY_HARNESS_WORKERS_CUDA_TESTING_FAKE_SETTINGS_H_
