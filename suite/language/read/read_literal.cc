#include "suite/language/read/read_literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "suite/language/check/check_expr.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

constexpr const char* kLiteral =
    "a literal: an integer, a decimal, a hex float, bits as 0x7fc00001:f32, "
    "inf, nan, max, tiny, smallest, true, false, or next(literal, steps)";

std::string trimmed(const std::string& s) {
  const std::size_t a = s.find_first_not_of(" \t\n");
  if (a == std::string::npos) return "";
  return s.substr(a, s.find_last_not_of(" \t\n") - a + 1);
}

YamlNode with_text(const YamlNode& n, std::size_t begin, std::size_t end) {
  YamlNode part;
  part.kind = YamlNode::Kind::scalar;
  const std::string& s = n.text.text;
  while (begin < end && s[begin] == ' ') ++begin;
  while (end > begin && s[end - 1] == ' ') --end;
  part.text = n.text.part(begin, end);
  part.pos = n.text.pos(begin);
  return part;
}

std::nullopt_t no_literal(const YamlNode& n, Faults* faults) {
  faults->push_back(
      {n.pos, std::string("expected ") + kLiteral + "; found " + n.describe()});
  return std::nullopt;
}

std::optional<Literal> read_next(const YamlNode& n, Faults* faults) {
  const std::string& s = n.text.text;
  const std::size_t comma = s.rfind(',');
  if (comma == std::string::npos || s.back() != ')') {
    faults->push_back(
        {n.pos, "expected next(literal, steps), found " + n.describe()});
    return std::nullopt;
  }
  auto base = read_literal(with_text(n, 5, comma), faults);
  const auto steps = read_integer(with_text(n, comma + 1, s.size() - 1),
                                  "a number of steps", faults);
  if (!base || !steps) return std::nullopt;
  if (std::abs(*steps) > 1'000'000) {
    faults->push_back({n.pos, "next takes at most a million steps"});
    return std::nullopt;
  }
  base->steps += *steps;
  return base;
}

std::optional<Literal> read_bits(const YamlNode& n, std::size_t colon,
                                 Faults* faults) {
  const std::string& s = n.text.text;
  Literal l;
  l.base = Literal::Base::bits;
  l.bits_dtype = read_dtype(with_text(n, colon + 1, s.size()), faults);
  if (!l.bits_dtype) return std::nullopt;
  const auto r = std::from_chars(s.data() + 2, s.data() + colon, l.bits, 16);
  const int width = 8 * size_bytes(*l.bits_dtype);
  if (r.ec != std::errc() || r.ptr != s.data() + colon ||
      (width < 64 && l.bits >> width != 0)) {
    faults->push_back({n.pos, n.describe() + " is no pattern of " +
                                  std::to_string(width) + " bits"});
    return std::nullopt;
  }
  return l;
}

}  // namespace

std::optional<Literal> read_literal(const YamlNode& n, Faults* faults) {
  if (!n.is_scalar()) return no_literal(n, faults);
  std::string s = trimmed(n.text.text);
  if (s.starts_with("next(")) return read_next(n, faults);
  const std::size_t colon = s.find(':');
  if (s.starts_with("0x") && colon != std::string::npos) {
    return read_bits(n, colon, faults);
  }
  Literal l;
  if (s == "true" || s == "false") {
    l.integral = true;
    l.integer = s == "true" ? 1 : 0;
    l.number = static_cast<double>(l.integer);
    return l;
  }
  std::string name = s;
  if (name.starts_with('-')) {
    l.negative = true;
    name.erase(0, 1);
  }
  if (name == "max") l.base = Literal::Base::largest;
  if (name == "tiny") l.base = Literal::Base::smallest_normal;
  if (name == "smallest") l.base = Literal::Base::smallest;
  if (l.base != Literal::Base::number) return l;
  l.negative = false;
  const char* end = s.data() + s.size();
  const auto r = std::from_chars(s.data(), end, l.integer);
  if (!s.empty() && r.ec == std::errc() && r.ptr == end && s != "-0") {
    l.integral = true;
    l.number = static_cast<double>(l.integer);
    return l;
  }
  l.integer = 0;
  if (s.starts_with("0x") && s.find_first_of("pP") == std::string::npos) {
    return no_literal(n, faults);
  }
  YamlNode plain = n;
  plain.quoted = false;
  plain.text.text = s;
  Faults ignored;
  const auto number = read_number(plain, kLiteral, &ignored);
  if (!number) return no_literal(n, faults);
  l.number = *number;
  std::uint64_t whole = 0;
  const auto u = std::from_chars(s.data(), end, whole);
  const bool is_u64 = u.ec == std::errc() && u.ptr == end;
  if (is_u64 &&
      (l.number == 0x1p64 || static_cast<std::uint64_t>(l.number) != whole)) {
    faults->push_back({n.pos, n.describe() +
                                  " is no double and no i64; write it as "
                                  "next(literal, steps) or in bits"});
    return std::nullopt;
  }
  return l;
}

std::vector<Literal> read_literals(const YamlNode& n, Faults* faults) {
  std::vector<Literal> out;
  const auto& list = read_list(n, "a list of literals", faults);
  for (const YamlNode& item : list) {
    if (auto l = read_literal(item, faults)) out.push_back(*l);
  }
  if (n.is_sequence() && list.empty()) {
    faults->push_back({n.pos, "expected at least one literal, found []"});
  }
  return out;
}

namespace {

std::optional<Arg> read_python_number(const YamlNode& n, Faults* faults) {
  if (n.is_scalar() && !n.quoted) {
    const std::string& s = n.text.text;
    if (s == "true" || s == "false") return Arg(s == "true");
    std::int64_t i = 0;
    const auto r = std::from_chars(s.data(), s.data() + s.size(), i);
    if (r.ec == std::errc() && r.ptr == s.data() + s.size()) return Arg(i);
  }
  const auto d = read_number(
      n, "a Python number (an integer, a decimal, inf, nan, true, false)",
      faults);
  if (!d) return std::nullopt;
  return Arg(*d);
}

std::optional<Arg> read_ints(const YamlNode& n, Faults* faults) {
  Shape out;
  const std::size_t before = faults->size();
  for (const YamlNode& item :
       read_list(n, "a list of integers, [1, 2]", faults)) {
    if (auto i = read_integer(item, "an integer", faults)) out.push_back(*i);
  }
  if (faults->size() != before) return std::nullopt;
  return Arg(out);
}

// Integers among them are fractions like the others.
std::optional<Arg> read_numbers(const YamlNode& n, Faults* faults) {
  Numbers out;
  const std::size_t before = faults->size();
  for (const YamlNode& item :
       read_list(n, "a list of numbers, [0.5, 2]", faults)) {
    const std::optional<Arg> x = read_python_number(item, faults);
    if (!x) continue;
    const auto* i = std::get_if<std::int64_t>(&*x);
    const auto* d = std::get_if<double>(&*x);
    if (i != nullptr || d != nullptr) {
      out.push_back(i != nullptr ? static_cast<double>(*i) : *d);
    } else {
      faults->push_back({item.pos, "expected a number, found a truth value"});
    }
  }
  if (faults->size() != before) return std::nullopt;
  return Arg(out);
}

template <class T>
std::optional<Arg> wrap(const std::optional<T>& v) {
  if (!v) return std::nullopt;
  return Arg(*v);
}

}  // namespace

std::optional<Arg> read_arg(const YamlNode& n, const Param& p, Faults* faults) {
  const bool says_none = n.is_scalar() && !n.quoted && n.text.text == "none";
  const bool none_is_text =
      std::find(p.one_of.begin(), p.one_of.end(), "none") != p.one_of.end();
  if (says_none && !none_is_text && p.kind != Param::Kind::string) {
    if (p.optional) return Arg(None{});
    faults->push_back({n.pos, "parameter '" + p.name +
                                  "' may not be none; add 'optional: true' "
                                  "to it or give a value"});
    return std::nullopt;
  }
  if (says_none && !none_is_text && p.optional) return Arg(None{});
  switch (p.kind) {
    case Param::Kind::number:
      return read_python_number(n, faults);
    case Param::Kind::tensor:
      if (p.scalar) return read_python_number(n, faults);
      break;
    case Param::Kind::tensors:
      break;
    case Param::Kind::integer:
      return wrap(read_integer(n, "an integer", faults));
    case Param::Kind::integers:
      return read_ints(n, faults);
    case Param::Kind::numbers:
      return read_numbers(n, faults);
    case Param::Kind::boolean:
      return wrap(read_bool(n, faults));
    case Param::Kind::dtype:
      return wrap(read_dtype(n, faults));
    case Param::Kind::string:
      if (!p.one_of.empty()) {
        return wrap(read_choice(n, "value", p.one_of, faults));
      }
      return wrap(read_text(n, "a string", faults));
  }
  faults->push_back({n.pos, "parameter '" + p.name +
                                "' is a tensor; its elements stand under "
                                "'inputs', its sizes under 'shapes'"});
  return std::nullopt;
}

namespace {

struct GeneratorName {
  const char* name;
  Generator::Kind kind;
  const char* numbers;  // what its two numbers mean
};

constexpr GeneratorName kTwoNumbers[] = {
    {"uniform", Generator::Kind::uniform, "[lo, hi]"},
    {"normal", Generator::Kind::normal, "[mean, sd]"},
    {"log_uniform", Generator::Kind::log_uniform, "[lo_exponent, hi_exponent]"},
    {"integers", Generator::Kind::integers, "[lo, hi]"},
    {"arange", Generator::Kind::arange, "[start, step]"},
    {"linspace", Generator::Kind::linspace, "[lo, hi]"},
};

void check_numbers(const Generator& g, SourcePos pos, const char* numbers,
                   Faults* faults) {
  const auto wrong = [&](const std::string& what) {
    faults->push_back({pos, std::string(numbers) + " " + what});
  };
  if (!std::isfinite(g.a) || !std::isfinite(g.b)) {
    return wrong("must be finite");
  }
  const bool whole = std::trunc(g.a) == g.a && std::trunc(g.b) == g.b &&
                     std::abs(g.a) <= 0x1p53 && std::abs(g.b) <= 0x1p53;
  switch (g.kind) {
    case Generator::Kind::normal:
      if (g.b < 0) wrong("needs a standard deviation that is not negative");
      break;
    case Generator::Kind::integers:
    case Generator::Kind::log_uniform:
      if (!whole) {
        wrong("must be integers");
        break;
      }
      [[fallthrough]];
    case Generator::Kind::uniform:
    case Generator::Kind::linspace:
      if (g.a > g.b) wrong("must rise");
      break;
    default:
      break;
  }
}

void read_formula(const YamlNode& n, const Fields& fields, Generator* g,
                  Faults* faults) {
  g->kind = Generator::Kind::formula;
  g->formula = read_expr(n, faults);
  const YamlNode* index = fields.required("index");
  if (index == nullptr) return;
  Names names;
  for (const YamlNode& item :
       read_list(*index, "a list of index names, [i, j]", faults)) {
    if (auto name = read_identifier(item, "the name of an index", faults)) {
      g->formula_index.push_back(*name);
      names.indices[*name] = false;
    }
  }
  if (g->formula) {
    ExprChecker(names, faults)
        .expect(*g->formula, ValueKind::number, false, "a formula");
  }
}

const std::vector<std::string> kGenerators = {
    "uniform", "normal",  "log_uniform",   "integers", "arange", "linspace",
    "values",  "formula", "powers_of_two", "index",    "next"};

}  // namespace

bool is_generator(const std::string& key) {
  return std::find(kGenerators.begin(), kGenerators.end(), key) !=
         kGenerators.end();
}

std::optional<Generator> read_generator(const YamlNode& n, Faults* faults) {
  Generator g;
  if (n.is_scalar()) {
    if (n.text.text == "special") {
      g.kind = Generator::Kind::special;
      return g;
    }
    if (n.text.text == "all_bits") {
      g.kind = Generator::Kind::all_bits;
      return g;
    }
    std::vector<std::string> all = kGenerators;
    all.insert(all.end(), {"special", "all_bits"});
    faults->push_back({n.pos, "unknown generator " + n.describe() +
                                  did_you_mean(n.text.text, all) +
                                  "; expected special, all_bits or a mapping "
                                  "such as {uniform: [0, 1]}"});
    return std::nullopt;
  }
  const std::size_t before = faults->size();
  const Fields fields(n, "a generator", kGenerators, faults);
  if (faults->size() != before) return std::nullopt;
  const bool formula = fields.find("formula") != nullptr;
  const YamlNode* next = fields.find("next");
  const std::size_t count = (formula ? 2u : 1u) + (next ? 1u : 0u);
  if (n.fields.size() != count) {
    faults->push_back({n.pos,
                       "expected exactly one generator, such as "
                       "{uniform: [0, 1]}"});
    return std::nullopt;
  }
  if (formula) {
    read_formula(*fields.find("formula"), fields, &g, faults);
  } else if (const YamlNode* values = fields.find("values")) {
    g.kind = Generator::Kind::values;
    g.values = read_literals(*values, faults);
  } else if (fields.find("index") != nullptr) {
    faults->push_back({n.pos, "'index' belongs to a 'formula'"});
  }
  if (const YamlNode* first = fields.find("powers_of_two")) {
    g.kind = Generator::Kind::powers_of_two;
    const auto e = read_integer(*first, "the first exponent", faults);
    g.a = static_cast<double>(e.value_or(0));
  }
  if (next != nullptr) {
    g.next = read_integer(*next, "a number of places", faults).value_or(0);
  }
  for (const GeneratorName& name : kTwoNumbers) {
    const YamlNode* body = fields.find(name.name);
    if (body == nullptr) continue;
    g.kind = name.kind;
    if (!body->is_sequence() || body->items.size() != 2) {
      faults->push_back({body->pos, std::string("expected ") + name.numbers +
                                        ", found " + body->describe()});
      continue;
    }
    const auto a = read_number(body->items[0], "a number", faults);
    const auto b = read_number(body->items[1], "a number", faults);
    if (!a || !b) continue;
    g.a = *a;
    g.b = *b;
    check_numbers(g, body->pos, name.numbers, faults);
  }
  if (faults->size() != before) return std::nullopt;
  return g;
}

std::optional<Layout> read_layout(const YamlNode& n, Faults* faults) {
  static const std::vector<std::string> kNames = {
      "contiguous", "transposed", "offset",       "strided",
      "expanded",   "permuted",   "channels_last"};
  const auto name = read_choice(n, "layout", kNames, faults);
  if (!name) return std::nullopt;
  const auto it = std::find(kNames.begin(), kNames.end(), *name);
  return static_cast<Layout>(it - kNames.begin());
}

}  // namespace assay::language
