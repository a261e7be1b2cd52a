#include "harness/workers/cuda/undefined_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace assay::harness::worker::cuda {
namespace {

// An element of that dtype whose bytes are all poison.
std::uint64_t poisoned(DType dtype, std::byte poison) {
  std::uint64_t bits = 0;
  for (std::int64_t i = 0; i < size_bytes(dtype); ++i) {
    bits = bits << 8 | std::to_integer<std::uint64_t>(poison);
  }
  return bits;
}

struct Count {
  std::int64_t elements = 0;
  std::int64_t first = 0;

  void add(std::int64_t i) {
    if (elements++ == 0) first = i;
  }
  std::string text(std::size_t output, std::int64_t all,
                   const char* what) const {
    return fmt::format("P4: output {}: {} of {} elements {}, the first is {}",
                       output, elements, all, what, first);
  }
};

}  // namespace

std::size_t undefined_bytes(const LaunchPlan& plan) {
  std::size_t bytes = 0;
  for (const PlanBuffer& b : plan.buffers) {
    const bool begins = b.kind == PlanBuffer::Kind::input ||
                        b.kind == PlanBuffer::Kind::constant || b.fill;
    if (!begins) bytes += b.bytes;
  }
  return bytes;
}

bool has_atomics(const std::vector<const ptx::Module*>& modules) {
  for (const ptx::Module* module : modules) {
    for (const auto& [opcode, count] : module->count_opcodes()) {
      if (opcode.starts_with("atom.") || opcode.starts_with("red.")) {
        return true;
      }
    }
  }
  return false;
}

std::vector<std::string> poison_breaches(const std::vector<Tensor>& first,
                                         std::byte first_poison,
                                         const std::vector<Tensor>& second,
                                         std::byte second_poison,
                                         bool deterministic) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < std::min(first.size(), second.size()); ++k) {
    const Tensor one = components(first[k]);
    const Tensor two = components(second[k]);
    const DType dtype = one.dtype();
    const std::uint64_t a = poisoned(dtype, first_poison);
    const std::uint64_t b = poisoned(dtype, second_poison);
    const std::int64_t n = one.numel();
    Count unwritten;
    Count other;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t x = one.bits(i);
      const std::uint64_t y = two.bits(i);
      if (x == a && y == b) {
        unwritten.add(i);
      } else if (x != y) {
        other.add(i);
      }
    }
    if (unwritten.elements > 0) {
      out.push_back(unwritten.text(k, n, "were never written"));
    }
    if (other.elements > 0 && deterministic) {
      out.push_back(
          other.text(k, n, "depend on memory that nobody wrote, or on time"));
    }
  }
  return out;
}

}  // namespace assay::harness::worker::cuda
