#include "harness/judge/quality.h"

#include <fmt/format.h>

#include <cmath>

#include "core/float_bits.h"
#include "core/text.h"
#include "harness/judge/show.h"

namespace assay::harness {
namespace {

std::optional<QualityFault> beyond_tree(const reference::GoldenOutput& golden,
                                        const Tensor& got, std::size_t k) {
  double worst = 1;
  std::size_t at = 0;
  for (std::size_t i = 0; i < golden.tree.size(); ++i) {
    const double x = got.number(static_cast<std::int64_t>(i));
    if (golden.tree[i] == 0 || !std::isfinite(x)) continue;
    const double times = std::fabs(x - golden.exact[i]) / golden.tree[i];
    if (times > worst) {
      worst = times;
      at = i;
    }
  }
  if (worst <= 1) return std::nullopt;
  const auto element = static_cast<std::int64_t>(at);
  return QualityFault{
      golden.clauses[golden.elements[at].clause],
      fmt::format("conforms, but out{}{} has {:.3g} times the error that the "
                  "declared tree can have",
                  k, index_text(got.sizes(), element), worst)};
}

std::optional<QualityFault> bad_statistics(
    const reference::GoldenOutput& golden, const Tensor& got, std::size_t k,
    bool unbiased) {
  double sum = 0, squares = 0;
  std::size_t results = 0;
  std::uint16_t clause = 0;
  for (std::size_t i = 0; i < golden.spread.size(); ++i) {
    const double x = got.number(static_cast<std::int64_t>(i));
    if (golden.spread[i] == 0 || !std::isfinite(x)) continue;
    const double e = (x - golden.exact[i]) / golden.spread[i];
    sum += e;
    squares += e * e;
    ++results;
    clause = golden.elements[i].clause;
  }
  if (results < kLeastResults) return std::nullopt;
  const auto n = static_cast<double>(results);
  const double most_squares = 0.4 * n, most_sum = 2 * std::sqrt(n);
  const auto fault = [&](const char* what, double value, double most) {
    return QualityFault{
        golden.clauses[clause],
        fmt::format("conforms, but the {} of the {} errors in out{} is {:.3g} "
                    "times the largest that rounding to nearest makes "
                    "plausible",
                    what, results, k, value / most)};
  };
  if (squares > most_squares) return fault("variance", squares, most_squares);
  if (unbiased && std::fabs(sum) > most_sum) {
    return fault("bias", std::fabs(sum), most_sum);
  }
  return std::nullopt;
}

}  // namespace

std::optional<QualityFault> quality_fault(const reference::Golden& golden,
                                          const std::vector<Tensor>& outputs,
                                          bool unbiased) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const reference::GoldenOutput& want = golden.outputs[k];
    const Tensor got = components(outputs[k]);
    if (auto fault = beyond_tree(want, got, k)) return fault;
    if (auto fault = bad_statistics(want, got, k, unbiased)) {
      return fault;
    }
  }
  return std::nullopt;
}

}  // namespace assay::harness
