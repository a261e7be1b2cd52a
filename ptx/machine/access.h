// Loads and stores of all state spaces. Every access is checked for bounds
// and alignment, undefined bytes are followed into registers and back, and
// races are looked for.
#ifndef ASSAY_PTX_MACHINE_ACCESS_H_
#define ASSAY_PTX_MACHINE_ACCESS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ptx/machine/warp.h"

namespace assay::ptx {

// WarpRuns: a: slot of addresses; imm: offset; list: the Access.
void run_load(Warp& warp, const Operation& op, std::uint32_t mask);
void run_store(Warp& warp, const Operation& op, std::uint32_t mask);

// A rewrite leaves the bytes as they are: it has no races.
enum class AccessKind : std::uint8_t { read, write, rewrite, atomic };

// One thread's access: host memory behind `address` and its flags. None after
// a fault. Marks are set unless the access is atomic. alignment: that of the
// address, if it is not `bytes`.
struct Place {
  std::byte* bytes = nullptr;
  std::uint8_t* defined = nullptr;  // null: all of it is
};
std::optional<Place> resolve(Warp& warp, const Operation& op,
                             const Access& access, unsigned lane,
                             std::uint64_t address, std::size_t bytes,
                             AccessKind kind, std::size_t alignment = 0);

// Addresses of all lanes, offset included.
void lane_addresses(Warp& warp, const Operation& op, const Access& access,
                    std::uint64_t* addresses);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_MACHINE_ACCESS_H_
