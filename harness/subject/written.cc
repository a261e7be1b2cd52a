#include "harness/subject/written.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/float_bits.h"

namespace assay::harness {
namespace {

// The first element that differs; any NaN is like another.
std::optional<std::int64_t> difference(const Tensor& a, const Tensor& b) {
  const DType t = a.dtype();
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const std::uint64_t x = a.bits(i), y = b.bits(i);
    const bool both_nan = is_float(t) && is_nan_bits(t, x) && is_nan_bits(t, y);
    if (x != y && !both_nan) return i;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> write_breaches(const Program& program,
                                        const InputWrites& due,
                                        const std::vector<Tensor>& after,
                                        const std::vector<Tensor>& outputs) {
  std::vector<std::string> found;
  for (std::size_t n = 0; n < due.size(); ++n) {
    if (!due[n]) continue;
    const ValueRef input{static_cast<int>(n)};
    const auto& outputs_of = program.outputs;
    auto at = std::find(outputs_of.begin(), outputs_of.end(), input);
    if (at == outputs_of.end() && due[n]->whole) {
      at = std::find(outputs_of.begin(), outputs_of.end(), due[n]->by);
    }
    const auto k = static_cast<std::size_t>(at - program.outputs.begin());
    if (at == program.outputs.end() || k >= outputs.size()) continue;
    const Tensor now = components(after.at(n));
    const Tensor returned = components(outputs[k]);
    if (now.dtype() != returned.dtype() || now.sizes() != returned.sizes()) {
      continue;
    }
    const auto element = difference(now, returned);
    if (!element) continue;
    found.push_back(fmt::format(
        "M3: input {} does not hold what {} returned: element {} is {:#x} and "
        "not {:#x}",
        n, program.node(due[n]->by).op, *element, now.bits(*element),
        returned.bits(*element)));
  }
  return found;
}

}  // namespace assay::harness
