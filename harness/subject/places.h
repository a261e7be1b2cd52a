// Where the programs and environments are that subjects need.
#ifndef ASSAY_HARNESS_SUBJECT_PLACES_H_
#define ASSAY_HARNESS_SUBJECT_PLACES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace assay::harness {

// The project's root: ASSAY_HOME, or where the program was built from.
std::filesystem::path home();

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

// The levels of ATEN_CPU_CAPABILITY that this machine has, lowest first.
std::vector<std::string> cpu_levels();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_PLACES_H_
