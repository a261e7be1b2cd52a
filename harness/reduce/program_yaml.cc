#include "harness/reduce/program_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "core/float_bits.h"
#include "core/integer_bits.h"
#include "core/text.h"
#include "suite/cases/inputs/layouts.h"
#include "suite/language/format/format.h"

namespace assay::harness {
namespace {

// A decimal is easier to read than a hex float up to so many characters.
constexpr std::size_t kShort = 9;

std::string number_text(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string name_of(const Candidate& c, ValueRef v) {
  const auto inputs = static_cast<int>(c.inputs.size());
  if (v.id < inputs) return fmt::format("x{}", v.id);
  if (!c.is_node(v)) return fmt::format("c{}", v.id - inputs);
  return fmt::format("v{}", v.id - c.given_count());
}

struct ArgText {
  const Candidate& c;
  std::string operator()(None) const { return "none"; }
  std::string operator()(ValueRef v) const { return name_of(c, v); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(std::int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return number_text(v); }
  std::string operator()(DType t) const { return std::string(dtype_name(t)); }
  std::string operator()(const std::string& s) const { return "'" + s + "'"; }
  std::string operator()(const Shape& v) const { return shape_text(v); }
  std::string operator()(const Numbers& values) const {
    std::vector<std::string> texts;
    for (const double v : values) texts.push_back(number_text(v));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }
  std::string operator()(const std::vector<ValueRef>& values) const {
    std::vector<std::string> names;
    for (const ValueRef v : values) names.push_back(name_of(c, v));
    return fmt::format("[{}]", fmt::join(names, ", "));
  }
};

std::string call_text(const Candidate& c, const Node& node) {
  std::vector<std::string> args;
  for (const Arg& a : node.args) args.push_back(std::visit(ArgText{c}, a));
  for (const auto& [name, a] : node.kwargs) {
    args.push_back(name + "=" + std::visit(ArgText{c}, a));
  }
  return fmt::format("{}({})", node.op, fmt::join(args, ", "));
}

// One literal where all elements are alike: values repeat.
std::string tensor_text(const GivenTensor& g) {
  std::vector<std::string> values;
  for (const std::uint64_t bits : g.bits) {
    values.push_back(literal_text(g.dtype, bits));
  }
  if (values.empty()) values.push_back(literal_text(g.dtype, 0));
  if (std::all_of(values.begin(), values.end(),
                  [&](const auto& v) { return v == values[0]; })) {
    values.resize(1);
  }
  const std::string layout =
      g.layout == language::Layout::contiguous
          ? ""
          : fmt::format(", layout: {}", cases::layout_name(g.layout));
  return fmt::format("{{dtype: {}, shape: {}{}, data: {{values: [{}]}}}}",
                     dtype_name(g.dtype), shape_text(g.sizes), layout,
                     fmt::join(values, ", "));
}

}  // namespace

std::string literal_text(DType t, std::uint64_t bits) {
  if (t == DType::boolean) return bits == 0 ? "false" : "true";
  if (!is_float(t)) {
    const bool beyond = !is_signed(t) && (bits >> 63) != 0;
    return beyond ? fmt::format("{:#x}:{}", bits, dtype_name(t))
                  : integer_text(t, bits);
  }
  const double x = decode_float(t, bits);
  if (is_nan_bits(t, bits) || encode_float(t, x) != bits) {
    return bits == quiet_nan_bits(t)
               ? "nan"
               : fmt::format("{:#x}:{}", bits, dtype_name(t));
  }
  if (std::fabs(x) < 1e6 && x == std::trunc(x) && x != 0) {
    return fmt::format("{:.0f}", x);
  }
  const std::string text = number_text(x);
  return text.size() <= kShort ? text : fmt::format("{:a}", x);
}

std::string program_yaml(const Candidate& c, const std::string& name,
                         const std::string& doc) {
  std::string out =
      fmt::format("program: {}\ndoc: {}\n", name, nlohmann::json(doc).dump());
  if (c.device != 0) out += fmt::format("device: {}\n", c.device);
  if (!c.inputs.empty()) out += "inputs:\n";
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    out += fmt::format("  x{}: {}\n", k, tensor_text(c.inputs[k]));
  }
  if (!c.constants.empty()) out += "consts:\n";
  for (std::size_t k = 0; k < c.constants.size(); ++k) {
    out += fmt::format("  c{}: {}\n", k, tensor_text(c.constants[k]));
  }
  out += "steps:\n";
  for (std::size_t n = 0; n < c.nodes.size(); ++n) {
    out += fmt::format("  v{}: {}\n", n, call_text(c, c.nodes[n]));
  }
  std::vector<std::string> returns;
  for (const ValueRef v : c.outputs) returns.push_back(name_of(c, v));
  out += fmt::format("returns: [{}]\n", fmt::join(returns, ", "));
  if (!c.must_raise.empty()) out += fmt::format("raises: {}\n", c.must_raise);
  std::vector<language::Fault> faults;
  return language::format_spec(out, &faults).value_or(out);
}

}  // namespace assay::harness
