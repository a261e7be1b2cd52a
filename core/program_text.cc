#include "core/program_text.h"

#include <charconv>
#include <cmath>

namespace assay {
namespace {

std::string number_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <class T, class F>
std::string list_text(const std::vector<T>& items, F&& one) {
  std::string text = "[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += ", ";
    text += one(items[i]);
  }
  return text + "]";
}

std::string integer_text(std::int64_t v) { return std::to_string(v); }

std::string value_text(ValueRef v) { return "%" + std::to_string(v.id); }

std::string string_text(const std::string& s) {
  std::string text = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

struct ArgText {
  std::string operator()(None) const { return "none"; }
  std::string operator()(ValueRef v) const { return value_text(v); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(std::int64_t v) const { return integer_text(v); }
  std::string operator()(double v) const { return number_text(v); }
  std::string operator()(DType v) const { return std::string(dtype_name(v)); }
  std::string operator()(const std::string& v) const { return string_text(v); }
  std::string operator()(const Shape& v) const {
    return list_text(v, integer_text);
  }
  std::string operator()(const std::vector<ValueRef>& v) const {
    return list_text(v, value_text);
  }
};

std::string type_text(const TensorType& t) {
  std::string text =
      std::string(dtype_name(t.dtype)) + list_text(t.sizes, integer_text);
  if (!t.is_contiguous()) {
    text += " strides" + list_text(t.strides, integer_text);
  }
  return text;
}

std::string constant_text(const Tensor& t) {
  std::string text = type_text(TensorType::contiguous(t.dtype(), t.sizes()));
  text += " {";
  const std::int64_t n = t.numel();
  for (std::int64_t i = 0; i < n; ++i) {
    char buffer[20];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, t.bits(i), 16).ptr;
    text += (i > 0 ? ", 0x" : "0x");
    text.append(buffer, end);
  }
  return text + "}";
}

std::string node_text(const Node& node) {
  std::string text = node.op + "(";
  const char* separator = "";
  for (const Arg& a : node.args) {
    text += separator + std::visit(ArgText{}, a);
    separator = ", ";
  }
  for (const auto& [name, a] : node.kwargs) {
    text += separator + name + "=" + std::visit(ArgText{}, a);
    separator = ", ";
  }
  return text + ")";
}

}  // namespace

std::string to_text(const Program& program) {
  std::string text = "assay-program 1\n";
  int id = 0;
  const auto line = [&](const std::string& rest) {
    text += value_text({id++}) + " = " + rest + "\n";
  };
  for (const TensorType& t : program.inputs) line("input " + type_text(t));
  for (const Tensor& t : program.constants) line("const " + constant_text(t));
  for (const Node& n : program.nodes) line(node_text(n));
  text += "return ";
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    if (i > 0) text += ", ";
    text += value_text(program.outputs[i]);
  }
  return text + "\n";
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace assay
