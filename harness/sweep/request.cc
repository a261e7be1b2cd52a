#include "harness/sweep/request.h"

#include <fmt/format.h>

#include <charconv>

namespace assay::harness {
namespace {

using language::Param;

template <class T>
std::optional<T> whole(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || at != end) return std::nullopt;
  return value;
}

Result<Arg> value_of(const Param& p, const std::string& text) {
  const auto integer = whole<std::int64_t>(text);
  const auto number = whole<double>(text);
  const auto dtype = parse_dtype(text);
  switch (p.kind) {
    case Param::Kind::string:
      return Arg(text);
    case Param::Kind::boolean:
      if (text == "true" || text == "false") return Arg(text == "true");
      return Error{"true or false is due"};
    case Param::Kind::integer:
      if (integer) return Arg(*integer);
      return Error{"an integer is due"};
    case Param::Kind::number:
      if (integer) return Arg(*integer);
      if (number) return Arg(*number);
      return Error{"a number is due"};
    case Param::Kind::dtype:
      if (dtype) return Arg(*dtype);
      return Error{"a dtype is due"};
    default:
      return Error{"a sweep has no place for such a parameter"};
  }
}

const Param* find_param(const language::OpSpec& spec, const std::string& name) {
  for (const Param& p : spec.params) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

}  // namespace

Result<reference::SweepRequest> parse_sweep(const language::SpecSet& specs,
                                            const std::string& text,
                                            DType dtype) {
  const std::size_t brace = std::min(text.find('{'), text.size());
  reference::SweepRequest request{text.substr(0, brace), dtype, {}};
  const language::OpSpec* spec = specs.find_op(request.op);
  if (brace == text.size() || spec == nullptr) return request;
  const auto fault = [&](const std::string& what) {
    return Error{fmt::format("{}: {}", text, what)};
  };
  if (!text.ends_with('}')) return fault("the last brace is missing");
  std::string inside = text.substr(brace + 1, text.size() - brace - 2);
  while (!inside.empty()) {
    const std::string item = inside.substr(0, inside.find(','));
    inside.erase(0, item.size() + 1);
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string name = item.substr(0, equals);
    if (equals == item.size()) return fault("name=value is due, not " + item);
    const Param* p = find_param(*spec, name);
    if (p == nullptr) return fault("there is no parameter " + name);
    Result<Arg> value = value_of(*p, item.substr(equals + 1));
    if (!value) return fault(name + ": " + value.error().message);
    request.attrs[name] = std::move(*value);
  }
  request.label = text.substr(brace);
  return request;
}

}  // namespace assay::harness
