// Packed operands: parts_of, unpack, pack and type_of of decode.h.
#include "ptx/decode/decode.h"

namespace assay::ptx {

Type type_of(const Emitter& e) {
  auto types = e.instruction().types();
  if (types.empty()) e.refuse("it names no type");
  return types.back();
}

Parts parts_of(Type t) {
  switch (t) {
    case Type::f16x2:
      return {Type::f16, 2};
    case Type::bf16x2:
      return {Type::bf16, 2};
    case Type::f32x2:
      return {Type::f32, 2};
    case Type::u16x2:
      return {Type::u16, 2};
    case Type::s16x2:
      return {Type::s16, 2};
    default:
      return {t, 1};
  }
}

void unpack(Emitter& e, std::uint32_t whole, unsigned bits, Parts parts,
            std::uint32_t* slots) {
  if (parts.count == 1) {
    slots[0] = whole;
    return;
  }
  unsigned width = bits / parts.count;
  Lane lane = bits == 32    ? Lane::part_16_32
              : width == 16 ? Lane::part_16_64
                            : Lane::part_32_64;
  for (unsigned i = 0; i < parts.count; ++i) {
    slots[i] = e.temporary(width);
    e.emit(lane, slots[i], whole, kZeroSlot, kZeroSlot, i);
  }
}

void pack(Emitter& e, std::uint32_t whole, Parts parts,
          const std::uint32_t* slots) {
  bool wide = bits_of(parts.element) == 32;
  e.emit(wide ? Lane::pack_32_64 : Lane::pack_16_32, whole, slots[0], slots[1]);
}

}  // namespace assay::ptx
