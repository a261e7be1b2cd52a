#include "ptx/machine/warp.h"

#include <algorithm>
#include <bit>
#include <cfenv>

#include "ptx/machine/block.h"

namespace assay::ptx {
namespace {

// How long one group of a warp may keep the others waiting, so that threads
// that spin until others of their warp have done something see it done.
constexpr std::uint64_t kTurn = 20'000;

int host_rounding(Rounding r) {
  switch (r) {
    case Rounding::nearest:
      return FE_TONEAREST;
    case Rounding::zero:
      return FE_TOWARDZERO;
    case Rounding::down:
      return FE_DOWNWARD;
    case Rounding::up:
      return FE_UPWARD;
  }
  return FE_TONEAREST;
}

}  // namespace

Warp::Warp(Block& block, unsigned index, unsigned threads, std::byte* frame,
           std::uint32_t* taint)
    : block_(block),
      kernel_(*block.launch().kernel),
      index_(index),
      frame_(frame),
      taint_(taint),
      live_(threads == kLanes ? kAllLanes : (std::uint32_t{1} << threads) - 1) {
  groups_.push_back({0, live_});
}

Warp::State Warp::state() const {
  if (groups_.empty()) return State::done;
  for (const Group& g : groups_)
    if (g.wait != Wait::barrier) return State::ready;
  return State::waiting;
}

void Warp::fault(FaultKind kind, const Operation& op, std::uint32_t lanes,
                 const std::string& message) {
  block_.fault(kind, op, index_, static_cast<unsigned>(std::countr_zero(lanes)),
               message);
}

void Warp::check_defined(const Operation& op, std::uint32_t slot,
                         std::uint32_t mask, const char* what) {
  std::uint32_t bad = taint(slot) & mask;
  if (bad == 0 || !block_.launch().find_uninitialised) return;
  fault(FaultKind::uninitialised, op, bad,
        std::string(what) + " depends on a value that was never written");
  set_taint(slot, bad, 0);  // once is enough
}

// Makes the ready group with the least program counter current. False if
// there is none.
bool Warp::pick() {
  for (;;) {
    std::size_t best = groups_.size();
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].wait == Wait::none &&
          (best == groups_.size() || groups_[i].pc < groups_[best].pc))
        best = i;
    if (best == groups_.size()) {
      if (wake_sync()) continue;
      return false;
    }
    current_ = best;
    merge_at(groups_[best].pc, Wait::none);
    next_pc_ = 0xffffffffU;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (i != current_ && groups_[i].wait == Wait::none)
        next_pc_ = std::min(next_pc_, groups_[i].pc);
    turn_ = 0;
    return true;
  }
}

// Takes the groups that stand at `pc` in the given state into the current one.
void Warp::merge_at(std::uint32_t pc, Wait wait) {
  for (std::size_t i = groups_.size(); i-- > 0;) {
    if (i == current_ || groups_[i].pc != pc || groups_[i].wait != wait)
      continue;
    groups_[current_].mask |= groups_[i].mask;
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(i));
    if (current_ > i) --current_;
  }
}

void Warp::run_lanes(const Operation& op, std::uint32_t mask) {
  if (op.rounding == Rounding::nearest) return op.lanes(frame_, op, mask);
  std::fesetround(host_rounding(op.rounding));
  op.lanes(frame_, op, mask);
  std::fesetround(FE_TONEAREST);
}

void Warp::run(std::int64_t& budget) {
  if (!pick()) return;
  const Operation* code = kernel_.code.data();
  std::uint32_t pc = groups_[current_].pc;
  std::uint64_t steps = 0;
  auto leave = [&] {
    budget -= static_cast<std::int64_t>(steps);
    block_.count(steps);
  };
  for (;;) {
    if (pc >= next_pc_ || turn_ > kTurn) {
      // Another group is behind or here, or has waited long enough.
      groups_[current_].pc = pc;
      if (turn_ > kTurn && groups_.size() > 1) {
        std::rotate(groups_.begin(), groups_.begin() + 1, groups_.end());
        for (current_ = 0; groups_[current_].wait != Wait::none;) ++current_;
        merge_at(groups_[current_].pc, Wait::none);
        next_pc_ = 0xffffffffU;
        turn_ = 0;
      } else if (!pick()) {
        return leave();
      }
      pc = groups_[current_].pc;
    }
    if (static_cast<std::int64_t>(steps) >= budget) {
      groups_[current_].pc = pc;
      return leave();
    }
    const Operation& op = code[pc];
    ++pc;
    ++steps;
    ++turn_;
    std::uint32_t mask = groups_[current_].mask;
    if (op.guard != 0) {
      if (op.first) check_defined(op, op.guard, mask, "a guard");
      std::uint32_t guard = predicate(op.guard);
      mask &= op.guard_negated ? ~guard : guard;
      if (mask == 0) continue;
    }
    switch (op.kind) {
      case OperationKind::lanes:
        run_lanes(op, mask);
        break;
      case OperationKind::warp:
        groups_[current_].pc = pc;
        op.warp(*this, op, mask);
        if (block_.failed()) return leave();
        break;
      case OperationKind::branch:
        branch(op, mask, pc);
        continue;
      case OperationKind::branch_indexed:
        groups_[current_].pc = pc;
        branch_indexed(op, mask);
        if (block_.failed() || !pick()) return leave();
        pc = groups_[current_].pc;
        continue;
      case OperationKind::exit:
        groups_[current_].pc = pc;
        exit(mask);
        if (groups_.empty() || !pick()) return leave();
        pc = groups_[current_].pc;
        continue;
      case OperationKind::sync:
        groups_[current_].pc = pc;
        if (!sync(op, mask)) {
          if (block_.failed() || !pick()) return leave();
          pc = groups_[current_].pc;
          continue;
        }
        if (block_.failed()) return leave();
        break;
      case OperationKind::barrier:
        groups_[current_].pc = pc;
        barrier(op, mask);
        if (block_.failed() || !pick()) return leave();
        pc = groups_[current_].pc;
        continue;
    }
    if (op.taint == Taint::any)
      set_taint(op.d, mask,
                taint(op.a) | taint(op.b) | taint(op.c) | taint(op.e));
    else if (op.taint == Taint::clear)
      set_taint(op.d, mask, 0);
  }
}

void Warp::branch(const Operation& op, std::uint32_t taken, std::uint32_t& pc) {
  Group& g = groups_[current_];
  if (taken == g.mask) {
    pc = op.target;
    return;
  }
  Group other{op.target, taken};
  g.mask &= ~taken;
  if (other.pc < pc) {
    std::swap(other.mask, g.mask);
    std::swap(other.pc, pc);
  }
  next_pc_ = std::min(next_pc_, other.pc);
  groups_.push_back(other);
}

void Warp::branch_indexed(const Operation& op, std::uint32_t mask) {
  check_defined(op, op.a, mask, "a branch");
  std::vector<std::uint32_t> targets(
      kernel_.lists.begin() + op.list,
      kernel_.lists.begin() + op.list + static_cast<std::ptrdiff_t>(op.imm));
  Group here = groups_[current_];
  groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(current_));
  if ((here.mask & ~mask) != 0) groups_.push_back({here.pc, here.mask & ~mask});
  const auto* index = slot<std::uint32_t>(op.a);
  for (; mask != 0;) {
    auto lane = static_cast<unsigned>(std::countr_zero(mask));
    std::uint32_t same = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      auto l = static_cast<unsigned>(std::countr_zero(rest));
      if (index[l] == index[lane]) same |= std::uint32_t{1} << l;
    }
    if (index[lane] >= targets.size()) {
      fault(FaultKind::trap, op, same,
            "brx.idx: index " + std::to_string(index[lane]) + " of " +
                std::to_string(targets.size()) + " targets");
      return;
    }
    groups_.push_back({targets[index[lane]], same});
    mask &= ~same;
  }
}

void Warp::exit(std::uint32_t mask) {
  live_ &= ~mask;
  groups_[current_].mask &= ~mask;
  if (groups_[current_].mask == 0)
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(current_));
  block_.threads_ended();
}

// The threads that `op` names: all must stand here before it can run.
bool Warp::sync(const Operation& op, std::uint32_t mask) {
  Group here = groups_[current_];
  std::uint32_t at = here.pc - 1;
  // Threads whose guard is false do not take part and go on.
  if (mask != here.mask) {
    groups_.push_back({here.pc, here.mask & ~mask});
    next_pc_ = std::min(next_pc_, here.pc);
    groups_[current_].mask = mask;
  }
  groups_[current_].pc = at;
  merge_at(at, Wait::sync);
  Group& all = groups_[current_];
  check_defined(op, op.e, all.mask, "the mask of a .sync instruction");
  std::uint32_t needed = 0;
  const auto* named = slot<std::uint32_t>(op.e);
  for (std::uint32_t rest = all.mask; rest != 0; rest &= rest - 1)
    needed |= named[std::countr_zero(rest)];
  if ((needed & live_ & ~all.mask) != 0) {
    all.wait = Wait::sync;
    return false;
  }
  all.pc = at + 1;
  op.warp(*this, op, all.mask);
  return true;
}

// When nobody else can run: threads that have ended are not waited for.
bool Warp::wake_sync() {
  bool woken = false;
  bool stuck = false;
  for (Group& g : groups_) {
    if (g.wait != Wait::sync) continue;
    const Operation& op = kernel_.code[g.pc];
    std::uint32_t needed = 0;
    const auto* named = slot<std::uint32_t>(op.e);
    for (std::uint32_t rest = g.mask; rest != 0; rest &= rest - 1)
      needed |= named[std::countr_zero(rest)];
    if ((needed & live_ & ~g.mask) == 0) {
      g.wait = Wait::none;
      woken = true;
    } else {
      stuck = true;
    }
  }
  if (!woken && stuck) deadlock();
  return woken;
}

void Warp::deadlock() {
  for (const Group& g : groups_) {
    if (g.wait != Wait::sync) continue;
    const Operation& op = kernel_.code[g.pc];
    auto lane = static_cast<unsigned>(std::countr_zero(g.mask));
    std::uint32_t named = slot<std::uint32_t>(op.e)[lane];
    return fault(FaultKind::bad_barrier, op, g.mask,
                 "waits for the lanes of mask " + std::to_string(named) +
                     ", of which " +
                     std::to_string(std::popcount(named & live_ & ~g.mask)) +
                     " never come");
  }
}

void Warp::barrier(const Operation& op, std::uint32_t mask) {
  Group& here = groups_[current_];
  if (mask != here.mask) {
    std::uint32_t rest = here.mask & ~mask;
    std::uint32_t pc = here.pc;
    here.mask = mask;
    groups_.push_back({pc, rest});
  }
  // a: number; b: count of threads, 0 for all; c: predicate of .red;
  // imm: 'w' sync, 'a' arrive, or the reduction p(opc), &, |.
  auto lane = static_cast<unsigned>(std::countr_zero(mask));
  check_defined(op, op.a, mask, "a barrier's number");
  check_defined(op, op.b, mask, "a barrier's count");
  std::uint32_t number = slot<std::uint32_t>(op.a)[lane];
  std::uint32_t count = slot<std::uint32_t>(op.b)[lane];
  if (number >= 16)
    return fault(FaultKind::bad_barrier, op, mask,
                 "barrier " + std::to_string(number) + ": there are 16");
  if (count % kLanes != 0)
    return fault(FaultKind::bad_barrier, op, mask,
                 "a count of " + std::to_string(count) +
                     " threads: it must be a multiple of 32");
  for (const Group& g : groups_) {
    if (g.wait == Wait::barrier && g.barrier == number &&
        g.pc != groups_[current_].pc && op.list == 1)
      return fault(FaultKind::bad_barrier, op, mask,
                   "threads of one warp stand at different instructions of an "
                   "aligned barrier");
  }
  char what = static_cast<char>(op.imm);
  std::uint32_t value = 0;
  if (what != 'w' && what != 'a')
    value = static_cast<std::uint32_t>(std::popcount(predicate(op.c) & mask));
  if (what != 'a') {
    Group& g = groups_[current_];
    g.wait = Wait::barrier;
    g.barrier = number;
    g.operation = &op;
  }
  block_.arrive(number, static_cast<std::uint32_t>(std::popcount(mask)), count,
                index_, value, what);
}

std::uint32_t Warp::waiting_at(unsigned barrier) const {
  std::uint32_t lanes = 0;
  for (const Group& g : groups_)
    if (g.wait == Wait::barrier && g.barrier == barrier) lanes |= g.mask;
  return lanes;
}

void Warp::report_stuck(unsigned barrier, const std::string& message) {
  for (const Group& g : groups_)
    if (g.wait == Wait::barrier && g.barrier == barrier)
      return fault(FaultKind::bad_barrier, *g.operation, g.mask, message);
}

void Warp::release(unsigned barrier, std::uint32_t reduction, bool is_popc) {
  for (Group& g : groups_) {
    if (g.wait != Wait::barrier || g.barrier != barrier) continue;
    g.wait = Wait::none;
    const Operation& op = *g.operation;
    if (op.d == kSinkSlot) continue;
    set_taint(op.d, g.mask, 0);
    if (is_popc) {
      for (std::uint32_t rest = g.mask; rest != 0; rest &= rest - 1)
        slot<std::uint32_t>(op.d)[std::countr_zero(rest)] = reduction;
    } else {
      std::uint32_t& p = predicate(op.d);
      p = reduction != 0 ? p | g.mask : p & ~g.mask;
    }
  }
}

}  // namespace assay::ptx
