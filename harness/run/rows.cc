#include "harness/run/rows.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "harness/judge/coherence.h"
#include "suite/cases/rows.h"

namespace assay::harness {
namespace {

using Kind = Observation::Kind;

// How a row by itself differs from the same row of `whole`; empty if it does
// not.
std::string row_fault(const cases::RowQuestion& q,
                      const std::vector<Tensor>& whole,
                      const Observation& alone) {
  if (alone.kind == Kind::raised) {
    return fmt::format("row {} alone raised {}", q.row, alone.error.exception);
  }
  if (alone.outputs.size() != whole.size()) {
    return fmt::format("row {} alone returned something else", q.row);
  }
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const int dimension = q.dimensions[k];
    const Tensor due = components(cases::row_of(whole[k], dimension, q.row));
    const Tensor got = components(alone.outputs[k]);
    if (got.dtype() != due.dtype() || got.sizes() != due.sizes()) {
      return fmt::format("output {} is of another type for row {} alone", k,
                         q.row);
    }
    for (std::int64_t i = 0; i < due.numel(); ++i) {
      if (same_element(due.dtype(), got.bits(i), due.bits(i))) continue;
      return fmt::format(
          "output {}, row {} of dimension {}, element {}: {:#x}, and {:#x} "
          "where the row is alone",
          k, q.row, dimension, i, due.bits(i), got.bits(i));
    }
  }
  return {};
}

}  // namespace

void ask_rows(const language::SpecSet& specs, const Program& program,
              const std::vector<Tensor>& inputs, bool needs_types,
              std::chrono::milliseconds deadline, Executor& executor,
              Observation* seen) {
  if (seen->kind != Kind::returned || !seen->breaches.empty() ||
      seen->outputs.size() != program.outputs.size()) {
    return;
  }
  for (const cases::RowQuestion& q :
       cases::row_questions(specs, program, inputs)) {
    std::vector<TensorType> types;
    for (std::size_t k = 0; needs_types && k < seen->outputs.size(); ++k) {
      Shape sizes = seen->outputs[k].sizes();
      sizes[static_cast<std::size_t>(q.dimensions[k])] = 1;
      types.push_back(
          TensorType::contiguous(seen->outputs[k].dtype(), std::move(sizes)));
    }
    Observation alone = executor.run(q.program, q.inputs, types, deadline);
    seen->seconds += alone.seconds;
    if (alone.kind == Kind::unsupported) continue;
    if (alone.kind != Kind::returned && alone.kind != Kind::raised) {
      alone.detail = fmt::format("one row alone: {}", alone.detail);
      *seen = std::move(alone);
      return;
    }
    const std::string fault = row_fault(q, seen->outputs, alone);
    if (fault.empty()) continue;
    seen->breaches.push_back("D2: " + fault);
    return;
  }
}

}  // namespace assay::harness
