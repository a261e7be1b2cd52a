// Machine and the launch itself (machine.h): blocks over the threads of the
// host, and one report from what all of them saw.
#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "ptx/machine/block.h"
#include "ptx/machine/machine.h"
#include "ptx/machine/memory.h"

namespace assay::ptx {
namespace {

// Operations between two looks at the other blocks.
constexpr std::int64_t kSlice = 1'000'000;
// Below this many operations, threads cost more than they bring.
constexpr std::uint64_t kWorthThreads = 400'000;
// What the registers of blocks that take turns may need, in bytes. Blocks that
// wait for more than fit wait in vain, as on a GPU.
constexpr std::size_t kResidentBytes = std::size_t{1} << 30;

struct Outcome {
  std::uint64_t block;
  std::vector<Fault> faults;
  bool failed;
  std::string printed;
};

class Launch {
 public:
  Launch(LaunchState state, const LaunchOptions& options)
      : state_(std::move(state)), options_(options) {
    blocks_ = state_.grid.count();
  }

  Report run() {
    const Kernel& kernel = *state_.kernel;
    bool together = kernel.synchronises_globally;
    bool races = options_.find_races && blocks_ > 1 && kernel.global_grain > 0;
    if (together) order_.emplace();
    unsigned threads = options_.threads != 0
                           ? options_.threads
                           : std::thread::hardware_concurrency();
    threads =
        static_cast<unsigned>(std::clamp<std::uint64_t>(threads, 1, blocks_));
    if (together) threads = 1;
    for (unsigned i = 0; i < threads; ++i) {
      Workspace& w = workspaces_.emplace_back();
      w.approximate.resize(kernel.approximate.size());
      w.order = together ? &*order_ : nullptr;
    }
    for (unsigned i = 0; races && i < threads; ++i) {
      RaceMarks& marks = state_.memory->race_marks(i);
      marks.begin_launch(kernel.global_grain, together ? &*order_ : nullptr);
      workspaces_[i].races = &marks;
    }
    if (together) {
      run_together(workspaces_[0]);
    } else {
      // The first block tells whether more threads are worth their start.
      run_blocks(workspaces_[0], 1);
      if (threads > 1 && steps_ * (blocks_ - 1) > kWorthThreads) {
        std::vector<std::thread> others;
        for (unsigned i = 1; i < threads; ++i)
          others.emplace_back(
              [this, i] { run_blocks(workspaces_[i], blocks_); });
        run_blocks(workspaces_[0], blocks_);
        for (std::thread& t : others) t.join();
      } else {
        run_blocks(workspaces_[0], blocks_);
      }
    }
    return report();
  }

 private:
  // Blocks are taken in handfuls: neighbours share cache lines.
  void run_blocks(Workspace& workspace, std::uint64_t end) {
    std::uint64_t handful =
        std::clamp<std::uint64_t>(blocks_ / (workspaces_.size() * 8), 1, 64);
    for (;;) {
      std::uint64_t first = next_.load();
      if (first >= end || first > fatal_.load()) return;
      std::uint64_t last = std::min(first + handful, end);
      if (!next_.compare_exchange_weak(first, last)) continue;
      for (std::uint64_t n = first; n < last && n <= fatal_.load(); ++n)
        run_block(workspace, n);
    }
  }

  void run_block(Workspace& workspace, std::uint64_t n) {
    Block block(state_, workspace, n);
    while (!block.run(kSlice))
      if (n > fatal_.load()) return;
    finish(block, n);
  }

  // Blocks that may wait for one another: all of them advance in turns.
  void run_together(Workspace& first) {
    struct Resident {
      Workspace workspace;
      std::optional<Block> block;
      std::uint64_t number;
    };
    std::deque<std::unique_ptr<Resident>> residents;
    std::vector<std::unique_ptr<Resident>> spare;
    std::uint64_t next = 0;
    std::size_t warps = (state_.block.count() + kLanes - 1) / kLanes;
    std::size_t resident = std::clamp<std::size_t>(
        kResidentBytes / (warps * state_.kernel->frame_bytes), 1, 4096);
    while (next < blocks_ || !residents.empty()) {
      if (next < blocks_ && residents.size() < resident) {
        std::unique_ptr<Resident> r;
        if (spare.empty()) {
          r = std::make_unique<Resident>();
          r->workspace.races = first.races;
          r->workspace.order = first.order;
          r->workspace.approximate.resize(first.approximate.size());
        } else {
          r = std::move(spare.back());
          spare.pop_back();
        }
        r->number = next++;
        r->block.emplace(state_, r->workspace, r->number);
        residents.push_front(std::move(r));
      }
      std::unique_ptr<Resident> r = std::move(residents.front());
      residents.pop_front();
      if (!r->block->run(kSlice / 10)) {
        residents.push_back(std::move(r));
        continue;
      }
      finish(*r->block, r->number);
      bool failed = r->block->failed();
      r->block.reset();
      for (std::size_t i = 0; i < first.approximate.size(); ++i)
        first.approximate[i] += std::exchange(r->workspace.approximate[i], 0);
      if (failed) return;
      spare.push_back(std::move(r));
    }
  }

  void finish(Block& block, std::uint64_t n) {
    std::lock_guard lock(mutex_);
    steps_ += block.steps();
    if (block.failed() && n < fatal_.load()) fatal_.store(n);
    if (block.faults().empty() && block.printed().empty()) return;
    outcomes_.push_back({n, std::move(block.faults()), block.failed(),
                         std::move(block.printed())});
  }

  Report report() {
    Report all;
    all.instructions = steps_;
    std::sort(
        outcomes_.begin(), outcomes_.end(),
        [](const Outcome& a, const Outcome& b) { return a.block < b.block; });
    std::set<std::pair<FaultKind, int>> seen;
    for (Outcome& o : outcomes_) {
      if (o.block > fatal_.load()) break;
      all.printed += o.printed;
      for (Fault& f : o.faults)
        if (seen.emplace(f.kind, f.line).second &&
            all.faults.size() < options_.max_faults)
          all.faults.push_back(std::move(f));
    }
    if (all.faults.empty()) compare_threads(all);
    for (const Workspace& w : workspaces_)
      for (std::size_t i = 0; i < w.approximate.size(); ++i)
        if (w.approximate[i] != 0)
          all.approximate[state_.kernel->approximate[i]] += w.approximate[i];
    return all;
  }

  // Races between blocks that ran on different threads.
  void compare_threads(Report& all) {
    for (std::size_t a = 0; a < workspaces_.size(); ++a) {
      for (std::size_t b = a + 1; b < workspaces_.size(); ++b) {
        if (workspaces_[a].races == nullptr) return;
        auto clash =
            RaceMarks::compare(*workspaces_[a].races, *workspaces_[b].races);
        if (!clash) continue;
        if (clash->second.block < clash->first.block)
          std::swap(clash->first, clash->second);
        const Kernel& kernel = *state_.kernel;
        const Instruction& one = *kernel.instructions[clash->first.source];
        const Instruction& two = *kernel.instructions[clash->second.source];
        Fault f;
        f.kind = FaultKind::race;
        f.entry = kernel.name;
        f.line = one.line;
        f.instruction = one.full_opcode();
        std::uint64_t n = clash->first.block;
        f.block = {
            static_cast<std::uint32_t>(n % state_.grid.x),
            static_cast<std::uint32_t>(n / state_.grid.x % state_.grid.y),
            static_cast<std::uint32_t>(n / state_.grid.x / state_.grid.y)};
        f.message = "accesses offset " + std::to_string(clash->first.offset) +
                    " of buffer " +
                    state_.memory->at(clash->first.buffer).name +
                    ", which another block accesses by " + two.full_opcode() +
                    " in line " + std::to_string(two.line) +
                    ", and nothing orders the two";
        all.faults.push_back(std::move(f));
        return;
      }
    }
  }

  LaunchState state_;
  const LaunchOptions& options_;
  std::uint64_t blocks_ = 0;
  std::optional<BlockOrder> order_;
  std::deque<Workspace> workspaces_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> fatal_ = ~std::uint64_t{0};
  std::mutex mutex_;
  std::uint64_t steps_ = 0;
  std::vector<Outcome> outcomes_;
};

std::uint64_t parameter_value(const Constant& c,
                              std::span<const std::byte> arguments) {
  std::uint64_t value = 0;
  if (c.index + c.source_width > arguments.size()) return 0;
  std::memcpy(&value, arguments.data() + c.index, c.source_width);
  if (c.sign_extend) {
    unsigned shift = 64 - 8 * c.source_width;
    value = static_cast<std::uint64_t>(
        static_cast<std::int64_t>(value << shift) >> shift);
  }
  return value;
}

Status check_shape(const Kernel& kernel, const LaunchShape& shape,
                   std::size_t arguments) {
  auto complain = [&](const std::string& text) {
    return Error{"launch of " + kernel.name + ": " + text};
  };
  std::uint64_t threads = shape.block.count();
  if (threads == 0 || threads > 1024)
    return complain("a block has 1 to 1024 threads, not " +
                    std::to_string(threads));
  if (shape.grid.count() == 0 || shape.grid.count() >= 0xfffffffeU)
    return complain("the grid has no blocks, or too many");
  if (shape.cluster.count() == 0 || shape.grid.x % shape.cluster.x != 0 ||
      shape.grid.y % shape.cluster.y != 0 ||
      shape.grid.z % shape.cluster.z != 0)
    return complain("the grid is no multiple of the cluster");
  if (kernel.required_threads != 0 && threads != kernel.required_threads)
    return complain(
        "the kernel requires " + std::to_string(kernel.required_threads) +
        " threads in a block (.reqntid), not " + std::to_string(threads));
  if (kernel.max_threads != 0 && threads > kernel.max_threads)
    return complain("the kernel allows " + std::to_string(kernel.max_threads) +
                    " threads in a block (.maxntid), not " +
                    std::to_string(threads));
  // Shared memory of the largest GPUs is 227 KiB for a block.
  if (kernel.static_shared + shape.shared > 227 * 1024)
    return complain("a block has at most 227 KiB of shared memory, not " +
                    std::to_string(kernel.static_shared + shape.shared) +
                    " bytes");
  if (arguments < kernel.parameter_bytes)
    return complain("the kernel takes " +
                    std::to_string(kernel.parameter_bytes) +
                    " bytes of arguments, not " + std::to_string(arguments));
  return success();
}

}  // namespace

Machine::Machine() : memory_(std::make_unique<Memory>()) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

std::uint64_t Machine::add_buffer(std::string name, std::span<std::byte> bytes,
                                  Contents contents) {
  Buffer b;
  b.name = std::move(name);
  b.data = bytes.data();
  b.bytes = bytes.size();
  if (contents == Contents::undefined) b.defined.resize(bytes.size());
  return memory_->add(std::move(b));
}

std::uint64_t Machine::add_constant(std::string name,
                                    std::span<const std::byte> bytes) {
  Buffer b;
  b.name = std::move(name);
  b.data = const_cast<std::byte*>(bytes.data());  // never written: see writable
  b.bytes = bytes.size();
  b.writable = false;
  return memory_->add(std::move(b));
}

bool Machine::mark(std::uint64_t address, std::size_t bytes,
                   Contents contents) {
  if (host(address, bytes) == nullptr) return false;
  Buffer& b = *memory_->find(address);
  if (contents == Contents::undefined && b.defined.empty())
    b.defined.assign(b.bytes, 1);
  if (!b.defined.empty())
    std::fill_n(
        b.defined.begin() + static_cast<std::ptrdiff_t>(address & kRegionMask),
        bytes, contents == Contents::defined ? 1 : 0);
  return true;
}

std::byte* Machine::host(std::uint64_t address, std::size_t bytes) {
  Buffer* b = memory_->find(address);
  std::uint64_t offset = address & kRegionMask;
  if (b == nullptr || offset > b->bytes || bytes > b->bytes - offset)
    return nullptr;
  return b->data + offset;
}

void Machine::remove_buffers() { memory_->clear(); }

Result<Report> Machine::launch(const Program& program, std::string_view entry,
                               const LaunchShape& shape,
                               std::span<const std::byte> arguments,
                               const LaunchOptions& options) {
  Status known = program.check(entry);
  if (!known) return known.error();
  const CompiledModule& module = program.compiled();
  const Kernel& kernel = module.kernels.find(entry)->second.value();
  Status fits = check_shape(kernel, shape, arguments.size());
  if (!fits) return fits.error();

  LaunchState state;
  state.kernel = &kernel;
  state.memory = memory_.get();
  state.grid = shape.grid;
  state.block = shape.block;
  state.cluster = shape.cluster;
  state.dynamic_shared = shape.shared;
  state.shared_bytes = kernel.static_shared + shape.shared;
  state.approximation = options.approximation;
  state.recorded = options.recorded;
  state.find_uninitialised = options.find_uninitialised;
  state.find_shared_races = options.find_races;
  state.step_limit = options.step_limit;
  const auto& variables = memory_->variables_of(program.share());
  state.parameters = add_constant("parameters", arguments);
  for (const Constant& c : kernel.constants) {
    std::uint64_t value = c.value;
    if (c.kind == Constant::Kind::variable) value += variables[c.index];
    if (c.kind == Constant::Kind::parameter)
      value = parameter_value(c, arguments);
    if (c.kind == Constant::Kind::parameter_address) value += state.parameters;
    state.fills.push_back({c.slot, c.width, value});
  }
  // The arithmetic relies on the default environment; the caller's returns.
  std::fenv_t environment;
  std::fegetenv(&environment);
  std::fesetenv(FE_DFL_ENV);
  Report report = Launch(std::move(state), options).run();
  std::fesetenv(&environment);
  memory_->remove_last();
  return report;
}

}  // namespace assay::ptx
