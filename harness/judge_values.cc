#include "harness/judge_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/float_bits.h"
#include "core/program_text.h"
#include "harness/show.h"

namespace assay {
namespace {

// Calls visit(output, element, admitted, error over bound, clause index).
template <class Visit>
void for_each_element(const Golden& golden, const std::vector<Tensor>& outputs,
                      Visit visit) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const GoldenOutput& want = golden.outputs[k];
    const DType t = want.type.dtype;
    const std::int64_t n = outputs[k].numel();
    for (std::int64_t i = 0; i < n; ++i) {
      const ElementSet& set = want.elements[static_cast<std::size_t>(i)];
      const std::uint64_t bits = outputs[k].bits(i);
      const bool admitted = admits(set, t, bits);
      // What is undefined has no error; what is admitted though its class is
      // another one (an overflow that the bound allows) is at the very end.
      double error = set.unspecified ? 0 : error_over_bound(want, i, bits);
      if (admitted && !std::isfinite(error)) error = 1;
      visit(static_cast<int>(k), i, admitted, error, set.clause);
    }
  }
}

std::string clause_of(const Golden& golden, int output, std::uint16_t index) {
  const auto& clauses =
      golden.outputs[static_cast<std::size_t>(output)].clauses;
  return index < clauses.size() ? clauses[index] : std::string("V1");
}

// "exp/A1 10, exp/S1 2", the most frequent first.
std::string counts(const std::map<std::string, std::int64_t>& wrong) {
  std::vector<std::pair<std::string, std::int64_t>> order(wrong.begin(),
                                                          wrong.end());
  std::stable_sort(
      order.begin(), order.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [clause, n] : order) {
    parts.push_back(fmt::format("{} {}", clause, n));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string metadata_fault(const Golden& golden,
                           const std::vector<Tensor>& outputs) {
  if (outputs.size() != golden.outputs.size()) {
    return fmt::format("returned {} output{} where {} {} due", outputs.size(),
                       outputs.size() == 1 ? "" : "s", golden.outputs.size(),
                       golden.outputs.size() == 1 ? "was" : "were");
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const TensorType& want = golden.outputs[k].type;
    const TensorType& got = outputs[k].type;
    if (got.dtype != want.dtype || got.sizes != want.sizes) {
      return fmt::format("out{}: {} where {} was due", k,
                         show_type(got.dtype, got.sizes),
                         show_type(want.dtype, want.sizes));
    }
  }
  return {};
}

void judge_values(const Golden& golden, const std::vector<Tensor>& inputs,
                  const std::vector<Tensor>& outputs, bool elementwise,
                  CaseResult* r) {
  std::map<std::string, std::int64_t> wrong;
  WrongElement worst;  // of the wrong ones, if any
  bool any_wrong = false;
  double largest = -1;  // over all elements
  for_each_element(golden, outputs,
                   [&](int k, std::int64_t i, bool admitted, double error,
                       std::uint16_t clause) {
                     ++r->elements;
                     if (std::isnan(error)) error = INFINITY;
                     if (!admitted) {
                       ++wrong[clause_of(golden, k, clause)];
                       if (!any_wrong || error > worst.error) {
                         worst = {k, i, error};
                         r->clause = clause_of(golden, k, clause);
                       }
                       any_wrong = true;
                       ++r->wrong_elements;
                     } else if (error > largest && !any_wrong) {
                       r->clause = clause_of(golden, k, clause);
                     }
                     largest = std::max(largest, error);
                   });
  r->error_over_bound = std::max(0.0, largest);
  r->status = any_wrong ? CellStatus::fail : CellStatus::pass;
  if (!any_wrong) return;
  r->error_over_bound = worst.error;
  const auto k = static_cast<std::size_t>(worst.output);
  const auto element = static_cast<std::size_t>(worst.element);
  const ElementSet& set = golden.outputs[k].elements[element];
  const DType t = golden.outputs[k].type.dtype;
  r->witness = make_witness(golden, inputs, outputs, elementwise, worst.output,
                            worst.element);
  const std::string distance =
      show_distance(set, t, outputs[k].bits(worst.element));
  r->reason = one_line(fmt::format(
      "out{}{}: got {}, admissible {}{}; {} of {} wrong: {}", worst.output,
      show_index(outputs[k].sizes(), worst.element), r->witness->got,
      r->witness->admissible, distance.empty() ? "" : ", " + distance,
      r->wrong_elements, r->elements, counts(wrong)));
}

Witness make_witness(const Golden& golden, const std::vector<Tensor>& inputs,
                     const std::vector<Tensor>& outputs, bool elementwise,
                     int output, std::int64_t element) {
  const auto k = static_cast<std::size_t>(output);
  const auto i = static_cast<std::size_t>(element);
  const GoldenOutput& want = golden.outputs[k];
  Witness w;
  w.output = output;
  w.element = element;
  w.got = show_bits(want.type.dtype, outputs[k].bits(element));
  w.admissible = show_set(want.elements[i], want.type.dtype);
  if (i < want.exact.size()) w.exact = show_number(want.exact[i]);
  if (elementwise) {
    w.inputs = show_operands(inputs, want.type.sizes, element);
  }
  return w;
}

std::vector<WrongElement> worst_elements(const Golden& golden,
                                         const std::vector<Tensor>& outputs,
                                         std::size_t limit) {
  std::vector<WrongElement> wrong;
  for_each_element(
      golden, outputs,
      [&](int k, std::int64_t i, bool admitted, double error, std::uint16_t) {
        if (!admitted) wrong.push_back({k, i, error});
      });
  std::stable_sort(wrong.begin(), wrong.end(),
                   [](const WrongElement& a, const WrongElement& b) {
                     return a.error > b.error;
                   });
  if (wrong.size() > limit) wrong.resize(limit);
  return wrong;
}

std::uint64_t hash_outputs(const std::vector<Tensor>& outputs) {
  std::string bytes;
  for (const Tensor& t : outputs) {
    bytes += show_type(t.dtype(), t.sizes());
    const bool floats = is_float(t.dtype());
    const auto width = static_cast<std::size_t>(size_bytes(t.dtype()));
    const std::int64_t n = t.numel();
    for (std::int64_t i = 0; i < n; ++i) {
      std::uint64_t bits = t.bits(i);
      if (floats && is_nan_bits(t.dtype(), bits)) {
        bits = quiet_nan_bits(t.dtype());
      }
      for (std::size_t b = 0; b < width; ++b) {
        bytes += static_cast<char>((bits >> (8 * b)) & 0xff);
      }
    }
  }
  return fnv1a(bytes);
}

}  // namespace assay
