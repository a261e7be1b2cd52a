#include "ptx/decode/calls.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "ptx/machine/block.h"
#include "ptx/machine/printf.h"
#include "ptx/machine/warp.h"

namespace assay::ptx {
namespace {

// Reads what a device pointer points at, up to a NUL.
std::string string_at(Warp& w, std::uint64_t address) {
  Buffer* buffer = w.block().launch().memory->find(address);
  std::string text;
  if (buffer == nullptr) return text;
  for (std::uint64_t at = address & kRegionMask; at < buffer->bytes; ++at) {
    char c = static_cast<char>(buffer->data[at]);
    if (c == '\0') break;
    text += c;
  }
  return text;
}

// Arguments lie in the thread's local memory, at offsets in the kernel's
// lists from op.list on.
std::uint64_t argument(Warp& w, const Operation& op, unsigned lane,
                       unsigned number, std::size_t bytes) {
  std::uint64_t value = 0;
  std::uint32_t at = w.kernel().lists[op.list + number];
  std::memcpy(&value, w.block().local(w.index(), lane).data() + at, bytes);
  return value;
}

// __assertfail(message, file, line, function, size of a character)
void run_assertfail(Warp& w, const Operation& op, std::uint32_t mask) {
  auto lane = static_cast<unsigned>(std::countr_zero(mask));
  std::string message = string_at(w, argument(w, op, lane, 0, 8));
  std::string file = string_at(w, argument(w, op, lane, 1, 8));
  auto line = static_cast<std::uint32_t>(argument(w, op, lane, 2, 4));
  std::string function = string_at(w, argument(w, op, lane, 3, 8));
  w.fault(FaultKind::assertion, op, mask,
          message + " (" + file + ":" + std::to_string(line) + ", " + function +
              ")");
}

// vprintf(format, arguments) -> count of arguments
void run_vprintf(Warp& w, const Operation& op, std::uint32_t mask) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::string format = string_at(w, argument(w, op, lane, 0, 8));
    std::uint64_t values = argument(w, op, lane, 1, 8);
    std::span<const std::byte> bytes;
    auto local = w.block().local(w.index(), lane);
    if (values >> kRegionShift == kLocalRegion &&
        (values & kRegionMask) < local.size())
      bytes = local.subspan(values & kRegionMask);
    w.block().printed() += format_values(
        format, bytes, [&](std::uint64_t p) { return string_at(w, p); });
    if (op.imm == 0) continue;
    std::uint32_t result = 0;
    std::uint32_t at = w.kernel().lists[op.list + 2];
    std::memcpy(local.data() + at, &result, sizeof result);
    std::memset(w.block().local_defined(w.index(), lane) + at, 1,
                sizeof result);
  }
}

}  // namespace

bool decode_system_call(Emitter& e, std::string_view name,
                        const Operand* results, const Operand* arguments) {
  bool is_assert = name == "__assertfail";
  if (!is_assert && name != "vprintf") return false;
  std::size_t needed = is_assert ? 4 : 2;
  if (arguments == nullptr || arguments->elements.size() < needed)
    e.refuse("too few arguments");
  auto list = static_cast<std::uint32_t>(e.kernel().lists.size());
  auto place = [&](const Operand& o) {
    auto variable = e.find_variable(o.name);
    if (!variable || variable->kind != Emitter::Binding::Kind::local)
      e.refuse("arguments must be .param variables");
    e.kernel().lists.push_back(static_cast<std::uint32_t>(variable->offset));
  };
  for (std::size_t i = 0; i < needed; ++i) place(arguments->elements[i]);
  bool has_result = results != nullptr && !results->elements.empty();
  if (has_result) place(results->elements[0]);
  Operation& op = e.emit_warp(is_assert ? run_assertfail : run_vprintf);
  op.list = list;
  op.imm = has_result ? 1 : 0;
  return true;
}

}  // namespace assay::ptx
