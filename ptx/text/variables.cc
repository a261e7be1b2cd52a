#include "ptx/text/variables.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace assay::ptx {
namespace {

Type expect_type(TokenStream& in) {
  if (in.peek().kind == Token::Kind::word && in.peek().text.starts_with('.'))
    if (auto type = parse_type(in.peek().text)) {
      in.take();
      return *type;
    }
  in.fail("a type");
}

// The attributes before the type, in whatever order.
struct Head {
  std::size_t align = 0;
  std::size_t vector = 1;
};

Head parse_head(TokenStream& in) {
  Head head;
  for (;;) {
    if (in.take_if(".align")) {
      head.align = in.expect_integer("an alignment");
      if (!std::has_single_bit(head.align)) in.fail("a power of two before");
    } else if (in.take_if(".v2")) {
      head.vector = 2;
    } else if (in.take_if(".v4")) {
      head.vector = 4;
    } else if (in.take_if(".v8")) {
      head.vector = 8;
    } else if (in.take_if(".attribute")) {
      in.expect('(');
      in.skip_past(')');
    } else {
      return head;
    }
  }
}

// Name and array sizes. An array without a size has 0 bytes.
void parse_declarator(TokenStream& in, const Head& head, Variable& v) {
  v.line = in.peek().line;
  v.name = in.expect_word("a name");
  std::size_t element = bytes_of(v.type) * head.vector;
  v.align = std::max(head.align, element);
  v.bytes = element;
  bool open = false;
  while (in.take_if('[')) {
    if (in.take_if(']')) {
      open = true;
      continue;
    }
    v.bytes *= in.expect_integer("an array's size");
    in.expect(']');
  }
  if (open) v.bytes = 0;
}

class Initialiser {
 public:
  Initialiser(TokenStream& in, Variable& v) : in_(in), v_(v) {}

  void run() {
    value();
    if (v_.bytes == 0) v_.bytes = v_.initial.size();
    if (v_.initial.size() > v_.bytes) in_.fail("no more values than elements");
    v_.initial.resize(v_.bytes);
  }

 private:
  void append(std::uint64_t bits, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
      v_.initial.push_back(static_cast<std::byte>(bits >> (8 * i)));
  }

  void value() {
    if (in_.take_if('{')) {
      while (!in_.take_if('}')) {
        value();
        if (!in_.peek().is('}')) in_.expect(',');
      }
      return;
    }
    std::size_t width = bytes_of(v_.type);
    const Token& token = in_.peek();
    if (token.kind == Token::Kind::word) return address(width);
    bool negative = in_.take_if('-');
    switch (in_.peek().kind) {
      case Token::Kind::integer: {
        std::uint64_t bits = in_.take().bits;
        return append(negative ? 0 - bits : bits, width);
      }
      case Token::Kind::real32: {
        std::uint64_t sign = negative ? 1U << 31 : 0;
        return append(in_.take().bits ^ sign, width);
      }
      case Token::Kind::real64:
        return real(negative, width);
      default:
        in_.fail("an initial value");
    }
  }

  void real(bool negative, std::size_t width) {
    double x = std::bit_cast<double>(in_.take().bits);
    if (negative) x = -x;
    if (v_.type == Type::f32)
      append(std::bit_cast<std::uint32_t>(static_cast<float>(x)), width);
    else
      append(std::bit_cast<std::uint64_t>(x), width);
  }

  // name, generic(name), name + 4
  void address(std::size_t width) {
    std::string name = in_.expect_word("a variable's name");
    bool generic = name == "generic";
    if (generic) {
      in_.expect('(');
      name = in_.expect_word("a variable's name");
    }
    std::int64_t offset = 0;
    if (in_.peek().is('+') || in_.peek().is('-'))
      offset = in_.expect_signed("an offset");
    if (generic) in_.expect(')');
    if (in_.peek().is('+') || in_.peek().is('-'))
      offset += in_.expect_signed("an offset");
    v_.addresses.push_back({v_.initial.size(), width, name, offset});
    append(0, width);
  }

  TokenStream& in_;
  Variable& v_;
};

}  // namespace

std::optional<Space> parse_space(std::string_view word) {
  static constexpr std::pair<std::string_view, Space> kNames[] = {
      {".const", Space::constant},     {".global", Space::global},
      {".local", Space::local},        {".param", Space::param},
      {".shared", Space::shared},      {".shared::cta", Space::shared},
      {".param::entry", Space::param}, {".param::func", Space::param},
  };
  for (const auto& [name, space] : kNames)
    if (name == word) return space;
  return std::nullopt;
}

std::vector<Variable> parse_variables(TokenStream& in, Space space,
                                      bool is_extern) {
  Head head = parse_head(in);
  Variable common;
  common.space = space;
  common.is_extern = is_extern;
  common.type = expect_type(in);
  std::vector<Variable> all;
  do {
    Variable v = common;
    parse_declarator(in, head, v);
    if (in.take_if('=')) Initialiser(in, v).run();
    all.push_back(std::move(v));
  } while (in.take_if(','));
  in.expect(';');
  return all;
}

Variable parse_parameter(TokenStream& in) {
  Variable v;
  v.space = Space::param;
  if (in.take_if(".reg")) {
    v.space = Space::generic;
  } else if (!in.take_if(".param")) {
    in.fail("a parameter (.param)");
  }
  Head head = parse_head(in);
  v.type = expect_type(in);
  // .ptr says where a pointer points and how it is aligned: a promise to the
  // compiler that the machine does not need.
  if (in.take_if(".ptr")) {
    if (parse_space(in.peek().text)) in.take();
    if (in.take_if(".align")) in.expect_integer("an alignment");
  }
  parse_declarator(in, head, v);
  return v;
}

}  // namespace assay::ptx
