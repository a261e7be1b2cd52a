#include "ptx/machine/block.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace assay::ptx {
namespace {

std::uint64_t special_value(const Block& block, Special s, unsigned warp,
                            unsigned lane) {
  const LaunchState& launch = block.launch();
  const Dim3& n = launch.block;
  Dim3 tid = block.thread(warp, lane);
  const Dim3& id = block.id();
  const Dim3& c = launch.cluster;
  Dim3 in_cluster{id.x % c.x, id.y % c.y, id.z % c.z};
  std::uint32_t bit = std::uint32_t{1} << lane;
  switch (s) {
    case Special::tid_x:
      return tid.x;
    case Special::tid_y:
      return tid.y;
    case Special::tid_z:
      return tid.z;
    case Special::ntid_x:
      return n.x;
    case Special::ntid_y:
      return n.y;
    case Special::ntid_z:
      return n.z;
    case Special::ctaid_x:
      return id.x;
    case Special::ctaid_y:
      return id.y;
    case Special::ctaid_z:
      return id.z;
    case Special::nctaid_x:
      return launch.grid.x;
    case Special::nctaid_y:
      return launch.grid.y;
    case Special::nctaid_z:
      return launch.grid.z;
    case Special::laneid:
      return lane;
    case Special::warpid:
      return warp;
    case Special::nwarpid:
      return (n.count() + kLanes - 1) / kLanes;
    case Special::smid:
      return 0;
    case Special::nsmid:
      return 1;
    case Special::gridid:
      return 1;
    case Special::lanemask_eq:
      return bit;
    case Special::lanemask_le:
      return bit | (bit - 1);
    case Special::lanemask_lt:
      return bit - 1;
    case Special::lanemask_ge:
      return ~(bit - 1);
    case Special::lanemask_gt:
      return ~(bit | (bit - 1));
    case Special::clusterid_x:
      return id.x / c.x;
    case Special::clusterid_y:
      return id.y / c.y;
    case Special::clusterid_z:
      return id.z / c.z;
    case Special::nclusterid_x:
      return launch.grid.x / c.x;
    case Special::nclusterid_y:
      return launch.grid.y / c.y;
    case Special::nclusterid_z:
      return launch.grid.z / c.z;
    case Special::cluster_ctaid_x:
      return in_cluster.x;
    case Special::cluster_ctaid_y:
      return in_cluster.y;
    case Special::cluster_ctaid_z:
      return in_cluster.z;
    case Special::cluster_nctaid_x:
      return c.x;
    case Special::cluster_nctaid_y:
      return c.y;
    case Special::cluster_nctaid_z:
      return c.z;
    case Special::cluster_ctarank:
      return in_cluster.x +
             std::uint64_t{c.x} *
                 (in_cluster.y + std::uint64_t{c.y} * in_cluster.z);
    case Special::cluster_nctarank:
      return c.count();
    case Special::is_explicit_cluster:
      return c.count() > 1 ? 1 : 0;
    case Special::dynamic_smem_size:
      return launch.dynamic_shared;
    case Special::total_smem_size:
      return launch.shared_bytes;
  }
  return 0;
}

void fill(std::byte* slot, unsigned width, unsigned lane, std::uint64_t value) {
  std::memcpy(slot + std::size_t{lane} * width, &value, width);
}

bool is_predicate_width(unsigned width) { return width == 0; }

// The same value in every lane. Blocks begin with some of these: by elements of
// one width, and not by calls of memcpy for each.
template <class T>
void fill_all(std::byte* slot, std::uint64_t value) {
  std::fill_n(reinterpret_cast<T*>(slot), kLanes, static_cast<T>(value));
}

void fill_all(std::byte* slot, unsigned width, std::uint64_t value) {
  switch (width) {
    case 4:
      return fill_all<std::uint32_t>(slot, value);
    case 8:
      return fill_all<std::uint64_t>(slot, value);
    default:
      for (unsigned l = 0; l < kLanes; ++l) fill(slot, width, l, value);
  }
}

// Those that tell threads of a block apart are the same in every block.
bool is_of_thread(Special s) {
  return s <= Special::tid_z || s == Special::laneid || s == Special::warpid ||
         (s >= Special::lanemask_eq && s <= Special::lanemask_gt);
}

}  // namespace

Block::Block(const LaunchState& launch, Workspace& workspace,
             std::uint64_t index)
    : launch_(launch), workspace_(workspace), index_(index) {
  id_.x = static_cast<std::uint32_t>(index % launch.grid.x);
  id_.y = static_cast<std::uint32_t>(index / launch.grid.x % launch.grid.y);
  id_.z = static_cast<std::uint32_t>(index / launch.grid.x / launch.grid.y);
  const Kernel& kernel = *launch.kernel;
  auto threads = static_cast<unsigned>(launch.block.count());
  unsigned warps = (threads + kLanes - 1) / kLanes;
  shared_.resize(launch.shared_bytes);
  shared_defined_.resize(launch.shared_bytes);
  local_.resize(kernel.local_bytes * warps * kLanes);
  local_defined_.resize(local_.size());
  if (launch.find_shared_races && launch.shared_bytes > 0 && warps > 1)
    marks_.emplace(launch.shared_bytes, kernel.shared_grain);
  while (workspace.frames.size() < warps) {
    auto warp = static_cast<unsigned>(workspace.frames.size());
    auto& frame = workspace.frames.emplace_back(
        new std::byte[kernel.frame_bytes + kSlotUnit]());
    auto place = reinterpret_cast<std::uintptr_t>(frame.get());
    std::byte* aligned =
        frame.get() + (kSlotUnit - place % kSlotUnit) % kSlotUnit;
    workspace.aligned_frames.push_back(aligned);
    workspace.taints.emplace_back(kernel.frame_bytes / kSlotUnit);
    for (const LaunchState::Fill& f : launch.fills) {
      if (is_predicate_width(f.width)) {
        std::uint32_t all = f.value != 0 ? kAllLanes : 0;
        std::memcpy(aligned + f.slot, &all, sizeof all);
        continue;
      }
      fill_all(aligned + f.slot, f.width, f.value);
    }
    for (const SpecialSlot& s : kernel.specials)
      for (unsigned l = 0; is_of_thread(s.special) && l < kLanes; ++l)
        fill(aligned + s.slot, s.width, l,
             special_value(*this, s.special, warp, l));
  }
  warps_.reserve(warps);
  for (unsigned w = 0; w < warps; ++w) {
    auto& taint = workspace.taints[w];
    std::fill(taint.begin(), taint.end(), kAllLanes);
    std::fill_n(taint.begin(), kFirstSlot / kSlotUnit, 0U);
    std::byte* frame = workspace.aligned_frames[w];
    for (const LaunchState::Fill& f : launch.fills)
      taint[f.slot / kSlotUnit] = 0;
    for (const SpecialSlot& s : kernel.specials) {
      taint[s.slot / kSlotUnit] = 0;
      if (is_of_thread(s.special)) continue;
      std::uint64_t value = special_value(*this, s.special, 0, 0);
      fill_all(frame + s.slot, s.width, value);
    }
    warps_.emplace_back(*this, w, std::min(kLanes, threads - w * kLanes), frame,
                        taint.data());
  }
}

Dim3 Block::thread(unsigned warp, unsigned lane) const {
  std::uint32_t linear = warp * kLanes + lane;
  const Dim3& n = launch_.block;
  return {linear % n.x, linear / n.x % n.y, linear / n.x / n.y};
}

std::span<std::byte> Block::local(unsigned warp, unsigned lane) {
  std::size_t size = launch_.kernel->local_bytes;
  return std::span(local_).subspan((warp * kLanes + lane) * size, size);
}

std::uint8_t* Block::local_defined(unsigned warp, unsigned lane) {
  return local_defined_.data() +
         (warp * kLanes + lane) * launch_.kernel->local_bytes;
}

bool Block::run(std::int64_t budget) {
  for (;;) {
    bool ran = false;
    bool done = true;
    for (Warp& w : warps_) {
      if (w.state() == Warp::State::done) continue;
      done = false;
      if (w.state() == Warp::State::waiting) continue;
      ran = true;
      // Warps that wait for one another through memory need turns.
      std::int64_t slice = 200'000;
      w.run(slice);
      budget -= 200'000 - slice;
      if (failed_) return true;
      if (steps_ > launch_.step_limit) {
        fault(FaultKind::step_limit, launch_.kernel->code.front(), w.index(), 0,
              "a block has used " + std::to_string(steps_) +
                  " operations and has not ended");
        return true;
      }
    }
    if (done) return true;
    if (!ran) {
      report_stuck();
      return true;
    }
    if (budget <= 0) return false;
  }
}

std::uint32_t Block::live_threads() const {
  std::uint32_t count = 0;
  for (const Warp& w : warps_)
    count += static_cast<std::uint32_t>(std::popcount(w.live()));
  return count;
}

void Block::arrive(unsigned barrier, std::uint32_t threads,
                   std::uint32_t expected, unsigned warp, std::uint32_t value,
                   char reduction) {
  Barrier& b = barriers_.at(barrier);
  b.started = true;
  b.arrived += threads;
  b.expected = expected;
  b.arrivals |= std::uint32_t{1} << warp;
  b.popc = reduction == 'p';
  b.is_or = reduction == '|';
  b.reduction += value;
  open_barriers();
}

void Block::threads_ended() { open_barriers(); }

void Block::open_barriers() {
  for (unsigned n = 0; n < barriers_.size(); ++n) {
    Barrier& b = barriers_.at(n);
    if (!b.started) continue;
    std::uint32_t needed = b.expected != 0 ? b.expected : live_threads();
    if (b.arrived < needed) continue;
    std::uint32_t result = b.reduction;
    if (!b.popc) result = b.is_or ? b.reduction != 0 : b.reduction == b.arrived;
    // Whoever waited here knows what those who arrived have done.
    ++generation_;
    std::uint32_t known[kLanes] = {};
    for (const Warp& w : warps_) {
      if (((b.arrivals >> w.index()) & 1U) == 0) continue;
      for (unsigned i = 0; i < kLanes; ++i)
        known[i] = std::max(known[i], w.seen[i]);
      known[w.index()] = generation_;
    }
    for (Warp& w : warps_) {
      if (w.waiting_at(n) == 0) continue;
      for (unsigned i = 0; i < kLanes; ++i)
        w.seen[i] = std::max(w.seen[i], known[i]);
    }
    bool popc = b.popc;
    b = Barrier{};
    for (Warp& w : warps_) w.release(n, result, popc);
  }
}

// Every thread that lives waits at a barrier that will not open.
void Block::report_stuck() {
  for (unsigned n = 0; n < barriers_.size(); ++n) {
    const Barrier& b = barriers_.at(n);
    for (Warp& w : warps_) {
      std::uint32_t lanes = w.waiting_at(n);
      if (lanes == 0) continue;
      std::uint32_t needed = b.expected != 0 ? b.expected : live_threads();
      return w.report_stuck(n, "barrier " + std::to_string(n) + " waits for " +
                                   std::to_string(needed) + " threads, and " +
                                   std::to_string(b.arrived) + " came");
    }
  }
}

void Block::fault(FaultKind kind, const Operation& op, unsigned warp,
                  unsigned lane, const std::string& message) {
  const Kernel& kernel = *launch_.kernel;
  const Instruction& i = *kernel.instructions[op.source];
  bool fatal = kind != FaultKind::race && kind != FaultKind::uninitialised;
  failed_ = failed_ || fatal;
  for (const Fault& f : faults_)
    if (f.kind == kind && f.line == i.line) return;
  faults_.push_back({kind, kernel.name, i.line, i.full_opcode(), id_,
                     thread(warp, lane), message});
}

}  // namespace assay::ptx
