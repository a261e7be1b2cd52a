#include "suite/language/schema/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>
#include <vector>

#include "suite/language/schema/check_schema.h"

namespace assay::language {
namespace {

// Names that stand for something else in expressions.
const std::set<std::string>& reserved() {
  static const std::set<std::string> names = {
      "nan", "inf", "pi", "true", "false", "none", "int", "float", "shape"};
  return names;
}

// The kind of a parameter that takes no tensor; empty where specs have none.
std::string kind_of(const SchemaArg& a) {
  const std::string base = a.base();
  if (base == "int" || base == "SymInt") return a.is_list() ? "ints" : "int";
  if (a.is_list()) {
    return base == "float" || base == "Scalar" ? "numbers" : "";
  }
  if (base == "Scalar" || base == "float") return "number";
  if (base == "bool") return "bool";
  if (base == "ScalarType") return "dtype";
  return base == "str" ? "string" : "";
}

bool is_index(const SchemaArg& a) {
  return a.name.find("index") != std::string::npos ||
         a.name.find("indices") != std::string::npos;
}

bool is_mask(const SchemaArg& a) {
  return a.name.find("mask") != std::string::npos || a.name == "condition";
}

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return s;
}

// As specs write it: true for True, none for None; a list for one number that
// stands for all of a list.
std::string default_of(const SchemaArg& a) {
  const std::string& text = *a.default_text;
  if (text == "True" || text == "False" || text == "None") return lower(text);
  if (!a.is_list() || text.starts_with('[')) return text;
  const std::size_t open = a.type.find('[') + 1;
  const std::string count = a.type.substr(open, a.type.find(']') - open);
  std::string list = text;
  for (int n = 1; n < std::atoi(count.c_str()); ++n) list += ", " + text;
  return "[" + list + "]";
}

class Draft {
 public:
  explicit Draft(const Schema& schema) : schema_(schema) {
    for (const SchemaArg& a : schema.args) {
      if (a.is_tensor() || a.is_tensor_list()) tensors_.push_back(&a);
    }
    const auto named = [&](std::size_t n, const char* name) {
      return n < tensors_.size() && tensors_[n]->name == name;
    };
    pair_ = tensors_.size() == 2 && named(0, "self") && named(1, "other");
  }

  std::string text() {
    read_args();
    std::string out = fmt::format("op: {}\n", draft_name(schema_));
    out += fmt::format("aten: {}\n", schema_.overload);
    out += decide("what it returns, in one line");
    out += "doc: To be written.\n";
    out += fmt::format(
        "{} is this its page?\nsource: torch.{}\n", kDecide,
        schema_.overload.substr(5, schema_.overload.find('.', 5) - 5));
    out += params_;
    if (!omits_.empty()) out += "omits:\n" + omits_;
    out += dtypes() + let() + result();
    if (!requires_.empty()) {
      out += decide("what else eager checks, in its order; these are probable");
      out += "requires:\n" + requires_;
    }
    return out + value() + cases();
  }

 private:
  static std::string decide(const std::string& what) {
    return fmt::format("{} {}.\n", kDecide, what);
  }

  std::string name_of(const SchemaArg& a) const {
    if (pair_) return a.name == "self" ? "a" : a.name == "other" ? "b" : a.name;
    return a.name == "self" || a.name == "input" ? "x" : a.name;
  }

  void read_args() {
    params_ = "params:\n";
    std::string keyword;
    for (const SchemaArg& a : schema_.args) {
      std::string line = param(a);
      if (line.empty()) {
        if (is_never_specified(a.name)) continue;
        omits_ += fmt::format("  {}: no promise is made about it\n", a.name);
      } else if (a.keyword) {
        keyword += "    " + line;
      } else {
        params_ += "  " + line;
      }
      if (!line.empty()) require(a);
    }
    if (!keyword.empty()) params_ += "  keyword:\n" + keyword;
  }

  std::string param(const SchemaArg& a) {
    const std::string none = a.optional() ? " or none" : "";
    if (a.is_tensor_list()) {
      return fmt::format("{}: {{tensors: {}}}\n", name_of(a), symbol(a));
    }
    if (a.is_tensor()) {
      const std::string pack(
          1, static_cast<char>(pair_ ? "AB"[packs_] : "SABCDEFG"[packs_]));
      packs_ = std::min<std::size_t>(packs_ + 1, pair_ ? 1 : 7);
      return fmt::format("{}: {}[{}...]{}\n", name_of(a), symbol(a), pack,
                         none);
    }
    const std::string kind = kind_of(a);
    if (kind.empty()) return "";
    if (reserved().contains(a.name)) {
      const std::string more = a.default_text && *a.default_text != "None"
                                   ? ", default: " + default_of(a)
                                   : "";
      return fmt::format("{}_: {{kind: {}{}{}, schema: {}}}\n", a.name, kind,
                         a.optional() ? ", optional: true" : "", more, a.name);
    }
    const bool has = a.default_text && *a.default_text != "None";
    if (!has && !a.optional()) attrs_.push_back(a.name);
    return fmt::format("{}: {}{}{}\n", a.name, kind, none,
                       has ? " = " + default_of(a) : "");
  }

  // The dtype symbol of a tensor: indices and masks have types of their own.
  std::string symbol(const SchemaArg& a) {
    std::string types = "T";
    std::string name = "T";
    if (is_index(a)) {
      name = "I", types = "[i64, i32]";
    } else if (is_mask(a)) {
      name = "M", types = "[bool]";
    } else if (symbols_ > 0) {
      name = fmt::format("T{}", symbols_ + 1);
      if (pair_) types = "common";
    } else {
      types = pair_ ? "common" : "floats";
    }
    if (name[0] == 'T') ++symbols_;
    if (dtypes_.find(name + ":") == std::string::npos) {
      dtypes_ += (dtypes_.empty() ? "" : ", ") + name + ": " + types;
    }
    return name;
  }

  void require(const SchemaArg& a) {
    const std::string kind = kind_of(a);
    if (!a.is_tensor() && a.name == "dim" && !tensors_.empty()) {
      if (kind == "int" && !a.optional()) add_clause("dim_in_range({}, dim)");
      if (kind == "ints") {
        add_clause(a.optional() ? "dims_in_range_if_given({}, dim)"
                                : "dims_in_range({}, dim)");
        add_clause(a.optional() ? "dims_unique_if_given({}, dim)"
                                : "dims_unique({}, dim)");
      }
    }
    if (pair_ && a.name == "other") add_clause("broadcastable(a, b)");
  }

  void add_clause(const std::string& use) {
    requires_ += fmt::format("  E{}: ", ++clauses_) +
                 fmt::format(fmt::runtime(use), first()) + "\n";
  }

  std::string dtypes() const {
    return decide("which element types it takes") + "dtypes: {" + dtypes_ +
           "}\n";
  }

  std::string let() const {
    return pair_ ? "let:\n  type: promote(a, b)\n" : "";
  }

  std::string first() const {
    return tensors_.empty() ? "" : name_of(*tensors_.front());
  }

  // The section of one output; value() writes those of several.
  std::string result() const {
    if (schema_.returns.size() > 1) return "";
    return decide("type and shape of the result") +
           (pair_ ? "result: {dtype: type, shape: \"common_shape(a, b)\"}\n"
                  : fmt::format("result: {{dtype: T, shape: shape({})}}\n",
                                first()));
  }

  std::string value() const {
    const std::string x = tensors_.empty() ? "0" : first() + "[i...]";
    const std::string indent = schema_.returns.size() > 1 ? "    " : "";
    std::string out;
    if (schema_.returns.size() > 1) {
      out += decide("names, types, shapes and values of the outputs");
      out += "outputs:\n";
    }
    for (std::size_t n = 0; n < schema_.returns.size(); ++n) {
      if (schema_.returns.size() > 1) {
        out += fmt::format(
            "  out{}:\n    result: {{dtype: T, shape: "
            "shape({})}}\n",
            n, first());
      } else {
        out += decide("the value, in index notation, by mathematics");
      }
      out += fmt::format("{}value: {{V{}: \"out[i...] = {}\"}}\n", indent,
                         n + 1, x);
      out += indent + decide(
                          "how far a right answer may lie from it, and who "
                          "says so");
      out += fmt::format("{}accuracy: {{A{}: correctly_rounded}}\n", indent,
                         n + 1);
    }
    return out;
  }

  std::string cases() const {
    std::string out = decide(
        "cases: every type, length, layout, attribute and special value");
    out += "cases:\n";
    if (tensors_.size() == 1 && attrs_.empty() && !tensors_[0]->optional()) {
      return out + "  C1-C5: {family: unary}\n";
    }
    std::string attrs;
    for (const std::string& a : attrs_) {
      attrs += (attrs.empty() ? "" : ", ") + a + ": 0";
    }
    if (!attrs.empty()) attrs = ", attrs: [{" + attrs + "}]";
    return out +
           fmt::format("  C1: {{shapes: lengths{}, contexts: all}}\n", attrs);
  }

  const Schema& schema_;
  std::vector<const SchemaArg*> tensors_;
  bool pair_ = false;  // self and other, which broadcast and promote
  std::string params_, dtypes_, omits_, requires_;
  std::vector<std::string> attrs_;  // that have to be given
  std::size_t packs_ = 0;
  int symbols_ = 0;
  int clauses_ = 0;
};

}  // namespace

std::string draft_name(const Schema& schema) {
  const std::size_t dot = schema.overload.find('.', 5);
  const std::string base = schema.overload.substr(5, dot - 5);
  const std::string overload = schema.overload.substr(dot + 1);
  static const std::set<std::string> usual = {"default", "Tensor", "int"};
  return usual.contains(overload) ? base : base + "_" + lower(overload);
}

std::string draft_spec(const Schema& schema) { return Draft(schema).text(); }

}  // namespace assay::language
