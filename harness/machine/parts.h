// What this machine has of what columns need, for people to read.
#ifndef ASSAY_HARNESS_MACHINE_PARTS_H_
#define ASSAY_HARNESS_MACHINE_PARTS_H_

#include <string>
#include <vector>

namespace assay::harness {

struct Part {
  std::string name;  // "C++ compiler"
  bool found = false;
  std::string text;  // which, or what it is missing for
};

// The part that is Assay itself; of a bundle that was damaged it is not found.
inline constexpr const char* kProgramsPart = "programs";

// In the order in which they are best read. Takes a second or so: compilers
// and Python are asked for their versions.
std::vector<Part> look_around();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_MACHINE_PARTS_H_
