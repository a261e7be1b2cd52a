#include "compiler/graph/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <tuple>

#include "core/text.h"

namespace assay::compiler {

namespace {

// In the order of Op and of Combiner.
constexpr const char* kOpNames[] = {
    "input",    "constant", "scalar",  "map",      "widen",      "round",
    "truncate", "wrap",     "reshape", "permute",  "expand",     "slice",
    "cat",      "reduce",   "matmul",  "convolve", "window_sum", "scan",
    "scatter",  "order",    "gather",  "formula"};
static_assert(std::size(kOpNames) == static_cast<int>(Op::formula) + 1);
constexpr const char* kCombinerNames[] = {"sum", "product", "maximum",
                                          "minimum", "last"};

}  // namespace

const char* op_name(Op op) { return kOpNames[static_cast<std::size_t>(op)]; }

const char* combiner_name(Combiner c) {
  return kCombinerNames[static_cast<std::size_t>(c)];
}

bool GraphNode::operator==(const GraphNode& other) const {
  const auto rest = [](const GraphNode& n) {
    return std::tie(n.op, n.args, n.type, n.scalar, n.combiner, n.order, n.attr,
                    n.bits, n.cast);
  };
  if (rest(*this) != rest(other)) return false;
  if (formula == nullptr || other.formula == nullptr) {
    return formula == other.formula;
  }
  return *formula == *other.formula;
}

bool is_lossless(DType from, DType to) {
  if (from == to) return true;
  if (to == DType::boolean) return false;
  if (is_float(from)) {
    return is_float(to) && float_format(to).holds(float_format(from));
  }
  if (is_float(to)) {
    if (!float_format(to).has_zero()) return false;
    // Integers up to 2^p are exact. No integer dtype here overflows a format
    // whose precision covers it.
    return magnitude_bits(from) <= float_format(to).precision;
  }
  return holds_integers(to, from);
}

std::string to_text(const Body& body) {
  std::string text;
  for (std::size_t i = 0; i < body.nodes.size(); ++i) {
    const GraphNode& n = body.nodes[i];
    text += fmt::format("%{} = {}", i, op_name(n.op));
    if (n.op == Op::map) text += fmt::format(".{}", info(n.scalar).name);
    if (n.op == Op::reduce || n.op == Op::scan || n.op == Op::scatter) {
      text += fmt::format(".{}", combiner_name(n.combiner));
    }
    text += fmt::format(" {}", type_text(n.type.dtype, n.type.sizes));
    for (const NodeId a : n.args) text += fmt::format(" %{}", a);
    if (!n.attr.empty()) {
      text += fmt::format(" attr[{}]", fmt::join(n.attr, ", "));
    }
    if (n.op == Op::scalar) text += fmt::format(" {:#x}", n.bits);
    if (n.formula) text += " = " + to_text(*n.formula);
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
