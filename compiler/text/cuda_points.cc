#include "compiler/text/cuda_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/nest/needed.h"
#include "compiler/text/scalar.h"

namespace assay::compiler {
namespace {

// What one instruction loads or stores, at most.
constexpr std::int64_t kPackBytes = 16;
constexpr std::int64_t kMostPoints = 8;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// How an index moves while variable `v` goes through `width` values from a
// multiple of it on.
enum class Moves { not_at_all, by_one, otherwise };

Moves moves(const IndexExpr& e, int v, std::int64_t width);

Moves moves(const IndexAtom& a, int v, std::int64_t width) {
  if (a.kind == IndexAtom::Kind::variable) {
    return a.variable == v ? Moves::by_one : Moves::not_at_all;
  }
  const Moves inner = moves(*a.of, v, width);
  if (inner == Moves::otherwise || inner == Moves::not_at_all) return inner;
  if (a.by % width != 0) return Moves::otherwise;
  return a.kind == IndexAtom::Kind::remainder ? Moves::by_one
                                              : Moves::not_at_all;
}

// An index that moves by one begins at a multiple of `width`: all else in it is
// one.
Moves moves(const IndexExpr& e, int v, std::int64_t width) {
  Moves total = Moves::not_at_all;
  bool multiple = e.constant % width == 0;
  for (const IndexTerm& t : e.terms) {
    const Moves m = moves(t.atom, v, width);
    if (m == Moves::otherwise) return m;
    if (m == Moves::not_at_all) {
      multiple = multiple && t.factor % width == 0;
      continue;
    }
    if (t.factor != 1 || total == Moves::by_one) return Moves::otherwise;
    total = m;
  }
  if (total == Moves::by_one && !multiple) return Moves::otherwise;
  return total;
}

std::set<int> buffers_of(const LoopKernel& k, bool stored) {
  std::set<int> out;
  if (stored) {
    for (const Stage& s : k.stages) out.insert(s.buffer);
    return out;
  }
  for (const Value& v : k.values) {
    if (v.buffer >= 0) out.insert(v.buffer);
  }
  return out;
}

}  // namespace

void CudaPoints::plan_points(const LoopKernel& k) {
  width_ = 1;
  packs_.clear();
  if (k.has_row || k.outer.empty() || defect() == Defect::tail_off_by_one) {
    return;
  }
  const std::set<int> stored = buffers_of(k, true);
  for (const int b : buffers_of(k, false)) {
    if (stored.count(b) != 0) return;
  }
  for (std::int64_t width = kMostPoints; width > 1; width /= 2) {
    if (k.outer.back() % width != 0) continue;
    std::vector<Pack> packs = find_packs(k, width);
    const auto fits = [&](const Pack& p) {
      return width * size_bytes(nest().buffers[at(p.buffer)].type.dtype) <=
             kPackBytes;
    };
    if (packs.empty() || !std::all_of(packs.begin(), packs.end(), fits)) {
      continue;
    }
    width_ = width;
    packs_ = std::move(packs);
    return;
  }
}

std::vector<CudaPoints::Pack> CudaPoints::find_packs(const LoopKernel& k,
                                                     std::int64_t width) const {
  const int last = static_cast<int>(k.outer.size()) - 1;
  std::vector<Pack> packs;
  const auto add = [&](int buffer, const IndexExpr& place, bool stored) {
    const auto same = [&](const Pack& p) {
      return p.buffer == buffer && p.at == place;
    };
    if (buffer >= 0 && moves(place, last, width) == Moves::by_one &&
        std::none_of(packs.begin(), packs.end(), same)) {
      packs.push_back({buffer, place, stored});
    }
  };
  std::vector<bool> needed(k.values.size(), false);
  for (const Stage& s : k.stages) mark_needed(k, s.value, &needed);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const Value& v = k.values[i];
    if (needed[i] && v.kind == Value::Kind::load) add(v.buffer, v.at, false);
  }
  for (const Stage& s : k.stages) add(s.buffer, s.at, true);
  return packs;
}

std::string CudaPoints::pack_type(const Pack& p) const {
  return fmt::format("a_pack<{}, {}>",
                     storage_type(nest().buffers[at(p.buffer)].type.dtype),
                     width_);
}

std::string CudaPoints::element(int b, const IndexExpr& at) {
  for (std::size_t p = 0; in_packs_ && p < packs_.size(); ++p) {
    if (packs_[p].buffer == b && packs_[p].at == at) {
      return fmt::format("p{}.e[u]", p);
    }
  }
  return NestText::element(b, at);
}

void CudaPoints::points(const LoopKernel& k) {
  std::vector<bool> needed(k.values.size(), false);
  for (const Stage& s : k.stages) mark_needed(k, s.value, &needed);
  if (width_ == 1) {
    values(k, needed);
    for (const Stage& s : k.stages) store(k, s, name(s.value));
    return;
  }
  need("packs");
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    const std::string type = pack_type(packs_[p]);
    const std::string place =
        packs_[p].stored
            ? ""
            : fmt::format(" = *(const {}*)&{}", type,
                          NestText::element(packs_[p].buffer, packs_[p].at));
    lines().line(fmt::format("{} p{}{};", type, p, place));
  }
  const std::string& last = index_name(k.outer.size() - 1);
  lines().line(fmt::format("const {} first = {};", index_type_, last));
  lines().line("#pragma unroll");
  lines().open(fmt::format("for (int u = 0; u < {}; ++u) {{", width_));
  lines().line(fmt::format("const {} {} = first + u;", index_type_, last));
  lines().line(fmt::format("(void){};", last));
  in_packs_ = true;
  values(k, needed);
  for (const Stage& s : k.stages) store(k, s, name(s.value));
  in_packs_ = false;
  lines().close();
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    if (!packs_[p].stored) continue;
    lines().line(fmt::format("*({}*)&{} = p{};", pack_type(packs_[p]),
                             NestText::element(packs_[p].buffer, packs_[p].at),
                             p));
  }
}

}  // namespace assay::compiler
