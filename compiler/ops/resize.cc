// Resizing by interpolation. Where the elements lie that have a share in a
// result is known when the program is compiled: tables of places and weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/ops/dims.h"
#include "compiler/ops/operation.h"
#include "compiler/ops/pointwise.h"

namespace assay::compiler {
namespace {

struct Upsample : Arguments {
  Operand self = tensor("self");
  Shape output_size = integers("output_size");
  bool align_corners = boolean("align_corners");
};

// What each dimension was multiplied by, where that is given.
using Scales = std::vector<std::optional<Number>>;

struct Upsample1d : Upsample {
  std::optional<Number> scales = maybe_number("scales");
  Scales all() const { return {scales}; }
};
struct Upsample2d : Upsample {
  std::optional<Number> scales_h = maybe_number("scales_h");
  std::optional<Number> scales_w = maybe_number("scales_w");
  Scales all() const { return {scales_h, scales_w}; }
};
struct Upsample3d : Upsample {
  std::optional<Number> scales_d = maybe_number("scales_d");
  std::optional<Number> scales_h = maybe_number("scales_h");
  std::optional<Number> scales_w = maybe_number("scales_w");
  Scales all() const { return {scales_d, scales_h, scales_w}; }
};

// Eager takes u8 and rounds, which no document defines.
const char* of_bytes(const Upsample2d& a) {
  return a.self.dtype() == DType::u8 ? "interpolation of u8" : nullptr;
}

template <class A>
bool guard(const A& a, Guards& g) {
  const Operand& x = a.self;
  const std::size_t dims = a.all().size();
  if (!g.shape("E1", a.output_size.size() == dims,
               fmt::format("It is expected output_size equals to {}", dims)) ||
      !g.shape("E2", x.sizes().size() == dims + 2,
               fmt::format("Non-empty {}D data tensor expected but got another "
                           "rank",
                           dims + 2))) {
    return false;
  }
  const Shape all = x.sizes();
  const char* const sizes = "Input and output sizes should be greater than 0";
  return g.shape("E3", least(a.output_size) > 0, sizes) &&
         g.shape("E6", least({all.begin() + 2, all.end()}) > 0, sizes) &&
         g.shape("E4", x.size(1) > 0,
                 "Non-empty data tensor expected, channels are none") &&
         floats_only(g, "E5", x.dtype(), "interpolation");
}

// One dimension: result i is the sum over t of weight[t][i] times element
// at[t][i].
struct Taps {
  std::vector<std::vector<std::int64_t>> at;
  std::vector<std::vector<double>> weight;

  explicit Taps(std::size_t count) : at(count), weight(count) {}
  std::size_t count() const { return at.size(); }
  std::int64_t results() const {
    return static_cast<std::int64_t>(at[0].size());
  }
};

// Where result i lies among the elements. They are squares whose centres are
// 0.5, 1.5 ..., or points with align_corners (torch.nn.Upsample's
// documentation).
std::vector<double> places_of(std::int64_t from, std::int64_t to,
                              bool align_corners,
                              const std::optional<Number>& scale) {
  const bool given = scale && scale->real() > 0;
  const double step =
      align_corners ? static_cast<double>(from - 1) /
                          static_cast<double>(std::max<std::int64_t>(to - 1, 1))
      : given ? 1 / scale->real()
              : static_cast<double>(from) / static_cast<double>(to);
  std::vector<double> places;
  for (std::int64_t i = 0; i < to; ++i) {
    const auto n = static_cast<double>(i);
    places.push_back(align_corners ? n * step : (n + 0.5) * step - 0.5);
  }
  return places;
}

Taps linear_taps(std::int64_t from, const std::vector<double>& places) {
  Taps taps(2);
  for (const double place : places) {
    const double h = std::clamp(place, 0.0, static_cast<double>(from - 1));
    const auto below = static_cast<std::int64_t>(h);
    const double share = h - std::floor(h);
    taps.at[0].push_back(below);
    // What has no share may be any element.
    taps.at[1].push_back(std::min(below + 1, from - 1));
    taps.weight[0].push_back(1 - share);
    taps.weight[1].push_back(share);
  }
  return taps;
}

// Keys' kernel with a = -0.75 (specs/ops/resize/upsample_bicubic2d.yaml) at the
// distances of the two elements on either side; the border repeats its element.
Taps cubic_taps(std::int64_t from, const std::vector<double>& places) {
  const auto near = [](double d) { return (1.25 * d - 2.25) * d * d + 1; };
  const auto far = [](double d) { return ((3.75 - 0.75 * d) * d - 6) * d + 3; };
  Taps taps(4);
  for (const double place : places) {
    const double below = std::floor(place);
    const double share = place - below;
    const double weights[] = {far(1 + share), near(share), near(1 - share),
                              far(2 - share)};
    for (std::size_t t = 0; t < taps.count(); ++t) {
      taps.at[t].push_back(static_cast<std::int64_t>(
          std::clamp(below + static_cast<double>(t) - 1, 0.0,
                     static_cast<double>(from - 1))));
      taps.weight[t].push_back(weights[t]);
    }
  }
  return taps;
}

using TapsOf = Taps (*)(std::int64_t from, const std::vector<double>& places);

class Resizing {
 public:
  Resizing(const Upsample& a, const Scales& scales, Builder& b, TapsOf taps)
      : x_(a.self), b_(b), planes_(a.self.size(0) * a.self.size(1)) {
    const Shape s = x_.sizes();
    from_.assign(s.begin() + 2, s.end());
    for (std::size_t d = 0; d < scales.size(); ++d) {
      taps_.push_back(taps(from_[d], places_of(from_[d], a.output_size[d],
                                               a.align_corners, scales[d])));
    }
  }

  NodeId run() {
    Shape sizes = {x_.size(0), x_.size(1)};
    for (const Taps& t : taps_) sizes.push_back(t.results());
    if (planes_ == 0) return b_.filled(x_.dtype(), sizes, 0);
    const NodeId y =
        skips_rows() ? sum(taps_[0], 1, [&](std::size_t r) { return row(r); })
                     : dimension_by_dimension();
    return b_.reshape(b_.convert(y, x_.dtype()), sizes);
  }

 private:
  // Elements are costlier to collect than rows: where hardly a source row of a
  // plane goes unused, each is drawn out once for all results that share it.
  bool skips_rows() const {
    const auto sides = static_cast<std::int64_t>(taps_[0].count() / 2);
    return taps_.size() == 2 && taps_[0].results() * sides < from_[0];
  }

  // The elements of source row `r` of each result, between its columns.
  NodeId row(std::size_t r) {
    return sum(taps_[1], 2, [&](std::size_t c) { return element(r, c); });
  }

  NodeId element(std::size_t r, std::size_t c) {
    const Shape out = {planes_, taps_[0].results(), taps_[1].results()};
    std::vector<std::int64_t> start = taps_[0].at[r];
    for (std::int64_t& s : start) s *= from_[1];
    NodeId at = b_.map(
        ScalarOp::add,
        {along(multiples(planes_, from_[0] * from_[1]), 0, DType::i64, out),
         along(start, 1, DType::i64, out)});
    at = b_.map(ScalarOp::add, {at, along(taps_[1].at[c], 2, DType::i64, out)});
    const NodeId table = b_.reshape(x_.node(), {x_.numel(), 1});
    return b_.widened(b_.reshape(b_.gather(table, at), out));
  }

  NodeId dimension_by_dimension() {
    NodeId y = x_.node();
    std::int64_t inner = 1;
    for (std::size_t d = taps_.size(); d-- > 0;) {
      std::int64_t outer = planes_;
      for (std::size_t e = 0; e < d; ++e) outer *= from_[e];
      y = drawn_out(y, outer, from_[d], inner, taps_[d]);
      inner *= taps_[d].results();
    }
    return y;
  }

  // From [outer, n, inner] to [outer, results, inner].
  NodeId drawn_out(NodeId x, std::int64_t outer, std::int64_t n,
                   std::int64_t inner, const Taps& taps) {
    const Shape lines = {outer, taps.results()};
    const NodeId table = b_.reshape(x, {outer * n, inner});
    return sum(taps, 1, [&](std::size_t t) {
      const NodeId at = b_.map(
          ScalarOp::add, {along(multiples(outer, n), 0, DType::i64, lines),
                          along(taps.at[t], 1, DType::i64, lines)});
      return b_.widened(
          b_.reshape(b_.gather(table, at), {outer, taps.results(), inner}));
    });
  }

  static std::vector<std::int64_t> multiples(std::int64_t count,
                                             std::int64_t of) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = static_cast<std::int64_t>(i) * of;
    }
    return all;
  }

  // The terms that `side` makes, weighted along dimension `dim`.
  template <class Side>
  NodeId sum(const Taps& taps, std::size_t dim, Side side) {
    if (taps.count() == 2) return between(side(0), side(1), taps, dim);
    NodeId all = -1;
    for (std::size_t t = 0; t < taps.count(); ++t) {
      const NodeId x = side(t);
      const NodeId w = along(taps.weight[t], dim, b_.dtype(x), b_.sizes(x));
      all = t == 0 ? b_.map(ScalarOp::mul, {x, w})
                   : b_.map(ScalarOp::fma, {x, w, all});
    }
    return all;
  }

  // a w0 + b w1 along dimension `dim`; a where b has no share, which may be
  // infinite.
  NodeId between(NodeId a, NodeId b, const Taps& taps, std::size_t dim) {
    const DType wide = b_.dtype(a);
    const NodeId w0 = along(taps.weight[0], dim, wide, b_.sizes(a));
    const NodeId w1 = along(taps.weight[1], dim, wide, b_.sizes(a));
    const NodeId sum = b_.map(ScalarOp::add, {b_.map(ScalarOp::mul, {a, w0}),
                                              b_.map(ScalarOp::mul, {b, w1})});
    const NodeId alone =
        b_.map(ScalarOp::eq, {w1, b_.filled(wide, b_.sizes(w1), 0)});
    return b_.map(ScalarOp::select, {alone, a, sum});
  }

  // A constant of shape `all` that varies along one of its dimensions.
  template <class Values>
  NodeId along(const Values& values, std::size_t dim, DType dtype,
               const Shape& all) {
    Shape sizes(all.size(), 1);
    sizes[dim] = static_cast<std::int64_t>(values.size());
    Tensor t = Tensor::zeros(dtype, sizes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      t.set_number(static_cast<std::int64_t>(i),
                   static_cast<double>(values[i]));
    }
    return b_.expand(b_.constant(std::move(t)), all);
  }

  const Operand& x_;
  Builder& b_;
  std::int64_t planes_;
  Shape from_;  // the sizes that change
  std::vector<Taps> taps_;
};

template <class A>
NodeId lower_linear(const A& a, Builder& b) {
  return Resizing(a, a.all(), b, linear_taps).run();
}
NodeId lower_bicubic(const Upsample2d& a, Builder& b) {
  return Resizing(a, a.all(), b, cubic_taps).run();
}

constexpr Operation kOperations[] = {
    operation<Upsample1d, lower_linear<Upsample1d>, guard<Upsample1d>>(
        "aten.upsample_linear1d.default", "upsample_linear1d"),
    operation<Upsample2d, lower_linear<Upsample2d>, guard<Upsample2d>,
              of_bytes>("aten.upsample_bilinear2d.default",
                        "upsample_bilinear2d"),
    operation<Upsample3d, lower_linear<Upsample3d>, guard<Upsample3d>>(
        "aten.upsample_trilinear3d.default", "upsample_trilinear3d"),
    operation<Upsample2d, lower_bicubic, guard<Upsample2d>, of_bytes>(
        "aten.upsample_bicubic2d.default", "upsample_bicubic2d"),
};

}  // namespace

Family resize() { return kOperations; }

}  // namespace assay::compiler
