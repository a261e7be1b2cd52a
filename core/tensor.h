// A strided view of typed elements: what cases feed in and subjects return.
#ifndef ASSAY_CORE_TENSOR_H_
#define ASSAY_CORE_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/dtype.h"

namespace assay {

using Shape = std::vector<std::int64_t>;

// Number of elements of a shape; 1 for rank 0.
std::int64_t element_count(const Shape& sizes);

// Row-major strides in elements. A zero-sized dimension counts as one, as in
// PyTorch.
Shape contiguous_strides(const Shape& sizes);

// dtype, sizes and strides: what a compiler may specialise on.
struct TensorType {
  DType dtype = DType::f32;
  Shape sizes;
  Shape strides;  // in elements, never negative

  static TensorType contiguous(DType dtype, Shape sizes);
  bool is_contiguous() const;
  // Elements of storage that the view spans, counted from its first element.
  std::int64_t span() const;
  bool operator==(const TensorType&) const = default;
};

struct Tensor {
  TensorType type;
  std::int64_t offset = 0;  // of the first element in storage, in elements
  std::shared_ptr<std::vector<std::byte>> storage;

  // Zero-filled, contiguous.
  static Tensor zeros(DType dtype, Shape sizes);
  // A view of `type` over fresh zeroed storage of exactly offset + span.
  static Tensor strided(TensorType type, std::int64_t offset = 0);

  DType dtype() const { return type.dtype; }
  const Shape& sizes() const { return type.sizes; }
  std::int64_t rank() const {
    return static_cast<std::int64_t>(type.sizes.size());
  }
  std::int64_t numel() const { return element_count(type.sizes); }

  // Storage position (in elements) of the element at row-major position
  // `linear`, which is in [0, numel()).
  std::int64_t position(std::int64_t linear) const;

  // Bit pattern of the element at row-major `linear`, zero-extended. A complex
  // element has no such pattern, and no value below: ask its components.
  std::uint64_t bits(std::int64_t linear) const;
  void set_bits(std::int64_t linear, std::uint64_t bits);

  // Value of an element. `number` is the nearest double, inexact only for i64
  // and u64 beyond 2^53. `integer` requires an integer dtype or bool, and is
  // modulo 2^64: u64 from 2^63 on comes out negative.
  double number(std::int64_t linear) const;
  std::int64_t integer(std::int64_t linear) const;

  // Rounds once to a float dtype; truncates toward zero and wraps to an
  // integer dtype (what is not finite counts as zero); bool is value != 0.
  void set_number(std::int64_t linear, double value);
  void set_integer(std::int64_t linear, std::int64_t value);

  // The same elements in fresh row-major storage.
  Tensor contiguous() const;
};

// A complex tensor's real and imaginary parts as a last dimension of 2, in the
// same storage; any other tensor itself.
TensorType components(const TensorType& type);
Tensor components(const Tensor& t);
std::vector<Tensor> components(const std::vector<Tensor>& several);

// The complex type of which `parts` is the components.
TensorType joined(const TensorType& parts);

// Same dtype, sizes and elements bit for bit; layout does not matter.
bool identical(const Tensor& a, const Tensor& b);

}  // namespace assay

#endif  // ASSAY_CORE_TENSOR_H_
