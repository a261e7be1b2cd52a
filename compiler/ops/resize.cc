// Resizing by interpolation. Where the elements lie that have a share in a
// result is known when the program is compiled: tables of places and weights.
#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/ops/operation.h"
#include "compiler/ops/pointwise.h"

namespace assay::compiler {
namespace {

struct Upsample2d : Arguments {
  Operand self = tensor("self");
  Shape output_size = integers("output_size");
  bool align_corners = boolean("align_corners");
  std::optional<Number> scales_h = maybe_number("scales_h");
  std::optional<Number> scales_w = maybe_number("scales_w");
};

// Eager takes u8 and rounds, which no document defines.
const char* of_bytes(const Upsample2d& a) {
  return a.self.dtype() == DType::u8 ? "interpolation of u8" : nullptr;
}

bool guard(const Upsample2d& a, Guards& g, const char* name) {
  const Operand& x = a.self;
  if (!g.shape("E1", a.output_size.size() == 2,
               "It is expected output_size equals to 2") ||
      !g.shape("E2", x.rank() == 4,
               "Non-empty 4D data tensor expected but got another rank")) {
    return false;
  }
  const bool sizes = x.size(2) > 0 && x.size(3) > 0 && a.output_size[0] > 0 &&
                     a.output_size[1] > 0;
  return g.shape("E3", sizes,
                 "Input and output sizes should be greater than 0") &&
         g.shape("E4", x.size(1) > 0, "Non-empty 4D data tensor expected") &&
         floats_only(g, "E5", x.dtype(), name);
}
bool guard_bilinear(const Upsample2d& a, Guards& g) {
  return guard(a, g, "upsample_bilinear2d");
}
bool guard_bicubic(const Upsample2d& a, Guards& g) {
  return guard(a, g, "upsample_bicubic2d");
}

// One dimension: result i is the sum over t of weight[t][i] times element
// at[t][i].
struct Taps {
  std::vector<std::vector<std::int64_t>> at;
  std::vector<std::vector<double>> weight;

  explicit Taps(std::size_t count) : at(count), weight(count) {}
  std::size_t count() const { return at.size(); }
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

class Resizing {
 public:
  using TapsOf = Taps (*)(std::int64_t from, const std::vector<double>& places);

  Resizing(const Upsample2d& a, Builder& b, TapsOf taps)
      : a_(a),
        b_(b),
        planes_(a.self.size(0) * a.self.size(1)),
        out_{planes_, a.output_size[0], a.output_size[1]},
        rows_(taps(a.self.size(2), places_of(a.self.size(2), out_[1],
                                             a.align_corners, a.scales_h))),
        columns_(taps(a.self.size(3), places_of(a.self.size(3), out_[2],
                                                a.align_corners, a.scales_w))) {
  }

  NodeId run() {
    const Shape sizes = {a_.self.size(0), a_.self.size(1), out_[1], out_[2]};
    if (planes_ == 0) return b_.filled(a_.self.dtype(), sizes, 0);
    table_ = b_.reshape(a_.self.node(), {a_.self.numel(), 1});
    // Elements are costlier to collect than rows: where hardly a source row
    // goes unused, each is drawn out once for all results that share it.
    const auto sides = static_cast<std::int64_t>(rows_.count() / 2);
    const NodeId y = out_[1] * sides < a_.self.size(2)
                         ? sum(rows_, 1, [&](std::size_t r) { return row(r); })
                         : sum_of_rows(drawn_out());
    return b_.reshape(b_.convert(y, a_.self.dtype()), sizes);
  }

 private:
  // The elements of source row `r` of each result, between its columns.
  NodeId row(std::size_t r) {
    return sum(columns_, 2, [&](std::size_t c) { return element(r, c); });
  }

  NodeId element(std::size_t r, std::size_t c) {
    const std::int64_t height = a_.self.size(2), width = a_.self.size(3);
    std::vector<std::int64_t> plane(static_cast<std::size_t>(planes_));
    for (std::size_t p = 0; p < plane.size(); ++p) {
      plane[p] = static_cast<std::int64_t>(p) * height * width;
    }
    std::vector<std::int64_t> start = rows_.at[r];
    for (std::int64_t& s : start) s *= width;
    const auto places = [&](const std::vector<std::int64_t>& of,
                            std::size_t dim) {
      return along(of, dim, DType::i64, out_);
    };
    NodeId at = b_.map(ScalarOp::add, {places(plane, 0), places(start, 1)});
    at = b_.map(ScalarOp::add, {at, places(columns_.at[c], 2)});
    return b_.widened(b_.reshape(b_.gather(table_, at), out_));
  }

  // Every source row in the result's width: [planes * height, out width].
  NodeId drawn_out() {
    const std::int64_t width = a_.self.size(3);
    const Shape sizes = {planes_ * a_.self.size(2), out_[2]};
    std::vector<std::int64_t> start(static_cast<std::size_t>(sizes[0]));
    for (std::size_t r = 0; r < start.size(); ++r) {
      start[r] = static_cast<std::int64_t>(r) * width;
    }
    return sum(columns_, 1, [&](std::size_t c) {
      const NodeId at =
          b_.map(ScalarOp::add, {along(start, 0, DType::i64, sizes),
                                 along(columns_.at[c], 1, DType::i64, sizes)});
      return b_.widened(b_.reshape(b_.gather(table_, at), sizes));
    });
  }

  NodeId sum_of_rows(NodeId drawn) {
    const Shape sizes = {planes_, out_[1]};
    std::vector<std::int64_t> first(static_cast<std::size_t>(planes_));
    for (std::size_t p = 0; p < first.size(); ++p) {
      first[p] = static_cast<std::int64_t>(p) * a_.self.size(2);
    }
    return sum(rows_, 1, [&](std::size_t r) {
      return b_.gather(
          drawn,
          b_.map(ScalarOp::add, {along(first, 0, DType::i64, sizes),
                                 along(rows_.at[r], 1, DType::i64, sizes)}));
    });
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

  const Upsample2d& a_;
  Builder& b_;
  std::int64_t planes_;
  Shape out_;
  Taps rows_, columns_;
  NodeId table_ = -1;
};

NodeId lower_bilinear(const Upsample2d& a, Builder& b) {
  return Resizing(a, b, linear_taps).run();
}
NodeId lower_bicubic(const Upsample2d& a, Builder& b) {
  return Resizing(a, b, cubic_taps).run();
}

constexpr Operation kOperations[] = {
    operation<Upsample2d, lower_bilinear, guard_bilinear, of_bytes>(
        "aten.upsample_bilinear2d.default", "upsample_bilinear2d"),
    operation<Upsample2d, lower_bicubic, guard_bicubic, of_bytes>(
        "aten.upsample_bicubic2d.default", "upsample_bicubic2d"),
};

}  // namespace

Family resize() { return kOperations; }

}  // namespace assay::compiler
