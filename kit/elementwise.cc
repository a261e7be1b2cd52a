#include "kit/elementwise.h"

#include "core/text.h"
#include "kit/promotion.h"

namespace assay::kit {

std::uint64_t bits_of_number(const Arg& number, DType t) {
  if (const auto* b = std::get_if<bool>(&number)) {
    return elements::bits_of(*b, t);
  }
  if (const auto* i = std::get_if<std::int64_t>(&number)) {
    return elements::bits_of(Integer(*i), t);
  }
  return elements::bits_of(std::get<double>(number), t);
}

Plan cast(const Operand& operand, DType to) {
  return {{TensorType::contiguous(to, operand.sizes)},
          [=](const std::vector<View>& views, const std::vector<View>& out) {
            const View& from = views[operand.view];
            for_each_offset<2>(
                from.sizes(), {from.type.strides, out[0].type.strides},
                [&](const auto& at) {
                  out[0].set_bits(
                      at[1], cast_bits(from.dtype(), from.bits(at[0]), to));
                });
          }};
}

namespace elements {

// PyTorch has no result type of an 8-bit float and another type, nor of u16 to
// u64 and another type that is no float.
bool promotes_with(DType a, DType b) {
  if (a == b) return true;
  if (is_float8(a) || is_float8(b)) return false;
  return is_float(a) || is_float(b) ||
         !(is_wide_unsigned(a) || is_wide_unsigned(b));
}

DType promote(const Operand* operands, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Operand& a = operands[i];
      const Operand& b = operands[j];
      if (a.is_number || b.is_number || promotes_with(a.dtype, b.dtype)) {
        continue;
      }
      throw Unsupported{"there is no result type of " +
                        std::string(dtype_name(a.dtype)) + " and " +
                        std::string(dtype_name(b.dtype))};
    }
  }
  Promotion all;
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& o = operands[i];
    if (o.is_number) {
      all.add_number(o.dtype);
    } else {
      all.add_tensor(o.dtype, o.has_dimensions());
    }
  }
  const DType type = all.result();
  if (is_float8(type) || is_wide_unsigned(type)) {
    throw Unsupported{"nothing is computed in " +
                      std::string(dtype_name(type))};
  }
  return type;
}

Shape broadcast(const Operand* operands, std::size_t count,
                const std::string& clause) {
  Shape all;
  for (std::size_t i = 0; i < count; ++i) {
    Shape next;
    if (!broadcast_shapes(all, operands[i].sizes, &next)) {
      throw Raised{"RuntimeError",
                   "shapes " + shape_text(all) + " and " +
                       shape_text(operands[i].sizes) +
                       " cannot be broadcast together",
                   clause};
    }
    all = std::move(next);
  }
  return all;
}

Source source_of(const Operand& o, const std::vector<View>& views,
                 const Shape& shape, DType compute) {
  if (o.is_number) {
    return {nullptr, bits_of_number(o.number, compute), Shape(shape.size(), 0)};
  }
  const View& view = views[o.view];
  return {&view, 0, broadcast_strides(view.type, shape)};
}

}  // namespace elements
}  // namespace assay::kit
