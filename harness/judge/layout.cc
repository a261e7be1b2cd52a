#include "harness/judge/layout.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "core/text.h"
#include "core/writes.h"
#include "suite/language/bind/layout.h"
#include "suite/language/bind/strides.h"

namespace assay::harness {
namespace {

// Is it certain to lie in memory of its own?
bool is_new(const Program& program, ValueRef value) {
  if (!program.is_node(value)) return false;
  const Storages storages(program);
  return storages.root(value.id) == value.id && storages.is_sure(value.id);
}

std::string lies(const Shape& strides, std::int64_t offset) {
  return fmt::format("strides {}, offset {}", shape_text(strides), offset);
}

}  // namespace

Result<std::optional<LayoutFault>> layout_fault(
    const language::SpecSet& specs, const Program& program,
    const Observation& observation) {
  using Nothing = std::optional<LayoutFault>;
  if (observation.layouts.size() != program.outputs.size()) return Nothing();
  const auto promised = language::promised_strides(specs, program);
  if (!promised) return promised.error();
  for (std::size_t k = 0; k < promised->size(); ++k) {
    const language::Strides& due = (*promised)[k];
    const ReturnedLayout& got = observation.layouts[k];
    const Shape& sizes = observation.outputs[k].sizes();
    const auto fault = [&](const std::string& promise) {
      return Nothing(LayoutFault{
          static_cast<int>(k), lies(got.strides, got.storage_offset), promise});
    };
    // What promises no strides may copy an operand's storage whole, so that
    // its result begins where the operand does.
    if (!due) continue;
    if (!language::same_strides(sizes, got.strides, *due)) {
      return fault("strides " + shape_text(*due));
    }
    // What a view's offset is its elements show.
    if (got.storage_offset != 0 && is_new(program, program.outputs[k])) {
      return fault(lies(*due, 0));
    }
  }
  return Nothing();
}

}  // namespace assay::harness
