// Pooling of the last two dimensions. Where windows are alike, each place of a
// window is a slice of the padded planes, and a result is worked out from the
// slices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "compiler/ops/dims.h"
#include "compiler/ops/pointwise.h"

namespace assay::compiler {
namespace {

// Larger windows are computed by what the spec says of them: a text with a line
// for each place would be long.
constexpr std::int64_t kMostPlaces = 64;

struct Pool2d : Unary {
  Shape kernel_size = integers("kernel_size");
  Shape stride = integers("stride", Shape{});
  Shape padding = integers("padding", Shape{0, 0});
};

// The windows of one dimension. Window w begins at element
// w * step - padding.
struct Windows {
  std::int64_t extent, kernel, step, padding, dilation;
  bool ceil_mode;

  std::int64_t reach() const { return dilation * (kernel - 1) + 1; }
  std::int64_t start(std::int64_t w) const { return w * step - padding; }
  // The last one begins within the dimension or the padding before it.
  std::int64_t count() const {
    const std::int64_t room = extent + 2 * padding - reach();
    // Rounded down, of what may be negative.
    const auto quotient = [this](std::int64_t n) {
      return n >= 0 ? n / step : -((-n + step - 1) / step);
    };
    if (!ceil_mode) return quotient(room) + 1;
    const std::int64_t up = -quotient(-room);
    return up * step >= extent + padding ? up : up + 1;
  }
  // Elements that the windows take in behind the dimension.
  std::int64_t behind() const {
    return std::max<std::int64_t>(start(count() - 1) + reach() - extent, 0);
  }
};

// One number stands for both dimensions, `d` 0 or 1.
std::int64_t at(const Shape& list, std::size_t d) {
  return d == 0 ? list.front() : list.back();
}
bool one_or_two(const Shape& list) {
  return list.size() == 1 || list.size() == 2;
}

Windows windows_of(const Pool2d& a, std::size_t d, const Shape& dilation,
                   bool ceil_mode) {
  return {a.self.size(d == 0 ? -2 : -1),
          at(a.kernel_size, d),
          at(a.stride.empty() ? a.kernel_size : a.stride, d),
          at(a.padding, d),
          at(dilation, d),
          ceil_mode};
}

// Clauses E1 to E3, and E5 to E7, of each.
bool has_lists(const Pool2d& a, Guards& g) {
  return g.shape("E1", one_or_two(a.kernel_size),
                 "kernel_size must be one integer or two") &&
         g.shape("E2", a.stride.size() <= 2,
                 "stride must be none, one integer or two") &&
         g.shape("E3", one_or_two(a.padding),
                 "padding must be one integer or two");
}
bool has_windows(const Pool2d& a, Guards& g) {
  return g.shape("E5", a.self.rank() == 3 || a.self.rank() == 4,
                 "Expected 3D or 4D tensor for input") &&
         g.shape("E6", least(a.kernel_size) > 0,
                 "kernel size should be greater than zero") &&
         g.shape("E7", a.stride.empty() || least(a.stride) > 0,
                 "stride should be greater than zero");
}
bool has_planes(const Operand& x) {
  return x.size(-1) > 0 && x.size(-2) > 0 && x.size(-3) > 0;
}
// Padding is at most half of a window.
bool is_padded_by_half(const Pool2d& a, std::size_t d) {
  return at(a.padding, d) >= 0 && at(a.padding, d) <= at(a.kernel_size, d) / 2;
}

// The planes of a call as [planes, height, width], with what `fill` is around
// them, in slices.
class Planes {
 public:
  Planes(Builder& b, NodeId x, Windows rows, Windows columns)
      : b_(b), rows_(rows), columns_(columns) {
    const Shape s = b.sizes(x);
    out_.assign(s.begin(), s.end() - 2);
    x_ = b.reshape(x, {element_count(out_), rows.extent, columns.extent});
    out_.push_back(rows.count());
    out_.push_back(columns.count());
  }

  const Shape& out() const { return out_; }
  void pad(double fill) {
    pad(2, columns_, fill);
    pad(1, rows_, fill);
  }
  // What each window has at its place (i, j).
  NodeId slice(std::int64_t i, std::int64_t j) {
    const NodeId part =
        b_.slice(x_, 1, i * rows_.dilation, rows_.count(), rows_.step);
    return b_.slice(part, 2, j * columns_.dilation, columns_.count(),
                    columns_.step);
  }

 private:
  void pad(std::size_t dim, const Windows& w, double fill) {
    std::vector<NodeId> parts;
    const auto add = [&](std::int64_t elements) {
      if (elements == 0) return;
      Shape s = b_.sizes(x_);
      s[dim] = elements;
      parts.push_back(b_.filled(b_.dtype(x_), s, fill));
    };
    add(w.padding);
    parts.push_back(x_);
    add(w.behind());
    if (parts.size() > 1) {
      x_ = b_.cat(parts, static_cast<std::int64_t>(dim));
    }
  }

  Builder& b_;
  Windows rows_, columns_;
  Shape out_;
  NodeId x_;
};

// avg_pool2d

struct AvgPool2d : Pool2d {
  bool ceil_mode = boolean("ceil_mode", false);
  bool count_include_pad = boolean("count_include_pad", true);
  std::optional<std::int64_t> divisor_override =
      maybe_integer("divisor_override");

  Windows windows(std::size_t d) const {
    return windows_of(*this, d, {1, 1}, ceil_mode);
  }
};

bool guard_avg_pool2d(const AvgPool2d& a, Guards& g) {
  const Operand& x = a.self;
  return has_lists(a, g) &&
         g.shape("E4", !a.divisor_override || *a.divisor_override != 0,
                 "divisor must be not zero") &&
         has_windows(a, g) &&
         g.shape("E8", has_planes(x),
                 "Expected input with non-zero size for non-batch "
                 "dimensions") &&
         g.shape("E9", is_padded_by_half(a, 0) && is_padded_by_half(a, 1),
                 "pad should be at most half of kernel size") &&
         g.shape("E10", a.windows(0).count() >= 1 && a.windows(1).count() >= 1,
                 "output size is too small") &&
         g.types("E11", is_float(x.dtype()) || x.dtype() == DType::i64,
                 "avg_pool2d is not implemented for this dtype",
                 "NotImplementedError");
}

// How many elements count in each window of a dimension. A window ends with the
// padded dimension at the latest.
std::vector<double> counts_of(const Windows& w, bool count_include_pad) {
  std::vector<double> counts;
  for (std::int64_t i = 0; i < w.count(); ++i) {
    const std::int64_t from = w.start(i), to = from + w.kernel;
    counts.push_back(static_cast<double>(
        count_include_pad
            ? std::min(to, w.extent + w.padding) - from
            : std::min(to, w.extent) - std::max<std::int64_t>(from, 0)));
  }
  return counts;
}

NodeId divisor_of(const AvgPool2d& a, Builder& b, DType t) {
  if (a.divisor_override) return b.integer_scalar(t, *a.divisor_override);
  const std::vector<double> rows = counts_of(a.windows(0), a.count_include_pad);
  const std::vector<double> columns =
      counts_of(a.windows(1), a.count_include_pad);
  const auto are_one = [](const std::vector<double>& all) {
    return std::all_of(all.begin(), all.end(),
                       [&](double n) { return n == all.front(); });
  };
  if (are_one(rows) && are_one(columns)) {
    return b.scalar(t, rows.front() * columns.front());
  }
  Tensor counts = Tensor::zeros(t, {static_cast<std::int64_t>(rows.size()),
                                    static_cast<std::int64_t>(columns.size())});
  for (std::int64_t i = 0; i < counts.numel(); ++i) {
    const auto n = static_cast<std::size_t>(i);
    counts.set_number(i,
                      rows[n / columns.size()] * columns[n % columns.size()]);
  }
  return b.constant(std::move(counts));
}

// A sum of -0 alone is -0, as is that of padding with it.
std::vector<NodeId> lower_avg_pool2d(const AvgPool2d& a, Builder& b) {
  const Windows rows = a.windows(0), columns = a.windows(1);
  if (rows.kernel * columns.kernel > kMostPlaces || !is_float(a.self.dtype())) {
    return {};
  }
  Planes planes(b, b.widened(a.self.node()), rows, columns);
  if (a.self.numel() == 0) {
    return {b.filled(a.self.dtype(), planes.out(), 0)};
  }
  planes.pad(-0.0);
  NodeId sum = planes.slice(0, 0);
  for (std::int64_t p = 1; p < rows.kernel * columns.kernel; ++p) {
    sum = b.map(ScalarOp::add,
                {sum, planes.slice(p / columns.kernel, p % columns.kernel)});
  }
  const NodeId mean =
      b.map(ScalarOp::div, {sum, divisor_of(a, b, b.dtype(sum))});
  return {b.convert(b.reshape(mean, planes.out()), a.self.dtype())};
}

// max_pool2d_with_indices

struct MaxPool2d : Pool2d {
  Shape dilation = integers("dilation", Shape{1, 1});
  bool ceil_mode = boolean("ceil_mode", false);

  Windows windows(std::size_t d) const {
    return windows_of(*this, d, dilation, ceil_mode);
  }
};

bool guard_max_pool2d(const MaxPool2d& a, Guards& g) {
  const Operand& x = a.self;
  return has_lists(a, g) &&
         g.shape("E4", one_or_two(a.dilation),
                 "max_pool2d: dilation must be one integer or two") &&
         has_windows(a, g) &&
         g.shape("E8", least(a.dilation) > 0,
                 "dilation should be greater than zero") &&
         g.shape("E9", has_planes(x),
                 "Expected input with non-zero size for non-batch "
                 "dimensions") &&
         g.shape("E10", is_padded_by_half(a, 0) && is_padded_by_half(a, 1),
                 "pad should be at most half of kernel size") &&
         g.shape("E11", a.windows(0).count() >= 1 && a.windows(1).count() >= 1,
                 "output size is too small") &&
         g.types("E12", x.dtype() != DType::boolean,
                 "max_pool2d is not implemented for 'Bool'",
                 "NotImplementedError");
}

// A constant along rows or columns of [rows, columns]: `f` of each window.
template <class F>
NodeId along(Builder& b, DType t, std::size_t d, const Windows& w, F f) {
  Tensor values =
      Tensor::zeros(t, d == 0 ? Shape{w.count(), 1} : Shape{1, w.count()});
  for (std::int64_t i = 0; i < w.count(); ++i) values.set_integer(i, f(i));
  return b.constant(std::move(values));
}

double lowest(DType t) {
  if (is_float(t)) return -std::numeric_limits<double>::infinity();
  if (t == DType::u8) return 0;
  return -std::ldexp(1.0, static_cast<int>(8 * size_bytes(t)) - 1);
}

// Place after place, the greatest so far, and how far behind its window's begin
// it stands in the plane: first where the window has its first element that is
// no padding.
std::vector<NodeId> lower_max_pool2d(const MaxPool2d& a, Builder& b) {
  const Windows rows = a.windows(0), columns = a.windows(1);
  const std::int64_t width = columns.extent;
  const std::int64_t farthest = rows.reach() * width + columns.reach();
  if (rows.kernel * columns.kernel > kMostPlaces ||
      farthest > std::numeric_limits<std::int32_t>::max()) {
    return {};
  }
  Planes planes(b, b.widened(a.self.node()), rows, columns);
  if (a.self.numel() == 0) {
    return {b.filled(a.self.dtype(), planes.out(), 0),
            b.filled(DType::i64, planes.out(), 0)};
  }
  const DType t = opmath(a.self.dtype());
  planes.pad(lowest(t));
  const auto first = [](const Windows& w) {
    return [w](std::int64_t i) {
      const std::int64_t before = std::max<std::int64_t>(-w.start(i), 0);
      return (before + w.dilation - 1) / w.dilation * w.dilation;
    };
  };
  const Shape flat = b.sizes(planes.slice(0, 0));
  NodeId best = b.filled(t, flat, lowest(t));
  NodeId place =
      b.map(ScalarOp::add,
            {b.map(ScalarOp::mul, {along(b, DType::i32, 0, rows, first(rows)),
                                   b.integer_scalar(DType::i32, width)}),
             along(b, DType::i32, 1, columns, first(columns))});
  place = b.expand(b.reshape(place, {1, rows.count(), columns.count()}), flat);
  for (std::int64_t p = 0; p < rows.kernel * columns.kernel; ++p) {
    const std::int64_t i = p / columns.kernel, j = p % columns.kernel;
    const NodeId x = planes.slice(i, j);
    NodeId takes = b.map(ScalarOp::gt, {x, best});
    if (is_float(t)) {
      takes = b.map(ScalarOp::logical_or, {takes, b.map(ScalarOp::isnan, {x})});
    }
    const NodeId here = b.integer_scalar(
        DType::i32, i * rows.dilation * width + j * columns.dilation);
    best = b.map(ScalarOp::select, {takes, x, best});
    place = b.map(ScalarOp::select, {takes, here, place});
  }
  const auto start = [](const Windows& w) {
    return [w](std::int64_t i) { return w.start(i); };
  };
  const NodeId begin =
      b.map(ScalarOp::add,
            {b.map(ScalarOp::mul, {along(b, DType::i64, 0, rows, start(rows)),
                                   b.integer_scalar(DType::i64, width)}),
             along(b, DType::i64, 1, columns, start(columns))});
  const NodeId indices =
      b.map(ScalarOp::add, {b.convert(place, DType::i64), begin});
  return {b.convert(b.reshape(best, planes.out()), a.self.dtype()),
          b.reshape(indices, planes.out())};
}

// adaptive_avg_pool2d

struct AdaptiveAvgPool2d : Unary {
  Shape output_size = integers("output_size");
};

bool guard_adaptive_avg_pool2d(const AdaptiveAvgPool2d& a, Guards& g) {
  const Operand& x = a.self;
  if (!g.shape("E1", a.output_size.size() == 2,
               "adaptive_avg_pool2d: output_size must be 2")) {
    return false;
  }
  // An output of 1 x 1 is a mean over the last two dimensions.
  const bool mean = a.output_size == Shape{1, 1} && x.rank() >= 2;
  return g.shape("E2", least(a.output_size) >= 0,
                 "adaptive_avg_pool2d: elements of output_size must be "
                 "greater than or equal to 0") &&
         g.shape("E3", x.rank() == 3 || x.rank() == 4 || mean,
                 "adaptive_avg_pool2d(): Expected 3D or 4D tensor") &&
         g.shape("E4", mean || (x.size(-1) > 0 && x.size(-2) > 0),
                 "adaptive_avg_pool2d(): Expected input to have non-zero size "
                 "for non-batch dimensions") &&
         floats_only(g, "E5", x.dtype(), "adaptive_avg_pool2d");
}

// Sums over the windows, divided by how many elements each has.
NodeId lower_adaptive_avg_pool2d(const AdaptiveAvgPool2d& a, Builder& b) {
  const Shape& size = a.output_size;
  const Shape in = a.self.sizes();
  const std::int64_t height = a.self.size(-2), width = a.self.size(-1);
  Shape out(in.begin(), in.end() - 2);
  const std::int64_t planes = element_count(out);
  NodeId x = b.widened(a.self.node());
  x = b.reshape(x, {1, planes, height, width});
  // A single window is a row, and a row's order is the faster one.
  const NodeId sums = size == Shape{1, 1} ? b.reduce(Combiner::sum, x, {2, 3})
                                          : b.window_sum(x, size[0], size[1]);
  const auto count = [](std::int64_t i, std::int64_t from, std::int64_t to) {
    return ((i + 1) * from + to - 1) / to - i * from / to;
  };
  Tensor counts = Tensor::zeros(b.dtype(x), {size[0], size[1]});
  for (std::int64_t i = 0; i < counts.numel(); ++i) {
    counts.set_number(i,
                      static_cast<double>(count(i / size[1], height, size[0]) *
                                          count(i % size[1], width, size[1])));
  }
  const NodeId means = b.map(ScalarOp::div, {sums, b.constant(counts)});
  out.insert(out.end(), size.begin(), size.end());
  return b.convert(b.reshape(means, out), a.self.dtype());
}

// im2col

struct Im2col : Unary {
  Shape kernel_size = integers("kernel_size");
  Shape dilation = integers("dilation");
  Shape padding = integers("padding");
  Shape stride = integers("stride");

  Windows windows(std::size_t d) const {
    return {self.size(d == 0 ? -2 : -1),
            kernel_size[d],
            stride[d],
            padding[d],
            dilation[d],
            false};
  }
};

bool guard_im2col(const Im2col& a, Guards& g) {
  const Operand& x = a.self;
  return g.shape("E1",
                 a.kernel_size.size() == 2 && a.dilation.size() == 2 &&
                     a.padding.size() == 2 && a.stride.size() == 2,
                 "It is expected that kernel_size, dilation, padding and "
                 "stride are two integers each") &&
         g.shape("E2",
                 least(a.kernel_size) > 0 && least(a.dilation) > 0 &&
                     least(a.stride) > 0,
                 "kernel size, dilation and stride should be greater than "
                 "zero") &&
         g.shape("E7", least(a.padding) >= 0,
                 "padding should be non-negative") &&
         g.shape("E3", x.rank() == 3 || x.rank() == 4,
                 "Expected 3D or 4D (batch mode) tensor") &&
         g.shape("E4", has_planes(x),
                 "Expected non-zero size for non-batch dimensions") &&
         g.shape("E5", a.windows(0).count() >= 1 && a.windows(1).count() >= 1,
                 "calculated shape of the array of sliding blocks is too "
                 "small") &&
         g.types("E6", is_float(x.dtype()) || x.dtype() == DType::boolean,
                 "im2col is not implemented for this dtype",
                 "NotImplementedError");
}

// A row for each place of a window.
std::vector<NodeId> lower_im2col(const Im2col& a, Builder& b) {
  const Windows rows = a.windows(0), columns = a.windows(1);
  const std::int64_t places = rows.kernel * columns.kernel;
  if (places > kMostPlaces || a.self.numel() == 0) return {};
  Planes planes(b, a.self.node(), rows, columns);
  planes.pad(0);
  const std::int64_t windows = rows.count() * columns.count();
  std::vector<NodeId> parts;
  for (std::int64_t p = 0; p < places; ++p) {
    const NodeId part = planes.slice(p / columns.kernel, p % columns.kernel);
    parts.push_back(b.reshape(part, {b.sizes(part)[0], 1, windows}));
  }
  Shape out = a.self.sizes();
  out.resize(out.size() - 2);
  out.back() *= places;
  out.push_back(windows);
  return {b.reshape(b.cat(parts, 1), out)};
}

constexpr Operation kOperations[] = {
    operation<AdaptiveAvgPool2d, lower_adaptive_avg_pool2d,
              guard_adaptive_avg_pool2d>("aten.adaptive_avg_pool2d.default",
                                         "adaptive_avg_pool2d"),
    operation<AvgPool2d, lower_avg_pool2d, guard_avg_pool2d>(
        "aten.avg_pool2d.default", "avg_pool2d"),
    operation<Im2col, lower_im2col, guard_im2col>("aten.im2col.default",
                                                  "im2col"),
    operation<MaxPool2d, lower_max_pool2d, guard_max_pool2d>(
        "aten.max_pool2d_with_indices.default", "max_pool2d_with_indices"),
};

}  // namespace

Family pooling() { return kOperations; }

}  // namespace assay::compiler
