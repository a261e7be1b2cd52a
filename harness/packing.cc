#include "harness/packing.h"

#include <algorithm>
#include <cstdint>

namespace assay {
namespace {

constexpr std::size_t kPackNodes = 240;
constexpr std::int64_t kPackElements = 1 << 20;

std::int64_t elements(const Case& c) {
  std::int64_t n = 0;
  for (const TensorType& t : c.program.inputs) n += element_count(t.sizes);
  return n;
}

// A rough measure; only its order of magnitude counts.
double weight(const std::vector<const Case*>& cases,
              const std::vector<std::size_t>& unit) {
  double sum = 0;
  for (const std::size_t i : unit) {
    double constants = 0;
    for (const Tensor& t : cases[i]->program.constants) {
      constants += static_cast<double>(t.numel());
    }
    sum += (static_cast<double>(elements(*cases[i])) + constants + 100) *
           static_cast<double>(cases[i]->program.nodes.size() + 1);
  }
  return sum;
}

std::string_view spec_name(const Case& c) {
  return std::string_view(c.path).substr(0, c.path.find('/'));
}

bool can_be_packed(const Case& c) { return c.packable && c.must_raise.empty(); }

}  // namespace

std::vector<std::vector<std::size_t>> make_units(
    const std::vector<const Case*>& cases, bool slow) {
  std::vector<std::vector<std::size_t>> units;
  std::vector<std::size_t> open;
  std::size_t nodes = 0;
  std::int64_t size = 0;
  const auto close = [&] {
    if (!open.empty()) units.push_back(std::move(open));
    open.clear();
    nodes = 0;
    size = 0;
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = *cases[i];
    if (!slow || !can_be_packed(c)) {
      units.push_back({i});
      continue;
    }
    const std::size_t more = c.program.nodes.size();
    // Packs do not reach across specs: a change of one spec then leaves the
    // programs of all others as they were, and in the compiler's cache.
    const bool other_spec =
        !open.empty() && spec_name(*cases[open.back()]) != spec_name(c);
    if (open.size() == kPackLimit || nodes + more > kPackNodes ||
        size + elements(c) > kPackElements || other_spec) {
      close();
    }
    open.push_back(i);
    nodes += more;
    size += elements(c);
  }
  close();
  // Heavy ones first, so that no thread is left with one at the end; the
  // others stay in path order.
  constexpr double kHeavy = 1e6;
  std::stable_sort(units.begin(), units.end(),
                   [&](const auto& a, const auto& b) {
                     const double wa = weight(cases, a);
                     const double wb = weight(cases, b);
                     return (wa > kHeavy ? wa : 0) > (wb > kHeavy ? wb : 0);
                   });
  return units;
}

std::vector<Observation> unpack(const Observation& packed,
                                const std::vector<const Case*>& cases) {
  std::vector<Observation> out;
  std::size_t at = 0;
  for (const Case* c : cases) {
    Observation one;
    one.kind = packed.kind;
    one.torch = packed.torch;
    one.seconds = packed.seconds / static_cast<double>(cases.size());
    for (std::size_t k = 0; k < c->program.outputs.size(); ++k) {
      one.outputs.push_back(packed.outputs[at++]);
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace assay
