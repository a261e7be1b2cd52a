// Where the programs and environments are that subjects need.
#ifndef ASSAY_HARNESS_SUBJECT_PLACES_H_
#define ASSAY_HARNESS_SUBJECT_PLACES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace assay::harness {

// The project's root: ASSAY_HOME, or the bundle that the program lies in, or
// where the program was built from.
std::filesystem::path home();

// Is that root a bundle (docs/bundle.md)? Then nothing is built or installed,
// and the environment that the programs were built with is out of bounds.
bool in_bundle();

// Where runs leave their results: ASSAY_OUT, or `out` in home().
std::filesystem::path out_root();

// A program of ours: beside the running one, or in the build folder.
Result<std::string> find_program(const std::string& name);

// A shared object of ours, "assay_bundled.so".
Result<std::string> find_plugin(const std::string& file);

// A file of the source tree, "harness/workers/python/torch_worker.py".
Result<std::string> find_source(const std::string& path);

// The Python of an environment with that torch version (empty: the one that
// this build is for) and one package more (empty: none). The launcher prepares
// the environment if it is not there yet, which can take minutes.
Result<std::string> find_python(const std::string& version,
                                const std::string& package);

// The Python of the environment that env/PACKAGE.lock pins, which has no torch;
// prepared likewise. ASSAY_PACKAGE_PYTHON names one of the user's own.
Result<std::string> find_package_python(const std::string& package);

// The torch libraries for eager's worker in C++, which is linked against one
// release of torch and understands no other.
struct EagerTorch {
  std::string built;      // "2.11.0", the release
  std::string found;      // the one that is here, empty if none is
  std::string libraries;  // their folder; empty: where they were at the build

  bool fits() const { return !found.empty() && found == built; }
};
EagerTorch eager_torch();

// The levels of ATEN_CPU_CAPABILITY that this machine has, lowest first.
std::vector<std::string> cpu_levels();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_PLACES_H_
