#include "compiler/text/cuda/held_plan.h"

#include <algorithm>
#include <utility>

#include "compiler/text/ceil_div.h"
#include "compiler/text/cuda/cuda_text.h"

namespace assay::compiler {
namespace {

using Values = std::set<int>;

// Elements of a row for each thread, whose code is written out; what they take
// of its registers, in bytes; threads of a block, at most.
constexpr std::int64_t kMostSteps = 32;
constexpr std::int64_t kMostBytes = 256;
constexpr std::int64_t kMostThreads = 1024;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool is_cheap(const Value& v) {
  if (v.kind == Value::Kind::cast || v.kind == Value::Kind::convert) {
    return true;
  }
  if (v.kind != Value::Kind::apply) return false;
  switch (v.op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::fma:
    case ScalarOp::neg:
    case ScalarOp::abs:
      return true;
    default:
      return false;
  }
}

// The values that vary, and are none of cheap operations, which `id` is
// computed from.
void find_leaves(const LoopKernel& k, const std::vector<bool>& varies, int id,
                 Values* leaves) {
  const Value& v = k.values[at(id)];
  if (!varies[at(id)]) return;
  if (!is_cheap(v)) {
    leaves->insert(id);
    return;
  }
  for (const int a : v.args) find_leaves(k, varies, a, leaves);
}

// Reductions in which the order makes no difference.
bool is_most(Combiner c) {
  return c == Combiner::maximum || c == Combiner::minimum;
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

bool is_exchange(const Stage& s) {
  return s.kind == Stage::Kind::reduce && !is_most(s.combiner);
}

class Planner {
 public:
  Planner(const LoopKernel& k, HeldPlan plan)
      : k_(k), plan_(std::move(plan)), last_use_(k.values.size(), -1) {}

  // Nothing where registers do not suffice.
  std::optional<HeldPlan> run() {
    const std::size_t count = k_.stages.size();
    plan_.stages.resize(count);
    for (std::size_t s = 0; s < count; ++s) targets_.push_back(target(s));
    std::vector<Values> left;
    Values there, computed;
    for (std::size_t s = 0; s < count; ++s) {
      Values used;
      walk(k_, targets_[s], there, &plan_.stages[s].computed, &used);
      for (const int v : used) last_use_[at(v)] = static_cast<int>(s);
      for (const int v : plan_.stages[s].computed) {
        if (plan_.varies[at(v)]) computed.insert(v);
      }
      Values unused;
      there.clear();
      for (std::size_t later = s + 1; later < count; ++later) {
        walk(k_, targets_[later], computed, &unused, &there);
        unused.clear();
      }
      left.push_back(there);
    }
    for (std::size_t s = 0; s < count; ++s) {
      if (!place(s, left[s])) return std::nullopt;
    }
    return std::move(plan_);
  }

 private:
  std::int64_t bytes(int value) const {
    return size_bytes(k_.values[at(value)].dtype);
  }

  bool exchanges(std::size_t s) const {
    return !plan_.by_team && is_exchange(k_.stages[s]);
  }

  // What a stage computes of each element: the value, or what its terms are
  // cheaply computed from.
  int target(std::size_t s) const {
    const int value = k_.stages[s].value;
    if (!exchanges(s)) return value;
    Values leaves;
    find_leaves(k_, plan_.varies, value, &leaves);
    const bool one =
        leaves.size() == 1 && bytes(*leaves.begin()) <= bytes(value);
    return one ? *leaves.begin() : value;
  }

  // Decides where what stage `s` leaves is kept. What is exchanged lies in
  // shared memory until something else is; each thread may still read its own
  // elements while it writes others of the same size over them.
  bool place(std::size_t s, const Values& left) {
    HeldStage& stage = plan_.stages[s];
    const int before = s > 0 ? plan_.stages[s - 1].resident : -1;
    stage.resident = before;
    if (exchanges(s)) {
      stage.exchanged = targets_[s];
      stage.kept = before == stage.exchanged;
      stage.resident = stage.exchanged;
      plan_.shared_bytes =
          std::max(plan_.shared_bytes, k_.row * bytes(stage.exchanged));
    }
    std::int64_t held = 0;
    for (const int v : left) {
      if (v == stage.resident && last_use_[at(v)] <= last_read(s, v)) continue;
      stage.registers.insert(v);
      held += std::max<std::int64_t>(bytes(v), 4);
    }
    return held * plan_.steps <= kMostBytes;
  }

  // The last stage in which value `v`, which is in shared memory after stage
  // `s`, still is.
  int last_read(std::size_t s, int v) const {
    for (std::size_t later = s + 1; later < k_.stages.size(); ++later) {
      if (!exchanges(later) || targets_[later] == v) continue;
      const bool same = bytes(targets_[later]) == bytes(v);
      return static_cast<int>(same ? later : later - 1);
    }
    return static_cast<int>(k_.stages.size());
  }

  const LoopKernel& k_;
  HeldPlan plan_;
  std::vector<int> targets_;
  std::vector<int> last_use_;  // by value: the last stage that takes it
};

}  // namespace

void walk(const LoopKernel& k, int id, const Values& there, Values* computed,
          Values* used) {
  if (there.count(id) != 0) {
    used->insert(id);
    return;
  }
  if (!computed->insert(id).second) return;
  for (const int a : k.values[at(id)].args) walk(k, a, there, computed, used);
}

std::optional<HeldPlan> plan_held(const LoopKernel& k,
                                  std::int64_t most_shared) {
  HeldPlan plan;
  const std::int64_t rows = element_count(k.outer);
  plan.by_team = k.row <= kMostSteps * kReduceOrder.lanes &&
                 (rows >= kRowsForTeams || k.row <= kThreadsPerBlock);
  plan.threads = plan.by_team ? kReduceOrder.lanes : kThreadsPerBlock;
  while (ceil_div(k.row, plan.threads) > kMostSteps) {
    plan.threads *= 2;
    if (plan.threads > kMostThreads) return std::nullopt;
  }
  plan.steps = ceil_div(k.row, plan.threads);
  plan.varies = varying(k);
  std::optional<HeldPlan> made = Planner(k, std::move(plan)).run();
  if (made && made->shared_bytes > most_shared) return std::nullopt;
  return made;
}

}  // namespace assay::compiler
