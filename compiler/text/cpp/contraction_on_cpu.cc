#include "compiler/text/cpp/contraction_on_cpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "compiler/text/ceil_div.h"
#include "compiler/text/cpp/convolve_plan.h"
#include "compiler/text/cpp/matmul_class.h"

namespace assay::compiler {
namespace {

// A product of fewer rows than these is parted by its columns.
constexpr std::int64_t kRowsToPart = 32;
constexpr std::int64_t kColumnsOfPart = 512;

// a_scan_width and a_scatter_width of the text.
constexpr std::int64_t kScanWidth = 16;
constexpr std::int64_t kScatterWidth = 256;

}  // namespace

ContractionCall contraction_on_cpu(const NodeKernel& k) {
  const Shape& out = k.node.type.sizes;
  ContractionCall how = contraction_call(k.node);
  if (k.node.op == Op::scan) {
    how.math.push_back("scan_loops");
    how.function += "_loops";
    how.parts = out[2] == 1 ? ceil_div(out[0], kScanWidth)
                            : out[0] * ceil_div(out[2], kScanWidth);
    return how;
  }
  if (k.node.op == Op::scatter) {
    how.math.push_back("scatter_loops");
    how.function += "_loops";
    how.parts = out[0] * ceil_div(out[2], kScatterWidth);
    return how;
  }
  if (k.node.op == Op::order) {
    how.math.push_back("order_loops");
    how.function += "_loops";
    how.parts = out[1];
    return how;
  }
  const auto by_vectors = [&](std::string_view file, const Shape& parameters) {
    how.math.insert(how.math.end(), {"microkernel", "pack", file});
    how.parameters = fmt::format(", {}", fmt::join(parameters, ", "));
  };
  const auto by_loops = [&](std::int64_t count) {
    how.math.push_back("contract_loops");
    how.parts = count;
  };
  const bool floats =
      is_wide_float(k.node.type.dtype) && element_count(out) > 0;
  if (k.node.op == Op::matmul && floats) {
    const bool across = out[1] < kRowsToPart;
    const ProductExtents like = cut_alike({out[1], out[2]}, k.node.type.dtype);
    by_vectors("matmul_panels",
               {like.rows, like.columns, across ? kColumnsOfPart : 0});
    how.parts = out[0] * (across ? ceil_div(out[2], kColumnsOfPart) : out[1]);
  } else if (k.node.op == Op::matmul) {
    by_loops(out[0] * out[1]);
  } else if (k.node.op == Op::convolve) {
    const auto plan = floats ? plan_bands(k) : std::nullopt;
    if (plan) {
      by_vectors("convolve_bands",
                 {out[1] / k.node.attr[kGroups], plan->height, plan->width,
                  plan->depth, plan->room, plan->span});
      how.parts = plan->bands;
    } else {
      by_loops(out[0] * out[1] * out[2]);
    }
  } else {
    by_loops(out[0] * out[1] * out[2]);
  }
  if (how.parameters.empty()) how.function += "_loops";
  return how;
}

}  // namespace assay::compiler
