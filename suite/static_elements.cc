#include "suite/static_elements.h"

#include "suite/static_operators.h"

namespace assay {
namespace {

Operand read(const Expr& e, const TensorArg& t, std::int64_t linear) {
  if (t.value == nullptr) {
    throw EvaluationStop{"the elements of '" + to_string(*e.args[0]) +
                         "' are not known"};
  }
  if (is_float(t.type.dtype)) return t.value->number(linear);
  const std::int64_t value = t.value->integer(linear);
  if (t.type.dtype == DType::u64 && value < 0) {
    throw EvaluationStop{"an element of '" + to_string(*e.args[0]) +
                         "' is no integer of 64 bits with a sign"};
  }
  return value;
}

}  // namespace

std::size_t place(const Expr& e, std::int64_t i, std::size_t n) {
  if (i < 0 || static_cast<std::size_t>(i) >= n) {
    throw EvaluationStop{"index " + std::to_string(i) + " of '" + to_string(e) +
                         "' is out of range, there are " + std::to_string(n)};
  }
  return static_cast<std::size_t>(i);
}

Operand element(const Expr& e, const TensorArg& t, const Shape& index) {
  const Shape& sizes = t.type.sizes;
  if (index.size() < sizes.size()) {
    throw EvaluationStop{
        "'" + to_string(e) + "' has " + std::to_string(index.size()) +
        " indices for a tensor of " + "rank " + std::to_string(sizes.size())};
  }
  const std::size_t extra = index.size() - sizes.size();
  std::int64_t linear = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    // A dimension of size 1 repeats.
    const std::int64_t i = sizes[d] == 1 ? 0 : index[extra + d];
    if (i < 0 || i >= sizes[d]) {
      throw EvaluationStop{"'" + to_string(e) + "' is out of range"};
    }
    linear = linear * sizes[d] + i;
  }
  return read(e, t, linear);
}

Operand linear_element(const Expr& e, const TensorArg& t, const Shape& index) {
  if (index.size() != 1 || index[0] < 0 ||
      index[0] >= element_count(t.type.sizes)) {
    throw EvaluationStop{"'" + to_string(e) + "' is out of range"};
  }
  return read(e, t, index[0]);
}

}  // namespace assay
