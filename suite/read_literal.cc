#include "suite/read_literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "suite/suggest.h"

namespace assay {
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

}  // namespace assay
