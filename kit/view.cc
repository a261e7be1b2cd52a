#include "kit/view.h"

#include <bit>
#include <cstring>

#include "kit/broadcast.h"
#include "kit/cast_bits.h"
#include "kit/dlpack.h"

namespace assay::kit {
namespace {

std::byte* element(const View& v, std::int64_t offset) {
  return v.data + offset * size_bytes(v.type.dtype);
}

}  // namespace

// Elements are read as the low bytes of a word: this machine, like every host
// of plugins, is little-endian.
static_assert(std::endian::native == std::endian::little);

std::uint64_t View::bits(std::int64_t offset) const {
  std::uint64_t out = 0;
  std::memcpy(&out, element(*this, offset),
              static_cast<std::size_t>(size_bytes(type.dtype)));
  return out;
}

void View::set_bits(std::int64_t offset, std::uint64_t bits) const {
  std::memcpy(element(*this, offset), &bits,
              static_cast<std::size_t>(size_bytes(type.dtype)));
}

double View::number(std::int64_t offset) const {
  return std::bit_cast<double>(cast_bits(type.dtype, bits(offset), DType::f64));
}

void View::set_number(std::int64_t offset, double value) const {
  set_bits(offset, cast_bits(DType::f64, std::bit_cast<std::uint64_t>(value),
                             type.dtype));
}

std::int64_t View::integer(std::int64_t offset) const {
  return static_cast<std::int64_t>(
      cast_bits(type.dtype, bits(offset), DType::i64));
}

void View::set_integer(std::int64_t offset, std::int64_t value) const {
  set_bits(offset, cast_bits(DType::i64, static_cast<std::uint64_t>(value),
                             type.dtype));
}

std::optional<View> view_of(const AssayTensor& t) {
  const std::optional<DType> dtype = from_dlpack(t.dtype);
  if (!dtype || is_complex(*dtype) || t.rank < 0) return std::nullopt;
  View out;
  out.type.dtype = *dtype;
  out.type.sizes.assign(t.sizes, t.sizes + t.rank);
  out.type.strides.assign(t.strides, t.strides + t.rank);
  out.data = static_cast<std::byte*>(t.data);
  return out;
}

View view_of(const Tensor& t) {
  return {t.type, t.storage->data() + t.offset * size_bytes(t.type.dtype)};
}

void copy(const View& from, const View& to) {
  for_each_offset<2>(
      from.type.sizes, {from.type.strides, to.type.strides},
      [&](const auto& at) { to.set_bits(at[1], from.bits(at[0])); });
}

}  // namespace assay::kit
