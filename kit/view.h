// A strided tensor in memory that belongs to somebody else: to the host, or to
// the launch that is running.
#ifndef ASSAY_KIT_VIEW_H_
#define ASSAY_KIT_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "assay/plugin.h"
#include "core/tensor.h"

namespace assay::kit {

// Offsets count elements from the first one; for_each_offset (broadcast.h)
// gives them. A value of another dtype is converted as by an explicit cast
// (cast_bits.h).
struct View {
  TensorType type;
  std::byte* data = nullptr;  // first element

  DType dtype() const { return type.dtype; }
  const Shape& sizes() const { return type.sizes; }

  // The element's bit pattern, zero-extended.
  std::uint64_t bits(std::int64_t offset) const;
  void set_bits(std::int64_t offset, std::uint64_t bits) const;

  // The nearest double; exact but for integers beyond 2^53.
  double number(std::int64_t offset) const;
  void set_number(std::int64_t offset, double value) const;

  // The element as i64: of a float truncated, of u64 modulo 2^64.
  std::int64_t integer(std::int64_t offset) const;
  void set_integer(std::int64_t offset, std::int64_t value) const;
};

// Nothing for a tensor that the dtypes or strides of the kit do not have.
std::optional<View> view_of(const AssayTensor& t);
// `t` must outlive it.
View view_of(const Tensor& t);

// Copies elements; both have the same dtype and sizes.
void copy(const View& from, const View& to);

}  // namespace assay::kit

#endif  // ASSAY_KIT_VIEW_H_
