#include "compiler/text/cpp/cpp_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/graph/accumulate.h"
#include "compiler/nest/needed.h"
#include "compiler/text/scalar.h"

namespace assay::compiler {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Bytes of rows that a kernel may keep on its stack.
constexpr std::int64_t kMostLocal = 1 << 16;

constexpr int kChunk = 128;  // a_chunk of reduce_row.inc

// Elements that are computed again if one of them is far.
constexpr int kNearStrip = 512;

// Buffers that stay in the cache next to a core are not fetched ahead, nor are
// rows that fill too much of it.
constexpr std::int64_t kLeastFetched = 1 << 20;
constexpr std::int64_t kLongestFetched = 1 << 16;
constexpr std::int64_t kLine = 64;  // bytes of a line of cache

// How many accesses have `variable` as their fastest running part.
std::int64_t contiguous_along(const LoopKernel& k, int variable) {
  const auto runs = [&](const IndexExpr& e) {
    return std::any_of(e.terms.begin(), e.terms.end(), [&](const IndexTerm& t) {
      if (t.factor != 1) return false;
      if (t.atom.kind == IndexAtom::Kind::variable) {
        return t.atom.variable == variable;
      }
      return t.atom.kind == IndexAtom::Kind::remainder &&
             t.atom.of->uses(variable);
    });
  };
  return std::count_if(k.values.begin(), k.values.end(), [&](const Value& v) {
    return v.buffer >= 0 && runs(v.at);
  });
}

const char* step_name(Combiner c) {
  switch (c) {
    case Combiner::sum:
      return "a_sum";
    case Combiner::product:
      return "a_product";
    case Combiner::maximum:
      return "a_greatest";
    case Combiner::minimum:
      return "a_least";
    case Combiner::last:
      break;
  }
  return "";
}

// bool is stored, and so reduced, as unsigned char.
std::string stored(DType t, const std::string& v) {
  return t == DType::boolean ? "(unsigned char)" + v : v;
}

}  // namespace

bool is_in_columns(const LoopKernel& k) {
  const auto row = static_cast<int>(k.outer.size());
  return k.has_row && row > 0 && k.outer.back() > 1 &&
         contiguous_along(k, row) == 0 && contiguous_along(k, row - 1) > 0;
}

std::string CppRows::innermost(const LoopKernel& k, std::size_t d) {
  const bool loses = loses_tail(d < k.outer.size() ? k.outer[d] : k.row);
  return extent(k, d) + (loses ? " - 1" : "");
}

void CppRows::define_part(const std::string& name, const std::string& from,
                          const std::string& end, int step) {
  lines().line(fmt::format("const {0} {1} = {2} - {3} < {4} ? {2} - {3} : {4};",
                           index_type(), name, end, from, step));
}

void CppRows::open_vector_loop(const Span& span) {
  need("loops");
  lines().line(is_scalar()
                   ? has_fold() ? "A_LOOP_OF_SCALAR_SUMS" : "A_LOOP_OF_SCALARS"
               : has_fold() ? "A_LOOP_OF_SUMS"
                            : "A_LOOP");
  lines().open(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{",
                           index_type(), span.v, span.from, span.to));
}

std::set<int> CppRows::near_operands(const LoopKernel& k,
                                     const std::vector<bool>& needed) {
  std::set<int> operands;
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    const Value& v = k.values[i];
    if (!needed[i]) continue;
    if (v.kind == Value::Kind::apply && has_near(v.op)) {
      operands.insert(v.args[0]);
    }
    const bool is_written =
        v.buffer >= 0 &&
        std::any_of(k.stages.begin(), k.stages.end(),
                    [&](const Stage& s) { return s.buffer == v.buffer; });
    if (is_written) return {};
  }
  return operands;
}

void CppRows::vector_loop(const LoopKernel& k, const Span& span,
                          const std::vector<bool>& needed,
                          const std::function<void()>& before,
                          const std::function<void()>& after) {
  const std::set<int> operands = near_operands(k, needed);
  const auto loop = [&](const Span& part, auto write_values) {
    open_vector_loop(part);
    before();
    write_values();
    after();
    lines().close();
  };
  if (operands.empty()) return loop(span, [&] { values(k, needed); });
  const Span strip{span.v, "from", "to"};
  lines().open(fmt::format("for ({0} from = {1}; from < {2}; from += {3}) {{",
                           index_type(), span.from, span.to, kNearStrip));
  lines().line(
      fmt::format("const {0} to = {1} - from < {2} ? {1} : from + {2};",
                  index_type(), span.to, kNearStrip));
  std::string is_far;
  for (const int i : operands) {
    const bool wide = k.values[at(i)].dtype == DType::f64;
    lines().line(fmt::format("{} far{} = 0;", wide ? "a_u64" : "a_u32", i));
    is_far += fmt::format("{}a_is_far(far{})", is_far.empty() ? "" : " || ", i);
  }
  loop(strip, [&] { near_values(k, needed); });
  lines().line(fmt::format("if (!({})) continue;", is_far));
  loop(strip, [&] { values(k, needed); });
  lines().close();
}

std::vector<bool> CppRows::hoist(const LoopKernel& k, std::size_t variable,
                                 std::vector<bool> needed) {
  std::vector<bool> same(k.values.size(), false);
  std::vector<bool> here = needed;
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    const Value& v = k.values[i];
    same[i] = !v.at.uses(static_cast<int>(variable)) &&
              std::all_of(v.args.begin(), v.args.end(),
                          [&](int a) { return same[at(a)]; });
    (same[i] ? needed : here)[i] = false;
  }
  values(k, here);
  return needed;
}

std::string CppRows::element(int b, const IndexExpr& at) {
  if (local_.count(b) != 0) return fmt::format("l{}[r]", b);
  return CppSizes::element(b, at);
}

std::string CppRows::reduced(int s) const {
  return in_strip_ ? fmt::format("t{}[c]", s) : fmt::format("t{}", s);
}

int CppRows::users_of(int b) const {
  const auto touches = [b](const auto& access) { return access.buffer == b; };
  return static_cast<int>(std::count_if(
      nest().kernels.begin(), nest().kernels.end(), [&](const Kernel& kernel) {
        if (const auto* k = std::get_if<LoopKernel>(&kernel)) {
          return std::any_of(k->values.begin(), k->values.end(), touches) ||
                 std::any_of(k->stages.begin(), k->stages.end(), touches);
        }
        const auto& k = std::get<NodeKernel>(kernel);
        return k.result == b ||
               std::any_of(k.operands.begin(), k.operands.end(), touches);
      }));
}

// Temporaries that this kernel alone writes and reads, at one point each.
void CppRows::find_local(const LoopKernel& k) {
  local_.clear();
  if (k.row < 2) return;  // then no index names the place in the row
  std::int64_t bytes = 0;
  for (const Stage& s : k.stages) {
    if (s.kind != Stage::Kind::point) continue;
    const Buffer& buffer = nest().buffers[at(s.buffer)];
    const std::int64_t size = k.row * size_bytes(buffer.type.dtype);
    const auto other = [&](const auto& access) {
      return access.buffer == s.buffer && !(access.at == s.at);
    };
    if (buffer.kind != Buffer::Kind::temporary || bytes + size > kMostLocal ||
        users_of(s.buffer) > 1 ||
        std::any_of(k.values.begin(), k.values.end(), other) ||
        std::any_of(k.stages.begin(), k.stages.end(), other)) {
      continue;
    }
    bytes += size;
    local_.insert(s.buffer);
    // Room for any row that the text does not know.
    const std::int64_t room = is_fixed(k, k.outer.size())
                                  ? k.row
                                  : kMostLocal / size_bytes(buffer.type.dtype);
    lines().line(fmt::format("alignas(64) {} l{}[{}];",
                             storage_type(buffer.type.dtype), s.buffer, room));
  }
}

void CppRows::row(const LoopKernel& k) {
  in_strip_ = false;
  find_local(k);
  for (std::size_t s = 0; s < k.stages.size(); ++s) {
    const Stage& stage = k.stages[s];
    if (stage.kind == Stage::Kind::reduce) {
      row_reduction(k, s);
      continue;
    }
    lines().open("{");
    std::vector<bool> needed = needed_by(k, stage);
    if (stage.kind == Stage::Kind::row) {
      values(k, needed);
      store(k, stage, name(stage.value));
    } else {
      needed = hoist(k, k.outer.size(), std::move(needed));
      const std::vector<Access> ahead = ahead_of(k, s);
      const auto put = [&] { store(k, stage, name(stage.value)); };
      if (ahead.empty()) {
        vector_loop(
            k, {"r", "0", innermost(k, k.outer.size())}, needed, [] {}, put);
      } else {
        open_chunks(k, innermost(k, k.outer.size()));
        fetch(ahead);
        vector_loop(
            k, {"q", "0", "m"}, needed, [&] { define_r(); }, put);
        lines().close();
      }
    }
    lines().close();
  }
  local_.clear();
}

void CppRows::define_r() {
  lines().line(fmt::format("const {} r = r0 + q;", index_type()));
}

void CppRows::open_chunks(const LoopKernel& k, const std::string& end) {
  need("reduce_row");
  lines().open(fmt::format("for ({0} r0 = 0; r0 < {1}; r0 += a_chunk) {{",
                           index_type(), end));
  if (is_whole(k, k.outer.size(), kChunk) && end == row_extent(k)) {
    lines().line(fmt::format("const {} m = a_chunk;", index_type()));
  } else {
    define_part("m", "r0", end, kChunk);
  }
}

std::vector<CppRows::Access> CppRows::ahead_of(const LoopKernel& k,
                                               std::size_t s) const {
  std::vector<Access> ahead;
  if (k.outer.empty() || k.outer.back() < 2) return ahead;
  // One stage does it for all: the first of those that find the row in a cache.
  for (std::size_t i = 1; i < k.stages.size(); ++i) {
    if (k.stages[i].kind == Stage::Kind::row) continue;
    if (i != s) return ahead;
    break;
  }
  if (s == 0) return ahead;
  const auto row = static_cast<int>(k.outer.size());
  const std::vector<bool> first = needed_by(k, k.stages.front());
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    const Value& v = k.values[i];
    if (!first[i] || v.kind != Value::Kind::load || !v.at.is_affine()) continue;
    const TensorType& type = nest().buffers[at(v.buffer)].type;
    const std::int64_t size = size_bytes(type.dtype);
    const std::int64_t along = v.at.factor_of(row);
    const std::int64_t next = v.at.factor_of(row - 1);
    if (size >= 4 && along == 1 && next >= k.row &&
        next * size <= kLongestFetched &&
        element_count(type.sizes) * size >= kLeastFetched) {
      ahead.push_back({v.buffer, v.at + IndexExpr::number(next)});
    }
  }
  return ahead;
}

// Fetching beyond the last row does no harm.
void CppRows::fetch(const std::vector<Access>& ahead) {
  for (const Access& a : ahead) {
    const DType t = nest().buffers[at(a.buffer)].type.dtype;
    lines().open(fmt::format("for ({0} q = 0; q < m; q += {1}) {{",
                             index_type(), kLine / size_bytes(t)));
    define_r();
    lines().line(
        fmt::format("__builtin_prefetch(&{}, 0, 2);", element(a.buffer, a.at)));
    lines().close();
  }
}

// What lies in memory as it is added, if the terms do: they, or the floats that
// they are widened from.
const Value* CppRows::direct(const LoopKernel& k, const Stage& stage) const {
  const Value* v = &k.values[at(stage.value)];
  const bool widens =
      v->kind == Value::Kind::cast || v->kind == Value::Kind::convert;
  if (widens && v->dtype == DType::f64 && defect() != Defect::flush_subnormal &&
      (stage.combiner == Combiner::sum ||
       stage.combiner == Combiner::product) &&
      k.values[at(v->args[0])].dtype == DType::f32) {
    v = &k.values[at(v->args[0])];
  }
  const auto row = static_cast<int>(k.outer.size());
  const bool lies =
      v->kind == Value::Kind::load && v->dtype != DType::boolean &&
      v->at.is_affine() &&
      std::any_of(v->at.terms.begin(), v->at.terms.end(),
                  [&](const IndexTerm& t) {
                    return t.atom.variable == row && t.factor == 1;
                  });
  return lies ? v : nullptr;
}

void CppRows::row_reduction(const LoopKernel& k, std::size_t s) {
  const Stage& stage = k.stages[s];
  const DType t = k.values[at(stage.value)].dtype;
  if (k.row < stage.order.lanes && (fixes_short_rows() || k.row < 2)) {
    short_row(k, s);
  } else {
    need("reduce_row");
    lines().line(fmt::format("a_row<{}, {}, {}, {}> s{}({});", storage_type(t),
                             step_name(stage.combiner), stage.order.lanes,
                             stage.order.block, s,
                             literal(t, identity_of(stage.combiner, t))));
    if (const Value* v = direct(k, stage)) {
      lines().open("{");
      lines().line(fmt::format("const {} r = 0;", index_type()));
      lines().line(fmt::format("s{}.add(&{}, {});", s,
                               element(v->buffer, v->at), row_extent(k)));
      lines().close();
    } else {
      lines().open("{");
      const std::vector<bool> needed =
          hoist(k, k.outer.size(), needed_by(k, stage));
      open_chunks(k, row_extent(k));
      fetch(ahead_of(k, s));
      lines().line(
          fmt::format("alignas(64) {} terms[a_chunk];", storage_type(t)));
      vector_loop(
          k, {"q", "0", "m"}, needed, [&] { define_r(); },
          [&] {
            lines().line(
                fmt::format("terms[q] = {};", stored(t, name(stage.value))));
          });
      lines().line(fmt::format("s{}.add(terms, m);", s));
      lines().close();
      lines().close();
    }
    lines().line(
        fmt::format("const {} t{} = s{}.result();", value_type(t), s, s));
  }
  if (stage.buffer >= 0) store(k, stage, fmt::format("t{}", s));
}

// Fewer terms than lanes: those lanes that get one are joined, in order; the
// others hold the identity, which changes nothing.
void CppRows::short_row(const LoopKernel& k, std::size_t s) {
  const Stage& stage = k.stages[s];
  const DType t = k.values[at(stage.value)].dtype;
  const std::string type = value_type(t);
  const std::string identity = literal(t, identity_of(stage.combiner, t));
  const ScalarOp step = step_of(stage.combiner);
  lines().line(fmt::format("{} t{} = {};", type, s, identity));
  if (k.row == 0) return;
  std::int64_t half = 1;
  while (2 * half < k.row) half *= 2;
  if (k.row == 1) half = 0;
  lines().open("{");
  lines().line(fmt::format("{} terms[{}];", type, k.row));
  lines().open(
      fmt::format("for ({0} r = 0; r < {1}; ++r) {{", index_type(), k.row));
  values(k, needed_by(k, stage));
  lines().line(fmt::format("terms[r] = {};",
                           apply_text(step, t, {identity, name(stage.value)})));
  lines().close();
  for (; half > 0; half /= 2) {
    const std::int64_t joined = std::min(half, k.row - half);
    lines().line(fmt::format(
        "for (int l = 0; l < {}; ++l) terms[l] = {};", joined,
        apply_text(step, t, {"terms[l]", fmt::format("terms[l + {}]", half)})));
  }
  lines().line(
      fmt::format("t{} = {};", s,
                  apply_text(step, t, {fmt::format("t{}", s), "terms[0]"})));
  lines().close();
}

void CppRows::strip(const LoopKernel& k) {
  in_strip_ = true;
  const std::string& i = index_name(k.outer.size() - 1);
  const Span rows{"c", "0", "width"};
  const auto define_i = [&] {
    lines().line(fmt::format("const {} {} = first + c;", index_type(), i));
  };
  for (std::size_t s = 0; s < k.stages.size(); ++s) {
    const Stage& stage = k.stages[s];
    if (stage.kind == Stage::Kind::reduce) {
      strip_reduction(k, s);
      if (stage.buffer < 0) continue;
      open_vector_loop(rows);
      define_i();
      lines().line(fmt::format("const {} r = 0;", index_type()));
      store(k, stage, fmt::format("t{}[c]", s));
      lines().close();
      continue;
    }
    if (stage.kind == Stage::Kind::point) {
      lines().open(fmt::format("for ({} r = 0; r < {}; ++r) {{", index_type(),
                               innermost(k, k.outer.size())));
    } else {
      lines().open("{");
    }
    vector_loop(k, rows, needed_by(k, stage), define_i,
                [&] { store(k, stage, name(stage.value)); });
    lines().close();
  }
  in_strip_ = false;
}

void CppRows::strip_reduction(const LoopKernel& k, std::size_t s) {
  need("loops");
  need("reduce_column");
  const Stage& stage = k.stages[s];
  const DType t = k.values[at(stage.value)].dtype;
  const std::string type = storage_type(t);
  const std::string identity = literal(t, identity_of(stage.combiner, t));
  const ScalarOp step = step_of(stage.combiner);
  lines().line(fmt::format("{} t{}[{}];", type, s, kStrip));
  lines().line(
      fmt::format("for (int c = 0; c < width; ++c) t{}[c] = {};", s, identity));
  lines().open("{");
  lines().line(fmt::format(
      "const auto combine = []({0} a, {0} b) -> {0} {{ return {1}; }};", type,
      apply_text(step, t, {"a", "b"})));
  lines().line(fmt::format("a_strip<{}, {}, {}, {}> strip;", type,
                           stage.order.lanes, stage.order.block, kStrip));
  lines().open(fmt::format("for ({0} r = 0; r < {1}; ++r) {{", index_type(),
                           row_extent(k)));
  lines().line(
      fmt::format("{0}* const lane = strip.next({1}, t{2}, width, combine);",
                  type, identity, s));
  open_vector_loop({"c", "0", "width"});
  lines().line(fmt::format("const {} {} = first + c;", index_type(),
                           index_name(k.outer.size() - 1)));
  values(k, needed_by(k, stage));
  lines().line(fmt::format("lane[c] = combine(lane[c], {});",
                           stored(t, name(stage.value))));
  lines().close();
  lines().close();
  lines().line(fmt::format("strip.close(t{}, width, combine);", s));
  lines().close();
}

}  // namespace assay::compiler
