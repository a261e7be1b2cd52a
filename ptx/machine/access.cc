#include "ptx/machine/access.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

#include "ptx/machine/block.h"

namespace assay::ptx {
namespace {

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

const char* verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::read:
      return "reads";
    case AccessKind::write:
    case AccessKind::rewrite:
      return "writes";
    case AccessKind::atomic:
      return "updates";
  }
  return "";
}

std::uint32_t lane_bit(unsigned lane) { return std::uint32_t{1} << lane; }

// "reads 4 bytes at 128 of buffer x, which has 128 bytes"
std::string where(AccessKind kind, std::size_t bytes, std::uint64_t at,
                  const std::string& what, std::size_t size) {
  return std::string(verb(kind)) + " " + std::to_string(bytes) +
         " bytes at offset " + std::to_string(static_cast<std::int64_t>(at)) +
         " of " + what + ", which has " + std::to_string(size) + " bytes";
}

// A range of one buffer, all of it accessed by this warp.
void mark_global(Warp& warp, const Operation& op, std::uint32_t lanes,
                 std::size_t index, const Buffer& buffer, std::size_t offset,
                 std::size_t bytes, AccessKind kind) {
  RaceMarks* races = warp.block().workspace().races;
  // What nobody may write has no races.
  if (races == nullptr || kind == AccessKind::atomic || !buffer.writable)
    return;
  auto found = kind == AccessKind::read
                   ? races->read(index, buffer.bytes, offset, bytes,
                                 warp.block().index(), op.source)
                   : races->write(index, buffer.bytes, offset, bytes,
                                  warp.block().index(), op.source);
  if (!found) return;
  const Instruction& other = *warp.kernel().instructions[found->source];
  warp.fault(FaultKind::race, op, lanes,
             std::string(verb(kind)) + " offset " +
                 std::to_string(found->offset) + " of buffer " + buffer.name +
                 ", which another block accesses by " + other.full_opcode() +
                 " in line " + std::to_string(other.line) +
                 ", and nothing orders the two");
}

void mark_shared(Warp& warp, const Operation& op, unsigned lane,
                 std::size_t offset, std::size_t bytes, AccessKind kind) {
  SharedMarks* marks = warp.block().shared_marks();
  if (marks == nullptr || kind == AccessKind::atomic ||
      kind == AccessKind::rewrite)
    return;
  SharedMarks::Who me{warp.index(), op.source};
  std::uint32_t now = warp.block().generation();
  auto other = kind == AccessKind::read
                   ? marks->read(offset, bytes, me, now, warp.seen)
                   : marks->write(offset, bytes, me, now, warp.seen);
  if (!other) return;
  const Instruction& i = *warp.kernel().instructions[other->source];
  warp.fault(FaultKind::race, op, lane_bit(lane),
             std::string(verb(kind)) + " offset " + std::to_string(offset) +
                 " of shared memory, which warp " +
                 std::to_string(other->warp) + " accesses by " +
                 i.full_opcode() + " in line " + std::to_string(i.line) +
                 ", with no barrier between");
}

}  // namespace

void lane_addresses(Warp& warp, const Operation& op, const Access& access,
                    std::uint64_t* addresses) {
  if (access.address_is_32) {
    // Where addresses have 32 bits, so have their sums: compilers subtract
    // first and add the variable's offset last.
    const auto* base = warp.slot<std::uint32_t>(op.a);
    const auto offset = static_cast<std::uint32_t>(op.imm);
    for (unsigned l = 0; l < kLanes; ++l) addresses[l] = base[l] + offset;
  } else {
    const auto* base = warp.slot<std::uint64_t>(op.a);
    for (unsigned l = 0; l < kLanes; ++l) addresses[l] = base[l] + op.imm;
  }
}

std::optional<Place> resolve(Warp& warp, const Operation& op,
                             const Access& access, unsigned lane,
                             std::uint64_t address, std::size_t bytes,
                             AccessKind kind, std::size_t alignment) {
  auto fail = [&](FaultKind fault, const std::string& message) {
    warp.fault(fault, op, lane_bit(lane), message);
    return std::nullopt;
  };
  Space space = access.space;
  std::uint64_t region = address >> kRegionShift;
  if (space == Space::generic) {
    if (region == kSharedRegion) space = Space::shared;
    if (region == kLocalRegion) space = Space::local;
    if (space != Space::generic) address &= kRegionMask;
  }
  if (alignment == 0) alignment = bytes;
  if (address % alignment != 0)
    return fail(FaultKind::misaligned, std::string(verb(kind)) + " " +
                                           std::to_string(bytes) +
                                           " bytes at " + hex(address) +
                                           ", which is not a multiple of " +
                                           std::to_string(alignment));
  if (space == Space::shared) {
    std::span<std::byte> shared = warp.block().shared();
    if (address > shared.size() || bytes > shared.size() - address)
      return fail(FaultKind::out_of_bounds,
                  where(kind, bytes, address, "shared memory", shared.size()));
    mark_shared(warp, op, lane, address, bytes, kind);
    return Place{shared.data() + address,
                 warp.block().shared_defined().data() + address};
  }
  if (space == Space::local || space == Space::param) {
    std::span<std::byte> local = warp.block().local(warp.index(), lane);
    if (address > local.size() || bytes > local.size() - address)
      return fail(FaultKind::out_of_bounds,
                  where(kind, bytes, address, "local memory", local.size()));
    return Place{local.data() + address,
                 warp.block().local_defined(warp.index(), lane) + address};
  }
  Memory& memory = *warp.block().launch().memory;
  Buffer* buffer = memory.find(address);
  if (buffer == nullptr)
    return fail(FaultKind::out_of_bounds,
                std::string(verb(kind)) + " " + std::to_string(bytes) +
                    " bytes at " + hex(address) + ", where no buffer is");
  std::uint64_t offset = address & kRegionMask;
  if (offset > buffer->bytes || bytes > buffer->bytes - offset)
    return fail(
        FaultKind::out_of_bounds,
        where(kind, bytes, offset, "buffer " + buffer->name, buffer->bytes));
  if (kind != AccessKind::read && !buffer->writable)
    return fail(FaultKind::read_only, std::string(verb(kind)) + " buffer " +
                                          buffer->name + ", which is constant");
  mark_global(warp, op, lane_bit(lane), Memory::index_of(address), *buffer,
              offset, bytes, kind);
  return Place{buffer->data + offset, buffer->defined.empty()
                                          ? nullptr
                                          : buffer->defined.data() + offset};
}

namespace {

// All lanes of a mask that access neighbouring elements of one buffer.
struct Run {
  Buffer* buffer = nullptr;
  std::byte* first = nullptr;  // of lane `begin`
  std::uint8_t* defined = nullptr;
  unsigned begin = 0;
  unsigned count = 0;
};

std::optional<Run> contiguous(Warp& warp, const Operation& op,
                              const Access& access,
                              const std::uint64_t* addresses,
                              std::uint32_t mask, std::size_t stride,
                              AccessKind kind) {
  auto begin = static_cast<unsigned>(std::countr_zero(mask));
  auto end = kLanes - static_cast<unsigned>(std::countl_zero(mask));
  std::uint32_t dense =
      (end == kLanes ? kAllLanes : lane_bit(end) - 1) & ~(lane_bit(begin) - 1);
  if (mask != dense || access.space == Space::shared ||
      access.space == Space::local || access.space == Space::param)
    return std::nullopt;
  std::uint64_t base = addresses[begin];
  std::uint64_t wrong = base % stride;
  for (unsigned l = begin; l < end; ++l)
    wrong |= addresses[l] ^ (base + (l - begin) * stride);
  if (wrong != 0) return std::nullopt;
  Buffer* buffer = warp.block().launch().memory->find(base);
  std::uint64_t offset = base & kRegionMask;
  std::size_t bytes = (end - begin) * stride;
  if (buffer == nullptr || offset > buffer->bytes ||
      bytes > buffer->bytes - offset ||
      (kind == AccessKind::write && !buffer->writable))
    return std::nullopt;
  mark_global(warp, op, mask, Memory::index_of(base), *buffer, offset, bytes,
              kind);
  return Run{
      buffer, buffer->data + offset,
      buffer->defined.empty() ? nullptr : buffer->defined.data() + offset,
      begin, end - begin};
}

std::uint64_t load_element(const std::byte* from, const Access& access) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, access.bytes);
  if (access.sign_extend) {
    unsigned shift = 64 - 8 * access.bytes;
    value = static_cast<std::uint64_t>(
        static_cast<std::int64_t>(value << shift) >> shift);
  }
  return value;
}

void set_lane(Warp& warp, std::uint32_t slot, unsigned width, unsigned lane,
              std::uint64_t value) {
  std::memcpy(warp.slot<std::byte>(slot) + std::size_t{lane} * width, &value,
              width);
}

bool any_undefined(const std::uint8_t* flags, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (flags[i] == 0) return true;
  return false;
}

template <class T>
void load_strided(Warp& warp, const Run& run, std::uint32_t slot,
                  std::size_t element, std::size_t per_lane) {
  T* to = warp.slot<T>(slot) + run.begin;
  const std::byte* from = run.first + element * sizeof(T);
  if (per_lane == 1) {
    std::memcpy(to, from, run.count * sizeof(T));
    return;
  }
  for (unsigned i = 0; i < run.count; ++i)
    std::memcpy(to + i, from + i * per_lane * sizeof(T), sizeof(T));
}

void load_run(Warp& warp, const Access& access, const Run& run,
              std::uint32_t mask) {
  std::size_t per_lane = access.slots.size();
  for (std::size_t e = 0; e < per_lane; ++e) {
    std::uint32_t slot = access.slots[e];
    unsigned width = access.widths[e];
    if (width == access.bytes && width == 4) {
      load_strided<std::uint32_t>(warp, run, slot, e, per_lane);
    } else if (width == access.bytes && width == 2) {
      load_strided<std::uint16_t>(warp, run, slot, e, per_lane);
    } else if (width == access.bytes && width == 8) {
      load_strided<std::uint64_t>(warp, run, slot, e, per_lane);
    } else {
      for (unsigned i = 0; i < run.count; ++i)
        set_lane(warp, slot, width, run.begin + i,
                 load_element(run.first + (i * per_lane + e) * access.bytes,
                              access));
    }
    std::uint32_t undefined = 0;
    if (run.defined != nullptr)
      for (unsigned i = 0; i < run.count; ++i)
        if (any_undefined(run.defined + (i * per_lane + e) * access.bytes,
                          access.bytes))
          undefined |= lane_bit(run.begin + i);
    warp.set_taint(slot, mask, undefined);
  }
}

template <class T>
void store_strided(Warp& warp, const Run& run, std::uint32_t slot,
                   std::size_t element, std::size_t per_lane) {
  const T* from = warp.slot<T>(slot) + run.begin;
  std::byte* to = run.first + element * sizeof(T);
  if (per_lane == 1) {
    std::memcpy(to, from, run.count * sizeof(T));
    return;
  }
  for (unsigned i = 0; i < run.count; ++i)
    std::memcpy(to + i * per_lane * sizeof(T), from + i, sizeof(T));
}

void store_run(Warp& warp, const Access& access, const Run& run) {
  std::size_t per_lane = access.slots.size();
  for (std::size_t e = 0; e < per_lane; ++e) {
    std::uint32_t slot = access.slots[e];
    unsigned width = access.widths[e];
    if (width == access.bytes && width == 4) {
      store_strided<std::uint32_t>(warp, run, slot, e, per_lane);
    } else if (width == access.bytes && width == 2) {
      store_strided<std::uint16_t>(warp, run, slot, e, per_lane);
    } else if (width == access.bytes && width == 8) {
      store_strided<std::uint64_t>(warp, run, slot, e, per_lane);
    } else {
      for (unsigned i = 0; i < run.count; ++i)
        std::memcpy(
            run.first + (i * per_lane + e) * access.bytes,
            warp.slot<std::byte>(slot) + std::size_t{run.begin + i} * width,
            access.bytes);
    }
  }
  if (run.defined == nullptr) return;
  std::memset(run.defined, 1, run.count * per_lane * access.bytes);
  for (std::size_t e = 0; e < per_lane; ++e) {
    std::uint32_t taint = warp.taint(access.slots[e]);
    for (unsigned i = 0; taint != 0 && i < run.count; ++i)
      if (((taint >> (run.begin + i)) & 1U) != 0)
        std::memset(run.defined + (i * per_lane + e) * access.bytes, 0,
                    access.bytes);
  }
}

}  // namespace

void run_load(Warp& warp, const Operation& op, std::uint32_t mask) {
  const Access& access = warp.kernel().accesses[op.list];
  warp.check_defined(op, op.a, mask, "an address");
  if (access.is_volatile && warp.block().workspace().order != nullptr)
    warp.block().workspace().order->acquire(warp.block().index());
  std::uint64_t addresses[kLanes];
  lane_addresses(warp, op, access, addresses);
  std::size_t stride = access.bytes * access.slots.size();
  if (auto run = contiguous(warp, op, access, addresses, mask, stride,
                            AccessKind::read))
    return load_run(warp, access, *run, mask);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(rest));
    auto place =
        resolve(warp, op, access, lane, addresses[lane], stride,
                access.is_volatile ? AccessKind::atomic : AccessKind::read);
    if (!place) return;
    for (std::size_t e = 0; e < access.slots.size(); ++e) {
      std::size_t at = e * access.bytes;
      set_lane(warp, access.slots[e], access.widths[e], lane,
               load_element(place->bytes + at, access));
      bool bad = place->defined != nullptr &&
                 any_undefined(place->defined + at, access.bytes);
      warp.set_taint(access.slots[e], lane_bit(lane), bad ? kAllLanes : 0);
    }
  }
}

// Whether the store leaves shared memory as it is. Compilers let several warps
// write one value to one place, and then their order does not matter. (Of
// global memory this would depend on how the host's threads run.)
static bool changes_nothing(Warp& warp, const Access& access, unsigned lane,
                            std::uint64_t address) {
  if (access.space == Space::generic &&
      address >> kRegionShift == kSharedRegion)
    address &= kRegionMask;
  else if (access.space != Space::shared)
    return false;
  std::span<std::byte> shared = warp.block().shared();
  const std::size_t bytes = access.bytes * access.slots.size();
  if (address > shared.size() || bytes > shared.size() - address) return false;
  const Place place{shared.data() + address,
                    warp.block().shared_defined().data() + address};
  for (std::size_t e = 0; e < access.slots.size(); ++e) {
    const std::size_t at = e * access.bytes;
    if (any_undefined(place.defined + at, access.bytes) ||
        (warp.taint(access.slots[e]) & lane_bit(lane)) != 0 ||
        std::memcmp(place.bytes + at,
                    warp.slot<std::byte>(access.slots[e]) +
                        std::size_t{lane} * access.widths[e],
                    access.bytes) != 0)
      return false;
  }
  return true;
}

void run_store(Warp& warp, const Operation& op, std::uint32_t mask) {
  const Access& access = warp.kernel().accesses[op.list];
  warp.check_defined(op, op.a, mask, "an address");
  std::uint64_t addresses[kLanes];
  lane_addresses(warp, op, access, addresses);
  bool is_global =
      access.space == Space::global ||
      (access.space == Space::generic &&
       addresses[std::countr_zero(mask)] >> kRegionShift >= kFirstBufferRegion);
  if (is_global)
    for (std::uint32_t slot : access.slots)
      warp.check_defined(op, slot, mask, "what is stored");
  std::size_t stride = access.bytes * access.slots.size();
  if (auto run = contiguous(warp, op, access, addresses, mask, stride,
                            AccessKind::write))
    return store_run(warp, access, *run);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(rest));
    auto kind = access.is_volatile ? AccessKind::atomic : AccessKind::write;
    if (kind == AccessKind::write &&
        changes_nothing(warp, access, lane, addresses[lane]))
      kind = AccessKind::rewrite;
    auto place = resolve(warp, op, access, lane, addresses[lane], stride, kind);
    if (!place) return;
    for (std::size_t e = 0; e < access.slots.size(); ++e) {
      std::size_t at = e * access.bytes;
      std::memcpy(place->bytes + at,
                  warp.slot<std::byte>(access.slots[e]) +
                      std::size_t{lane} * access.widths[e],
                  access.bytes);
      bool bad = (warp.taint(access.slots[e]) & lane_bit(lane)) != 0;
      if (place->defined != nullptr)
        std::memset(place->defined + at, bad ? 0 : 1, access.bytes);
    }
  }
  if (access.is_volatile && warp.block().workspace().order != nullptr)
    warp.block().workspace().order->release(warp.block().index());
}

}  // namespace assay::ptx
