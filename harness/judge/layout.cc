#include "harness/judge/layout.h"

#include <fmt/format.h>

#include <cstddef>

#include "core/text.h"
#include "suite/language/bind/layout.h"
#include "suite/language/bind/strides.h"

namespace assay::harness {

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
    if (!due || language::same_strides(sizes, got.strides, *due)) continue;
    return Nothing(
        LayoutFault{static_cast<int>(k),
                    fmt::format("strides {}, offset {}",
                                shape_text(got.strides), got.storage_offset),
                    fmt::format("strides {}", shape_text(*due))});
  }
  return Nothing();
}

}  // namespace assay::harness
