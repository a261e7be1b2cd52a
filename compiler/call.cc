#include "compiler/call.h"

#include <fmt/format.h>

#include <charconv>

namespace assay::compiler {
namespace {

struct Parameter {
  std::string_view kinds;
  std::string_view name;
  std::string_view fallback;  // empty: must be given
};

std::vector<Parameter> parse_schema(std::string_view schema) {
  std::vector<Parameter> out;
  while (!schema.empty()) {
    const std::size_t end = std::min(schema.find(", "), schema.size());
    std::string_view one = schema.substr(0, end);
    schema.remove_prefix(std::min(end + 2, schema.size()));
    Parameter p;
    const std::size_t space = one.find(' ');
    p.kinds = one.substr(0, space);
    one.remove_prefix(space + 1);
    const std::size_t equals = one.find('=');
    p.name = one.substr(0, equals);
    if (equals != std::string_view::npos) p.fallback = one.substr(equals + 1);
    out.push_back(p);
  }
  return out;
}

Arg fallback_value(std::string_view text) {
  if (text == "none") return None{};
  if (text == "true") return true;
  if (text == "false") return false;
  if (text == "[]") return Shape{};
  if (text == "[1 1]") return Shape{1, 1};
  if (text == "[0 0]") return Shape{0, 0};
  std::int64_t v = 0;
  const auto end = text.data() + text.size();
  if (std::from_chars(text.data(), end, v).ptr == end) return v;
  double d = 0;
  if (std::from_chars(text.data(), end, d).ptr == end) return d;
  return std::string(text.substr(1, text.size() - 2));  // "quoted"
}

// Brings an argument to a kind that the parameter takes, or fails.
bool fit(Arg* arg, std::string_view kinds) {
  const auto takes = [kinds](char kind) {
    return kinds.find(kind) != std::string_view::npos;
  };
  if (std::holds_alternative<None>(*arg)) return takes('?');
  if (std::holds_alternative<ValueRef>(*arg)) return takes('t');
  if (std::holds_alternative<DType>(*arg)) return takes('d');
  if (std::holds_alternative<std::string>(*arg)) return takes('s');
  if (std::holds_alternative<double>(*arg)) return takes('n');
  if (std::holds_alternative<std::vector<ValueRef>>(*arg)) return takes('T');
  if (const auto* list = std::get_if<Shape>(arg)) {
    if (list->empty() && takes('T')) *arg = std::vector<ValueRef>{};
    return takes('I') || (takes('T') && list->empty());
  }
  if (const auto* flag = std::get_if<bool>(arg)) {
    if (takes('b') || takes('n')) return true;
    *arg = std::int64_t{*flag};
  }
  if (takes('n') || takes('i')) return true;
  const std::int64_t one = std::get<std::int64_t>(*arg);
  if (takes('P')) {
    *arg = Shape{one, one};
  } else {
    *arg = Shape{one};
  }
  return takes('I');
}

}  // namespace

Result<Call> Call::bind(const Node& node, std::string_view schema,
                        const std::vector<NodeId>& nodes,
                        const Builder& builder) {
  const std::vector<Parameter> parameters = parse_schema(schema);
  Call call;
  call.values_ = &nodes;
  call.builder_ = &builder;
  if (node.args.size() > parameters.size()) {
    return Error{fmt::format("{} takes at most {} arguments, {} were given",
                             node.op, parameters.size(), node.args.size())};
  }
  std::size_t named = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    std::optional<Arg> arg;
    if (i < node.args.size()) arg = node.args[i];
    for (const auto& [name, value] : node.kwargs) {
      if (name != p.name) continue;
      if (arg) return Error{node.op + ": " + name + " is given twice"};
      arg = value;
      ++named;
    }
    if (!arg && p.fallback.empty()) {
      return Error{fmt::format("{}: argument {} is missing", node.op, p.name)};
    }
    if (!arg) arg = fallback_value(p.fallback);
    if (!fit(&*arg, p.kinds)) {
      return Error{
          fmt::format("{}: argument {} is of a kind that it does not "
                      "take",
                      node.op, p.name)};
    }
    call.args_.push_back(std::move(*arg));
  }
  if (named != node.kwargs.size()) {
    return Error{fmt::format("{}: an argument name is unknown (among {})",
                             node.op, node.kwargs.front().first)};
  }
  return call;
}

std::vector<NodeId> Call::nodes(std::size_t i) const {
  std::vector<NodeId> out;
  for (const ValueRef v : as<std::vector<ValueRef>>(i)) {
    out.push_back(node_of(v));
  }
  return out;
}

std::vector<Shape> Call::list_sizes(std::size_t i) const {
  std::vector<Shape> out;
  for (const NodeId n : nodes(i)) out.push_back(builder_->sizes(n));
  return out;
}

std::int64_t Call::dim(std::size_t i, std::int64_t d) const {
  const Shape s = sizes(i);
  return s[static_cast<std::size_t>(d < 0 ? d + rank(i) : d)];
}

Shape Call::ints(std::size_t i) const { return as<Shape>(i); }

DType Call::number_kind(std::size_t i) const {
  if (std::holds_alternative<bool>(args_[i])) return DType::boolean;
  return std::holds_alternative<double>(args_[i]) ? DType::f32 : DType::i64;
}

double Call::number(std::size_t i) const {
  if (const auto* v = std::get_if<bool>(&args_[i])) return *v ? 1 : 0;
  if (const auto* v = std::get_if<double>(&args_[i])) return *v;
  return static_cast<double>(integer(i));
}

DType Call::promoted(std::initializer_list<std::size_t> operands) const {
  Promotion all;
  for (const std::size_t i : operands) {
    if (is_tensor(i)) {
      all.add_tensor(dtype(i), flat_promotion || rank(i) > 0);
    } else if (given(i)) {
      if (flat_promotion) {
        all.add_tensor(number_kind(i), true);
      } else {
        all.add_number(number_kind(i));
      }
    }
  }
  return all.result();
}

}  // namespace assay::compiler
