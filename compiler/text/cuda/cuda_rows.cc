#include "compiler/text/cuda/cuda_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "compiler/graph/accumulate.h"
#include "compiler/nest/needed.h"
#include "compiler/text/cuda/cuda_text.h"
#include "compiler/text/scalar.h"

namespace assay::compiler {
namespace {

// With so many rows, threads of their own fill a GPU.
constexpr std::int64_t kManyRows = 1 << 14;
// What is worth a thread block that adds one term after the other; a column
// that is worth several threads even where columns are many.
constexpr std::int64_t kLongSequence = 512;
constexpr std::int64_t kLongColumn = 64;
// a_parts_bytes and a_staged of held.inc.
constexpr std::int64_t kPartsBytes = 512;
constexpr std::int64_t kStaged = 2048;
// What a thread moves of a row by one instruction, in bytes and in elements.
constexpr std::int64_t kPackBytes = 16, kMostWidth = 8;
// A kernel that has more of it is launched with that.
constexpr std::int64_t kStaticShared = 48 << 10;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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

std::vector<bool> flags(const LoopKernel& k, const std::set<int>& values) {
  std::vector<bool> out(k.values.size(), false);
  for (const int v : values) out[at(v)] = true;
  return out;
}

// Whether nothing is done with a row but reducing it once.
bool is_reduced_once(const LoopKernel& k) {
  return std::count_if(k.stages.begin(), k.stages.end(), [](const Stage& s) {
           return s.kind != Stage::Kind::row;
         }) == 1;
}

}  // namespace

void CudaRows::no_rows() {
  held_.reset();
  row_packs_.clear();
  defined_.clear();
  rows_ = Rows::none;
}

void CudaRows::plan_rows(const LoopKernel& k) {
  no_rows();
  if (!k.has_row) return;
  const std::optional<Order> order = common_order(k);
  lanes_ = order ? order->lanes : 1;
  rows_ = order ? choose_rows(k, *order) : Rows::threads;
  if (!order || *order != kReduceOrder || !can_hold(k) ||
      (rows_ != Rows::teams && rows_ != Rows::blocks)) {
    return;
  }
  if (is_reduced_once(k) && element_count(k.outer) >= kRowsForTeams) {
    rows_ = Rows::teams;
    return;
  }
  held_ = plan_held(k, most_shared() - kPartsBytes);
  if (!held_) return;
  rows_ = held_->by_team ? Rows::teams : Rows::blocks;
  if (!held_->by_team) choose_width(k);
}

void CudaRows::choose_width(const LoopKernel& k) {
  for (std::int64_t width = kMostWidth; width > 1; width /= 2) {
    if (k.row % (held_->threads * width) != 0) continue;
    std::vector<Pack> packs = find_packs(k, k.outer.size(), width);
    if (packs.empty() || !are_within(packs, width, kPackBytes)) continue;
    held_->width = width;
    row_packs_ = std::move(packs);
    return;
  }
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

std::int64_t CudaRows::threads_per_block() const {
  return held_ && rows_ == Rows::blocks ? held_->threads : kThreadsPerBlock;
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
  if (shared_bytes(k) > 0) declare_shared(k);
  if (held_) {
    held_row(k);
    return;
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

// What the functions of held.inc share of memory.
std::int64_t CudaRows::shared_bytes(const LoopKernel& k) const {
  if (held_ && rows_ == Rows::blocks) return kPartsBytes + held_->shared_bytes;
  if (rows_ != Rows::columns && rows_ != Rows::staged) return 0;
  const std::int64_t terms =
      rows_ == Rows::columns ? 2 * kThreadsPerBlock : 2 * kStaged;
  std::int64_t size = 0;
  for (const Stage& s : k.stages) {
    if (s.kind != Stage::Kind::reduce) continue;
    size =
        std::max<std::int64_t>(size, size_bytes(k.values[at(s.value)].dtype));
  }
  return kPartsBytes + terms * size;
}

std::int64_t CudaRows::dynamic_shared(const LoopKernel& k) const {
  const std::int64_t bytes = k.has_row ? shared_bytes(k) : 0;
  return bytes > kStaticShared ? bytes : 0;
}

void CudaRows::declare_shared(const LoopKernel& k) {
  const bool dynamic = dynamic_shared(k) > 0;
  lines().line(fmt::format("{}__shared__ __align__(16) char shared[{}];",
                           dynamic ? "extern " : "",
                           dynamic ? "" : std::to_string(shared_bytes(k))));
}

void CudaRows::held_row(const LoopKernel& k) {
  need("reduce");
  need("team");
  need("held");
  Values all;
  for (const HeldStage& h : held_->stages) {
    all.insert(h.registers.begin(), h.registers.end());
  }
  for (const int v : all) {
    lines().line(fmt::format("{} c{}[{}];", value_type(k.values[at(v)].dtype),
                             v, held_->steps));
  }
  declare_packs(k);
  for (std::size_t s = 0; s < k.stages.size(); ++s) held_stage(k, s);
}

// Of what is loaded and stored, and of what goes through shared memory.
void CudaRows::declare_packs(const LoopKernel& k) {
  if (row_packs_.empty()) return;
  need("packs");
  for (std::size_t p = 0; p < row_packs_.size(); ++p) {
    lines().line(
        fmt::format("{} p{};", pack_type(row_packs_[p], held_->width), p));
  }
  Values exchanged;
  for (const HeldStage& h : held_->stages) {
    if (h.exchanged >= 0) exchanged.insert(h.exchanged);
  }
  for (const int v : exchanged) {
    lines().line(fmt::format("{} x{};", exchanged_pack(k, v), v));
  }
}

std::string CudaRows::element(int b, const IndexExpr& at) {
  const auto p = in_row_packs_ ? place_of(row_packs_, b, at) : std::nullopt;
  return p ? fmt::format("p{}.e[j % {}]", *p, held_->width)
           : CudaPoints::element(b, at);
}

void CudaRows::held_stage(const LoopKernel& k, std::size_t s) {
  const Stage& stage = k.stages[s];
  define_uniform(k, stage.value);
  if (stage.kind == Stage::Kind::row) {
    begin_row();
    store(k, stage, name(stage.value));
    lines().close();
    return;
  }
  if (stage.kind == Stage::Kind::reduce) {
    held_reduction(k, s);
    return;
  }
  held_results(k, s);
}

// Quotients by what all elements have are taken by its reciprocal, and all is
// done anew where one of them may not be rounded to nearest.
void CudaRows::held_results(const LoopKernel& k, std::size_t s) {
  divisors_ = divisors(k, s);
  if (divisors_.empty()) {
    held_results_once(k, s);
    return;
  }
  lines().open("{");
  lines().line("bool holds = true;");
  for (const int d : divisors_) {
    lines().line(fmt::format("const a_divisor d{0} = a_divisor_of(v{0});", d));
    lines().line(fmt::format("holds &= d{}.moderate;", d));
  }
  held_results_once(k, s);
  divisors_.clear();
  lines().open("if (!holds) {");
  held_results_once(k, s);
  lines().close();
  lines().close();
}

void CudaRows::held_results_once(const LoopKernel& k, std::size_t s) {
  const Stage& stage = k.stages[s];
  held_elements(k, s);
  in_row_packs_ = held_->width > 1;
  store(k, stage, name(stage.value));
  in_row_packs_ = false;
  if (const auto p = place_of(row_packs_, stage.buffer, stage.at)) {
    move_pack(fmt::format("p{}", *p), pack_type(row_packs_[*p], held_->width),
              CudaPoints::element(stage.buffer, stage.at), true);
  }
  lines().close("});");
}

// A pack comes from `element` at the first of its elements, and goes there at
// the last.
void CudaRows::move_pack(const std::string& pack, const std::string& type,
                         const std::string& element, bool stored) {
  const std::int64_t last = held_->width - 1;
  lines().line(stored
                   ? fmt::format("if (j % {} == {}) *({}*)(&{} - {}) = {};",
                                 held_->width, last, type, element, last, pack)
                   : fmt::format("if (j % {} == 0) {} = *(const {}*)&{};",
                                 held_->width, pack, type, element));
}

CudaRows::Values CudaRows::divisors(const LoopKernel& k, std::size_t s) const {
  Values out;
  for (const int i : held_->stages[s].computed) {
    const Value& v = k.values[at(i)];
    if (v.kind != Value::Kind::apply || v.op != ScalarOp::div ||
        v.dtype != DType::f32 || !held_->varies[at(i)] ||
        held_->varies[at(v.args[1])]) {
      continue;
    }
    out.insert(v.args[1]);
  }
  return out;
}

std::string CudaRows::applied(const LoopKernel& k, const Value& v, DType t,
                              const std::vector<std::string>& args) {
  if (v.op == ScalarOp::div && divisors_.count(v.args[1]) != 0) {
    return fmt::format("a_quotient_by(d{}, {}, &holds)", v.args[1], args[0]);
  }
  return CudaPoints::applied(k, v, t, args);
}

void CudaRows::held_reduction(const LoopKernel& k, std::size_t s) {
  const Stage& stage = k.stages[s];
  const HeldStage& held = held_->stages[s];
  const DType t = k.values[at(stage.value)].dtype;
  const char* type = value_type(t);
  const bool exchanges = held.exchanged >= 0;
  if (exchanges && !held.kept) exchange(k, s);
  const std::string call =
      held_->by_team ? fmt::format("a_reduce_held_by_team<{}, {}, {}>(", type,
                                   lanes_, k.row)
      : exchanges    ? fmt::format("a_reduce_held<{}, {}, {}, {}, {}>(shared, ",
                                   type, held_->threads, stage.order.lanes,
                                   stage.order.block, k.row)
                     : fmt::format("a_most_held<{}, {}, {}, {}>(shared, ", type,
                                   held_->threads, k.row, held_->width);
  lines().open(fmt::format("const {} t{} = {}{}, [&]({}int r) {{", type, s,
                           call, literal(t, identity_of(stage.combiner, t)),
                           exchanges ? "" : "int j, "));
  if (exchanges) {
    Values there = defined_, terms, used;
    there.insert(held.exchanged);
    walk(k, stage.value, there, &terms, &used);
    lines().line(fmt::format("const {} v{} = {};",
                             value_type(k.values[at(held.exchanged)].dtype),
                             held.exchanged, exchanged(k, held.exchanged)));
    values(k, flags(k, terms));
  } else {
    held_body(k, s);
  }
  lines().line(fmt::format("return {};", name(stage.value)));
  close_reduction(k, stage);
  store_reduced(k, s);
}

// Brings a row of a value to shared memory. Of one whose elements have another
// size, that of a thread is over others' of what was there.
void CudaRows::exchange(const LoopKernel& k, std::size_t s) {
  const int v = held_->stages[s].exchanged;
  const int before = s > 0 ? held_->stages[s - 1].resident : -1;
  if (before >= 0 && size_bytes(k.values[at(before)].dtype) !=
                         size_bytes(k.values[at(v)].dtype)) {
    lines().line("a_shared_read();");
  }
  held_elements(k, s);
  if (held_->width > 1) {
    lines().line(fmt::format("x{0}.e[j % {1}] = v{0};", v, held_->width));
    move_pack(fmt::format("x{}", v), exchanged_pack(k, v), exchanged(k, v),
              true);
  } else {
    lines().line(fmt::format("{} = v{};", exchanged(k, v), v));
  }
  lines().close("});");
}

std::string CudaRows::exchanged_pack(const LoopKernel& k, int v) const {
  return fmt::format("a_pack<{}, {}>", value_type(k.values[at(v)].dtype),
                     held_->width);
}

std::string CudaRows::exchanged(const LoopKernel& k, int v) const {
  return fmt::format("(({}*)(shared + a_parts_bytes))[r]",
                     value_type(k.values[at(v)].dtype));
}

// Opens what each thread does with its elements, and computes them.
void CudaRows::held_elements(const LoopKernel& k, std::size_t s) {
  lines().open(fmt::format("a_each_held<{}, {}, {}>({}, [&](int j, int r) {{",
                           held_->threads, k.row, held_->width, place()));
  held_body(k, s);
}

// The text of one element: what is held of it, what is computed, what is held
// from now on.
void CudaRows::held_body(const LoopKernel& k, std::size_t s) {
  lines().line("(void)j, (void)r;");
  const HeldStage none;
  const HeldStage& before = s > 0 ? held_->stages[s - 1] : none;
  const HeldStage& now = held_->stages[s];
  const auto define = [&](int v, const std::string& text) {
    lines().line(fmt::format("const {} v{} = {};",
                             value_type(k.values[at(v)].dtype), v, text));
  };
  for (const int v : before.registers) define(v, fmt::format("c{}[j]", v));
  if (before.resident >= 0 && before.registers.count(before.resident) == 0) {
    const std::string pack = fmt::format("x{}", before.resident);
    if (held_->width > 1) {
      move_pack(pack, exchanged_pack(k, before.resident),
                exchanged(k, before.resident), false);
    }
    define(before.resident,
           held_->width > 1 ? fmt::format("{}.e[j % {}]", pack, held_->width)
                            : exchanged(k, before.resident));
  }
  Values computed = now.computed;
  for (const int v : defined_) computed.erase(v);
  for (const int i : computed) {
    const Value& v = k.values[at(i)];
    if (v.kind != Value::Kind::load) continue;
    const auto p = place_of(row_packs_, v.buffer, v.at);
    if (!p) continue;
    move_pack(fmt::format("p{}", *p), pack_type(row_packs_[*p], held_->width),
              CudaPoints::element(v.buffer, v.at), false);
  }
  in_row_packs_ = held_->width > 1;
  values(k, flags(k, computed));
  in_row_packs_ = false;
  for (const int v : now.registers) {
    if (before.registers.count(v) != 0) continue;
    lines().line(fmt::format("c{0}[j] = v{0};", v));
  }
}

// What value `value` is made of and is the same all along the row, once.
void CudaRows::define_uniform(const LoopKernel& k, int value) {
  Values all, used, uniform;
  walk(k, value, defined_, &all, &used);
  for (const int v : all) {
    if (!held_->varies[at(v)]) uniform.insert(v);
  }
  values(k, flags(k, uniform));
  defined_.insert(uniform.begin(), uniform.end());
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
