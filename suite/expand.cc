// From specs to cases.
#include <algorithm>
#include <string>

#include "suite/case.h"
#include "suite/expand_op.h"
#include "suite/program_cases.h"

namespace assay {

Expansion expand(const SpecSet& specs) {
  Expansion out;
  for (const OpSpec& spec : specs.ops) expand_op(specs, spec, &out);
  for (const ProgramSpec& spec : specs.programs) {
    add_program_cases(specs, spec, &out.cases, &out.errors);
  }
  std::stable_sort(
      out.cases.begin(), out.cases.end(),
      [](const Case& a, const Case& b) { return a.path < b.path; });
  for (std::size_t n = 1; n < out.cases.size(); ++n) {
    if (out.cases[n].path == out.cases[n - 1].path) {
      out.errors.push_back("two cases are called " + out.cases[n].path +
                           ": rename an operation or a program");
    }
  }
  return out;
}

}  // namespace assay
