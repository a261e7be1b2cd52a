#include "compiler/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::compiler {

const char* op_name(Op op) {
  switch (op) {
    case Op::input:
      return "input";
    case Op::constant:
      return "constant";
    case Op::scalar:
      return "scalar";
    case Op::map:
      return "map";
    case Op::widen:
      return "widen";
    case Op::round:
      return "round";
    case Op::truncate:
      return "truncate";
    case Op::wrap:
      return "wrap";
    case Op::reshape:
      return "reshape";
    case Op::permute:
      return "permute";
    case Op::expand:
      return "expand";
    case Op::slice:
      return "slice";
    case Op::cat:
      return "cat";
    case Op::reduce:
      return "reduce";
    case Op::matmul:
      return "matmul";
    case Op::convolve:
      return "convolve";
    case Op::window_sum:
      return "window_sum";
    case Op::gather:
      return "gather";
  }
  return "?";
}

const char* combiner_name(Combiner c) {
  switch (c) {
    case Combiner::sum:
      return "sum";
    case Combiner::product:
      return "product";
    case Combiner::maximum:
      return "maximum";
    case Combiner::minimum:
      return "minimum";
  }
  return "?";
}

bool is_lossless(DType from, DType to) {
  if (from == to) return true;
  if (to == DType::boolean) return false;
  if (is_float(from)) {
    if (!is_float(to)) return false;
    const FloatFormat a = float_format(from);
    const FloatFormat b = float_format(to);
    return a.precision <= b.precision && a.emax <= b.emax &&
           a.emin - a.precision >= b.emin - b.precision;
  }
  if (is_float(to)) {
    // Integers up to 2^p are exact. No integer dtype here overflows a format
    // whose precision covers it.
    const std::int64_t limit = std::int64_t{1} << float_format(to).precision;
    return integer_max(from) <= limit && integer_min(from) >= -limit;
  }
  return integer_min(from) >= integer_min(to) &&
         integer_max(from) <= integer_max(to);
}

std::string to_text(const Body& body) {
  std::string text;
  for (std::size_t i = 0; i < body.nodes.size(); ++i) {
    const GraphNode& n = body.nodes[i];
    text += fmt::format("%{} = {}", i, op_name(n.op));
    if (n.op == Op::map) text += fmt::format(".{}", info(n.scalar).name);
    if (n.op == Op::reduce) {
      text += fmt::format(".{}", combiner_name(n.combiner));
    }
    text += fmt::format(" {}[{}]", dtype_name(n.type.dtype),
                        fmt::join(n.type.sizes, ", "));
    for (const NodeId a : n.args) text += fmt::format(" %{}", a);
    if (!n.attr.empty()) {
      text += fmt::format(" attr[{}]", fmt::join(n.attr, ", "));
    }
    if (n.op == Op::scalar) text += fmt::format(" {:#x}", n.bits);
    if (n.cast != 0) text += fmt::format(" cast#{}", n.cast);
    if (is_contraction(n.op)) {
      text += fmt::format(" lanes {} block {}", n.order.lanes, n.order.block);
    }
    text += "\n";
  }
  text += "return";
  for (const NodeId o : body.outputs) text += fmt::format(" %{}", o);
  return text + "\n";
}

}  // namespace assay::compiler
