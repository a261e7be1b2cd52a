#include "compiler/derived/adjoint.h"

#include <algorithm>
#include <utility>

#include "compiler/derived/formula_builder.h"
#include "compiler/derived/index_values.h"
#include "compiler/derived/written_out.h"

namespace assay::compiler {
namespace {

using language::Access;
using language::Nest;
using language::ReductionNode;
using language::ValueNode;

// Sees what indices mean by their values, whatever their words: a transposed
// convolution can be written in many.
class Recogniser {
 public:
  Recogniser(const Nest& nest, const ReductionNode& r, const Shape& extents)
      : nest_(nest), r_(r), extents_(extents), values_(nest) {}

  std::optional<Adjoint> run() {
    const std::size_t rank = extents_.size();
    if (r_.kind != language::Reduction::sum || rank < 3 || rank > 4 ||
        r_.ranges.size() != rank - 1 || element_count(extents_) == 0) {
      return std::nullopt;
    }
    const ValueNode& product = nest_.node(r_.body);
    if (product.op != ValueNode::Op::mul) return std::nullopt;
    Adjoint a;
    a.x = guarded(product.a);
    a.w = guarded(product.b);
    if (a.x == nullptr || a.w == nullptr || !is_float(a.x->dtype) ||
        !is_float(a.w->dtype) || a.x->sizes.size() != rank ||
        a.w->sizes.size() != rank || !channels(&a)) {
      return std::nullopt;
    }
    for (std::size_t d = 2; d < rank; ++d) {
      const std::optional<Adjoint::Along> along = window(a, d);
      if (!along) return std::nullopt;
      a.along.push_back(*along);
    }
    return a;
  }

 private:
  // Of `inside(x[...], else 0)`.
  const Access* guarded(int id) const {
    const ValueNode& v = nest_.node(written_out(nest_, id));
    if (v.op != ValueNode::Op::inside || number_at(nest_, v.a) != 0.0) {
      return nullptr;
    }
    return &nest_.access(v.access);
  }

  bool runs_to(std::size_t range, std::int64_t size) const {
    const ReductionNode::Range& r = r_.ranges[range];
    return (r.from < 0 || IndexValues(nest_).index(r.from) == 0) &&
           IndexValues(nest_).index(r.to) == size;
  }

  bool channels(Adjoint* a) {
    const Access &x = *a->x, &w = *a->w;
    const std::int64_t all = x.sizes[1], q = w.sizes[1];
    const std::int64_t outs = extents_[1];
    if (q < 1 || all < 1 || outs % q != 0 || w.sizes[0] != all ||
        x.sizes[0] != extents_[0]) {
      return false;
    }
    a->groups = outs / q;
    const std::int64_t each = all / a->groups;
    if (each * a->groups != all || !runs_to(0, each)) return false;
    values_.clear();
    for (std::int64_t n = 0; n < extents_[0]; ++n) {
      values_.set(0, n);
      if (values_.index(x.index[0]) != n) return false;
    }
    values_.clear();
    for (std::int64_t o = 0; o < outs; ++o) {
      values_.set(1, o);
      for (std::int64_t c = 0; c < each; ++c) {
        values_.set(r_.ranges[0].slot, c);
        const std::int64_t from = o / q * each + c;
        if (values_.index(x.index[1]) != from ||
            values_.index(w.index[0]) != from ||
            values_.index(w.index[1]) != o % q) {
          return false;
        }
      }
    }
    return true;
  }

  struct Pair {
    std::int64_t y, k, i;
  };

  // Whether every y and k meet where `along` says, or nowhere; `hits` takes
  // where they meet.
  bool visit(const Adjoint& a, std::size_t d, const Adjoint::Along* along,
             std::vector<Pair>* hits) {
    values_.clear();
    const std::int64_t size = a.x->sizes[d], taps = a.w->sizes[d];
    for (std::int64_t y = 0; y < extents_[d]; ++y) {
      values_.set(static_cast<int>(d), y);
      for (std::int64_t k = 0; k < taps; ++k) {
        values_.set(r_.ranges[d - 1].slot, k);
        const auto i = values_.index(a.x->index[d]);
        const auto tap = values_.index(a.w->index[d]);
        if (!i || !tap) return false;
        // What has one element is read there, wherever the other is not.
        const bool in_x = *i >= 0 && *i < size;
        const bool meets = in_x && *tap >= 0 && *tap < taps;
        if (meets ? *tap != k : size > 1 && taps > 1 && in_x) return false;
        if (hits != nullptr && meets) hits->push_back({y, k, *i});
        if (along == nullptr) continue;
        const std::int64_t e = y + along->padding - k * along->dilation;
        const bool should =
            e >= 0 && e % along->stride == 0 && e / along->stride < size;
        if (should != meets || (meets && *i != e / along->stride)) return false;
      }
    }
    return true;
  }

  std::optional<Adjoint::Along> window(const Adjoint& a, std::size_t d) {
    std::vector<Pair> hits;
    if (!runs_to(d - 1, a.w->sizes[d]) || !visit(a, d, nullptr, &hits) ||
        hits.empty()) {
      return std::nullopt;
    }
    Adjoint::Along along;
    const Pair& first = hits.front();
    for (const Pair& h : hits) {
      if (h.k != first.k || h.i == first.i) continue;
      along.stride = (h.y - first.y) / (h.i - first.i);
      break;
    }
    for (const Pair& h : hits) {
      if (h.k == first.k) continue;
      along.dilation =
          (along.stride * (first.i - h.i) - first.y + h.y) / (h.k - first.k);
      break;
    }
    along.padding = along.stride * first.i - first.y + first.k * along.dilation;
    // Strides and dilations together leave out taps in between, which would
    // have to be zeros, and zeros make NaN of infinities.
    if (along.stride < 1 || along.dilation < 1 || along.padding < 0 ||
        (along.stride > 1 && along.dilation > 1) ||
        !visit(a, d, &along, nullptr)) {
      return std::nullopt;
    }
    return along;
  }

  const Nest& nest_;
  const ReductionNode& r_;
  const Shape& extents_;
  IndexValues values_;
};

// Places y + padding = q * stride + phase, whose taps are phase + stride * j,
// all of them where only a dilation holds them apart: those phases that have
// equally many.
struct Phases {
  std::int64_t first, count, taps;
};

struct Plan {
  Adjoint::Along along;
  std::int64_t quotients;  // as many q as there are
  std::vector<Phases> phases;
};

Plan plan_of(const Adjoint::Along& along, std::int64_t taps,
             std::int64_t size) {
  Plan plan;
  plan.along = along;
  const std::int64_t s = along.stride;
  plan.quotients = (along.padding + size + s - 1) / s;
  for (std::int64_t p = 0; p < s; ++p) {
    const std::int64_t many = p < taps ? (taps - 1 - p) / s + 1 : 0;
    if (plan.phases.empty() || plan.phases.back().taps != many) {
      plan.phases.push_back({p, 0, many});
    }
    ++plan.phases.back().count;
  }
  return plan;
}

class Lowering {
 public:
  Lowering(const Adjoint& a, NodeId x, NodeId w, Builder* graph)
      : groups_(a.groups), x_(x), w_(w), graph_(*graph) {}

  NodeId run(const Plan& high, const Plan& wide, const Shape& sizes) {
    std::vector<NodeId> bands;
    for (const Phases& h : high.phases) {
      std::vector<NodeId> parts;
      for (const Phases& v : wide.phases) {
        parts.push_back(part(high, h, wide, v));
      }
      bands.push_back(joined(std::move(parts), 6));
    }
    NodeId y = joined(std::move(bands), 4);
    y = graph_.reshape(y,
                       {sizes[0], sizes[1], high.quotients * high.along.stride,
                        wide.quotients * wide.along.stride});
    y = graph_.slice(y, 2, high.along.padding, sizes[2], 1);
    return graph_.slice(y, 3, wide.along.padding, sizes[3], 1);
  }

 private:
  NodeId joined(std::vector<NodeId> parts, std::int64_t dim) {
    return parts.size() == 1 ? parts[0] : graph_.cat(std::move(parts), dim);
  }

  // [N, groups, Q, quotients, phases, quotients, phases] of these phases: a
  // convolution of each with its own taps, so that no others are multiplied
  // with zero, which would make NaN of an infinity.
  NodeId part(const Plan& high, const Phases& h, const Plan& wide,
              const Phases& v) {
    const Shape in = graph_.sizes(x_);
    const std::int64_t q = graph_.sizes(w_)[1];
    if (h.taps == 0 || v.taps == 0) {
      return graph_.filled(
          graph_.dtype(x_),
          {in[0], groups_, q, high.quotients, h.count, wide.quotients, v.count},
          0);
    }
    const auto reach = [](const Plan& p, const Phases& f) {
      return p.along.dilation * (f.taps - 1);
    };
    // Past the taps' own reach lie zeros.
    const auto more = [&](const Plan& p, const Phases& f, std::int64_t size) {
      return std::max<std::int64_t>(0, p.quotients - (size + reach(p, f)));
    };
    const std::int64_t more_h = more(high, h, in[2]);
    const std::int64_t more_v = more(wide, v, in[3]);
    const Shape out = {in[0], groups_ * h.count * v.count * q,
                       in[2] + reach(high, h) + 2 * more_h,
                       in[3] + reach(wide, v) + 2 * more_v};
    NodeId y =
        graph_.convolve(x_, weights(high, h, wide, v),
                        {1, 1, reach(high, h) + more_h, reach(wide, v) + more_v,
                         high.along.dilation, wide.along.dilation, groups_},
                        out);
    y = graph_.slice(y, 2, more_h, high.quotients, 1);
    y = graph_.slice(y, 3, more_v, wide.quotients, 1);
    y = graph_.reshape(y, {in[0], groups_, h.count, v.count, q, high.quotients,
                           wide.quotients});
    return graph_.permute(y, {0, 1, 4, 5, 2, 6, 3});
  }

  // Of each group, phase and output channel the taps, the last one first.
  NodeId weights(const Plan& high, const Phases& h, const Plan& wide,
                 const Phases& v) {
    const std::int64_t each = graph_.sizes(w_)[0] / groups_;
    const std::int64_t q = graph_.sizes(w_)[1];
    const DType t = graph_.dtype(w_);
    FormulaBuilder f(t, false);
    const Shape sizes = {groups_, h.count, v.count, q, each, h.taps, v.taps};
    f.index_by(sizes.size());
    const auto sum = [&](int a, int b) {
      return f.apply(ScalarOp::add, {a, b});
    };
    const auto times = [&](int a, std::int64_t n) {
      return f.apply(ScalarOp::mul, {a, f.integer(n)});
    };
    std::vector<int> index = {sum(times(f.variable(0), each), f.variable(4)),
                              f.variable(3)};
    const auto tap = [&](const Plan& p, const Phases& of, int phase, int j) {
      const int back =
          f.apply(ScalarOp::sub, {f.integer(of.taps - 1), f.variable(j)});
      index.push_back(sum(sum(f.variable(phase), f.integer(of.first)),
                          times(back, p.along.stride)));
    };
    tap(high, h, 1, 5);
    tap(wide, v, 2, 6);
    const NodeId made =
        graph_.formula(f.take(f.load(0, t, index)), {w_}, {t, sizes});
    return graph_.reshape(
        made, {groups_ * h.count * v.count * q, each, h.taps, v.taps});
  }

  std::int64_t groups_;
  NodeId x_, w_;
  Builder& graph_;
};

}  // namespace

std::optional<Adjoint> recognise_adjoint(const Nest& nest,
                                         const ReductionNode& r,
                                         const Shape& extents) {
  return Recogniser(nest, r, extents).run();
}

NodeId lower_adjoint(const Adjoint& a, NodeId x, NodeId w, const Shape& sizes,
                     Builder* graph) {
  const bool flat = a.along.size() == 1;
  // One dimension is a plane of a single row.
  const auto in_plane = [flat](Shape s) {
    if (flat) s.insert(s.begin() + 2, 1);
    return s;
  };
  x = graph->reshape(x, in_plane(graph->sizes(x)));
  w = graph->reshape(w, in_plane(graph->sizes(w)));
  const Shape out = in_plane(sizes);
  const Plan high = plan_of(flat ? Adjoint::Along() : a.along.front(),
                            graph->sizes(w)[2], out[2]);
  const Plan wide = plan_of(a.along.back(), graph->sizes(w)[3], out[3]);
  return Lowering(a, x, w, graph).run(high, wide, out);
}

}  // namespace assay::compiler
