#include "ptx/text/body.h"

#include <bit>
#include <utility>

#include "ptx/text/scopes.h"
#include "ptx/text/variables.h"

namespace assay::ptx {
namespace {

class BodyParser {
 public:
  BodyParser(TokenStream& in, Function& f) : in_(in), f_(f), scopes_(f) {}

  void run() {
    // Parameters of .reg space are registers.
    for (const auto* list : {&f_.results, &f_.parameters})
      for (const Variable& v : *list)
        if (v.space == Space::generic) scopes_.declare(v.name, v.type);
    in_.expect('{');
    for (int depth = 1; depth > 0;) {
      if (in_.take_if('{')) {
        scopes_.open();
        ++depth;
      } else if (in_.take_if('}')) {
        scopes_.close();
        --depth;
      } else {
        statement();
      }
    }
    resolve_labels(scopes_, f_);
    if (scopes_.undefined_label())
      in_.fail("a label " + *scopes_.undefined_label() + " in " + f_.name);
  }

 private:
  void statement() {
    const Token& token = in_.peek();
    if (token.is('@')) return instruction();
    if (token.kind != Token::Kind::word) in_.fail("an instruction");
    if (in_.peek(1).is(':')) {
      std::string name(in_.take().text);
      in_.expect(':');
      if (in_.take_if(".branchtargets")) return branch_targets(name);
      if (in_.take_if(".callprototype") || in_.take_if(".calltargets"))
        return skip_statement();  // only indirect calls need them
      if (!scopes_.define_label(name)) in_.fail("a new label before");
      return;
    }
    if (in_.take_if(".reg")) return registers();
    if (token.is(".loc") || token.is(".file")) return in_.skip_line();
    if (in_.take_if(".pragma")) return skip_statement();
    if (token.text.starts_with('.')) {
      bool is_extern = in_.take_if(".extern");
      auto space = parse_space(in_.peek().text);
      if (!space) in_.fail("an instruction or a declaration");
      in_.take();
      for (Variable& v : parse_variables(in_, *space, is_extern)) {
        v.name = scopes_.declare_variable(v.name);
        f_.variables.push_back(std::move(v));
      }
      return;
    }
    instruction();
  }

  void skip_statement() { in_.skip_past(';'); }

  void registers() {
    if (in_.peek().is(".v2") || in_.peek().is(".v4"))
      in_.fail("scalar registers: vector registers are not supported");
    auto type = parse_type(in_.peek().text);
    if (!type) in_.fail("a register's type");
    in_.take();
    do {
      std::string name = in_.expect_word("a register's name");
      if (in_.take_if('<')) {
        scopes_.declare_range(name, in_.expect_integer("a count"), *type);
        in_.expect('>');
      } else {
        scopes_.declare(name, *type);
      }
    } while (in_.take_if(','));
    in_.expect(';');
  }

  void branch_targets(const std::string& name) {
    std::vector<std::uint32_t> labels;
    do {
      labels.push_back(scopes_.label(in_.expect_word("a label")));
    } while (in_.take_if(','));
    in_.expect(';');
    f_.branch_targets[name] = std::move(labels);
  }

  void instruction() {
    Instruction i;
    i.line = in_.peek().line;
    if (in_.take_if('@')) {
      Guard guard;
      guard.negated = in_.take_if('!');
      std::string name = in_.expect_word("a predicate");
      auto reg = scopes_.find_register(name);
      if (!reg) in_.fail("a declared predicate instead of " + name);
      guard.reg = *reg;
      i.guard = guard;
    }
    split(in_.expect_word("an opcode"), i);
    while (!in_.take_if(';')) {
      i.operands.push_back(operand(i));
      if (!in_.peek().is(';')) in_.expect(',');
    }
    f_.body.push_back(std::move(i));
  }

  static void split(const std::string& word, Instruction& i) {
    std::size_t dot = word.find('.');
    i.opcode = word.substr(0, dot);
    while (dot != word.npos) {
      std::size_t next = word.find('.', dot + 1);
      i.modifiers.push_back(word.substr(dot + 1, next - dot - 1));
      dot = next;
    }
  }

  Operand operand(const Instruction& i) {
    Operand first = simple(i);
    if (!in_.take_if('|')) return first;
    Operand pair;
    pair.kind = Operand::Kind::pair;
    pair.elements = {std::move(first), simple(i)};
    return pair;
  }

  Operand sequence(const Instruction& i, Operand::Kind kind, char close) {
    in_.take();
    Operand all;
    all.kind = kind;
    while (!in_.take_if(close)) {
      all.elements.push_back(operand(i));
      if (!in_.peek().is(close)) in_.expect(',');
    }
    return all;
  }

  Operand simple(const Instruction& i) {
    const Token& token = in_.peek();
    if (token.is('{')) return sequence(i, Operand::Kind::vector, '}');
    if (token.is('(')) return sequence(i, Operand::Kind::list, ')');
    if (token.is('[')) return address(i);
    if (in_.take_if('!')) {
      Operand o = simple(i);
      o.negated = true;
      return o;
    }
    if (token.kind == Token::Kind::word) return named(i);
    return number();
  }

  Operand number() {
    bool negative = in_.take_if('-');
    if (!negative) in_.take_if('+');
    const Token& token = in_.peek();
    Operand o;
    switch (token.kind) {
      case Token::Kind::integer:
        o.kind = Operand::Kind::integer;
        o.bits = negative ? 0 - token.bits : token.bits;
        break;
      case Token::Kind::real32:
        o.kind = Operand::Kind::real32;
        o.bits = token.bits ^ (negative ? 1U << 31 : 0);
        break;
      case Token::Kind::real64:
        o.kind = Operand::Kind::real64;
        o.bits = token.bits ^ (negative ? 1ULL << 63 : 0);
        break;
      default:
        in_.fail("an operand");
    }
    in_.take();
    return o;
  }

  Operand named(const Instruction& i) {
    std::string name(in_.take().text);
    Operand o;
    if (name == "_") return o;
    if (auto reg = scopes_.find_register(name)) {
      o.kind = Operand::Kind::reg;
      o.index = *reg;
      return o;
    }
    o.name = name;
    if (name.starts_with('%')) {
      o.kind = Operand::Kind::special;
      return o;
    }
    if (i.opcode == "bra") {
      o.kind = Operand::Kind::label;
      o.index = scopes_.label(name);
      return o;
    }
    o.kind = Operand::Kind::symbol;
    o.name = scopes_.variable(name);
    if (in_.peek().is('+') || in_.peek().is('-'))
      o.offset = in_.expect_signed("an offset");
    return o;
  }

  // [base], [base + offset], [base, {coordinates}]
  Operand address(const Instruction& i) {
    in_.expect('[');
    Operand a;
    a.kind = Operand::Kind::address;
    a.elements.push_back(simple(i));
    std::swap(a.offset, a.elements[0].offset);
    while (in_.peek().is('+') || in_.peek().is('-'))
      a.offset += in_.expect_signed("an offset");
    while (in_.take_if(',')) a.elements.push_back(operand(i));
    in_.expect(']');
    return a;
  }

  TokenStream& in_;
  Function& f_;
  Scopes scopes_;
};

}  // namespace

void parse_body(TokenStream& in, Function& f) { BodyParser(in, f).run(); }

}  // namespace assay::ptx
