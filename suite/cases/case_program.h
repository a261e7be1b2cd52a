// A program and how its inputs are made: what becomes a case.
#ifndef ASSAY_SUITE_CASES_CASE_PROGRAM_H_
#define ASSAY_SUITE_CASES_CASE_PROGRAM_H_

#include <string>
#include <vector>

#include "core/program.h"
#include "suite/cases/case.h"
#include "suite/cases/inputs/generate.h"

namespace assay::cases {

struct CaseProgram {
  Program program;
  std::vector<Operand> inputs;  // one per program input
  int call = 0;                 // value id of the call's own result
};

struct CaseNames {
  std::string path, spec, clause, context, must_raise, control;
};

std::vector<Tensor> generate_all(const std::vector<Operand>& inputs);

// Inputs are made anew at every call, from the operands alone. The case is in
// smaller profiles than the full one only if the caller says so.
Case make_case(const CaseNames& names, CaseProgram made);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_CASE_PROGRAM_H_
