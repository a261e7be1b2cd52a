#include "core/tensor.h"

#include <cmath>
#include <cstring>

#include "core/float_bits.h"
#include "core/integer_bits.h"

namespace assay {
namespace {

// The integer part modulo 2^64.
std::uint64_t whole_modulo(double x) {
  if (!std::isfinite(x)) return 0;
  const auto rest = static_cast<std::uint64_t>(std::fmod(std::fabs(x), 0x1p64));
  return x < 0 ? ~rest + 1 : rest;
}

}  // namespace

std::int64_t element_count(const Shape& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t s : sizes) count *= s;
  return count;
}

Shape contiguous_strides(const Shape& sizes) {
  Shape strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= sizes[d] == 0 ? 1 : sizes[d];
  }
  return strides;
}

TensorType TensorType::contiguous(DType dtype, Shape sizes) {
  Shape strides = contiguous_strides(sizes);
  return {dtype, std::move(sizes), std::move(strides)};
}

bool TensorType::is_contiguous() const {
  if (element_count(sizes) == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] != 1 && strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

std::int64_t TensorType::span() const {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return 0;
    last += (sizes[d] - 1) * strides[d];
  }
  return last + 1;
}

Tensor Tensor::zeros(DType dtype, Shape sizes) {
  return strided(TensorType::contiguous(dtype, std::move(sizes)));
}

Tensor Tensor::strided(TensorType type, std::int64_t offset) {
  Tensor t;
  t.type = std::move(type);
  t.offset = offset;
  const std::int64_t bytes =
      (offset + t.type.span()) * size_bytes(t.type.dtype);
  t.storage =
      std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  return t;
}

std::int64_t Tensor::position(std::int64_t linear) const {
  std::int64_t place = offset;
  for (std::size_t d = type.sizes.size(); d-- > 0;) {
    place += (linear % type.sizes[d]) * type.strides[d];
    linear /= type.sizes[d];
  }
  return place;
}

std::uint64_t Tensor::bits(std::int64_t linear) const {
  const auto width = static_cast<std::size_t>(size_bytes(type.dtype));
  std::uint64_t out = 0;
  std::memcpy(
      &out,
      storage->data() + static_cast<std::size_t>(position(linear)) * width,
      width);
  return out;
}

void Tensor::set_bits(std::int64_t linear, std::uint64_t bits) {
  const auto width = static_cast<std::size_t>(size_bytes(type.dtype));
  std::memcpy(
      storage->data() + static_cast<std::size_t>(position(linear)) * width,
      &bits, width);
}

double Tensor::number(std::int64_t linear) const {
  if (is_float(type.dtype)) return decode_float(type.dtype, bits(linear));
  return number_of_integer(type.dtype, bits(linear));
}

std::int64_t Tensor::integer(std::int64_t linear) const {
  return integer_of_bits(type.dtype, bits(linear));
}

void Tensor::set_number(std::int64_t linear, double value) {
  if (is_float(type.dtype)) {
    set_bits(linear, encode_float(type.dtype, value));
  } else if (type.dtype == DType::boolean) {
    set_bits(linear, value != 0 ? 1 : 0);
  } else {
    set_bits(linear, whole_modulo(value));
  }
}

void Tensor::set_integer(std::int64_t linear, std::int64_t value) {
  if (is_float(type.dtype)) {
    set_bits(linear, encode_float(type.dtype, static_cast<double>(value)));
  } else if (type.dtype == DType::boolean) {
    set_bits(linear, value != 0 ? 1 : 0);
  } else {
    set_bits(linear, static_cast<std::uint64_t>(value));
  }
}

Tensor Tensor::contiguous() const {
  Tensor out = zeros(type.dtype, type.sizes);
  const auto width = static_cast<std::size_t>(size_bytes(type.dtype));
  const std::int64_t n = numel();
  for (std::int64_t i = 0; i < n; ++i) {
    std::memcpy(out.storage->data() + static_cast<std::size_t>(i) * width,
                storage->data() + static_cast<std::size_t>(position(i)) * width,
                width);
  }
  return out;
}

TensorType components(const TensorType& type) {
  if (!is_complex(type.dtype)) return type;
  TensorType out = {component(type.dtype), type.sizes, type.strides};
  for (std::int64_t& s : out.strides) s *= 2;
  out.sizes.push_back(2);
  out.strides.push_back(1);
  return out;
}

TensorType joined(const TensorType& parts) {
  TensorType out = parts;
  out.dtype = parts.dtype == DType::f32 ? DType::c64 : DType::c128;
  out.sizes.pop_back();
  out.strides.pop_back();
  for (std::int64_t& s : out.strides) s /= 2;
  return out;
}

Tensor components(const Tensor& t) {
  if (!is_complex(t.dtype())) return t;
  return {components(t.type), 2 * t.offset, t.storage};
}

std::vector<Tensor> components(const std::vector<Tensor>& several) {
  std::vector<Tensor> out;
  for (const Tensor& t : several) out.push_back(components(t));
  return out;
}

bool identical(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.sizes() != b.sizes()) return false;
  const Tensor x = components(a), y = components(b);
  const std::int64_t n = x.numel();
  for (std::int64_t i = 0; i < n; ++i) {
    if (x.bits(i) != y.bits(i)) return false;
  }
  return true;
}

}  // namespace assay
