#include "compiler/graph/verify.h"

#include <fmt/format.h>

#include <optional>

namespace assay::compiler {
namespace {

using Fault = std::optional<std::string>;

std::size_t place(std::int64_t d) { return static_cast<std::size_t>(d); }

bool is_dim(std::int64_t d, const Shape& s) {
  return d >= 0 && d < static_cast<std::int64_t>(s.size());
}

// The rules of one node. Operands are known to exist and to stand before it.
class NodeRules {
 public:
  NodeRules(const Body& body, const GraphNode& n) : body_(body), n_(n) {}

  Fault check() const {
    for (const std::int64_t s : n_.type.sizes) {
      if (s < 0) return "a negative size";
    }
    if (is_contraction(n_.op) &&
        (n_.order.lanes < 1 || n_.order.block % n_.order.lanes != 0 ||
         n_.order.block < 1)) {
      return "a contraction without an order";
    }
    if (n_.combiner == Combiner::last && n_.op != Op::scatter) {
      return "the last of a scatter's terms, but no scatter";
    }
    if (is_lossy_cast(n_.op) != (n_.cast > 0)) {
      return "lossy casts, and only they, carry an id";
    }
    switch (n_.op) {
      case Op::input:
        return leaf(body_.inputs.size(), [&](std::size_t i) {
          return Type{body_.inputs[i].dtype, body_.inputs[i].sizes};
        });
      case Op::constant:
        return leaf(body_.constants.size(), [&](std::size_t i) {
          return Type{body_.constants[i].dtype(), body_.constants[i].sizes()};
        });
      case Op::scalar:
        return n_.type.sizes.empty() ? Fault() : "a scalar has rank 0";
      case Op::map:
        return map();
      case Op::widen:
      case Op::round:
      case Op::truncate:
      case Op::wrap:
        return cast();
      case Op::reshape:
        if (element_count(n_.type.sizes) != element_count(arg(0).sizes)) {
          return "another number of elements";
        }
        return same_dtype();
      case Op::permute:
        return permute();
      case Op::expand:
        return expand();
      case Op::slice:
        return slice();
      case Op::cat:
        return cat();
      case Op::reduce:
        return reduce();
      case Op::formula:
        return formula();
      default:
        return product();
    }
  }

 private:
  const Type& arg(std::size_t i) const { return body_.at(n_.args[i]).type; }

  template <class TypeAt>
  Fault leaf(std::size_t count, TypeAt type_at) const {
    if (n_.attr.size() != 1 || n_.attr[0] < 0 || place(n_.attr[0]) >= count) {
      return "no such input or constant";
    }
    if (type_at(place(n_.attr[0])) != n_.type) return "another type";
    return {};
  }

  Fault same_dtype() const {
    for (std::size_t i = 0; i < n_.args.size(); ++i) {
      if (arg(i).dtype != n_.type.dtype) return "operands of another dtype";
    }
    return {};
  }

  Fault map() const {
    const ScalarOpInfo& op = info(n_.scalar);
    const bool select = n_.scalar == ScalarOp::select;
    for (std::size_t i = 0; i < n_.args.size(); ++i) {
      if (arg(i).sizes != n_.type.sizes) return "operands of another shape";
      if (select && i == 0) {
        if (arg(0).dtype != DType::boolean) return "select asks a bool";
        continue;
      }
      if (arg(i).dtype != arg(select ? 1 : 0).dtype) {
        return "operands of different dtypes";
      }
      if (!accepts(op.domain, arg(i).dtype)) {
        return fmt::format("{} does not take {}", op.name,
                           dtype_name(arg(i).dtype));
      }
    }
    const DType result = result_of(n_.scalar, arg(n_.args.size() - 1).dtype);
    if (n_.type.dtype != result) return "another result dtype";
    return {};
  }

  Fault cast() const {
    const DType from = arg(0).dtype;
    const DType to = n_.type.dtype;
    if (arg(0).sizes != n_.type.sizes) return "another shape";
    const bool lossless = is_lossless(from, to);
    if ((n_.op == Op::widen) != lossless || from == to) {
      return fmt::format("{} -> {} is {}", dtype_name(from), dtype_name(to),
                         lossless ? "exact" : "not exact");
    }
    if (lossless) return {};
    Op fitting = Op::wrap;
    if (is_float(to)) {
      fitting = Op::round;
    } else if (is_float(from)) {
      fitting = Op::truncate;
    }
    if (to == DType::boolean || n_.op != fitting) return "another cast's work";
    if (opmath(from) != from) return "narrower floats are widened first";
    return {};
  }

  Fault permute() const {
    const Shape& in = arg(0).sizes;
    if (n_.attr.size() != in.size()) return "one entry per dimension";
    std::vector<bool> seen(in.size(), false);
    Shape out;
    for (const std::int64_t d : n_.attr) {
      if (!is_dim(d, in) || seen[place(d)]) return "not a permutation";
      seen[place(d)] = true;
      out.push_back(in[place(d)]);
    }
    if (out != n_.type.sizes) return "another shape";
    return same_dtype();
  }

  Fault expand() const {
    const Shape& in = arg(0).sizes;
    if (in.size() != n_.type.sizes.size()) return "rank must not change";
    for (std::size_t d = 0; d < in.size(); ++d) {
      if (in[d] != 1 && in[d] != n_.type.sizes[d]) {
        return "only dimensions of size 1 repeat";
      }
    }
    return same_dtype();
  }

  Fault slice() const {
    const Shape& in = arg(0).sizes;
    if (n_.attr.size() != 3 || !is_dim(n_.attr[0], in)) {
      return "attr must be {dim, start, step}";
    }
    const std::size_t d = place(n_.attr[0]);
    Shape out = in;
    if (n_.type.sizes.size() != in.size()) return "another rank";
    out[d] = n_.type.sizes[d];
    if (out != n_.type.sizes) return "another shape";
    const std::int64_t last = n_.attr[1] + (out[d] - 1) * n_.attr[2];
    if (n_.attr[1] < 0 || n_.attr[2] < 1 || (out[d] > 0 && last >= in[d])) {
      return "reaches outside of its operand";
    }
    return same_dtype();
  }

  Fault cat() const {
    if (n_.args.empty()) return "nothing to join";
    if (n_.attr.size() != 1 || !is_dim(n_.attr[0], arg(0).sizes)) {
      return "attr must be {dim}";
    }
    const std::size_t d = place(n_.attr[0]);
    Shape out = arg(0).sizes;
    out[d] = 0;
    for (std::size_t i = 0; i < n_.args.size(); ++i) {
      if (!is_dim(n_.attr[0], arg(i).sizes)) return "another rank";
      Shape rest = arg(i).sizes;
      out[d] += rest[d];
      rest[d] = out[d];
      if (rest != out) return "parts of other sizes";
    }
    if (out != n_.type.sizes) return "another shape";
    return same_dtype();
  }

  Fault reduce() const {
    Shape out = arg(0).sizes;
    std::int64_t before = -1;
    for (const std::int64_t d : n_.attr) {
      if (!is_dim(d, out) || d <= before) return "attr must rise, in range";
      out[place(d)] = 1;
      before = d;
    }
    if (out != n_.type.sizes) return "another shape";
    if (!accepts(Domain::ordered, n_.type.dtype)) {
      return "accumulates in f64, f32, integers or bool";
    }
    return same_dtype();
  }

  Fault formula() const {
    if (n_.formula == nullptr) return "no formula";
    std::vector<DType> types;
    std::vector<Shape> sizes;
    for (std::size_t i = 0; i < n_.args.size(); ++i) {
      types.push_back(arg(i).dtype);
      sizes.push_back(arg(i).sizes);
    }
    const std::string fault =
        fault_of(*n_.formula, types, sizes, n_.type.dtype, n_.type.sizes);
    return fault.empty() ? Fault() : fault;
  }

  Fault scan() const {
    if (!accepts(Domain::number, n_.type.dtype)) {
      return "runs in f64, f32 or integers";
    }
    if (n_.type.sizes.size() != 3 || n_.type.sizes != arg(0).sizes) {
      return "another shape";
    }
    return same_dtype();
  }

  Fault scatter() const {
    const Shape& s = arg(1).sizes;
    if (!accepts(Domain::number, n_.type.dtype) ||
        arg(1).dtype != n_.type.dtype || arg(0).dtype != DType::i64) {
      return "places in i64 for terms in f64, f32 or integers";
    }
    if (s.size() != 3 || arg(0).sizes != s || n_.type.sizes.size() != 3 ||
        n_.type.sizes[0] != s[0] || n_.type.sizes[2] != s[2]) {
      return "another shape";
    }
    if (n_.args.size() > 2 && arg(2) != n_.type) return "another start";
    if (n_.combiner == Combiner::last && n_.args.size() < 3) {
      return "nothing before the last";
    }
    return {};
  }

  Fault order() const {
    const Shape &x = arg(0).sizes, &out = n_.type.sizes;
    const DType t = arg(0).dtype;
    if (t != DType::f64 && t != DType::f32 && t != DType::i64 &&
        t != DType::i32) {
      return "orders f64, f32, i64 and i32";
    }
    if (n_.type.dtype != DType::i64 || n_.attr.size() != 1) {
      return "another type, or attr";
    }
    if (x.size() != 2 || out.size() != 3 || out[1] != x[0] ||
        (out[0] == 2 ? out[2] != x[1] : out[0] != 1 || out[2] > x[1])) {
      return "another shape";
    }
    return {};
  }

  Fault product() const {
    if (n_.op == Op::gather) return gather();
    if (n_.op == Op::order) return order();
    if (n_.op == Op::scan) return scan();
    if (n_.op == Op::scatter) return scatter();
    if (!accepts(Domain::number, n_.type.dtype)) {
      return "accumulates in f64, f32 or integers";
    }
    const Shape& x = arg(0).sizes;
    const Shape& out = n_.type.sizes;
    if (n_.op == Op::window_sum) {
      if (x.size() != 4 || out.size() != 4 || x[0] != out[0] ||
          x[1] != out[1]) {
        return "another shape";
      }
      return same_dtype();
    }
    const Shape& w = arg(1).sizes;
    if (n_.op == Op::matmul) {
      if (x.size() != 3 || w.size() != 3 || x[0] != w[0] || x[2] != w[1] ||
          out != Shape{x[0], x[1], w[2]}) {
        return "another shape";
      }
      return same_dtype();
    }
    if (n_.attr.size() != kConvolveAttrs || x.size() != 4 || w.size() != 4) {
      return "attr or ranks";
    }
    const auto extent = [&](int in, int stride, int pad, int dilation) {
      return (x[place(in)] + 2 * n_.attr[place(pad)] -
              n_.attr[place(dilation)] * (w[place(in)] - 1) - 1) /
                 n_.attr[place(stride)] +
             1;
    };
    const Shape expected = {x[0], w[0], extent(2, kStrideH, kPadH, kDilationH),
                            extent(3, kStrideW, kPadW, kDilationW)};
    if (x[1] != w[1] * n_.attr[kGroups] || out != expected) {
      return "another shape";
    }
    return same_dtype();
  }

  Fault gather() const {
    if (arg(0).sizes.size() != 2 || arg(1).dtype != DType::i64) {
      return "rows of a matrix by an i64 index";
    }
    Shape out = arg(1).sizes;
    out.push_back(arg(0).sizes[1]);
    if (out != n_.type.sizes || arg(0).dtype != n_.type.dtype) {
      return "another type";
    }
    return {};
  }

  const Body& body_;
  const GraphNode& n_;
};

std::size_t arity(const GraphNode& n) {
  switch (n.op) {
    case Op::input:
    case Op::constant:
    case Op::scalar:
      return 0;
    case Op::map:
      return static_cast<std::size_t>(info(n.scalar).arity);
    case Op::cat:
    case Op::formula:
      return n.args.size();
    case Op::scatter:
      return n.args.size() == 3 ? 3 : 2;
    case Op::matmul:
    case Op::convolve:
    case Op::gather:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

Status verify(const Body& body) {
  const auto count = static_cast<NodeId>(body.nodes.size());
  for (NodeId id = 0; id < count; ++id) {
    const GraphNode& n = body.at(id);
    Fault fault;
    if (n.args.size() != arity(n)) fault = "another number of operands";
    for (const NodeId a : n.args) {
      if (a < 0 || a >= id) fault = "an operand that is not defined before it";
    }
    if (!fault) fault = NodeRules(body, n).check();
    if (fault) {
      return Error{fmt::format("contract graph: %{} = {}: {}", id,
                               op_name(n.op), *fault)};
    }
  }
  for (const NodeId o : body.outputs) {
    if (o < 0 || o >= count) {
      return Error{fmt::format("contract graph: output %{} is missing", o)};
    }
  }
  return success();
}

}  // namespace assay::compiler
