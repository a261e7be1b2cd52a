// Rows by themselves: the call of a program for one row of its operands, where
// the definition of the operation says that it must give the same row of the
// result (language/nest/row_cuts.h). Clause D2 asks whether the bits are the
// same.
#ifndef ASSAY_SUITE_CASES_ROWS_H_
#define ASSAY_SUITE_CASES_ROWS_H_

#include <cstdint>
#include <vector>

#include "core/program.h"
#include "core/tensor.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

struct RowQuestion {
  Program program;              // of the row alone
  std::vector<Tensor> inputs;   // row-major
  std::vector<int> dimensions;  // per output: where it has one row
  std::int64_t row = 0;         // which one of the whole result it must be
};

// One for each dimension of the first output along which there are rows, at
// least two. None for programs of several calls, with captured tensors, or that
// write into an operand.
std::vector<RowQuestion> row_questions(const language::SpecSet& specs,
                                       const Program& program,
                                       const std::vector<Tensor>& inputs);

// The elements of `t` at place `row` of a dimension, which has size 1 in what
// is returned; row-major. Requires that there is such a place.
Tensor row_of(const Tensor& t, int dimension, std::int64_t row);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_ROWS_H_
