#include "compiler/text/cuda_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "compiler/graph/accumulate.h"
#include "compiler/nest/needed.h"
#include "compiler/text/cuda_text.h"
#include "compiler/text/scalar.h"

namespace assay::compiler {
namespace {

// With so many rows, threads of their own fill a GPU, and with so many of some
// length, teams of their own.
constexpr std::int64_t kManyRows = 1 << 14;
constexpr std::int64_t kRowsForTeams = 1 << 11;
// What is worth a thread block that adds one term after the other; a column
// that is worth several threads even where columns are many.
constexpr std::int64_t kLongSequence = 512;
constexpr std::int64_t kLongColumn = 64;

// What a thread holds of a row, at most: of a row of a team, of that of a
// thread block (the code of each step is written out), and in bytes.
constexpr std::int64_t kMostTeamSteps = 32;
constexpr std::int64_t kMostBlockSteps = 64;
constexpr std::int64_t kMostHeldBytes = 256;

// a_parts_bytes and a_staged of held.inc.
constexpr std::int64_t kPartsBytes = 128;
constexpr std::int64_t kStaged = 2048;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// The order that the row's reductions have in common.
std::optional<Order> common_order(const LoopKernel& k) {
  std::optional<Order> common;
  for (const Stage& s : k.stages) {
    if (s.kind != Stage::Kind::reduce) continue;
    if (common && *common != s.order) return std::nullopt;
    common = s.order;
  }
  return common;
}

// Whether it can be that of threads of a warp.
bool fits_warp(const Order& order) {
  return order.lanes >= 2 && order.lanes <= 32 &&
         std::has_single_bit(static_cast<unsigned>(order.lanes));
}

// Whether elements that lie side by side are neighbours in a row.
bool is_contiguous_along_row(const LoopKernel& k) {
  const auto row = static_cast<int>(k.outer.size());
  return std::any_of(k.values.begin(), k.values.end(), [&](const Value& v) {
    return v.buffer >= 0 &&
           std::any_of(v.at.terms.begin(), v.at.terms.end(),
                       [&](const IndexTerm& t) {
                         return t.factor == 1 && t.atom.variable == row &&
                                t.atom.kind == IndexAtom::Kind::variable;
                       });
  });
}

// Whether a stage after number `s` reads what that stores.
bool is_read_later(const LoopKernel& k, std::size_t s) {
  for (std::size_t later = s + 1; later < k.stages.size(); ++later) {
    const std::vector<bool> needed = needed_by(k, k.stages[later]);
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (needed[i] && k.values[i].buffer == k.stages[s].buffer) return true;
    }
  }
  return false;
}

// Values that are not the same all along a row.
std::vector<bool> varying(const LoopKernel& k) {
  const auto row = static_cast<int>(k.outer.size());
  std::vector<bool> out(k.values.size(), false);
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    const Value& v = k.values[i];
    out[i] =
        v.at.uses(row) || std::any_of(v.args.begin(), v.args.end(),
                                      [&](int a) { return bool{out[at(a)]}; });
  }
  return out;
}

// What has to be computed for value `id`, where those of `there` need not be,
// which are added to `used`.
void walk(const LoopKernel& k, int id, const std::set<int>& there,
          std::set<int>* computed, std::set<int>* used) {
  if (there.count(id) != 0) {
    used->insert(id);
    return;
  }
  if (!computed->insert(id).second) return;
  for (const int a : k.values[at(id)].args) walk(k, a, there, computed, used);
}

std::vector<bool> flags(const LoopKernel& k, const std::set<int>& values) {
  std::vector<bool> out(k.values.size(), false);
  for (const int v : values) out[at(v)] = true;
  return out;
}

bool is_most(Combiner c) {
  return c == Combiner::maximum || c == Combiner::minimum;
}

}  // namespace

void CudaRows::plan_rows(const LoopKernel& k) {
  held_.clear();
  defined_.clear();
  rows_ = Rows::none;
  if (!k.has_row) return;
  const std::optional<Order> order = common_order(k);
  lanes_ = order ? order->lanes : 1;
  rows_ = order ? choose_rows(k, *order) : Rows::threads;
  if (!order || *order != kReduceOrder || !can_hold(k) ||
      (rows_ != Rows::teams && rows_ != Rows::blocks)) {
    return;
  }
  const std::int64_t team_steps = ceil_div(k.row, order->lanes);
  const std::int64_t block_steps = ceil_div(k.row, kThreadsPerBlock);
  const bool by_team =
      team_steps <= kMostTeamSteps &&
      (element_count(k.outer) >= kRowsForTeams || k.row <= kThreadsPerBlock);
  if (!by_team && block_steps > kMostBlockSteps) return;
  held_ = plan_held(k, by_team ? team_steps : block_steps);
  if (!held_.empty()) rows_ = by_team ? Rows::teams : Rows::blocks;
}

CudaRows::Rows CudaRows::choose_rows(const LoopKernel& k,
                                     const Order& order) const {
  const std::int64_t count = element_count(k.outer);
  const bool apart = !is_contiguous_along_row(k);
  if (order.lanes == 1 && order.block >= k.row && k.row >= kLongSequence &&
      count < kRowsForTeams && fits_int(k)) {
    return Rows::staged;
  }
  if (!fits_warp(order) || k.row < order.lanes) return Rows::threads;
  if (order == kColumnOrder && apart && fits_int(k) &&
      (count < kManyRows || k.row >= kLongColumn)) {
    return Rows::columns;
  }
  if (count >= kManyRows && apart) return Rows::threads;
  return k.row > order.block ? Rows::blocks : Rows::teams;
}

std::int64_t CudaRows::rows_per_block() const {
  switch (rows_) {
    case Rows::blocks:
    case Rows::staged:
      return 1;
    case Rows::teams:
    case Rows::columns:
      return kThreadsPerBlock / lanes_;
    default:
      return kThreadsPerBlock;
  }
}

void CudaRows::number_row(std::int64_t count) {
  const char* type = index_type();
  const std::string block = fmt::format("({})blockIdx.x", type);
  const std::string thread = fmt::format("({})threadIdx.x", type);
  const std::int64_t rows = rows_per_block();
  if (rows_ == Rows::columns) {
    // All threads of a block go on: they wait for one another.
    lines().line(fmt::format("const {} n = {} * {} + {} % {};", type, block,
                             rows, thread, rows));
    lines().line(fmt::format("const bool beyond = a_beyond(n, {});", count));
    lines().line(fmt::format("const {} t = beyond ? {} : n;", type, count - 1));
    return;
  }
  std::string t = block;
  if (rows > 1) t += fmt::format(" * {} + {}", rows, thread);
  if (rows_ == Rows::teams) t += fmt::format(" / {}", lanes_);
  lines().line(fmt::format("const {} t = {};", type, t));
  lines().line(fmt::format("if (a_beyond(t, {})) return;", count));
}

void CudaRows::row(const LoopKernel& k) {
  if (!held_.empty()) {
    held_row(k);
    return;
  }
  if (rows_ == Rows::columns || rows_ == Rows::staged) {
    lines().line(fmt::format("__shared__ alignas(16) char shared[{}];",
                             shared_bytes(k)));
  }
  for (std::size_t s = 0; s < k.stages.size(); ++s) row_stage(k, s);
}

bool CudaRows::can_hold(const LoopKernel& k) const {
  if (!fits_int(k) || defect() == Defect::tail_off_by_one) return false;
  for (std::size_t s = 0; s < k.stages.size(); ++s) {
    if (k.stages[s].buffer >= 0 && is_read_later(k, s)) return false;
  }
  return true;
}

std::vector<CudaRows::Values> CudaRows::plan_held(const LoopKernel& k,
                                                  std::int64_t steps) const {
  const std::vector<bool> varies = varying(k);
  std::vector<Values> out(k.stages.size());
  Values computed;
  for (std::size_t s = 0; s < k.stages.size(); ++s) {
    Values there = s > 0 ? out[s - 1] : Values();
    Values now, used;
    walk(k, k.stages[s].value, there, &now, &used);
    for (const int v : now) {
      if (varies[at(v)]) computed.insert(v);
    }
    std::int64_t bytes = 0;
    Values left;
    for (std::size_t later = s + 1; later < k.stages.size(); ++later) {
      Values unused;
      walk(k, k.stages[later].value, computed, &unused, &left);
    }
    for (const int v : left) {
      bytes +=
          steps * std::max<std::int64_t>(size_bytes(k.values[at(v)].dtype), 4);
    }
    if (bytes > kMostHeldBytes) return {};
    out[s] = std::move(left);
  }
  return out;
}

// What the functions of held.inc share of memory.
std::int64_t CudaRows::shared_bytes(const LoopKernel& k) const {
  std::int64_t most = 0;
  for (const Stage& s : k.stages) {
    if (s.kind != Stage::Kind::reduce) continue;
    const std::int64_t size = size_bytes(k.values[at(s.value)].dtype);
    std::int64_t terms = 2 * kStaged;
    if (rows_ == Rows::columns) {
      terms = 2 * kThreadsPerBlock;
    } else if (rows_ == Rows::blocks) {
      const std::int64_t rooms = size > 4 || k.row <= s.order.block ? 1 : 2;
      terms = is_most(s.combiner) ? 0 : rooms * s.order.block;
    }
    most = std::max(most, terms * size);
  }
  return kPartsBytes + most;
}

void CudaRows::held_row(const LoopKernel& k) {
  need("reduce");
  need("team");
  need("held");
  if (rows_ == Rows::blocks) {
    lines().line(fmt::format("__shared__ alignas(16) char shared[{}];",
                             shared_bytes(k)));
  }
  const std::int64_t threads =
      rows_ == Rows::blocks ? kThreadsPerBlock : lanes_;
  Values all;
  for (const Values& h : held_) all.insert(h.begin(), h.end());
  for (const int v : all) {
    lines().line(fmt::format("{} c{}[{}];", value_type(k.values[at(v)].dtype),
                             v, ceil_div(k.row, threads)));
  }
  for (std::size_t s = 0; s < k.stages.size(); ++s) held_stage(k, s);
}

void CudaRows::held_stage(const LoopKernel& k, std::size_t s) {
  const Stage& stage = k.stages[s];
  Values there = s > 0 ? held_[s - 1] : Values();
  there.insert(defined_.begin(), defined_.end());
  Values computed, used;
  walk(k, stage.value, there, &computed, &used);
  define_uniform(k, computed);
  for (const int v : defined_) computed.erase(v);
  if (stage.kind == Stage::Kind::row) {
    begin_row();
    store(k, stage, name(stage.value));
    lines().close();
    return;
  }
  if (stage.kind == Stage::Kind::reduce) {
    const DType t = k.values[at(stage.value)].dtype;
    lines().open(fmt::format("const {} t{} = {}{}, [&](int j, int r) {{",
                             value_type(t), s, held_reduction(k, stage),
                             literal(t, identity_of(stage.combiner, t))));
    held_body(k, s, computed);
    lines().line(fmt::format("return {};", name(stage.value)));
    close_reduction(k, stage);
    store_reduced(k, s);
    return;
  }
  lines().open(fmt::format("a_each_held<{}, {}>({}, [&](int j, int r) {{",
                           rows_ == Rows::blocks ? kThreadsPerBlock : lanes_,
                           k.row, place()));
  held_body(k, s, computed);
  store(k, stage, name(stage.value));
  lines().close("});");
}

// The text of one element: what is held of it, what is computed, what is held
// from now on.
void CudaRows::held_body(const LoopKernel& k, std::size_t s,
                         const Values& computed) {
  lines().line("(void)j, (void)r;");
  const Values before = s > 0 ? held_[s - 1] : Values();
  for (const int v : before) {
    lines().line(fmt::format("const {0} v{1} = c{1}[j];",
                             value_type(k.values[at(v)].dtype), v));
  }
  values(k, flags(k, computed));
  for (const int v : held_[s]) {
    if (before.count(v) != 0) continue;
    lines().line(fmt::format("c{0}[j] = v{0};", v));
  }
}

// Those of `computed` that are the same all along the row, defined once.
void CudaRows::define_uniform(const LoopKernel& k, const Values& computed) {
  const std::vector<bool> varies = varying(k);
  Values uniform;
  for (const int v : computed) {
    if (!varies[at(v)]) uniform.insert(v);
  }
  values(k, flags(k, uniform));
  defined_.insert(uniform.begin(), uniform.end());
}

std::string CudaRows::held_reduction(const LoopKernel& k,
                                     const Stage& stage) const {
  const char* type = value_type(k.values[at(stage.value)].dtype);
  if (rows_ == Rows::teams) {
    return fmt::format("a_reduce_held_by_team<{}, {}, {}>(", type, lanes_,
                       k.row);
  }
  if (is_most(stage.combiner)) {
    return fmt::format("a_most_held<{}, {}>(shared, ", type, k.row);
  }
  return fmt::format("a_reduce_held<{}, {}, {}, {}>(shared, ", type,
                     stage.order.lanes, stage.order.block, k.row);
}

void CudaRows::row_stage(const LoopKernel& k, std::size_t s) {
  const Stage& stage = k.stages[s];
  const std::vector<bool> needed = needed_by(k, stage);
  if (stage.kind == Stage::Kind::reduce) {
    reduce_stage(k, s, needed);
    return;
  }
  if (stage.kind == Stage::Kind::row) {
    begin_row();
  } else {
    begin_elements(k);
  }
  values(k, needed);
  store(k, stage, name(stage.value));
  lines().close();
  if (is_read_later(k, s)) between_stages();
}

void CudaRows::reduce_stage(const LoopKernel& k, std::size_t s,
                            const std::vector<bool>& needed) {
  const Stage& stage = k.stages[s];
  const DType t = k.values[at(stage.value)].dtype;
  need("reduce");
  need("team");
  if (rows_ == Rows::columns || rows_ == Rows::staged) need("held");
  lines().open(fmt::format("const {} t{} = {}{}, [&]({} r) {{", value_type(t),
                           s, reduction(k, stage),
                           literal(t, identity_of(stage.combiner, t)),
                           index_type()));
  lines().line("(void)r;");
  values(k, needed);
  lines().line(fmt::format("return {};", name(stage.value)));
  close_reduction(k, stage);
  store_reduced(k, s);
}

// The call of a reduction up to the identity, after which come a function of r
// and one of two operands.
std::string CudaRows::reduction(const LoopKernel& k, const Stage& stage) const {
  const char* type = value_type(k.values[at(stage.value)].dtype);
  const Order& order = stage.order;
  switch (rows_) {
    case Rows::columns:
      return fmt::format("a_reduce_columns<{}, {}, {}, {}>(shared, ", type,
                         order.lanes, order.block, k.row);
    case Rows::staged:
      return fmt::format("a_reduce_staged<{}, {}>(shared, ", type, k.row);
    default:
      return fmt::format("{}<{}, {}, {}>({}, ",
                         rows_ == Rows::blocks  ? "a_reduce_teams"
                         : rows_ == Rows::teams ? "a_reduce_team"
                                                : "a_reduce",
                         type, order.lanes, order.block, k.row);
  }
}

void CudaRows::close_reduction(const LoopKernel& k, const Stage& stage) {
  const DType t = k.values[at(stage.value)].dtype;
  lines().close(fmt::format(
      "}}, []({0} a, {0} b) -> {0} {{ return {1}; }});", value_type(t),
      apply_text(step_of(stage.combiner), t, {"a", "b"})));
}

void CudaRows::store_reduced(const LoopKernel& k, std::size_t s) {
  if (k.stages[s].buffer < 0) return;
  begin_row();
  store(k, k.stages[s], fmt::format("t{}", s));
  lines().close();
}

// Whether several threads have a row.
bool CudaRows::is_shared() const {
  return rows_ != Rows::none && rows_ != Rows::threads;
}

// The thread's place among those that share its row.
std::string CudaRows::place() const {
  if (rows_ == Rows::teams) return fmt::format("a_lane<{}>()", lanes_);
  if (rows_ == Rows::columns) {
    return fmt::format("(int)threadIdx.x / {}", rows_per_block());
  }
  return "(int)threadIdx.x";
}

// Opens what is done once per row, with r = 0; and for each r.
void CudaRows::begin_row() {
  const char* guard = rows_ == Rows::columns ? "!beyond && " : "";
  lines().open(is_shared() ? fmt::format("if ({}{} == 0) {{", guard, place())
                           : "{");
  lines().line(fmt::format("const {} r = 0;", index_type()));
  lines().line("(void)r;");
}

void CudaRows::begin_elements(const LoopKernel& k) {
  const std::int64_t end = loses_tail(k.row) ? k.row - 1 : k.row;
  const bool all = rows_ == Rows::blocks || rows_ == Rows::staged;
  const std::int64_t step = all ? kThreadsPerBlock : lanes_;
  std::string first = is_shared() ? place() : "0";
  if (rows_ == Rows::columns) {
    first = fmt::format("beyond ? {} : {}", end, first);
  }
  lines().open(fmt::format("for ({} r = {}; r < {}; r += {}) {{", index_type(),
                           first, end, is_shared() ? step : 1));
}

// After a stage that later stages of the kernel read through its buffer.
void CudaRows::between_stages() {
  if (rows_ == Rows::teams) {
    lines().line(fmt::format("a_team_barrier<{}>();", lanes_));
  } else if (is_shared()) {
    lines().line("__syncthreads();");
  }
}

}  // namespace assay::compiler
