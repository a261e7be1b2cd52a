#include "compiler/ops/arguments.h"

#include <fmt/format.h>

#include "kit/promotion.h"

namespace assay::compiler {
namespace {

template <class T>
std::optional<T> as(const Arg& arg) {
  const T* v = std::get_if<T>(&arg);
  return v != nullptr ? std::optional(*v) : std::nullopt;
}

std::optional<std::int64_t> as_integer(const Arg& arg) {
  if (const auto* v = std::get_if<bool>(&arg)) return std::int64_t{*v};
  return as<std::int64_t>(arg);
}

std::optional<Number> as_number(const Arg& arg) {
  if (const auto* v = std::get_if<bool>(&arg)) return Number(*v);
  if (const auto* v = std::get_if<double>(&arg)) return Number(*v);
  if (const auto v = as_integer(arg)) return Number(*v);
  return std::nullopt;
}

std::optional<Shape> as_integers(const Arg& arg) {
  if (const auto v = as_integer(arg)) return Shape{*v};
  return as<Shape>(arg);
}

std::optional<Shape> as_pair(const Arg& arg) {
  if (const auto v = as_integer(arg)) return Shape{*v, *v};
  auto list = as<Shape>(arg);
  if (list && list->size() == 1) list->push_back(list->front());
  return list;
}

}  // namespace

DType Number::dtype() const {
  if (std::holds_alternative<bool>(value_)) return DType::boolean;
  return std::holds_alternative<double>(value_) ? DType::f32 : DType::i64;
}

double Number::real() const {
  return std::visit([](auto v) { return static_cast<double>(v); }, value_);
}

std::int64_t Number::integer() const {
  return std::visit([](auto v) { return static_cast<I64>(v); }, value_);
}

DType Operand::dtype() const {
  return is_tensor() ? builder_->dtype(node_) : number_.dtype();
}

Shape Operand::strides() const {
  if (!is_tensor()) return {};
  const Body& body = builder_->body;
  const GraphNode& node = body.nodes[static_cast<std::size_t>(node_)];
  if (node.op != Op::input) return contiguous_strides(sizes());
  return body.inputs[static_cast<std::size_t>(node.attr[0])].strides;
}

Shape Operand::sizes() const {
  return is_tensor() ? builder_->sizes(node_) : Shape{};
}

std::int64_t Operand::size(std::int64_t d) const {
  return sizes()[static_cast<std::size_t>(d < 0 ? d + rank() : d)];
}

void Arguments::fail(std::string message) {
  if (!fault_) fault_ = std::move(message);
}

const Arg* Arguments::find(const char* name) {
  const Node& node = site_.node;
  const std::size_t position = names_.size();
  const Arg* found =
      position < node.args.size() ? &node.args[position] : nullptr;
  names_.push_back(name);
  for (const auto& [key, value] : node.kwargs) {
    if (key != name) continue;
    if (found != nullptr) {
      fail(fmt::format("{}: {} is given twice", node.op, name));
    }
    found = &value;
    ++named_;
  }
  return found;
}

template <class T, class Convert>
std::optional<T> Arguments::read(const char* name, const Arg* arg,
                                 Convert convert) {
  std::optional<T> value = convert(*arg);
  if (!value) {
    fail(fmt::format("{}: argument {} is of a kind that it does not take",
                     site_.node.op, name));
  }
  return value;
}

template <class T, class Convert>
T Arguments::required(const char* name, std::optional<T> otherwise,
                      Convert convert) {
  if (const Arg* arg = find(name)) {
    otherwise = read<T>(name, arg, convert);
  } else if (!otherwise) {
    fail(fmt::format("{}: argument {} is missing", site_.node.op, name));
  }
  return otherwise.value_or(T());
}

template <class T, class Convert>
std::optional<T> Arguments::maybe(const char* name, Convert convert) {
  const Arg* arg = find(name);
  if (arg == nullptr || std::holds_alternative<None>(*arg)) return {};
  return read<T>(name, arg, convert);
}

std::optional<Operand> Arguments::as_tensor(const Arg& arg) const {
  const auto v = as<ValueRef>(arg);
  if (!v) return std::nullopt;
  return Operand(site_.values[static_cast<std::size_t>(v->id)], site_.builder);
}

Operand Arguments::tensor(const char* name) {
  return required<Operand>(name, {},
                           [&](const Arg& a) { return as_tensor(a); });
}

Operand Arguments::tensor_or_number(const char* name) {
  return required<Operand>(name, {},
                           [&](const Arg& a) -> std::optional<Operand> {
                             if (const auto number = as_number(a))
                               return Operand(*number);
                             return as_tensor(a);
                           });
}

std::vector<Operand> Arguments::tensors(const char* name) {
  using List = std::vector<Operand>;
  return required<List>(name, {}, [&](const Arg& a) -> std::optional<List> {
    // Nothing says what an empty list is one of.
    if (const auto none = as<Shape>(a); none && none->empty()) return List{};
    const auto list = as<std::vector<ValueRef>>(a);
    if (!list) return std::nullopt;
    List out;
    for (const ValueRef v : *list) out.push_back(*as_tensor(v));
    return out;
  });
}

Number Arguments::number(const char* name, std::optional<Number> otherwise) {
  return required(name, otherwise, as_number);
}

std::int64_t Arguments::integer(const char* name,
                                std::optional<std::int64_t> otherwise) {
  return required(name, otherwise, as_integer);
}

Shape Arguments::integers(const char* name, std::optional<Shape> otherwise) {
  return required(name, std::move(otherwise), as_integers);
}

Shape Arguments::pair(const char* name, std::optional<Shape> otherwise) {
  return required(name, std::move(otherwise), as_pair);
}

bool Arguments::boolean(const char* name, std::optional<bool> otherwise) {
  return required(name, otherwise, as<bool>);
}

DType Arguments::dtype(const char* name) {
  return required<DType>(name, {}, as<DType>);
}

std::string Arguments::text(const char* name, const char* otherwise) {
  return required<std::string>(name, otherwise, as<std::string>);
}

std::optional<Operand> Arguments::maybe_tensor(const char* name) {
  return maybe<Operand>(name, [&](const Arg& a) { return as_tensor(a); });
}

std::optional<Number> Arguments::maybe_number(const char* name) {
  return maybe<Number>(name, as_number);
}

std::optional<std::int64_t> Arguments::maybe_integer(const char* name) {
  return maybe<std::int64_t>(name, as_integer);
}

std::optional<Shape> Arguments::maybe_integers(const char* name) {
  return maybe<Shape>(name, as_integers);
}

std::optional<DType> Arguments::maybe_dtype(const char* name) {
  return maybe<DType>(name, as<DType>);
}

std::optional<std::string> Arguments::maybe_text(const char* name) {
  return maybe<std::string>(name, as<std::string>);
}

Status Arguments::fit() const {
  const Node& node = site_.node;
  if (node.args.size() > names_.size()) {
    return Error{fmt::format("{} takes at most {} arguments, {} were given",
                             node.op, names_.size(), node.args.size())};
  }
  if (fault_) return Error{*fault_};
  if (named_ != node.kwargs.size()) {
    return Error{fmt::format("{}: an argument name is unknown (among {})",
                             node.op, node.kwargs.front().first)};
  }
  return success();
}

DType Arguments::promoted(
    std::initializer_list<std::optional<Operand>> operands) const {
  kit::Promotion all;
  for (const auto& x : operands) {
    if (!x) continue;
    if (x->is_tensor() || site_.flat_promotion) {
      const bool scalar = x->is_tensor() && x->rank() == 0;
      all.add_tensor(x->dtype(), site_.flat_promotion || !scalar);
    } else {
      all.add_number(x->dtype());
    }
  }
  return all.result();
}

}  // namespace assay::compiler
