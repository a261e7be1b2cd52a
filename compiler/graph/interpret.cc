#include "compiler/graph/interpret.h"

#include <algorithm>
#include <numeric>

#include "compiler/graph/accumulate.h"
#include "compiler/graph/apply.h"
#include "compiler/graph/evaluate_formula.h"
#include "compiler/graph/step.h"
#include "core/float_bits.h"
#include "core/integer_bits.h"
#include "kit/cast_bits.h"

namespace assay::compiler {
namespace {

using Elements = std::vector<std::uint64_t>;

std::size_t row_major(const Shape& index, const Shape& sizes) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    at = at * sizes[d] + index[d];
  }
  return static_cast<std::size_t>(at);
}

class Interpreter {
 public:
  Interpreter(const Body& body, const std::vector<Tensor>& inputs)
      : body_(body), inputs_(inputs) {}

  std::vector<Tensor> run() {
    for (const GraphNode& n : body_.nodes) values_.push_back(evaluate(n));
    std::vector<Tensor> out;
    for (const NodeId o : body_.outputs) {
      const Type& t = body_.at(o).type;
      Tensor tensor = Tensor::zeros(t.dtype, t.sizes);
      const Elements& v = values_[static_cast<std::size_t>(o)];
      for (std::size_t i = 0; i < v.size(); ++i) {
        tensor.set_bits(static_cast<std::int64_t>(i), v[i]);
      }
      out.push_back(std::move(tensor));
    }
    return out;
  }

 private:
  const Elements& value(const GraphNode& n, std::size_t i) const {
    return values_[static_cast<std::size_t>(n.args[i])];
  }
  const Type& type(const GraphNode& n, std::size_t i) const {
    return body_.at(n.args[i]).type;
  }

  Elements evaluate(const GraphNode& n) const {
    switch (n.op) {
      case Op::input:
        return elements(inputs_[static_cast<std::size_t>(n.attr[0])]);
      case Op::constant:
        return elements(body_.constants[static_cast<std::size_t>(n.attr[0])]);
      case Op::scalar:
        return {n.bits};
      case Op::map:
        return map(n);
      case Op::widen:
      case Op::round:
      case Op::truncate:
      case Op::wrap: {
        Elements out = value(n, 0);
        for (auto& e : out)
          e = kit::cast_bits(type(n, 0).dtype, e, n.type.dtype);
        return out;
      }
      case Op::reshape:
        return value(n, 0);
      case Op::cat:
        return cat(n);
      case Op::permute:
      case Op::expand:
      case Op::slice:
        return moved(n);
      case Op::reduce:
        return reduce(n);
      case Op::matmul:
        return matmul(n);
      case Op::convolve:
        return convolve(n);
      case Op::window_sum:
        return window_sum(n);
      case Op::scan:
        return scan(n);
      case Op::scatter:
        return scatter(n);
      case Op::order:
        return order(n);
      case Op::gather:
        return gather(n);
      case Op::formula:
        return formula(n);
    }
    return {};
  }

  static Elements elements(const Tensor& t) {
    Elements out(static_cast<std::size_t>(t.numel()));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = t.bits(static_cast<std::int64_t>(i));
    }
    return out;
  }

  // Calls f(index) for every index of `sizes`, in row-major order.
  template <class F>
  static void each(const Shape& sizes, F&& f) {
    if (element_count(sizes) == 0) return;
    Shape index(sizes.size(), 0);
    do f(index);
    while (advance(&index, sizes));
  }

  Elements map(const GraphNode& n) const {
    Elements out(static_cast<std::size_t>(element_count(n.type.sizes)));
    const DType t = type(n, n.scalar == ScalarOp::select ? 1 : 0).dtype;
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::uint64_t args[3] = {};
      for (std::size_t a = 0; a < n.args.size(); ++a) {
        args[a] = value(n, a)[i];
      }
      out[i] = apply(n.scalar, t, args);
    }
    return out;
  }

  Elements moved(const GraphNode& n) const {
    Elements out;
    const Shape& in = type(n, 0).sizes;
    each(n.type.sizes, [&](const Shape& index) {
      Shape from = index;
      for (std::size_t d = 0; d < index.size(); ++d) {
        if (n.op == Op::permute) {
          from[static_cast<std::size_t>(n.attr[d])] = index[d];
        } else if (n.op == Op::expand && in[d] == 1) {
          from[d] = 0;
        }
      }
      if (n.op == Op::slice) {
        std::int64_t& at = from[static_cast<std::size_t>(n.attr[0])];
        at = n.attr[1] + at * n.attr[2];
      }
      out.push_back(value(n, 0)[row_major(from, in)]);
    });
    return out;
  }

  Elements cat(const GraphNode& n) const {
    Elements out;
    const auto d = static_cast<std::size_t>(n.attr[0]);
    each(n.type.sizes, [&](const Shape& index) {
      Shape from = index;
      std::size_t part = 0;
      while (from[d] >= type(n, part).sizes[d]) {
        from[d] -= type(n, part++).sizes[d];
      }
      out.push_back(value(n, part)[row_major(from, type(n, part).sizes)]);
    });
    return out;
  }

  Elements reduce(const GraphNode& n) const {
    const Shape& in = type(n, 0).sizes;
    Shape row(in.size(), 1);
    for (const std::int64_t d : n.attr) {
      const auto at = static_cast<std::size_t>(d);
      row[at] = in[at];
    }
    Elements out;
    each(n.type.sizes, [&](const Shape& outer) {
      Accumulator sum(n.combiner, n.order, n.type.dtype);
      each(row, [&](const Shape& inner) {
        Shape from = outer;
        for (std::size_t d = 0; d < from.size(); ++d) from[d] += inner[d];
        sum.add(value(n, 0)[row_major(from, in)]);
      });
      out.push_back(sum.result());
    });
    return out;
  }

  Elements matmul(const GraphNode& n) const {
    Elements out;
    const std::int64_t terms = type(n, 0).sizes[2];
    each(n.type.sizes, [&](const Shape& i) {
      Accumulator sum(Combiner::sum, n.order, n.type.dtype);
      for (std::int64_t k = 0; k < terms; ++k) {
        sum.add_product(
            value(n, 0)[row_major({i[0], i[1], k}, type(n, 0).sizes)],
            value(n, 1)[row_major({i[0], k, i[2]}, type(n, 1).sizes)]);
      }
      out.push_back(sum.result());
    });
    return out;
  }

  Elements convolve(const GraphNode& n) const {
    const Shape& x = type(n, 0).sizes;
    const Shape& w = type(n, 1).sizes;
    const Shape& a = n.attr;
    const std::int64_t group = w[0] / a[kGroups];
    Elements out;
    each(n.type.sizes, [&](const Shape& i) {
      Accumulator sum(Combiner::sum, n.order, n.type.dtype);
      each({w[1], w[2], w[3]}, [&](const Shape& k) {
        const std::int64_t c = i[1] / group * w[1] + k[0];
        const std::int64_t y =
            i[2] * a[kStrideH] - a[kPadH] + k[1] * a[kDilationH];
        const std::int64_t z =
            i[3] * a[kStrideW] - a[kPadW] + k[2] * a[kDilationW];
        const bool inside = y >= 0 && y < x[2] && z >= 0 && z < x[3];
        const std::uint64_t element =
            inside ? value(n, 0)[row_major({i[0], c, y, z}, x)] : 0;
        sum.add_product(element,
                        value(n, 1)[row_major({i[1], k[0], k[1], k[2]}, w)]);
      });
      out.push_back(sum.result());
    });
    return out;
  }

  Elements window_sum(const GraphNode& n) const {
    const Shape& x = type(n, 0).sizes;
    const auto begin = [&](std::int64_t i, std::size_t d) {
      return i * x[d] / n.type.sizes[d];
    };
    const auto end = [&](std::int64_t i, std::size_t d) {
      return ((i + 1) * x[d] + n.type.sizes[d] - 1) / n.type.sizes[d];
    };
    Elements out;
    each(n.type.sizes, [&](const Shape& i) {
      Accumulator sum(Combiner::sum, n.order, n.type.dtype);
      for (std::int64_t y = begin(i[2], 2); y < end(i[2], 2); ++y) {
        for (std::int64_t z = begin(i[3], 3); z < end(i[3], 3); ++z) {
          sum.add(value(n, 0)[row_major({i[0], i[1], y, z}, x)]);
        }
      }
      out.push_back(sum.result());
    });
    return out;
  }

  Elements scan(const GraphNode& n) const {
    const Shape& s = n.type.sizes;
    const ScalarOp step = step_of(n.combiner);
    Elements out = value(n, 0);
    each(s, [&](const Shape& i) {
      const std::uint64_t before =
          i[1] == 0 ? identity_of(n.combiner, n.type.dtype)
                    : out[row_major({i[0], i[1] - 1, i[2]}, s)];
      std::uint64_t& here = out[row_major(i, s)];
      const std::uint64_t args[] = {before, here};
      here = apply(step, n.type.dtype, args);
    });
    return out;
  }

  Elements scatter(const GraphNode& n) const {
    const Shape& s = type(n, 1).sizes;
    const bool is_last = n.combiner == Combiner::last;
    const ScalarOp step = step_of(n.combiner);
    Elements out =
        n.args.size() > 2
            ? value(n, 2)
            : Elements(static_cast<std::size_t>(element_count(n.type.sizes)),
                       identity_of(n.combiner, n.type.dtype));
    each(s, [&](const Shape& i) {
      const auto key = static_cast<std::int64_t>(value(n, 0)[row_major(i, s)]);
      if (key < 0 || key >= n.type.sizes[1]) return;
      std::uint64_t& there = out[row_major({i[0], key, i[2]}, n.type.sizes)];
      const std::uint64_t args[] = {there, value(n, 1)[row_major(i, s)]};
      there = is_last ? args[1] : apply(step, n.type.dtype, args);
    });
    return out;
  }

  Elements order(const GraphNode& n) const {
    const DType t = type(n, 0).dtype;
    const std::int64_t lines = n.type.sizes[1], kept = n.type.sizes[2];
    const auto size = static_cast<std::size_t>(type(n, 0).sizes[1]);
    const auto below = [t](std::uint64_t a, std::uint64_t b) {
      if (!is_float(t)) {
        return integer_of_bits(t, a) < integer_of_bits(t, b);
      }
      const double x = decode_float(t, a), y = decode_float(t, b);
      return x < y || (y != y && x == x);
    };
    Elements out(static_cast<std::size_t>(element_count(n.type.sizes)), 0);
    for (std::int64_t l = 0; l < lines; ++l) {
      const std::uint64_t* const line =
          value(n, 0).data() + static_cast<std::size_t>(l) * size;
      std::vector<std::size_t> places(size);
      std::iota(places.begin(), places.end(), std::size_t{0});
      std::stable_sort(places.begin(), places.end(),
                       [&](std::size_t i, std::size_t j) {
                         return n.attr[0] != 0 ? below(line[j], line[i])
                                               : below(line[i], line[j]);
                       });
      std::copy_n(places.begin(), kept, out.begin() + l * kept);
    }
    return out;
  }

  Elements gather(const GraphNode& n) const {
    const std::int64_t rows = type(n, 0).sizes[0];
    const std::int64_t width = type(n, 0).sizes[1];
    Elements out;
    if (rows == 0) {
      return Elements(static_cast<std::size_t>(element_count(n.type.sizes)), 0);
    }
    for (const std::uint64_t bits : value(n, 1)) {
      const auto at = static_cast<std::int64_t>(bits);
      const std::int64_t row = at >= 0 && at < rows ? at : 0;
      for (std::int64_t d = 0; d < width; ++d) {
        out.push_back(value(n, 0)[static_cast<std::size_t>(row * width + d)]);
      }
    }
    return out;
  }

  Elements formula(const GraphNode& n) const {
    std::vector<Shape> sizes;
    for (std::size_t i = 0; i < n.args.size(); ++i) {
      sizes.push_back(type(n, i).sizes);
    }
    Elements out;
    each(n.type.sizes, [&](const Shape& index) {
      out.push_back(compiler::evaluate(
          *n.formula, index, sizes, [&](std::size_t i, const Shape& at) {
            return value(n, i)[row_major(at, sizes[i])];
          }));
    });
    return out;
  }

  const Body& body_;
  const std::vector<Tensor>& inputs_;
  std::vector<Elements> values_;
};

}  // namespace

std::vector<Tensor> interpret(const Body& body,
                              const std::vector<Tensor>& inputs) {
  return Interpreter(body, inputs).run();
}

}  // namespace assay::compiler
