#include "compiler/nest/collapse.h"

#include <algorithm>

namespace assay::compiler {
namespace {

std::vector<IndexExpr*> indices_of(LoopKernel* k) {
  std::vector<IndexExpr*> out;
  for (Value& v : k->values) {
    if (v.buffer >= 0 || v.kind == Value::Kind::index) out.push_back(&v.at);
  }
  for (Stage& s : k->stages) {
    if (s.buffer >= 0) out.push_back(&s.at);
  }
  return out;
}

// `e` with every variable v replaced by rename(v), or by 0 where that is
// negative, at all depths.
template <class Rename>
IndexExpr renamed(const IndexExpr& e, const Rename& rename) {
  IndexExpr out = IndexExpr::number(e.constant);
  for (IndexTerm t : e.terms) {
    if (t.atom.of) {
      t.atom.of =
          std::make_shared<const IndexExpr>(renamed(*t.atom.of, rename));
    } else {
      t.atom.variable = rename(t.atom.variable);
      if (t.atom.variable < 0) continue;
    }
    out.terms.push_back(std::move(t));
  }
  return out;
}

// In `e` and all that it is made of, the variable v counts `extent` times what
// v + 1 does.
bool takes_as_one(const IndexExpr& e, int v, std::int64_t extent) {
  std::int64_t outer = 0, inner = 0;
  for (const IndexTerm& t : e.terms) {
    if (t.atom.of) {
      if (!takes_as_one(*t.atom.of, v, extent)) return false;
    } else if (t.atom.variable == v) {
      outer = t.factor;
    } else if (t.atom.variable == v + 1) {
      inner = t.factor;
    }
  }
  return outer == inner * extent;
}

// Takes variable v away. Where it has more than one value, v + 1 takes its
// part.
void remove(LoopKernel* k, int v) {
  const auto place = k->outer.begin() + v;
  if (*place > 1) *(place + 1) *= *place;
  k->outer.erase(place);
  for (IndexExpr* e : indices_of(k)) {
    *e = renamed(*e, [v](int u) { return u == v ? -1 : u > v ? u - 1 : u; });
  }
}

bool remove_one(LoopKernel* k) {
  const std::vector<IndexExpr*> indices = indices_of(k);
  for (std::size_t d = 0; d < k->outer.size(); ++d) {
    const int v = static_cast<int>(d);
    const bool merges =
        d + 1 < k->outer.size() &&
        std::all_of(indices.begin(), indices.end(), [&](const IndexExpr* e) {
          return takes_as_one(*e, v, k->outer[d + 1]);
        });
    if (k->outer[d] == 1 || merges) {
      remove(k, v);
      return true;
    }
  }
  return false;
}

}  // namespace

void collapse(LoopKernel* k) {
  const Shape extents = k->extents();
  if (std::count(extents.begin(), extents.end(), 0) > 0) return;
  while (remove_one(k)) {
  }
}

}  // namespace assay::compiler
