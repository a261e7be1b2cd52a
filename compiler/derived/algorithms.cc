#include "compiler/derived/algorithms.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/derived/formula_builder.h"
#include "compiler/ops/dims.h"
#include "compiler/ops/operation.h"

namespace assay::compiler {
namespace {

using Made = std::optional<NodeId>;

Shape lines_of(const Operand& x, std::int64_t dim) {
  return lines_along(wrap_dim(dim, x.rank()), x.sizes());
}

FormulaBuilder computing_in(DType t) {
  return FormulaBuilder(t == DType::f64 ? DType::f64 : DType::f32,
                        !is_float(t));
}

struct Sort : Arguments {
  Operand self = tensor("self");
  std::int64_t dim = integer("dim", -1);
  bool descending = boolean("descending", false);

  std::int64_t kept() const { return lines_of(self, dim)[1]; }
};

struct SortStable : Arguments {
  Operand self = tensor("self");
  bool stable = boolean("stable", false);
  std::int64_t dim = integer("dim", -1);
  bool descending = boolean("descending", false);

  std::int64_t kept() const { return lines_of(self, dim)[1]; }
};

struct Topk : Arguments {
  Operand self = tensor("self");
  std::int64_t k = integer("k");
  std::int64_t dim = integer("dim", -1);
  bool descending = boolean("largest", true);
  bool sorted = boolean("sorted", true);

  std::int64_t kept() const { return self.rank() == 0 ? 1 : k; }
};

// Where the elements of x[A, N, B] stand that come first: [A, kept, B].
template <class A>
NodeId places(const A& a, const Shape& lines, Builder& b) {
  NodeId x = b.reshape(b.as_number(a.self.node()), lines);
  x = b.reshape(b.permute(x, {0, 2, 1}), {lines[0] * lines[2], lines[1]});
  const NodeId at = b.order(x, a.descending, a.kept());
  return b.permute(b.reshape(at, {lines[0], lines[2], a.kept()}), {0, 2, 1});
}

template <class A>
Shape kept_sizes(const A& a) {
  Shape out = a.self.sizes();
  if (!out.empty()) {
    out[static_cast<std::size_t>(wrap_dim(a.dim, a.self.rank()))] = a.kept();
  }
  return out;
}

template <class A>
Made sorted_places(const AlgorithmCall& call, Builder& b) {
  const A a = bind<A>(call.site);
  if (!a.fit().ok()) return std::nullopt;
  const Shape out = kept_sizes(a);
  if (element_count(out) == 0) return b.filled(DType::i64, out, 0);
  return b.reshape(places(a, lines_of(a.self, a.dim), b), out);
}

template <class A>
Made sorted_values(const AlgorithmCall& call, Builder& b) {
  const A a = bind<A>(call.site);
  if (!a.fit().ok()) return std::nullopt;
  const Shape out = kept_sizes(a);
  const DType t = a.self.dtype();
  if (element_count(out) == 0) return b.filled(t, out, 0);
  const Shape lines = lines_of(a.self, a.dim);
  FormulaBuilder f = computing_in(t);
  f.index_by(3);
  const int i = f.variable(0), j = f.variable(2);
  const int from = f.load(1, DType::i64, {i, f.variable(1), j});
  const int element = f.as(f.load(0, t, {i, from, j}), t);
  const NodeId y = b.formula(
      f.take(element), {b.reshape(a.self.node(), lines), places(a, lines, b)},
      {t, {lines[0], a.kept(), lines[2]}});
  return b.reshape(y, out);
}

int equal_or_nan(FormulaBuilder& f, int x, int y) {
  const int both =
      f.apply(ScalarOp::logical_and,
              {f.of_float(ScalarOp::isnan, x), f.of_float(ScalarOp::isnan, y)});
  return f.apply(ScalarOp::logical_or, {f.compare(ScalarOp::eq, x, y), both});
}

struct Running : Arguments {
  Operand self = tensor("self");
  std::int64_t dim = integer("dim");
};

// The last index so far at which an element is the extreme up to it: no later
// one is, so that the extreme here stands there.
Made running_places(const AlgorithmCall& call, Builder& b) {
  const Running a = bind<Running>(call.site);
  if (!a.fit().ok()) return std::nullopt;
  const Shape sizes = a.self.sizes();
  if (element_count(sizes) == 0) return b.filled(DType::i64, sizes, 0);
  const Shape lines = lines_of(a.self, a.dim);
  const DType t = a.self.dtype();
  FormulaBuilder f = computing_in(t);
  f.index_by(3);
  const std::vector<int> here = {f.variable(0), f.variable(1), f.variable(2)};
  const int x = f.load(0, t, here);
  const int extreme = f.load(1, t, here);
  const int place =
      f.choose(equal_or_nan(f, x, extreme), f.variable(1), f.integer(0));
  const NodeId reached =
      b.formula(f.take(place),
                {b.reshape(a.self.node(), lines), b.reshape(call.first, lines)},
                {DType::i64, lines});
  return b.reshape(b.scan(Combiner::maximum, reached), sizes);
}

struct MaxPool : Arguments {
  Operand self = tensor("self");
  Shape kernel = pair("kernel_size");
  Shape stride = integers("stride", Shape{});
  Shape padding = pair("padding", Shape{0, 0});
  Shape dilation = pair("dilation", Shape{1, 1});
  bool ceil_mode = boolean("ceil_mode", false);
};

// The first place of a window's elements that holds the greatest of them.
Made window_places(const AlgorithmCall& call, Builder& b) {
  const MaxPool a = bind<MaxPool>(call.site);
  if (!a.fit().ok()) return std::nullopt;
  const Shape in = a.self.sizes(), sizes = b.sizes(call.first);
  if (element_count(sizes) == 0) return b.filled(DType::i64, sizes, 0);
  const auto plane = [](const Shape& s) -> Shape {
    const std::int64_t height = s[s.size() - 2], width = s.back();
    return {element_count(s) / (height * width), height, width};
  };
  const Shape from = plane(in), to = plane(sizes);
  const DType t = a.self.dtype();
  FormulaBuilder f = computing_in(t);
  f.index_by(3);
  std::vector<Term::Range> ranges;
  for (const int d : {0, 1}) {
    const int first = f.integer(0);
    ranges.push_back(
        {3 + d, first, f.integer(a.kernel[static_cast<std::size_t>(d)])});
  }
  std::vector<int> index = {f.variable(0)};
  int inside = f.boolean(true);
  for (const std::size_t d : {0U, 1U}) {
    const std::int64_t step = a.stride.empty()       ? a.kernel[d]
                              : a.stride.size() == 1 ? a.stride[0]
                                                     : a.stride[d];
    const auto times = [&](int x, std::int64_t n) {
      return f.apply(ScalarOp::mul, {x, f.integer(n)});
    };
    const int y = times(f.variable(static_cast<int>(d) + 1), step);
    const int r = times(f.variable(static_cast<int>(d) + 3), a.dilation[d]);
    const int place = f.apply(ScalarOp::sub, {f.apply(ScalarOp::add, {y, r}),
                                              f.integer(a.padding[d])});
    const auto both = [&](int p, int q) {
      return f.apply(ScalarOp::logical_and, {p, q});
    };
    inside = both(inside,
                  both(f.compare(ScalarOp::ge, place, f.integer(0)),
                       f.compare(ScalarOp::lt, place, f.integer(from[d + 1]))));
    index.push_back(place);
  }
  const int best = f.load(1, t, {index[0], f.variable(1), f.variable(2)});
  const int holds = f.choose(inside, equal_or_nan(f, f.load(0, t, index), best),
                             f.boolean(false));
  const int where = f.apply(
      ScalarOp::add,
      {f.apply(ScalarOp::mul, {index[1], f.integer(from[2])}), index[2]});
  const int none = f.integer(std::numeric_limits<std::int64_t>::max());
  const int first = f.fold(Combiner::minimum, std::move(ranges),
                           f.choose(holds, where, none));
  const NodeId y =
      b.formula(f.take(first),
                {b.reshape(a.self.node(), from), b.reshape(call.first, to)},
                {DType::i64, to});
  return b.reshape(y, sizes);
}

struct Row {
  std::string_view aten;
  std::size_t output;
  Algorithm algorithm;
};

constexpr Row kRows[] = {
    {"aten.argsort.default", 0, sorted_places<Sort>},
    {"aten.argsort.stable", 0, sorted_places<SortStable>},
    {"aten.sort.default", 0, sorted_values<Sort>},
    {"aten.sort.default", 1, sorted_places<Sort>},
    {"aten.sort.stable", 0, sorted_values<SortStable>},
    {"aten.sort.stable", 1, sorted_places<SortStable>},
    {"aten.topk.default", 0, sorted_values<Topk>},
    {"aten.topk.default", 1, sorted_places<Topk>},
    {"aten.cummax.default", 1, running_places},
    {"aten.cummin.default", 1, running_places},
    {"aten.max_pool2d_with_indices.default", 1, window_places},
};

}  // namespace

Algorithm find_algorithm(std::string_view aten, std::size_t output) {
  const auto* const row = std::find_if(
      std::begin(kRows), std::end(kRows),
      [&](const Row& r) { return r.aten == aten && r.output == output; });
  return row == std::end(kRows) ? nullptr : row->algorithm;
}

}  // namespace assay::compiler
