// Cases: a program, concrete inputs, and the clauses that they test.
#ifndef ASSAY_SUITE_CASE_H_
#define ASSAY_SUITE_CASE_H_

#include <functional>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "suite/spec.h"

namespace assay {

struct Case {
  std::string path;     // its identity, e.g. "bmm/E4/f16-f32/2x3x5"
  std::string spec;     // row of the matrix: the operation's or program's name
  std::string clause;   // the second part of the path
  std::string context;  // empty: alone
  Program program;
  // Inputs, one per program input; the same at every call.
  std::function<std::vector<Tensor>()> make_inputs;
  // The promise that must refuse the program ("bmm/E4"), empty if it must
  // return. The oracle derives the same by itself; a difference is our fault.
  std::string must_raise;
  std::string control;  // of a negative case: the path of its passing twin
  bool quick = true;    // in the quick profile as well as in the full one
  // May share a compiled program with other cases: it returns, and is small.
  bool packable = true;
  double vacuous = kVacuousShare;  // its clause's, whatever its company
  bool unbiased = false;           // as CaseGroup says; never in company
};

struct Expansion {
  std::vector<Case> cases;          // in path order, paths unique
  std::vector<std::string> errors;  // a spec whose cases cannot be made
  // Requirements for which no invalid input was found ("bmm/E2"), with why.
  std::vector<std::string> uncovered;
};

Expansion expand(const SpecSet& specs);

// Glob filters (`*`, `?`); one without '*' also matches any path below it
// ("bmm" matches "bmm/..."). No filter matches everything.
bool matches(const std::string& path, const std::vector<std::string>& filters);

}  // namespace assay

#endif  // ASSAY_SUITE_CASE_H_
