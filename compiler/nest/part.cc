#include "compiler/nest/part.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace assay::compiler {
namespace {

// What indices divide variable `v` by.
void find_divisors(const IndexExpr& e, int v, std::set<std::int64_t>* out) {
  for (const IndexTerm& t : e.terms) {
    if (t.atom.kind == IndexAtom::Kind::variable) continue;
    if (*t.atom.of == IndexExpr::variable(v)) out->insert(t.atom.by);
    find_divisors(*t.atom.of, v, out);
  }
}

// `k` with variable `v` parted into v / by, in its place, and v % by after it.
LoopKernel parted(const LoopKernel& k, int v, std::int64_t by) {
  LoopKernel out = k;
  const auto place = out.outer.begin() + v;
  *place /= by;
  out.outer.insert(place + 1, by);
  std::vector<IndexExpr> variables;
  // The row's variable, which there is always, moves up too.
  for (int i = 0; i <= static_cast<int>(k.outer.size()); ++i) {
    variables.push_back(IndexExpr::variable(i > v ? i + 1 : i));
  }
  variables[static_cast<std::size_t>(v)] =
      IndexExpr::variable(v) * by + IndexExpr::variable(v + 1);
  const Shape extents = out.extents();
  for (Value& value : out.values) {
    value.at = substitute(value.at, variables, extents);
  }
  for (Stage& s : out.stages) s.at = substitute(s.at, variables, extents);
  return out;
}

// Whether something is read across the last variable, along number `v`.
bool is_read_across(const LoopKernel& k, int v) {
  const int last = static_cast<int>(k.outer.size()) - 1;
  return std::any_of(k.values.begin(), k.values.end(), [&](const Value& x) {
    return x.kind == Value::Kind::load &&
           moves(x.at, last, 1) == Moves::otherwise &&
           moves(x.at, v, 1) == Moves::by_one;
  });
}

std::optional<LoopKernel> parted_last(const LoopKernel& k) {
  const int last = static_cast<int>(k.outer.size()) - 1;
  std::set<std::int64_t> divisors;
  for (const Value& v : k.values) find_divisors(v.at, last, &divisors);
  for (const std::int64_t by : divisors) {
    if (k.outer.back() % by != 0) continue;
    LoopKernel out = parted(k, last, by);
    if (is_read_across(out, last)) return out;
  }
  return std::nullopt;
}

}  // namespace

void part_loops(Nest* nest) {
  for (Kernel& kernel : nest->kernels) {
    auto* k = std::get_if<LoopKernel>(&kernel);
    if (k == nullptr || k->has_row || k->outer.empty()) continue;
    if (std::optional<LoopKernel> out = parted_last(*k)) *k = std::move(*out);
  }
}

}  // namespace assay::compiler
