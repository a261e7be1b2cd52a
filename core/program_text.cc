#include "core/program_text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "core/text.h"

namespace assay {
namespace {

std::string number_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string value_text(ValueRef v) { return "%" + std::to_string(v.id); }

std::string list_text(const std::vector<ValueRef>& values) {
  std::string text = "[";
  const char* separator = "";
  for (const ValueRef v : values) {
    text += separator + value_text(v);
    separator = ", ";
  }
  return text + "]";
}

std::string string_text(const std::string& s) {
  std::string text = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

struct ArgText {
  std::string operator()(None) const { return "none"; }
  std::string operator()(ValueRef v) const { return value_text(v); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(std::int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return number_text(v); }
  std::string operator()(DType v) const { return std::string(dtype_name(v)); }
  std::string operator()(const std::string& v) const { return string_text(v); }
  std::string operator()(const Shape& v) const { return shape_text(v); }
  std::string operator()(const Numbers& v) const {
    std::string text = "[";
    for (std::size_t i = 0; i < v.size(); ++i) {
      text += (i > 0 ? ", " : "") + number_text(v[i]);
    }
    return text + "]";
  }
  std::string operator()(const std::vector<ValueRef>& v) const {
    return list_text(v);
  }
};

std::string layout_text(const TensorType& t) {
  std::string text = type_text(t.dtype, t.sizes);
  if (!t.is_contiguous()) text += " strides" + shape_text(t.strides);
  return text;
}

std::string constant_text(const Tensor& t) {
  std::string text = type_text(t.dtype(), t.sizes());
  text += " {";
  const Tensor parts = components(t);
  const std::int64_t n = parts.numel();
  for (std::int64_t i = 0; i < n; ++i) {
    char buffer[20];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, parts.bits(i), 16).ptr;
    text += (i > 0 ? ", 0x" : "0x");
    text.append(buffer, end);
  }
  return text + "}";
}

std::string node_text(const Node& node) {
  std::string text = node.op + "(";
  const char* separator = "";
  for (const Arg& a : node.args) {
    text += separator + std::visit(ArgText{}, a);
    separator = ", ";
  }
  for (const auto& [name, a] : node.kwargs) {
    text += separator + name + "=" + std::visit(ArgText{}, a);
    separator = ", ";
  }
  return text + ")";
}

// Thrown and caught inside this file only.
struct ParseError {
  std::string message;
};

class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  bool done() {
    skip();
    return rest_.empty();
  }
  bool accept(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) {
      throw ParseError{"expected '" + std::string(token) + "' at '" +
                       std::string(rest_.substr(0, 20)) + "'"};
    }
  }
  // Letters, digits, '_' and '.', possibly none.
  std::string word() {
    skip();
    std::size_t n = 0;
    while (n < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[n])) ||
            rest_[n] == '_' || rest_[n] == '.')) {
      ++n;
    }
    return take(n);
  }
  // The characters up to the next separator.
  std::string atom() {
    skip();
    return take(std::min(rest_.find_first_of(",)]} "), rest_.size()));
  }
  char peek() {
    skip();
    return rest_.empty() ? '\0' : rest_.front();
  }
  // True if "name=" comes next; takes it.
  bool keyword(std::string* name) {
    skip();
    std::size_t n = 0;
    while (n < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[n])) ||
            rest_[n] == '_')) {
      ++n;
    }
    if (n == 0 || n >= rest_.size() || rest_[n] != '=') return false;
    *name = take(n);
    rest_.remove_prefix(1);
    return true;
  }
  std::string quoted() {
    expect("\"");
    std::string out;
    while (!rest_.empty() && rest_.front() != '"') {
      if (rest_.front() == '\\') rest_.remove_prefix(1);
      if (rest_.empty()) break;
      out += rest_.front();
      rest_.remove_prefix(1);
    }
    expect("\"");
    return out;
  }

 private:
  void skip() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  std::string take(std::size_t n) {
    std::string out(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return out;
  }
  std::string_view rest_;
};

template <class T>
T number(std::string_view text, int base = 10) {
  T value{};
  const char* end = text.data() + text.size();
  std::from_chars_result r{};
  if constexpr (std::is_floating_point_v<T>) {
    (void)base;
    r = std::from_chars(text.data(), end, value);
  } else {
    r = std::from_chars(text.data(), end, value, base);
  }
  if (text.empty() || r.ec != std::errc() || r.ptr != end) {
    throw ParseError{"not a number: '" + std::string(text) + "'"};
  }
  return value;
}

class Parser {
 public:
  Program run(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      one(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (line_ == 0) throw ParseError{"empty text"};
    if (!returned_) throw ParseError{"no return line"};
    return std::move(program_);
  }
  int line() const { return line_; }

 private:
  void one(std::string_view text) {
    Line in(text);
    if (line_ == 1) {
      in.expect("assay-program");
      if (in.atom() != "1") throw ParseError{"only version 1 is known"};
      if (in.accept("device")) {
        program_.device = number<int>(in.atom());
        if (program_.device < 0) throw ParseError{"negative device"};
      }
      if (!in.done()) throw ParseError{"text after the version"};
      return;
    }
    if (in.done()) return;
    if (returned_) throw ParseError{"text after the return line"};
    if (in.accept("return")) {
      returned_ = true;
      while (!in.done()) {
        program_.outputs.push_back(value(in));
        if (!in.done()) in.expect(",");
      }
      return;
    }
    in.expect("%");
    if (number<int>(in.word()) != program_.value_count()) {
      throw ParseError{"ids must count up from %0"};
    }
    in.expect("=");
    if (in.accept("input ")) {
      require_section(program_.constants.empty() && program_.nodes.empty());
      program_.inputs.push_back(type(in));
    } else if (in.accept("const ")) {
      require_section(program_.nodes.empty());
      program_.constants.push_back(constant(in));
    } else {
      program_.nodes.push_back(node(in));
      check_getitem(program_.nodes.back());
    }
    if (!in.done()) throw ParseError{"text after the end of the line's value"};
  }

  static void require_section(bool in_order) {
    if (!in_order) throw ParseError{"inputs, then constants, then calls"};
  }

  void check_getitem(const Node& node) const {
    if (node.op != kGetitem) return;
    const auto further = further_output(node);
    if (!further || !node.kwargs.empty() || !program_.is_node(further->call) ||
        program_.node(further->call).op == kGetitem) {
      throw ParseError{"getitem names a call and one of its outputs from 1"};
    }
  }

  static Shape integers(Line& in) {
    Shape out;
    in.expect("[");
    while (!in.accept("]")) {
      if (!out.empty()) in.expect(",");
      out.push_back(number<std::int64_t>(in.atom()));
    }
    return out;
  }

  static TensorType type(Line& in) {
    const std::string name = in.word();
    const auto dtype = parse_dtype(name);
    if (!dtype) throw ParseError{"unknown dtype '" + name + "'"};
    TensorType t = TensorType::contiguous(*dtype, integers(in));
    for (const std::int64_t s : t.sizes) {
      if (s < 0) throw ParseError{"negative size"};
    }
    if (in.accept("strides")) t.strides = integers(in);
    if (t.strides.size() != t.sizes.size()) {
      throw ParseError{"as many strides as sizes are needed"};
    }
    return t;
  }

  static Tensor constant(Line& in) {
    const TensorType t = type(in);
    const Tensor out = Tensor::zeros(t.dtype, t.sizes);
    Tensor parts = components(out);
    in.expect("{");
    const std::int64_t n = parts.numel();
    for (std::int64_t i = 0; i < n; ++i) {
      if (i > 0) in.expect(",");
      in.expect("0x");
      parts.set_bits(i, number<std::uint64_t>(in.atom(), 16));
    }
    in.expect("}");
    return out;
  }

  ValueRef value(Line& in) {
    in.expect("%");
    const int id = number<int>(in.word());
    if (id < 0 || id >= program_.value_count()) {
      throw ParseError{"%" + std::to_string(id) + " is not defined yet"};
    }
    return {id};
  }

  static std::optional<double> fraction(const std::string& text) {
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    if (text.find_first_of(".e") == std::string::npos) return std::nullopt;
    return number<double>(text);
  }

  // Of fractions if the first is one.
  static Arg numbers(Line& in) {
    Line ahead = in;
    ahead.expect("[");
    if (ahead.peek() == ']' || !fraction(ahead.atom())) return integers(in);
    Numbers out;
    in.expect("[");
    while (!in.accept("]")) {
      if (!out.empty()) in.expect(",");
      const std::optional<double> x = fraction(in.atom());
      if (!x) throw ParseError{"an integer in a list of fractions"};
      out.push_back(*x);
    }
    return out;
  }

  Arg argument(Line& in) {
    const char first = in.peek();
    if (first == '%') return value(in);
    if (first == '"') return in.quoted();
    if (first == '[') {
      Line ahead = in;
      ahead.expect("[");
      if (ahead.peek() != '%') return numbers(in);
      in.expect("[");
      std::vector<ValueRef> list;
      while (!in.accept("]")) {
        if (!list.empty()) in.expect(",");
        list.push_back(value(in));
      }
      return list;
    }
    const std::string text = in.atom();
    if (text == "none") return None{};
    if (text == "true") return true;
    if (text == "false") return false;
    if (const auto dtype = parse_dtype(text)) return *dtype;
    if (const auto x = fraction(text)) return *x;
    return number<std::int64_t>(text);
  }

  Node node(Line& in) {
    Node out;
    out.op = in.word();
    if (out.op.empty()) throw ParseError{"expected an operation's name"};
    in.expect("(");
    bool first = true;
    while (!in.accept(")")) {
      if (!first) in.expect(",");
      first = false;
      std::string name;
      if (in.keyword(&name)) {
        Arg a = argument(in);
        out.kwargs.emplace_back(std::move(name), std::move(a));
      } else if (!out.kwargs.empty()) {
        throw ParseError{"positional argument after a named one"};
      } else {
        out.args.push_back(argument(in));
      }
    }
    return out;
  }

  Program program_;
  int line_ = 0;
  bool returned_ = false;
};

}  // namespace

std::string to_text(const Program& program) {
  std::string text = "assay-program 1";
  if (program.device != 0) text += " device " + std::to_string(program.device);
  text += "\n";
  int id = 0;
  const auto line = [&](const std::string& rest) {
    text += value_text({id++}) + " = " + rest + "\n";
  };
  for (const TensorType& t : program.inputs) line("input " + layout_text(t));
  for (const Tensor& t : program.constants) line("const " + constant_text(t));
  for (const Node& n : program.nodes) line(node_text(n));
  text += "return ";
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    if (i > 0) text += ", ";
    text += value_text(program.outputs[i]);
  }
  return text + "\n";
}

Result<Program> parse_program(std::string_view text) {
  Parser parser;
  try {
    return parser.run(text);
  } catch (const ParseError& f) {
    return Error{"program text, line " + std::to_string(parser.line()) + ": " +
                 f.message};
  }
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace assay
