// Other values of an attribute, valid and invalid alike: the requirements
// decide which are which.
#ifndef ASSAY_SUITE_MUTATE_ATTR_H_
#define ASSAY_SUITE_MUTATE_ATTR_H_

#include <string>
#include <vector>

#include "core/program.h"
#include "suite/spec.h"

namespace assay {

struct AttrChange {
  std::string kind;  // attr, number, dtype, duplicate, length or absent
  Arg value;
};

// `shapes` are the operands': integers are tried at the ends of what ranks
// and sizes allow, and beyond.
std::vector<AttrChange> attr_changes(const Param& p, const Arg& now,
                                     const std::vector<Shape>& shapes);

}  // namespace assay

#endif  // ASSAY_SUITE_MUTATE_ATTR_H_
