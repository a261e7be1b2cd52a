#include "suite/language/read/read_fields.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "suite/language/syntax/parse_expr.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

std::nullopt_t expected(const YamlNode& n, const std::string& what,
                        Faults* faults) {
  faults->push_back({n.pos, "expected " + what + ", found " + n.describe()});
  return std::nullopt;
}

}  // namespace

Fields::Fields(const YamlNode& node, std::string what,
               std::vector<std::string> known, Faults* faults)
    : node_(node),
      what_(std::move(what)),
      known_(std::move(known)),
      faults_(faults) {
  if (!node.is_map()) {
    expected(node, what_ + ", a mapping with " + join(known_), faults);
    return;
  }
  for (const auto& [key, value] : node.fields) {
    const std::string& name = key.text.text;
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
      const std::string near = nearest(name, known_);
      faults->push_back(
          {key.pos,
           "unknown field '" + name + "' in " + what_ +
               (!is_identifier(name) ? "; a text that holds ', ' needs quotes"
                : near.empty()       ? "; expected " + join(known_)
                                     : " (did you mean '" + near + "'?)")});
    }
  }
}

bool Fields::has(const std::string& name) const {
  return std::any_of(
      node_.fields.begin(), node_.fields.end(),
      [&name](const auto& f) { return f.first.text.text == name; });
}

const YamlNode* Fields::find(const std::string& name) const {
  for (const auto& [key, value] : node_.fields) {
    if (key.text.text != name) continue;
    if (value.kind == YamlNode::Kind::null) {
      faults_->push_back({key.pos, "field '" + name +
                                       "' is empty; give it a value or "
                                       "remove it"});
      return nullptr;
    }
    return &value;
  }
  return nullptr;
}

const YamlNode* Fields::required(const std::string& name) const {
  if (!node_.is_map()) return nullptr;
  if (!has(name)) {
    faults_->push_back({node_.pos, what_ + " needs the field '" + name + "'"});
    return nullptr;
  }
  return find(name);
}

void Fields::check_order() const {
  std::size_t last = 0;
  std::string before;
  for (const auto& [key, value] : node_.fields) {
    const auto it = std::find(known_.begin(), known_.end(), key.text.text);
    if (it == known_.end()) continue;
    const auto place = static_cast<std::size_t>(it - known_.begin());
    if (place < last) {
      faults_->push_back({key.pos, "field '" + key.text.text +
                                       "' must stand before '" + before +
                                       "'; the order is " + join(known_)});
    } else {
      last = place;
      before = key.text.text;
    }
  }
}

bool is_identifier(const std::string& s) {
  return !s.empty() && !(s[0] >= '0' && s[0] <= '9') &&
         std::all_of(s.begin(), s.end(), is_word);
}

std::optional<std::string> read_text(const YamlNode& n, const char* what,
                                     Faults* faults) {
  if (!n.is_scalar() || n.text.text.empty()) return expected(n, what, faults);
  return n.text.text;
}

std::optional<std::string> read_identifier(const YamlNode& n, const char* what,
                                           Faults* faults) {
  if (!n.is_scalar() || !is_identifier(n.text.text)) {
    return expected(n, std::string(what) + " (letters, digits and '_')",
                    faults);
  }
  return n.text.text;
}

std::optional<bool> read_bool(const YamlNode& n, Faults* faults) {
  if (n.is_scalar() && !n.quoted) {
    if (n.text.text == "true") return true;
    if (n.text.text == "false") return false;
    for (const char* other : {"yes", "on", "y", "no", "off", "n"}) {
      if (n.text.text != other) continue;
      faults->push_back(
          {n.pos,
           "found " + n.describe() + " as a boolean; write " +
               (other[0] == 'y' || n.text.text == "on" ? "true" : "false")});
      return std::nullopt;
    }
  }
  return expected(n, "true or false without quotes", faults);
}

std::optional<std::int64_t> read_integer(const YamlNode& n, const char* what,
                                         Faults* faults) {
  if (n.is_scalar() && !n.quoted) {
    const std::string& s = n.text.text;
    std::int64_t value = 0;
    const auto r = std::from_chars(s.data(), s.data() + s.size(), value);
    if (r.ec == std::errc() && r.ptr == s.data() + s.size()) return value;
  }
  return expected(n, what, faults);
}

std::optional<double> read_number(const YamlNode& n, const char* what,
                                  Faults* faults) {
  if (!n.is_scalar() || n.quoted) return expected(n, what, faults);
  std::string s = n.text.text;
  const bool negative = s.starts_with('-');
  if (negative) s.erase(0, 1);
  const bool hex = s.starts_with("0x");
  if (hex) s.erase(0, 2);
  double value = 0;
  if (s == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (s == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    const auto r = std::from_chars(
        s.data(), s.data() + s.size(), value,
        hex ? std::chars_format::hex : std::chars_format::general);
    const bool digit = !s.empty() && (s[0] != 'i' && s[0] != 'n' &&
                                      s[0] != 'I' && s[0] != 'N');
    if (r.ec != std::errc() || r.ptr != s.data() + s.size() || !digit) {
      return expected(n, what, faults);
    }
  }
  return negative ? -value : value;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DType t : kAllDTypes) names.emplace_back(dtype_name(t));
  return names;
}

std::optional<DType> read_dtype(const YamlNode& n, Faults* faults) {
  if (n.is_scalar()) {
    if (const auto t = parse_dtype(n.text.text)) return t;
    faults->push_back({n.pos, "unknown dtype " + n.describe() +
                                  did_you_mean(n.text.text, dtype_names())});
    return std::nullopt;
  }
  return expected(n, "the name of a dtype", faults);
}

std::vector<DType> read_dtypes(const YamlNode& n, Faults* faults) {
  std::vector<DType> out;
  const std::vector<YamlNode>& list = read_list(n, "a list of dtypes", faults);
  for (const YamlNode& item : list) {
    const auto t = read_dtype(item, faults);
    if (!t) continue;
    if (std::find(out.begin(), out.end(), *t) != out.end()) {
      faults->push_back(
          {item.pos, "dtype " + item.describe() + " stands twice; remove one"});
      continue;
    }
    out.push_back(*t);
  }
  if (n.is_sequence() && list.empty()) {
    faults->push_back({n.pos, "expected at least one dtype, found []"});
  }
  return out;
}

std::optional<std::string> read_choice(const YamlNode& n, const char* what,
                                       const std::vector<std::string>& known,
                                       Faults* faults) {
  if (!n.is_scalar()) {
    return expected(n, std::string(what) + ", one of " + join(known), faults);
  }
  const std::string& s = n.text.text;
  if (std::find(known.begin(), known.end(), s) != known.end()) return s;
  const std::string near = nearest(s, known);
  faults->push_back(
      {n.pos, "unknown " + std::string(what) + " " + n.describe() +
                  "; expected " + join(known) +
                  (near.empty() ? "" : " (did you mean '" + near + "'?)")});
  return std::nullopt;
}

std::vector<std::string> read_texts(const YamlNode& n, const char* what,
                                    Faults* faults) {
  std::vector<std::string> out;
  if (n.is_sequence()) {
    for (const YamlNode& item : n.items) {
      if (auto s = read_text(item, what, faults)) out.push_back(*s);
    }
    if (n.items.empty()) expected(n, std::string(what) + " or more", faults);
  } else if (auto s = read_text(n, what, faults)) {
    out.push_back(*s);
  }
  return out;
}

ExprPtr read_expr(const YamlNode& n, Faults* faults) {
  if (n.expr) return n.expr;
  if (n.is_scalar()) return parse_expr(n.text, faults);
  if (n.is_sequence()) {
    // [B, M, N] without quotes: a list of expressions.
    auto list = std::make_shared<Expr>();
    list->kind = Expr::Kind::list;
    list->pos = n.pos;
    for (const YamlNode& item : n.items) {
      ExprPtr e = read_expr(item, faults);
      if (!e) return nullptr;
      list->args.push_back(std::move(e));
    }
    return list;
  }
  expected(n, "an expression; put it in quotes if it holds ', ' or ': '",
           faults);
  return nullptr;
}

const std::vector<YamlNode>& read_list(const YamlNode& n, const char* what,
                                       Faults* faults) {
  static const std::vector<YamlNode> kNone;
  if (n.is_sequence()) return n.items;
  expected(n, what, faults);
  return kNone;
}

void read_clauses(const YamlNode& n, char letter, const char* section,
                  Faults* faults,
                  const std::function<void(const std::string&, const YamlNode&,
                                           const YamlNode&)>& each) {
  const std::string example = std::string(1, letter) + "1";
  if (!n.is_map()) {
    expected(n, "clauses, " + example + ": ..., in '" + section + "'", faults);
    return;
  }
  if (n.fields.empty()) {
    faults->push_back({n.pos, std::string("'") + section +
                                  "' is empty; remove it or give clause " +
                                  example});
  }
  std::int64_t last = 0;
  for (const auto& [key, body] : n.fields) {
    const std::string& id = key.text.text;
    std::int64_t number = 0;
    const char* end = id.data() + id.size();
    const auto r = id.size() > 1 ? std::from_chars(id.data() + 1, end, number)
                                 : std::from_chars_result{end, std::errc()};
    if (id.empty() || id[0] != letter || r.ec != std::errc() || r.ptr != end ||
        number < 1 || id[1] == '0') {
      faults->push_back({key.pos, "'" + id + "' is no clause of '" + section +
                                      "'; expected '" + letter +
                                      "' and a number from 1, as in " +
                                      example});
      continue;
    }
    if (number <= last) {
      faults->push_back({key.pos, "clause " + id + " stands after " + letter +
                                      std::to_string(last) +
                                      "; clauses stand in rising order"});
    }
    last = std::max(last, number);
    each(id, key, body);
  }
}

}  // namespace assay::language
