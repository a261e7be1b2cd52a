#include "compiler/text/contraction_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "compiler/graph/accumulate.h"
#include "compiler/text/scalar.h"

namespace assay::compiler {
namespace {

std::string join(const Shape& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// What the function takes as its first argument.
Shape sizes_of(const NodeKernel& k) {
  Shape size = k.node.type.sizes;
  const Shape& x = k.operand_sizes[0];
  if (k.node.op == Op::matmul) {
    size.push_back(x[2]);
  } else if (k.node.op == Op::scan) {
    return size;
  } else if (k.node.op == Op::scatter || k.node.op == Op::order) {
    size.push_back(x[1]);
  } else if (k.node.op == Op::convolve) {
    const Shape& w = k.operand_sizes[1];
    size.insert(size.end(),
                {w[1], w[2], w[3], x[2], x[3], k.node.attr[kGroups]});
  } else {
    size.insert(size.end(), {x[2], x[3]});
  }
  return size;
}

}  // namespace

ContractionCall contraction_call(const GraphNode& n) {
  ContractionCall how;
  if (n.op == Op::scan || n.op == Op::scatter) {
    how.math = {"running_steps"};
    how.function = n.op == Op::scan ? "a_scan" : "a_scatter";
    how.parameters = fmt::format(", a_take_{}", combiner_name(n.combiner));
    const DType t = n.type.dtype;
    how.arguments = ", " + literal(t, identity_of(n.combiner, t));
    return how;
  }
  if (n.op == Op::order) {
    how.math = {"order"};
    how.function = "a_order";
    how.parameters = n.attr[0] != 0 ? ", true" : ", false";
    return how;
  }
  how.math = {"contract"};
  how.function = n.op == Op::matmul     ? "a_matmul"
                 : n.op == Op::convolve ? "a_convolve"
                                        : "a_window_sum";
  return how;
}

NodeKernel as_called(const NodeKernel& k) {
  NodeKernel out = k;
  if (k.node.op != Op::matmul || k.node.type.sizes[2] != 1) return out;
  std::swap(out.node.type.sizes[1], out.node.type.sizes[2]);
  std::swap(out.operands[0], out.operands[1]);
  std::swap(out.operand_sizes[0], out.operand_sizes[1]);
  for (std::size_t i : {0, 1}) {
    std::swap(out.operands[i].strides[1], out.operands[i].strides[2]);
    std::swap(out.operand_sizes[i][1], out.operand_sizes[i][2]);
  }
  return out;
}

std::vector<std::string> contraction_text(
    const NodeKernel& k, const ContractionCall& how,
    const std::vector<std::string>& addresses, const std::vector<DType>& types,
    const WriteSize& size) {
  std::vector<std::string> lines;
  const auto array = [&](const std::string& name, const Shape& numbers,
                         const auto& text) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      texts.push_back(text(i, numbers[i]));
    }
    lines.push_back(
        fmt::format("const long {}[] = {{{}}};", name, fmt::join(texts, ", ")));
  };
  array("size", sizes_of(k), [&](std::size_t i, std::int64_t v) {
    // Taps and groups belong to the operation.
    const bool fixed =
        k.node.op == Op::convolve && (i == 5 || i == 6 || i == 9);
    return fixed ? std::to_string(v) : size(v, "size of the operation");
  });
  const char* type = value_type(k.node.type.dtype);
  std::string call =
      fmt::format("{}<{}, {}{}>(size{}", how.function, type, k.node.order.block,
                  how.parameters, how.arguments);
  if (k.node.op == Op::convolve) {
    const Shape& attr = k.node.attr;
    lines.push_back(fmt::format("const long geometry[] = {{{}}};",
                                join({attr.begin(), attr.begin() + kGroups})));
    call += ", geometry";
  }
  for (std::size_t i = 0; i < k.operands.size(); ++i) {
    const BufferView& v = k.operands[i];
    array(fmt::format("s{}", i), v.strides, [&](std::size_t, std::int64_t s) {
      return size(s, fmt::format("stride of operand {}", i));
    });
    // Patterns of 16 bits get a type that tells how to widen them.
    const std::string element = types[i] == k.node.type.dtype ? type
                                : k.node.op == Op::order
                                    ? value_type(types[i])
                                    : fmt::format("a_{}", dtype_name(types[i]));
    call +=
        fmt::format(", (const {}*){} + {}, s{}", element, addresses[i],
                    size(v.offset, fmt::format("offset of operand {}", i)), i);
  }
  const std::string rounded = fmt::format("a_{}", dtype_name(types.back()));
  call += fmt::format(", ({}*){}", k.cast_id > 0 ? rounded : type,
                      addresses.back());
  if (how.parts) call += ", begin, end";
  call += ");";
  if (k.cast_id > 0) call += fmt::format("  // cast#{}", k.cast_id);
  lines.push_back(call);
  return lines;
}

}  // namespace assay::compiler
