#include "suite/cases/path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "core/program_text.h"
#include "suite/cases/inputs/layouts.h"

namespace assay::cases {
namespace {

// One entry if all are equal.
std::string collapse(const std::vector<std::string>& parts,
                     const char* separator) {
  if (parts.empty()) return "none";
  const bool same = std::all_of(parts.begin(), parts.end(),
                                [&](const auto& p) { return p == parts[0]; });
  return same ? parts[0] : fmt::format("{}", fmt::join(parts, separator));
}

std::string shape_text(const Shape& sizes, const char* empty) {
  return sizes.empty() ? empty : fmt::format("{}", fmt::join(sizes, "x"));
}

// A '/' would end the segment, ',' the attribute.
std::string path_safe(std::string text) {
  for (char& c : text) {
    if (c == '/' || c == ',' || c == ' ' || c == '"') c = '_';
  }
  return text.empty() ? "empty" : text;
}

std::string value_text(const Arg& arg) {
  struct Visitor {
    std::string operator()(None) const { return "none"; }
    std::string operator()(ValueRef) const { return "tensor"; }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    // Always told apart from an integer: promotion depends on it.
    std::string operator()(double v) const {
      std::string text = fmt::format("{}", v);
      if (text.find_first_of(".en") == std::string::npos) text += ".0";
      return text;
    }
    std::string operator()(DType v) const { return std::string(dtype_name(v)); }
    std::string operator()(const std::string& v) const { return path_safe(v); }
    std::string operator()(const Shape& v) const {
      return shape_text(v, "empty");
    }
    std::string operator()(const std::vector<ValueRef>&) const {
      return "tensors";
    }
    std::string operator()(const Numbers& v) const {
      std::vector<std::string> parts;
      for (const double x : v) parts.push_back((*this)(x));
      return parts.empty() ? "empty" : fmt::format("{}", fmt::join(parts, "x"));
    }
  };
  return std::visit(Visitor{}, arg);
}

}  // namespace

std::string call_path(const Call& call, const std::string& clause) {
  const std::string path =
      fmt::format("{}/{}/{}/{}", call.spec->name, clause, dtype_segment(call),
                  shape_segment(call));
  return path_below(path, attr_segment(call));
}

std::string program_path(const language::ProgramSpec& spec,
                         const language::ProgramVariant& variant) {
  std::string path = spec.name;
  for (const auto& [axis, value] : variant.axes) {
    path = path_below(path, axis_segment(value));
  }
  return path;
}

std::string path_below(const std::string& path, const std::string& segment) {
  return segment.empty() ? path : path + "/" + segment;
}

std::string dtype_segment(const Call& call) {
  std::vector<std::string> parts;
  for (const Operand* o : call.operands()) {
    parts.emplace_back(dtype_name(o->dtype));
  }
  return collapse(parts, "-");
}

std::string shape_segment(const Call& call) {
  std::vector<std::string> parts;
  for (const Operand* o : call.operands()) {
    parts.push_back(shape_text(o->sizes, "0d"));
  }
  return collapse(parts, "_");
}

std::string attr_segment(const Call& call) {
  std::vector<std::string> parts;
  for (std::size_t n = 0; n < call.args.size(); ++n) {
    const auto* plain = std::get_if<Arg>(&call.args[n]);
    const language::Param& p = call.spec->params[n];
    if (plain == nullptr || p.default_value == *plain) continue;
    parts.push_back(p.name + "=" + value_text(*plain));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string layout_segment(language::Layout layout) {
  return layout == language::Layout::contiguous
             ? ""
             : std::string(layout_name(layout));
}

std::string change_segment(const std::string& operand, const Poke& poke) {
  return fmt::format("{}.{}={}", operand, poke.position, poke.text);
}

std::string context_segment(const ContextTraits& traits, const Call& call,
                            std::size_t in0) {
  const std::string& name = traits.context->name;
  if (choose_operand(traits, call) == in0) return name;
  return name + "@" + call.operand_names()[in0];
}

std::string axis_segment(const std::string& value) {
  std::string out;
  for (const char c : value) {
    if (c == ' ') continue;
    const bool bad = c == '/' || c == '"' || c == '*' || c == '?';
    out += c == ',' ? 'x' : (bad ? '_' : c);
  }
  return out.empty() ? "empty" : out;
}

std::uint64_t seed_of(const std::string& path, const std::string& tensor) {
  return fnv1a(path + "#" + tensor);
}

void seed_operands(const std::string& path, Call* call) {
  const std::vector<std::string> names = call->operand_names();
  const std::vector<Operand*> operands = call->operands();
  for (std::size_t n = 0; n < operands.size(); ++n) {
    operands[n]->seed = seed_of(path, names[n]);
  }
}

}  // namespace assay::cases
