// Input generators: from a declaration in a spec and a seed to elements. The
// same declaration and seed give the same bits everywhere and always.
#ifndef ASSAY_SUITE_CASES_INPUTS_GENERATE_H_
#define ASSAY_SUITE_CASES_INPUTS_GENERATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

// How a list of telling values (special, or literals) fills a shape.
enum class Spread {
  repeat,  // one after another, again from the start when they run out
  cross,   // element n holds value n / stride: the cross over operands
  sparse,  // one in each row of the last dimension, alternating between its
           // start and its end; the rest is standard normal. For operations
           // that reduce, where one NaN in a row hides every other value.
};

// An element that is replaced after generation.
struct Poke {
  std::int64_t position;  // row-major
  language::Literal value;
  std::string text;  // for a case's path
};

// Everything that decides an operand's elements, layout and type.
struct Operand {
  DType dtype = DType::f32;
  Shape sizes;
  language::Layout layout = language::Layout::contiguous;
  std::shared_ptr<const language::Generator> data;
  std::uint64_t seed = 0;
  Spread spread = Spread::repeat;
  std::int64_t cross_stride = 1;
  bool brief = false;  // `special` stands for the short list
  std::vector<Poke> pokes;
};

// Can the generator make elements of this operand's dtype and shape? The error
// names what it cannot make.
Status check_operand(const Operand& operand);

// Do its elements hang on the seed?
bool is_random(const Operand& operand);

// Elements in row-major order. Requires check_operand.
std::vector<std::uint64_t> generate_bits(const Operand& operand);

TensorType operand_type(const Operand& operand);
Tensor generate(const Operand& operand);

// What an operand holds where a case declares nothing: standard normal for
// floats, small integers of both signs, fair bools.
std::shared_ptr<const language::Generator> default_generator(DType t);

// Number of values that `cross` gives an operand (special and values), 0 for
// generators that it does not apply to.
std::int64_t cross_size(const language::Generator& g, DType t, bool brief);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_INPUTS_GENERATE_H_
