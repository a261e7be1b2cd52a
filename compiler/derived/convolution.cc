#include "compiler/derived/convolution.h"

#include <map>
#include <utility>
#include <vector>

namespace assay::compiler {
namespace {

using language::Access;
using language::IndexNode;
using language::Nest;
using language::ReductionNode;
using language::ValueNode;

// constant + sum of factor * slot + sum of factor * (slot // by).
struct Linear {
  std::int64_t constant = 0;
  std::map<int, std::int64_t> slots;
  std::map<std::pair<int, std::int64_t>, std::int64_t> quotients;

  bool operator==(const Linear&) const = default;
  bool is_number() const { return slots.empty() && quotients.empty(); }
  std::int64_t factor(int slot) const {
    const auto it = slots.find(slot);
    return it == slots.end() ? 0 : it->second;
  }
};

Linear combined(Linear a, const Linear& b, std::int64_t times) {
  const auto add = [times](auto* to, const auto& from) {
    for (const auto& [key, factor] : from) {
      if (((*to)[key] += times * factor) == 0) to->erase(key);
    }
  };
  a.constant += times * b.constant;
  add(&a.slots, b.slots);
  add(&a.quotients, b.quotients);
  return a;
}

class Recogniser {
 public:
  Recogniser(const Nest& nest, const ReductionNode& r, const Shape& extents)
      : nest_(nest), r_(r), extents_(extents), spatial_(extents.size() - 2) {}

  std::optional<Convolution> run() {
    if (r_.kind != language::Reduction::sum || r_.contraction < 0 ||
        extents_.size() < 3 || spatial_ > 3 ||
        r_.ranges.size() != spatial_ + 1) {
      return std::nullopt;
    }
    const auto& factors =
        nest_.contractions[static_cast<std::size_t>(r_.contraction)].factors;
    if (factors.size() != 2 || factors[1].guarded) return std::nullopt;
    Convolution c;
    c.x = &nest_.access(factors[0].access);
    c.w = &nest_.access(factors[1].access);
    if (!is_float(c.x->dtype) || !is_float(c.w->dtype) ||
        c.x->index.size() != extents_.size() ||
        c.w->index.size() != extents_.size() || !weight(*c.w) ||
        !channels(*c.x, *c.w, &c.groups)) {
      return std::nullopt;
    }
    for (std::size_t d = 0; d < spatial_; ++d) {
      if (!window(c, d, factors[0].guarded, &c)) return std::nullopt;
    }
    return c;
  }

 private:
  int slot(std::size_t range) const { return r_.ranges[range].slot; }

  // Slots that are always 0 are left out of what is linear.
  bool is_idle(int slot) const {
    if (static_cast<std::size_t>(slot) < extents_.size()) {
      return extents_[static_cast<std::size_t>(slot)] == 1;
    }
    for (std::size_t n = 0; n < r_.ranges.size(); ++n) {
      if (r_.ranges[n].slot == slot) return runs_to(n, 1);
    }
    return false;
  }

  // Whether index node `id` is this slot, and nothing more.
  bool is_slot(int id, int slot) const {
    Linear alone;
    if (!is_idle(slot)) alone.slots[slot] = 1;
    return linear(id) == alone;
  }

  // w[o, c, k...], all of it.
  bool weight(const Access& w) const {
    for (std::size_t d = 0; d < w.index.size(); ++d) {
      if (!is_slot(w.index[d], d == 0 ? 1 : slot(d - 1))) return false;
      if (d > 0 && !runs_to(d - 1, w.sizes[d])) return false;
    }
    return w.sizes[0] == extents_[1];
  }

  // Whether range `n` is from 0 to `size`.
  bool runs_to(std::size_t n, std::int64_t size) const {
    const ReductionNode::Range& range = r_.ranges[n];
    const std::optional<Linear> to = linear(range.to);
    const std::optional<Linear> from =
        range.from < 0 ? Linear() : linear(range.from);
    return from && to && from->is_number() && from->constant == 0 &&
           to->is_number() && to->constant == size;
  }

  // x[n, o // (O / groups) * C + c, ...].
  bool channels(const Access& x, const Access& w, std::int64_t* groups) const {
    if (!is_slot(x.index[0], 0) || x.sizes[0] != extents_[0] ||
        w.sizes[1] < 1 || x.sizes[1] % w.sizes[1] != 0) {
      return false;
    }
    *groups = x.sizes[1] / w.sizes[1];
    if (*groups < 1 || extents_[1] % *groups != 0) return false;
    Linear expected;
    if (!is_idle(slot(0))) expected.slots[slot(0)] = 1;
    add_quotient(&expected, 1, extents_[1] / *groups, w.sizes[1]);
    return linear(x.index[1]) == expected;
  }

  // y * stride + k * dilation - padding, of which nothing but the padding is
  // outside of x.
  bool window(const Convolution& c, std::size_t d, bool guarded,
              Convolution* out) const {
    const std::optional<Linear> i = linear(c.x->index[d + 2]);
    if (!i || !i->quotients.empty() || i->constant > 0) return false;
    const int place = static_cast<int>(d) + 2, tap = slot(d + 1);
    const std::int64_t padding = -i->constant;
    const std::int64_t size = c.x->sizes[d + 2] + 2 * padding;
    // Of a single place any stride will do, of a single tap any dilation.
    const std::int64_t stride = is_idle(place) ? size : i->factor(place);
    const std::int64_t dilation = is_idle(tap) ? 1 : i->factor(tap);
    const std::size_t terms =
        (is_idle(place) ? 0U : 1U) + (is_idle(tap) ? 0U : 1U);
    if (stride < 1 || dilation < 1 || i->slots.size() != terms) return false;
    const std::int64_t reach = dilation * (c.w->sizes[d + 2] - 1) + 1;
    if (size < reach || (size - reach) / stride + 1 != extents_[d + 2] ||
        (padding > 0 && !guarded)) {
      return false;
    }
    out->stride.push_back(stride);
    out->padding.push_back(padding);
    out->dilation.push_back(dilation);
    return true;
  }

  std::optional<Linear> linear(int id) const {
    using Op = IndexNode::Op;
    const IndexNode& x = nest_.index(id);
    Linear out;
    switch (x.op) {
      case Op::constant:
        out.constant = x.value;
        return out;
      case Op::slot:
        if (!is_idle(static_cast<int>(x.value))) {
          out.slots[static_cast<int>(x.value)] = 1;
        }
        return out;
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::floor_div:
        break;
      default:
        return std::nullopt;
    }
    const std::optional<Linear> a = linear(x.a), b = linear(x.b);
    if (!a || !b) return std::nullopt;
    if (x.op == Op::add) return combined(*a, *b, 1);
    if (x.op == Op::sub) return combined(*a, *b, -1);
    if (x.op == Op::mul && b->is_number()) return combined({}, *a, b->constant);
    if (x.op == Op::mul && a->is_number()) return combined({}, *b, a->constant);
    return x.op == Op::floor_div ? quotient(*a, *b) : std::nullopt;
  }

  std::optional<Linear> quotient(const Linear& a, const Linear& b) const {
    const std::int64_t by = b.is_number() ? b.constant : 0;
    if (by < 1 || a.slots.size() > 1 || !a.quotients.empty() ||
        a.constant != 0) {
      return std::nullopt;
    }
    if (a.is_number()) return Linear();
    const auto [slot, factor] = *a.slots.begin();
    const auto d = static_cast<std::size_t>(slot);
    if (factor != 1 || d >= extents_.size()) return std::nullopt;
    Linear out;
    add_quotient(&out, slot, by, 1);
    return out;
  }

  // factor * (slot // by), which may be 0, or the slot itself.
  void add_quotient(Linear* to, int slot, std::int64_t by,
                    std::int64_t factor) const {
    if (extents_[static_cast<std::size_t>(slot)] <= by) return;
    if (by == 1) {
      to->slots[slot] = factor;
    } else {
      to->quotients[{slot, by}] = factor;
    }
  }

  const Nest& nest_;
  const ReductionNode& r_;
  const Shape& extents_;
  std::size_t spatial_;
};

// Of the last two spatial dimensions; of one, before it a row.
Shape in_plane(Shape sizes) {
  if (sizes.size() == 3) sizes.insert(sizes.begin() + 2, 1);
  return sizes;
}

// The graph's attributes (ConvolveAttr) of the last two.
Shape attributes(const Convolution& c) {
  const auto of = [](const Shape& s, std::size_t back, std::int64_t alone) {
    return s.size() < back ? alone : s[s.size() - back];
  };
  return {of(c.stride, 2, 1),
          of(c.stride, 1, 1),
          of(c.padding, 2, 0),
          of(c.padding, 1, 0),
          of(c.dilation, 2, 1),
          of(c.dilation, 1, 1),
          c.groups};
}

// [N * places, C * taps, H, W] of x[N, C, D, H, W]: what each place of the
// first spatial dimension sees of it.
NodeId depths_as_channels(const Convolution& c, NodeId x, std::int64_t taps,
                          std::int64_t places, Builder* graph) {
  Shape s = graph->sizes(x);
  const std::int64_t padding = c.padding[0];
  if (padding > 0) {
    const Shape around = {s[0], s[1], padding, s[3], s[4]};
    const NodeId none = graph->filled(graph->dtype(x), around, 0);
    x = graph->cat({none, x, none}, 2);
  }
  std::vector<NodeId> seen;
  for (std::int64_t k = 0; k < taps; ++k) {
    const NodeId slice =
        graph->slice(x, 2, k * c.dilation[0], places, c.stride[0]);
    seen.push_back(graph->reshape(slice, {s[0], s[1], 1, places, s[3], s[4]}));
  }
  const NodeId all = graph->permute(graph->cat(seen, 2), {0, 3, 1, 2, 4, 5});
  return graph->reshape(all, {s[0] * places, s[1] * taps, s[3], s[4]});
}

}  // namespace

NodeId lower_convolution(const Convolution& c, NodeId x, NodeId w,
                         const Shape& sizes, Builder* graph) {
  const Shape taps = graph->sizes(w);
  if (taps.size() < 5) {
    x = graph->reshape(x, in_plane(graph->sizes(x)));
    w = graph->reshape(w, in_plane(taps));
    return graph->convolve(x, w, attributes(c), in_plane(sizes));
  }
  x = depths_as_channels(c, x, taps[2], sizes[2], graph);
  w = graph->reshape(w, {taps[0], taps[1] * taps[2], taps[3], taps[4]});
  const NodeId y = graph->convolve(
      x, w, attributes(c), {sizes[0] * sizes[2], sizes[1], sizes[3], sizes[4]});
  const NodeId places =
      graph->reshape(y, {sizes[0], sizes[2], sizes[1], sizes[3], sizes[4]});
  return graph->permute(places, {0, 2, 1, 3, 4});
}

std::optional<Convolution> recognise_convolution(const Nest& nest,
                                                 const ReductionNode& r,
                                                 const Shape& extents) {
  return Recogniser(nest, r, extents).run();
}

}  // namespace assay::compiler
