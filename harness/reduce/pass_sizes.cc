// Sizes: slices of dimensions, and dimensions of one entry left out. Which
// tensors must agree is not worked out here: tensors with the same size are
// tried together and alone, and what is no program is discarded.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>

#include "core/operands.h"
#include "harness/reduce/passes.h"

namespace assay::harness {
namespace {

// Dimension `dim` of input or constant `tensor`.
struct Place {
  std::size_t tensor = 0;
  std::size_t dim = 0;
};
using Places = std::vector<Place>;
using Kept = std::vector<std::int64_t>;  // entries of a dimension, rising

// Pairs of places are tried up to so many places.
constexpr std::size_t kPaired = 8;
// Entries are tried one by one up to so many.
constexpr std::int64_t kSingles = 32;

GivenTensor sliced(const GivenTensor& given, std::size_t dim,
                   const Kept& kept) {
  GivenTensor out = given;
  out.sizes[dim] = static_cast<std::int64_t>(kept.size());
  std::int64_t inner = 1;
  for (std::size_t d = dim + 1; d < given.sizes.size(); ++d) {
    inner *= given.sizes[d];
  }
  const std::int64_t count = element_count(out.sizes);
  out.bits.clear();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t outer = i / (inner * out.sizes[dim]);
    const auto k = static_cast<std::size_t>(i / inner % out.sizes[dim]);
    const std::int64_t at =
        (outer * given.sizes[dim] + kept[k]) * inner + i % inner;
    out.bits.push_back(given.bits[static_cast<std::size_t>(at)]);
  }
  return out;
}

// Integers among the arguments that are `before` become `after`.
void resize_arguments(Candidate* c, std::int64_t before, std::int64_t after) {
  const auto change = [&](Arg* arg) {
    if (auto* i = std::get_if<std::int64_t>(arg); i && *i == before) *i = after;
    if (auto* list = std::get_if<Shape>(arg)) {
      std::replace(list->begin(), list->end(), before, after);
    }
  };
  for (Node& node : c->nodes) {
    if (further_output(node)) continue;
    for (Arg& arg : node.args) change(&arg);
    for (auto& [name, arg] : node.kwargs) change(&arg);
  }
}

Kept range(std::int64_t begin, std::int64_t end) {
  Kept out;
  for (std::int64_t i = begin; i < end; ++i) out.push_back(i);
  return out;
}

// What to keep of `n` entries: one where a wrong element is, parts, all but a
// part, single ones, all but a single one.
std::vector<Kept> selections(std::int64_t n, const Examined& examined) {
  std::vector<Kept> out;
  const auto add = [&](Kept kept) {
    if (!kept.empty() && static_cast<std::int64_t>(kept.size()) < n &&
        std::find(out.begin(), out.end(), kept) == out.end()) {
      out.push_back(std::move(kept));
    }
  };
  const auto without = [n](std::int64_t begin, std::int64_t end) {
    Kept kept = range(0, begin);
    const Kept tail = range(end, n);
    kept.insert(kept.end(), tail.begin(), tail.end());
    return kept;
  };
  for (std::size_t d = 0; d < examined.sizes.size(); ++d) {
    if (examined.sizes[d] != n) continue;
    const std::int64_t i = examined.index[d];
    add({i});
    if (i > 0) add({0, i});
    if (i + 1 < n) add({i, i + 1});
  }
  add({0});
  for (const std::int64_t parts : {2, 4, 8}) {
    for (std::int64_t k = 0; k < parts; ++k) {
      add(range(k * n / parts, (k + 1) * n / parts));
    }
  }
  for (const std::int64_t parts : {4, 8, 16}) {
    for (std::int64_t k = 0; k < parts; ++k) {
      add(without(k * n / parts, (k + 1) * n / parts));
    }
  }
  if (n > kSingles) {
    add(without(0, 1));
    add(without(n - 1, n));
    return out;
  }
  for (std::int64_t k = 0; k < n; ++k) add({k});
  for (std::int64_t k = n; k-- > 0;) add(without(k, k + 1));
  return out;
}

// Sets of places that may have to change together, the largest first.
std::vector<Places> groups(const Places& places) {
  std::vector<Places> out = {places};
  if (places.size() < 2) return out;
  if (places.size() > 2 && places.size() <= kPaired) {
    for (std::size_t a = 0; a < places.size(); ++a) {
      for (std::size_t b = a + 1; b < places.size(); ++b) {
        out.push_back({places[a], places[b]});
      }
    }
  }
  for (const Place& p : places) out.push_back({p});
  return out;
}

// Also of sizes that only arguments have: what the program creates.
std::map<std::int64_t, Places, std::greater<>> places_by_size(
    const Candidate& c) {
  std::map<std::int64_t, Places, std::greater<>> out;
  for (std::size_t t = 0; t < c.inputs.size() + c.constants.size(); ++t) {
    const Shape& sizes = c.given(t).sizes;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] > 1) out[sizes[d]].push_back({t, d});
    }
  }
  return out;
}

Candidate without_dimension(const Candidate& from, const Places& places) {
  Candidate c = from;
  for (const Place& p : places) {
    Shape& sizes = c.given(p.tensor).sizes;
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(p.dim));
  }
  return c;
}

}  // namespace

void offer_sizes(const PassInput& in, const Offer& offer) {
  for (const auto& [size, places] : places_by_size(in.from)) {
    const std::int64_t n = size;
    const std::vector<Kept> kept_entries = selections(n, in.examined);
    for (const Places& group : groups(places)) {
      for (const bool arguments : {false, true}) {
        for (const Kept& kept : kept_entries) {
          const bool done = offer([&] {
            Candidate c = in.from;
            for (const Place& p : group) {
              c.given(p.tensor) = sliced(c.given(p.tensor), p.dim, kept);
            }
            if (arguments) {
              resize_arguments(&c, n, static_cast<std::int64_t>(kept.size()));
            }
            return c;
          });
          if (done) return;
        }
      }
    }
  }
}

void offer_ranks(const PassInput& in, const Offer& offer) {
  const Candidate& from = in.from;
  const std::size_t tensors = from.inputs.size() + from.constants.size();
  // The same dimension of all tensors that have one entry there, counted from
  // the first, then from the last; then of each tensor alone.
  std::vector<Places> choices;
  for (std::size_t d = 0; d < 8; ++d) {
    Places first, last;
    for (std::size_t t = 0; t < tensors; ++t) {
      const Shape& sizes = from.given(t).sizes;
      if (d >= sizes.size()) continue;
      if (sizes[d] == 1) first.push_back({t, d});
      const std::size_t e = sizes.size() - 1 - d;
      if (sizes[e] == 1) last.push_back({t, e});
    }
    if (!first.empty()) choices.push_back(first);
    if (!last.empty()) choices.push_back(last);
  }
  for (std::size_t t = 0; t < tensors; ++t) {
    const Shape& sizes = from.given(t).sizes;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == 1) choices.push_back({{t, d}});
    }
  }
  for (const Places& places : choices) {
    if (offer([&] { return without_dimension(from, places); })) return;
  }
}

}  // namespace assay::harness
