#include "compiler/nest/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"

namespace assay::compiler {
namespace {

using Names = std::vector<std::string>;

const char* kind_name(Buffer::Kind kind) {
  switch (kind) {
    case Buffer::Kind::input:
      return "input";
    case Buffer::Kind::constant:
      return "constant";
    case Buffer::Kind::output:
      return "output";
    case Buffer::Kind::temporary:
      return "temporary";
  }
  return "?";
}

// Temporaries have no place among the others.
std::string buffer_line(std::size_t i, const Buffer& b) {
  std::string line = fmt::format("b{} = {}", i, kind_name(b.kind));
  if (b.kind != Buffer::Kind::temporary) {
    line += fmt::format(" {}", b.position);
  }
  line += " " + type_text(b.type.dtype, b.type.sizes);
  if (!b.type.is_contiguous()) {
    line += fmt::format(" strides [{}]", fmt::join(b.type.strides, ", "));
  }
  return line + "\n";
}

Names names_of(const LoopKernel& k) {
  Names names;
  for (std::size_t d = 0; d < k.outer.size(); ++d) {
    names.push_back(fmt::format("i{}", d));
  }
  names.emplace_back("r");
  return names;
}

std::string element(int buffer, const IndexExpr& at, const Names& names) {
  return fmt::format("b{}[{}]", buffer, to_text(at, names));
}

std::string order_text(const Order& order) {
  return fmt::format(" lanes {} block {}", order.lanes, order.block);
}

std::string args_text(const Value& v) {
  std::string text;
  for (const int a : v.args) text += fmt::format(" v{}", a);
  return text;
}

std::string value_line(std::size_t i, const Value& v, const Names& names) {
  const auto line = [&](const std::string& op, const std::string& rest) {
    return fmt::format("  v{} = {} {}{}\n", i, op, dtype_name(v.dtype), rest);
  };
  switch (v.kind) {
    case Value::Kind::load:
      return line("load", " " + element(v.buffer, v.at, names));
    case Value::Kind::gather: {
      std::string at = to_text(v.at, names), limits;
      for (std::size_t d = 0; d < v.rows.size(); ++d) {
        at += fmt::format(" + v{} * {}", v.args[d], v.row_strides[d]);
        limits += fmt::format("{}v{} < {}", d == 0 ? " if " : ", ", v.args[d],
                              v.rows[d]);
      }
      return line("gather", fmt::format(" b{}[{}]{}", v.buffer, at, limits));
    }
    case Value::Kind::scalar:
      return line("scalar", fmt::format(" {:#x}", v.bits));
    case Value::Kind::apply:
      return line(std::string(info(v.op).name), args_text(v));
    case Value::Kind::cast:
      return line(
          op_name(v.cast),
          args_text(v) +
              (v.cast_id == 0 ? "" : fmt::format(" cast#{}", v.cast_id)));
    case Value::Kind::convert:
      return line("convert", args_text(v));
    case Value::Kind::index:
      return line("index", " " + to_text(v.at, names));
    case Value::Kind::reduced:
      return line("reduced", fmt::format(" s{}", v.stage));
  }
  return line("?", "");
}

std::string stage_line(std::size_t i, const Stage& s, const Names& names) {
  std::string line = fmt::format("  s{} = ", i);
  switch (s.kind) {
    case Stage::Kind::point:
      line += fmt::format("point v{}", s.value);
      break;
    case Stage::Kind::reduce:
      line += fmt::format("reduce.{} v{}{}", combiner_name(s.combiner), s.value,
                          order_text(s.order));
      break;
    case Stage::Kind::row:
      line += fmt::format("row v{}", s.value);
      break;
  }
  if (s.buffer >= 0) line += " -> " + element(s.buffer, s.at, names);
  return line + "\n";
}

std::string kernel_text(std::size_t number, const LoopKernel& k) {
  const Names names = names_of(k);
  Names loops;
  for (std::size_t d = 0; d < k.outer.size(); ++d) {
    loops.push_back(fmt::format("{} < {}", names[d], k.outer[d]));
  }
  if (k.has_row) loops.push_back(fmt::format("row r < {}", k.row));
  std::string text =
      fmt::format("kernel {}: loop {}\n", number,
                  loops.empty() ? std::string("once")
                                : fmt::format("{}", fmt::join(loops, ", ")));
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    text += value_line(i, k.values[i], names);
  }
  for (std::size_t i = 0; i < k.stages.size(); ++i) {
    text += stage_line(i, k.stages[i], names);
  }
  return text;
}

std::string kernel_text(std::size_t number, const NodeKernel& k) {
  const GraphNode& n = k.node;
  std::string text = fmt::format("kernel {}: {} {}", number, op_name(n.op),
                                 type_text(n.type.dtype, n.type.sizes));
  if (!n.attr.empty()) {
    text += fmt::format(" attr[{}]", fmt::join(n.attr, ", "));
  }
  if (n.op == Op::scan || n.op == Op::scatter)
    text += fmt::format(" {}", combiner_name(n.combiner));
  if (is_contraction(n.op)) text += order_text(n.order);
  text += fmt::format(" -> b{}\n", k.result);
  for (std::size_t i = 0; i < k.operands.size(); ++i) {
    const BufferView& v = k.operands[i];
    text += fmt::format("  a{} = view b{} [{}] offset {} strides [{}]\n", i,
                        v.buffer, fmt::join(k.operand_sizes[i], ", "), v.offset,
                        fmt::join(v.strides, ", "));
  }
  if (n.formula) text += "  = " + to_text(*n.formula) + "\n";
  return text;
}

}  // namespace

std::string to_text(const Nest& nest) {
  std::string text;
  for (std::size_t i = 0; i < nest.buffers.size(); ++i) {
    text += buffer_line(i, nest.buffers[i]);
  }
  for (std::size_t i = 0; i < nest.kernels.size(); ++i) {
    text += std::visit([&](const auto& k) { return kernel_text(i, k); },
                       nest.kernels[i]);
  }
  text += "return";
  for (const int o : nest.outputs) text += fmt::format(" b{}", o);
  return text + "\n";
}

}  // namespace assay::compiler
