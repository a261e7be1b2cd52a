#include "compiler/text/cpp/convolve_plan.h"

#include <algorithm>
#include <numeric>

#include "compiler/text/ceil_div.h"

namespace assay::compiler {
namespace {

constexpr std::int64_t kRoomBytes = 1 << 18;  // half of a small L2 cache
constexpr std::int64_t kBandResults = 512;    // enough to reuse weights,
constexpr std::int64_t kBandSums = 4096;      // or, of few channels, so many
constexpr std::int64_t kDepth = 256;
constexpr std::int64_t kNarrowest = 16;

// `extent` in as few parts of at most `most` as there can be, all alike.
std::int64_t even_part(std::int64_t extent, std::int64_t most) {
  return ceil_div(extent, ceil_div(extent, most));
}

// As a_axis of the text.
struct Axis {
  std::int64_t phases, extra;
  Axis(std::int64_t stride, std::int64_t dilation, std::int64_t taps)
      : phases(taps > 1 ? stride / std::gcd(stride, dilation) : 1),
        extra((taps - 1) * dilation / stride) {}
};

}  // namespace

std::optional<BandPlan> plan_bands(const NodeKernel& k) {
  const Shape& out = k.node.type.sizes;
  const Shape& w = k.operand_sizes[1];
  const Shape& attr = k.node.attr;
  if (element_count(out) == 0 || element_count(w) == 0) return std::nullopt;
  const Axis down(attr[kStrideH], attr[kDilationH], w[2]);
  const Axis across(attr[kStrideW], attr[kDilationW], w[3]);
  const std::int64_t taps = w[2] * w[3];
  const std::int64_t block = k.node.order.block;
  const std::int64_t most = kRoomBytes / size_bytes(k.node.type.dtype);
  BandPlan plan;
  const std::int64_t results =
      std::max(kBandResults, kBandSums * attr[kGroups] / out[1]);
  plan.width = even_part(out[3], kBandResults);
  plan.height = even_part(
      out[2], std::max<std::int64_t>(results / (plan.width + across.extra), 1));
  plan.depth = std::max(kDepth / block, std::int64_t{1}) * block;
  for (;;) {
    // Terms in sequence may begin and end in the middle of a channel.
    const std::int64_t channels =
        std::min(w[1], (plan.depth + taps - 2) / taps + 1);
    plan.room = channels * down.phases * across.phases *
                (plan.height + down.extra) * (plan.width + across.extra);
    if (plan.room <= most) break;
    if (plan.height > 1) {
      plan.height = ceil_div(plan.height, 2);
    } else if (plan.depth > block) {
      plan.depth = ceil_div(plan.depth / block, 2) * block;
    } else if (plan.width > kNarrowest) {
      plan.width = ceil_div(plan.width, 2);
    } else {
      return std::nullopt;
    }
  }
  plan.span = (plan.height - 1) * (plan.width + across.extra) + plan.width;
  plan.bands = out[0] * attr[kGroups] * ceil_div(out[2], plan.height) *
               ceil_div(out[3], plan.width);
  return plan;
}

}  // namespace assay::compiler
