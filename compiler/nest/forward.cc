#include "compiler/nest/forward.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/nest/needed.h"

namespace assay::compiler {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The value that `load` gets of what stages before number `end` have stored: of
// the last that writes to its buffer, if that is the same place.
std::optional<int> stored_value(const LoopKernel& k, const Value& load,
                                std::size_t end) {
  for (std::size_t s = end; s-- > 0;) {
    const Stage& stage = k.stages[s];
    if (stage.buffer != load.buffer) continue;
    if (stage.kind != Stage::Kind::point || !(stage.at == load.at) ||
        k.values[at(stage.value)].dtype != load.dtype) {
      return std::nullopt;
    }
    return stage.value;
  }
  return std::nullopt;
}

// Whether what a load finds in stage `first` may be gone in stage `last`.
bool writes_between(const LoopKernel& k, int buffer, std::size_t first,
                    std::size_t last) {
  for (std::size_t s = first; s < last; ++s) {
    if (k.stages[s].buffer == buffer) return true;
  }
  return false;
}

// `k` with loads replaced. Operands stay before their users: what was stored
// was computed from earlier values than what the load is used by, but may have
// a greater number than the user, so that values are put in order again.
void reorder(LoopKernel* k) {
  std::vector<int> place(k->values.size(), -1);
  std::vector<Value> sorted;
  const auto visit = [&](const auto& self, int id) -> void {
    if (place[at(id)] >= 0) return;
    for (const int a : k->values[at(id)].args) self(self, a);
    place[at(id)] = static_cast<int>(sorted.size());
    sorted.push_back(k->values[at(id)]);
    for (int& a : sorted.back().args) a = place[at(a)];
  };
  for (std::size_t i = 0; i < k->values.size(); ++i) {
    visit(visit, static_cast<int>(i));
  }
  k->values = std::move(sorted);
  for (Stage& s : k->stages) s.value = place[at(s.value)];
}

void use_stored(LoopKernel* k) {
  std::vector<int> same(k->values.size());
  std::iota(same.begin(), same.end(), 0);
  std::vector<std::size_t> first(k->values.size(), k->stages.size());
  std::vector<std::size_t> last(k->values.size(), 0);
  for (std::size_t s = 0; s < k->stages.size(); ++s) {
    const std::vector<bool> needed = needed_by(*k, k->stages[s]);
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (!needed[i]) continue;
      first[i] = std::min(first[i], s);
      last[i] = s;
    }
  }
  bool changed = false;
  for (std::size_t i = 0; i < k->values.size(); ++i) {
    const Value& v = k->values[i];
    if (v.kind != Value::Kind::load || first[i] == k->stages.size()) continue;
    const auto stored = stored_value(*k, v, first[i]);
    if (!stored || writes_between(*k, v.buffer, first[i], last[i])) continue;
    same[i] = *stored;
    changed = true;
  }
  if (!changed) return;
  const auto forwarded = [&](int id) {
    while (same[at(id)] != id) id = same[at(id)];
    return id;
  };
  for (Value& v : k->values) {
    for (int& a : v.args) a = forwarded(a);
  }
  for (Stage& s : k->stages) s.value = forwarded(s.value);
  reorder(k);
}

// Drops the stages that `dead` says. Reductions keep theirs, by new numbers.
template <class Dead>
void drop_stages(LoopKernel* k, const Dead& dead) {
  std::vector<int> renamed;
  std::vector<Stage> kept;
  for (Stage& s : k->stages) {
    renamed.push_back(static_cast<int>(kept.size()));
    if (!dead(s)) kept.push_back(std::move(s));
  }
  k->stages = std::move(kept);
  for (Value& v : k->values) {
    if (v.stage >= 0) v.stage = renamed[at(v.stage)];
  }
  drop_unneeded(k);
}

// Which buffers something reads.
std::vector<bool> read_buffers(const Nest& nest) {
  std::vector<bool> read(nest.buffers.size(), false);
  for (const int o : nest.outputs) read[at(o)] = true;
  for (const Kernel& kernel : nest.kernels) {
    if (const auto* node = std::get_if<NodeKernel>(&kernel)) {
      for (const BufferView& v : node->operands) read[at(v.buffer)] = true;
      continue;
    }
    for (const Value& v : std::get<LoopKernel>(kernel).values) {
      if (v.buffer >= 0) read[at(v.buffer)] = true;
    }
  }
  return read;
}

}  // namespace

void forward_stores(Nest* nest) {
  for (Kernel& kernel : nest->kernels) {
    auto* k = std::get_if<LoopKernel>(&kernel);
    if (k == nullptr || !k->has_row) continue;
    use_stored(k);
    drop_unneeded(k);
  }
  const std::vector<bool> read = read_buffers(*nest);
  const auto dead = [&](int b) {
    return b >= 0 && !read[at(b)] &&
           nest->buffers[at(b)].kind == Buffer::Kind::temporary;
  };
  std::vector<bool> written(nest->buffers.size(), false);
  for (Kernel& kernel : nest->kernels) {
    auto* k = std::get_if<LoopKernel>(&kernel);
    if (k == nullptr) {
      written[at(std::get<NodeKernel>(kernel).result)] = true;
      continue;
    }
    if (k->has_row) {
      drop_stages(k, [&](const Stage& s) {
        return s.kind == Stage::Kind::point && dead(s.buffer);
      });
    }
    for (const Stage& s : k->stages) {
      if (s.buffer >= 0) written[at(s.buffer)] = true;
    }
  }
  for (std::size_t b = 0; b < nest->buffers.size(); ++b) {
    Buffer& buffer = nest->buffers[b];
    if (buffer.kind == Buffer::Kind::temporary && !read[b] && !written[b]) {
      buffer.type = TensorType::contiguous(buffer.type.dtype, {0});
    }
  }
}

}  // namespace assay::compiler
