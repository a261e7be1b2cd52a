#include "kit/call.h"

#include <utility>

namespace assay::kit {
namespace {

const Arg* unless_none(const Arg& arg) {
  return std::holds_alternative<None>(arg) ? nullptr : &arg;
}

DType dtype_of_number(const Arg& number) {
  if (std::holds_alternative<bool>(number)) return DType::boolean;
  return std::holds_alternative<double>(number) ? DType::f32 : DType::i64;
}

}  // namespace

Call::Call(const Node& node, std::vector<TensorType> operands)
    : node_(node), types_(std::move(operands)) {}

const Arg* Call::find(std::size_t position) const {
  if (position >= node_.args.size()) return nullptr;
  return unless_none(node_.args[position]);
}

const Arg* Call::find(std::string_view keyword) const {
  for (const auto& [name, arg] : node_.kwargs) {
    if (name == keyword) return unless_none(arg);
  }
  return nullptr;
}

bool Call::is_number(const Arg& arg) {
  return std::holds_alternative<bool>(arg) ||
         std::holds_alternative<std::int64_t>(arg) ||
         std::holds_alternative<double>(arg);
}

Operand Call::operand(std::size_t position) const {
  const Arg* arg = find(position);
  if (arg == nullptr) throw Unsupported{unexpected(position)};
  Operand out;
  if (is_number(*arg)) {
    out.is_number = true;
    out.dtype = dtype_of_number(*arg);
    out.number = *arg;
    return out;
  }
  if (!std::holds_alternative<ValueRef>(*arg)) {
    throw Unsupported{unexpected(position)};
  }
  for (std::size_t i = 0; i < position; ++i) {
    out.view += assay::operands(node_.args[i]).size();
  }
  out.dtype = types_[out.view].dtype;
  out.sizes = types_[out.view].sizes;
  return out;
}

std::string Call::unexpected(std::size_t position) const {
  return node_.op + ": argument " + std::to_string(position) +
         " is missing or of a kind that is not supported";
}

std::string Call::unexpected(std::string_view keyword) const {
  return node_.op + ": argument '" + std::string(keyword) +
         "' is of a kind that is not supported";
}

}  // namespace assay::kit
