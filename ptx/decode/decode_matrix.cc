// ldmatrix and stmatrix: a warp moves 8x8 matrices of sixteen-bit elements
// between shared memory and registers. Compilers use them to change layouts,
// too, where nothing is multiplied.
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "ptx/decode/decode.h"
#include "ptx/decode/memory_operand.h"
#include "ptx/machine/access.h"
#include "ptx/machine/block.h"
#include "ptx/machine/warp.h"

namespace assay::ptx {
namespace {

constexpr unsigned kSide = 8;
constexpr std::size_t kRowBytes = 16;

// Which element of its matrix a lane's half k holds (PTX ISA, ldmatrix): two
// neighbours of row lane / 4, or of that column if transposed.
unsigned element_of(unsigned lane, unsigned half, bool transposed) {
  unsigned slow = lane / 4;
  unsigned fast = lane % 4 * 2 + half;
  return transposed ? fast * kSide + slow : slow * kSide + fast;
}

// Lane 8 m + r holds the address of row r of matrix m. imm: bit 63: store,
// bit 62: transposed; the offset below.
constexpr std::uint64_t kStore = std::uint64_t{1} << 63;
constexpr std::uint64_t kTransposed = std::uint64_t{1} << 62;

void run_matrix(Warp& w, const Operation& op, std::uint32_t mask) {
  const Access& access = w.kernel().accesses[op.list];
  bool store = (op.imm & kStore) != 0;
  bool transposed = (op.imm & kTransposed) != 0;
  auto matrices = static_cast<unsigned>(access.slots.size());
  Operation plain = op;
  plain.imm = op.imm & ~(kStore | kTransposed);
  std::uint64_t addresses[kLanes];
  lane_addresses(w, plain, access, addresses);
  std::uint32_t used =
      matrices == 4 ? kAllLanes : (std::uint32_t{1} << (matrices * kSide)) - 1;
  w.check_defined(op, op.a, mask & used, "an address");
  if (mask != kAllLanes)
    return w.fault(FaultKind::bad_barrier, op, mask,
                   "all 32 threads of the warp must take part");
  for (unsigned m = 0; m < matrices; ++m) {
    std::array<std::uint16_t, kSide * kSide> elements{};
    std::array<bool, kSide * kSide> defined{};
    std::uint32_t slot = access.slots[m];
    auto* words = w.slot<std::uint32_t>(slot);
    auto each = [&](auto f) {
      for (unsigned l = 0; l < kLanes; ++l)
        for (unsigned h = 0; h < 2; ++h) f(l, h, element_of(l, h, transposed));
    };
    if (store)
      each([&](unsigned l, unsigned h, unsigned at) {
        elements.at(at) = static_cast<std::uint16_t>(words[l] >> (16 * h));
        defined.at(at) = ((w.taint(slot) >> l) & 1U) == 0;
      });
    for (unsigned r = 0; r < kSide; ++r) {
      unsigned lane = m * kSide + r;
      auto place = resolve(w, op, access, lane, addresses[lane], kRowBytes,
                           store ? AccessKind::write : AccessKind::read);
      if (!place) return;
      for (unsigned c = 0; c < kSide; ++c) {
        unsigned at = r * kSide + c;
        std::byte* bytes = place->bytes + std::size_t{c} * 2;
        std::uint8_t* flags = place->defined + std::size_t{c} * 2;
        if (store) {
          std::memcpy(bytes, &elements.at(at), 2);
          std::memset(flags, defined.at(at) ? 1 : 0, 2);
        } else {
          std::memcpy(&elements.at(at), bytes, 2);
          defined.at(at) = flags[0] != 0 && flags[1] != 0;
        }
      }
    }
    if (store) continue;
    w.set_taint(slot, kAllLanes, 0);
    std::memset(words, 0, kLanes * sizeof *words);
    each([&](unsigned l, unsigned h, unsigned at) {
      words[l] |= std::uint32_t{elements.at(at)} << (16 * h);
      if (!defined.at(at)) w.set_taint(slot, std::uint32_t{1} << l, kAllLanes);
    });
  }
}

void matrix(Emitter& e, bool store) {
  const Instruction& i = e.instruction();
  if (!i.has("m8n8") || !i.has("b16")) e.refuse("this shape");
  Access access;
  access.space = space_of_access(i);
  access.bytes = 2;
  if (access.space != Space::shared && access.space != Space::generic)
    e.refuse("matrices lie in shared memory");
  const Operand& data = e.operand(store ? 1 : 0);
  std::vector<Operand> list = {data};
  if (data.kind == Operand::Kind::vector) list = data.elements;
  if (list.size() != 1 && list.size() != 2 && list.size() != 4)
    e.refuse("this number of matrices");
  for (const Operand& o : list) {
    access.slots.push_back(store ? e.source(o, 32) : e.destination(o, 32));
    access.widths.push_back(4);
  }
  MemoryOperand where = memory_operand(e, e.operand(store ? 0 : 1), access);
  e.note_grain(Space::shared, 2);
  std::uint32_t everybody = e.constant(kAllLanes, 32);
  Operation& op = e.emit_warp(run_matrix, OperationKind::sync);
  op.a = where.base;
  op.e = everybody;
  op.imm = (where.offset & ~(kStore | kTransposed)) | (store ? kStore : 0) |
           (i.has("trans") ? kTransposed : 0);
  op.list = e.add_access(std::move(access));
}

void ldmatrix(Emitter& e) { matrix(e, false); }
void stmatrix(Emitter& e) { matrix(e, true); }

}  // namespace

std::span<const Decoder> matrix_decoders() {
  static constexpr Decoder kTable[] = {{"ldmatrix", ldmatrix},
                                       {"stmatrix", stmatrix}};
  return kTable;
}

}  // namespace assay::ptx
