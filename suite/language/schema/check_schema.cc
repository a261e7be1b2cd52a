#include "suite/language/schema/check_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

bool is_integer_type(const std::string& base) {
  return base == "int" || base == "SymInt";
}

bool suits(const Param& p, const SchemaArg& a) {
  const std::string base = a.base();
  switch (p.kind) {
    case Param::Kind::tensor:
      return a.is_tensor();
    case Param::Kind::tensors:
      return a.is_tensor_list();
    case Param::Kind::number:
      return !a.is_list() && (base == "Scalar" || base == "float");
    case Param::Kind::integer:
      return !a.is_list() && is_integer_type(base);
    case Param::Kind::integers:
      // Integers stand for a mask, too.
      return a.is_list() && (is_integer_type(base) || base == "bool");
    case Param::Kind::numbers:
      return a.is_list() && (base == "float" || base == "Scalar");
    case Param::Kind::boolean:
      return !a.is_list() && base == "bool";
    case Param::Kind::dtype:
      return base == "ScalarType";
    case Param::Kind::string:
      return base == "str" || base == "MemoryFormat";
  }
  return false;
}

std::optional<double> number_in(const std::string& text) {
  if (text == "True") return 1;
  if (text == "False") return 0;
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return x;
}

// As schemas number them (c10/core/MemoryFormat.h).
constexpr std::array<std::string_view, 4> kMemoryFormats = {
    "contiguous_format", "preserve_format", "channels_last",
    "channels_last_3d"};

// Is the schema's default, as it is written there, this argument? A number
// stands for a list of equal ones.
bool same_default(const Arg& arg, const std::string& text) {
  if (std::holds_alternative<None>(arg)) return text == "None";
  if (const auto* s = std::get_if<std::string>(&arg)) {
    const auto n = number_in(text);
    return text == '"' + *s + '"' ||
           (n && *n >= 0 && *n < kMemoryFormats.size() &&
            kMemoryFormats[static_cast<std::size_t>(*n)] == *s);
  }
  if (const auto* list = std::get_if<Shape>(&arg)) {
    if (text == fmt::format("[{}]", fmt::join(*list, ", "))) return true;
    const auto n = number_in(text);
    return n && !list->empty() &&
           std::all_of(list->begin(), list->end(), [&](std::int64_t i) {
             return static_cast<double>(i) == *n;
           });
  }
  const auto n = number_in(text);
  if (const auto* b = std::get_if<bool>(&arg)) return n && (*n != 0) == *b;
  if (const auto* i = std::get_if<std::int64_t>(&arg)) {
    return n && static_cast<double>(*i) == *n;
  }
  const auto* x = std::get_if<double>(&arg);
  return x != nullptr && n && *x == *n;
}

constexpr std::array kNeverSpecified = {"layout", "device", "pin_memory",
                                        "non_blocking", "memory_format"};

class Checker {
 public:
  explicit Checker(const OpSpec& op) : op_(op) {}

  std::vector<Diagnostic> run(const SchemaSet& schemas) {
    const auto it = schemas.find(op_.aten);
    if (it == schemas.end()) {
      say({}, unknown(schemas));
      return std::move(out_);
    }
    match(it->second);
    const std::size_t returns = it->second.returns.size();
    const bool is_list =
        returns == 1 && it->second.returns.front().ends_with("[]");
    if (is_list != op_.returns_list()) {
      say({}, fmt::format("{} returns {}, the spec says otherwise", op_.aten,
                          is_list ? "a list of tensors" : "no list"));
    } else if (op_.output_count() != returns) {
      say({},
          fmt::format("{} returns {} value{}, the spec has {} output{}",
                      op_.aten, returns, returns == 1 ? "" : "s",
                      op_.output_count(), op_.output_count() == 1 ? "" : "s"));
    }
    return std::move(out_);
  }

 private:
  void say(SourcePos pos, std::string message) {
    if (pos.line == 0) pos = {1, 1};
    out_.push_back({op_.file, pos, std::move(message)});
  }

  std::string unknown(const SchemaSet& schemas) const {
    std::vector<std::string> names;
    for (const auto& [name, _] : schemas) names.push_back(name);
    return fmt::format("no overload {} is registered{}", op_.aten,
                       did_you_mean(op_.aten, names));
  }

  static const std::string& called(const Param& p) {
    return p.schema_name.empty() ? p.name : p.schema_name;
  }

  // Arguments and parameters go by in one order; what the spec omits is passed
  // over.
  void match(const Schema& schema) {
    auto p = op_.params.begin();
    std::set<std::string> omitted;
    for (const SchemaArg& a : schema.args) {
      const bool operand =
          p != op_.params.end() && is_operand(*p, a) && suits(*p, a);
      if (p != op_.params.end() && (operand || called(*p) == a.name)) {
        compare(*p++, a);
        continue;
      }
      omitted.insert(a.name);
      if (op_.omits.contains(a.name) || is_never_specified(a.name)) continue;
      say(p == op_.params.end() ? SourcePos{} : p->pos,
          fmt::format("the schema's argument '{} {}' is missing{}; add it, or "
                      "say under `omits` why it is left out",
                      a.type, a.name,
                      p == op_.params.end()
                          ? ""
                          : fmt::format(" before '{}'", p->name)));
    }
    for (; p != op_.params.end(); ++p) {
      say(p->pos, fmt::format("the schema has no argument '{}' here{}",
                              called(*p), did_you_mean(called(*p), [&] {
                                std::vector<std::string> names;
                                for (const SchemaArg& a : schema.args) {
                                  if (a.name == called(*p)) continue;
                                  names.push_back(a.name);
                                }
                                return names;
                              }())));
    }
    for (const auto& [name, why] : op_.omits) {
      const Param* own = op_.param(name);
      const bool must_be_given = own != nullptr && !own->optional &&
                                 !own->default_value && schema.arg(name) &&
                                 schema.arg(name)->default_text;
      if (omitted.contains(name) || must_be_given) continue;
      if (name == kComplexOperands && !schema.arg(name)) continue;
      say({}, fmt::format("`omits` names '{}', which the schema {}", name,
                          schema.arg(name) ? "has and the spec too" : "lacks"));
    }
  }

  // Given by position, under whatever name.
  static bool is_operand(const Param& p, const SchemaArg& a) {
    return takes_tensors(p) ||
           (p.kind == Param::Kind::number && a.base() == "Scalar" &&
            !a.keyword && !a.default_text);
  }

  static bool takes_tensors(const Param& p) {
    return p.kind == Param::Kind::tensor || p.kind == Param::Kind::tensors;
  }

  void compare(const Param& p, const SchemaArg& a) {
    if (!suits(p, a)) {
      say(p.pos,
          fmt::format("the schema's argument '{}' is of type {}, which this "
                      "kind of parameter does not take",
                      a.name, a.type));
    }
    if (p.keyword != a.keyword) {
      say(p.pos,
          fmt::format("by the schema '{}' is passed {}; {}", a.name,
                      a.keyword ? "by name only" : "by position too",
                      a.keyword ? "add `keyword: true`" : "remove `keyword`"));
    }
    if (p.keyword && takes_tensors(p) && called(p) != a.name) {
      say(p.pos, fmt::format("by the schema its name is '{}'", a.name));
    }
    const bool has = p.default_value || p.optional;
    // Calls that leave it out are what the spec leaves out.
    if (!has && a.default_text && op_.omits.contains(a.name)) return;
    const Arg given = p.default_value.value_or(None{});
    if (has == a.default_text.has_value() &&
        (!has || same_default(given, *a.default_text))) {
      return;
    }
    // An argument that may be none but must be given has no default.
    if (!a.default_text && !p.default_value && a.optional()) return;
    say(p.pos, a.default_text
                   ? fmt::format("by the schema the default of '{}' is {}",
                                 a.name, *a.default_text)
                   : fmt::format("by the schema '{}' has no default", a.name));
  }

  const OpSpec& op_;
  std::vector<Diagnostic> out_;
};

}  // namespace

bool is_never_specified(const std::string& argument) {
  return std::find(kNeverSpecified.begin(), kNeverSpecified.end(), argument) !=
         kNeverSpecified.end();
}

std::vector<Diagnostic> check_schema(const OpSpec& op,
                                     const SchemaSet& schemas) {
  return Checker(op).run(schemas);
}

}  // namespace assay::language
