#include "compiler/nest/defects.h"

#include <algorithm>
#include <optional>
#include <set>

namespace assay::compiler {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Buffers that each kernel reads and writes.
struct Uses {
  std::set<int> read, written;
};

Uses uses_of(const Kernel& kernel) {
  Uses u;
  if (const auto* k = std::get_if<LoopKernel>(&kernel)) {
    for (const Value& v : k->values) {
      if (v.buffer >= 0) u.read.insert(v.buffer);
    }
    for (const Stage& s : k->stages) {
      if (s.buffer >= 0) u.written.insert(s.buffer);
    }
  } else {
    const auto& n = std::get<NodeKernel>(kernel);
    for (const BufferView& v : n.operands) u.read.insert(v.buffer);
    u.written.insert(n.result);
  }
  return u;
}

// The kernel that first writes a buffer; -1 for what is there before.
int first_write(const Nest& nest, int buffer) {
  for (std::size_t k = 0; k < nest.kernels.size(); ++k) {
    if (uses_of(nest.kernels[k]).written.contains(buffer)) {
      return static_cast<int>(k);
    }
  }
  return -1;
}

// Whether somebody reads it after kernel `k`, or at the end.
bool lives_after(const Nest& nest, int buffer, int k) {
  if (nest.buffers[at(buffer)].kind == Buffer::Kind::output) return true;
  for (std::size_t later = at(k) + 1; later < nest.kernels.size(); ++later) {
    if (uses_of(nest.kernels[later]).read.contains(buffer)) return true;
  }
  return false;
}

void replace_buffer(Nest* nest, int from, int to) {
  for (Kernel& kernel : nest->kernels) {
    if (auto* k = std::get_if<LoopKernel>(&kernel)) {
      for (Value& v : k->values) {
        if (v.buffer == from) v.buffer = to;
      }
      for (Stage& s : k->stages) {
        if (s.buffer == from) s.buffer = to;
      }
      continue;
    }
    auto& n = std::get<NodeKernel>(kernel);
    for (BufferView& v : n.operands) {
      if (v.buffer == from) v.buffer = to;
    }
    if (n.result == from) n.result = to;
  }
}

bool same_memory(const Buffer& a, const Buffer& b) {
  return a.type.dtype == b.type.dtype && a.type.span() == b.type.span();
}

// A buffer in whose place the intermediate `b` can be put.
std::optional<int> victim(const Nest& nest, int b, Defect defect) {
  const int made = first_write(nest, b);
  for (std::size_t i = 0; i < nest.buffers.size(); ++i) {
    const Buffer& other = nest.buffers[i];
    const int o = static_cast<int>(i);
    if (o == b || !same_memory(nest.buffers[at(b)], other)) continue;
    if (defect == Defect::alias_unsafe) {
      if (other.kind == Buffer::Kind::input) return o;
      continue;
    }
    const bool is_made = other.kind == Buffer::Kind::output ||
                         other.kind == Buffer::Kind::temporary;
    const int before = first_write(nest, o);
    if (is_made && before >= 0 && before < made && lives_after(nest, o, made)) {
      return o;
    }
  }
  return std::nullopt;
}

void share(Nest* nest, Defect defect) {
  for (std::size_t b = 0; b < nest->buffers.size(); ++b) {
    if (nest->buffers[b].kind != Buffer::Kind::temporary) continue;
    const int id = static_cast<int>(b);
    if (first_write(*nest, id) < 0) continue;
    if (const auto other = victim(*nest, id, defect)) {
      replace_buffer(nest, id, *other);
      return;
    }
  }
}

// Rows whose stages reduce or store once per row.
bool only_reduces(const LoopKernel& k) {
  return k.has_row &&
         std::none_of(k.stages.begin(), k.stages.end(), [](const Stage& s) {
           return s.kind == Stage::Kind::point;
         });
}

}  // namespace

Nest inject(Nest nest, Defect defect) {
  if (defect == Defect::reuse_live_buffer || defect == Defect::alias_unsafe) {
    share(&nest, defect);
  }
  if (defect == Defect::read_past_end) {
    for (Kernel& kernel : nest.kernels) {
      auto* k = std::get_if<LoopKernel>(&kernel);
      if (k != nullptr && only_reduces(*k)) ++k->row;
    }
  }
  return nest;
}

}  // namespace assay::compiler
