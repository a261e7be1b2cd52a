// A program with all that it is given, in the form that reductions change: what
// a program spec can say (docs/spec-language.md), and nothing else.
#ifndef ASSAY_HARNESS_REDUCE_CANDIDATE_H_
#define ASSAY_HARNESS_REDUCE_CANDIDATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "suite/cases/case.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

// An input or a captured constant: elements, and how they lie in memory.
struct GivenTensor {
  DType dtype = DType::f32;
  Shape sizes;
  language::Layout layout = language::Layout::contiguous;
  std::vector<std::uint64_t> bits;  // row-major, one per element
};

// Values are numbered as in a Program: inputs, constants, nodes.
struct Candidate {
  std::vector<GivenTensor> inputs;
  std::vector<GivenTensor> constants;
  std::vector<Node> nodes;
  std::vector<ValueRef> outputs;
  int device = 0;
  std::string must_raise;  // as of a case

  int given_count() const {
    return static_cast<int>(inputs.size() + constants.size());
  }
  bool is_node(ValueRef v) const { return v.id >= given_count(); }
  ValueRef node_value(std::size_t n) const {
    return {given_count() + static_cast<int>(n)};
  }
  // By position among inputs, then constants.
  GivenTensor& given(std::size_t k);
  const GivenTensor& given(std::size_t k) const;
};

Tensor tensor_of(const GivenTensor& given);
// Contiguous, with the elements of `tensor`.
GivenTensor given_of(const Tensor& tensor);

Program program_of(const Candidate& c);
std::vector<Tensor> inputs_of(const Candidate& c);

// The case with this path, its only row and clause.
cases::Case case_of(const Candidate& c, const std::string& path);
// An error is an input that lies in memory as no spec can say.
Result<Candidate> candidate_of(const cases::Case& c);

// Same text, same program and elements.
std::string text_of(const Candidate& c);

// Without the nodes that no output needs, and without the inputs and constants
// that no node and no output reads.
Candidate pruned(const Candidate& c);

// `from` replaced by `to` wherever it is read or returned. Getitems of `from`
// stay.
void replace_value(Candidate* c, ValueRef from, ValueRef to);

// With a new input in place of the node `v`.
Candidate with_input_for(const Candidate& c, ValueRef v, GivenTensor given);

// Calls, where further outputs of a call are none.
std::size_t count_steps(const Candidate& c);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REDUCE_CANDIDATE_H_
