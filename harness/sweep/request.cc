#include "harness/sweep/request.h"

#include <fmt/format.h>

#include <optional>

#include "suite/language/read/read_literal.h"

namespace assay::harness {
namespace {

using language::Param;

// As cases of the spec give it.
Result<Arg> value_of(const Param& p, const std::string& text) {
  if (p.kind == Param::Kind::tensor || p.kind == Param::Kind::tensors) {
    return Error{"a sweep has no place for such a parameter"};
  }
  language::Faults faults;
  const auto value = language::parse_yaml(text, &faults);
  std::optional<Arg> arg;
  if (value) arg = language::read_arg(*value, p, &faults);
  if (arg) return *std::move(arg);
  return Error{faults.empty() ? "a value is due" : faults.front().message};
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
    const Param* p = spec->param(name);
    if (p == nullptr) return fault("there is no parameter " + name);
    Result<Arg> value = value_of(*p, item.substr(equals + 1));
    if (!value) return fault(name + ": " + value.error().message);
    request.attrs[name] = std::move(*value);
  }
  request.label = text.substr(brace);
  return request;
}

}  // namespace assay::harness
