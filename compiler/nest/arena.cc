#include "compiler/nest/arena.h"

#include <algorithm>
#include <numeric>

namespace assay::compiler {
namespace {

// Numbers of the first and the last kernel that touch a buffer.
struct Life {
  int first = -1, last = -1;
};

std::vector<Life> lives_of(const Nest& nest) {
  std::vector<Life> lives(nest.buffers.size());
  for (std::size_t k = 0; k < nest.kernels.size(); ++k) {
    const auto touch = [&](int b) {
      if (b < 0) return;
      Life& life = lives[static_cast<std::size_t>(b)];
      if (life.first < 0) life.first = static_cast<int>(k);
      life.last = static_cast<int>(k);
    };
    if (const auto* loops = std::get_if<LoopKernel>(&nest.kernels[k])) {
      for (const Value& v : loops->values) touch(v.buffer);
      for (const Stage& s : loops->stages) touch(s.buffer);
    } else {
      const auto& node = std::get<NodeKernel>(nest.kernels[k]);
      for (const BufferView& v : node.operands) touch(v.buffer);
      touch(node.result);
    }
  }
  return lives;
}

std::int64_t bytes_of(const Buffer& b) {
  const std::int64_t bytes = b.type.span() * size_bytes(b.type.dtype);
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

}  // namespace

ArenaPlan plan_arena(const Nest& nest) {
  const std::vector<Life> lives = lives_of(nest);
  ArenaPlan plan;
  plan.offsets.assign(nest.buffers.size(), -1);
  std::vector<std::size_t> order;
  for (std::size_t b = 0; b < nest.buffers.size(); ++b) {
    if (nest.buffers[b].kind == Buffer::Kind::temporary) order.push_back(b);
  }
  // The largest first, each at the lowest place that is free all its life.
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return bytes_of(nest.buffers[a]) > bytes_of(nest.buffers[b]);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t b = order[i];
    const std::int64_t size = bytes_of(nest.buffers[b]);
    std::vector<std::pair<std::int64_t, std::int64_t>> taken;
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t other = order[j];
      if (lives[b].first <= lives[other].last &&
          lives[other].first <= lives[b].last) {
        taken.emplace_back(plan.offsets[other], bytes_of(nest.buffers[other]));
      }
    }
    std::sort(taken.begin(), taken.end());
    std::int64_t at = 0;
    for (const auto& [from, length] : taken) {
      if (at + size <= from) break;
      at = std::max(at, from + length);
    }
    plan.offsets[b] = at;
    plan.bytes = std::max(plan.bytes, at + size);
  }
  return plan;
}

}  // namespace assay::compiler
