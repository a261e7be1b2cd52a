// Elements of operands as the tables of faults read them: broadcast to the
// result, along a dimension, arguments by position or name.
#ifndef ASSAY_HARNESS_FAULTS_ELEMENTS_H_
#define ASSAY_HARNESS_FAULTS_ELEMENTS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/faults/fault.h"

namespace assay::harness::faults {

// One element of the result with the operands that it is made of.
class Element {
 public:
  Element(const Call& call, const Tensor& out, std::int64_t at)
      : call_(call), out_(out), at_(at) {}

  // The value of argument k, a tensor or a Python number.
  double number(std::size_t k) const;
  std::int64_t integer(std::size_t k) const;
  std::uint64_t bits(std::size_t k) const;  // argument k is a tensor
  DType dtype(std::size_t k) const;         // argument k is a tensor
  double right() const { return out_.number(at_); }

 private:
  const Tensor* tensor(std::size_t k) const;
  std::int64_t position(const Tensor& t) const;

  const Call& call_;
  const Tensor& out_;
  std::int64_t at_;
};

using OutputFault = std::function<void(const Call&, Outputs*)>;

// Computes every element anew, in f64, and rounds it once.
OutputFault each(std::function<double(const Element&)> f);
// Results that are floats stay right.
OutputFault each_integer(std::function<std::int64_t(const Element&)> f);
// A function of one f32; results in f64 stay right.
OutputFault each_f32(float (*f)(float));

// Row-major positions of every line along `dim`, in order of the lines.
std::vector<std::vector<std::int64_t>> lines(const Shape& sizes,
                                             std::int64_t dim);

// Argument k of a call or the one of that name; nothing where it is not given,
// is none or names several.
std::optional<std::int64_t> int_argument(const Call& call, std::size_t k,
                                         const std::string& name);

// The value of the tensor that is argument k.
const Tensor& tensor_argument(const Call& call, std::size_t k);

}  // namespace assay::harness::faults

#endif  // ASSAY_HARNESS_FAULTS_ELEMENTS_H_
