#include "suite/language/syntax/parse_expr.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <set>
#include <utility>

#include "suite/language/syntax/lexer.h"

namespace assay::language {
namespace {

constexpr std::array<std::string_view, 10> kReserved = {
    "and", "or", "not", "in", "inf", "nan", "pi", "none", "true", "false"};
// Deeper or longer trees are refused, so that no recursion over a tree can
// exhaust the stack.
constexpr int kMaxDepth = 100;
constexpr int kMaxNodes = 2000;

struct Stop {};  // thrown after a fault was recorded, caught in this file

class Parser {
 public:
  Parser(const LocatedText& text, std::vector<Fault>* faults)
      : faults_(faults) {
    const std::size_t before = faults->size();
    tokens_ = tokenize(text, faults);
    lexed_ = faults->size() == before;
  }

  ExprPtr whole() {
    return guarded<ExprPtr>([this] {
      ExprPtr e = expression();
      expect_end();
      return e;
    });
  }

  std::vector<Definition> definitions() {
    return guarded<std::vector<Definition>>([this] {
      std::vector<Definition> all;
      do {
        if (peek().kind == Token::Kind::end && !all.empty()) break;
        all.push_back(definition());
      } while (accept(";"));
      expect_end();
      return all;
    });
  }

 private:
  template <class T, class F>
  T guarded(F parse) {
    if (!lexed_) return {};
    try {
      return parse();
    } catch (const Stop&) {
      return {};
    }
  }

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  Token take() {
    Token t = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return t;
  }
  bool is(std::string_view text, std::size_t ahead = 0) const {
    const Token& t = peek(ahead);
    return (t.kind == Token::Kind::symbol || t.kind == Token::Kind::name) &&
           t.text == text;
  }
  bool accept(std::string_view text) {
    if (!is(text)) return false;
    take();
    return true;
  }
  [[noreturn]] void fail(SourcePos pos, std::string message) {
    faults_->push_back({pos, std::move(message)});
    throw Stop{};
  }
  void expect(std::string_view text, const char* why) {
    if (accept(text)) return;
    fail(peek().pos, "expected '" + std::string(text) + "' " + why +
                         ", found " + spell(peek()));
  }
  void expect_end() {
    if (peek().kind == Token::Kind::end) return;
    if (is("=")) fail(peek().pos, "'=' compares nothing; write '=='");
    fail(peek().pos, "expected an operator or the end, found " + spell(peek()));
  }

  std::shared_ptr<Expr> node(Expr::Kind kind, SourcePos pos,
                             std::string text = {}) {
    if (++nodes_ > kMaxNodes) {
      fail(pos, "the expression is too long; split it with definitions");
    }
    auto e = std::make_shared<Expr>();
    e->kind = kind;
    e->pos = pos;
    e->text = std::move(text);
    return e;
  }
  ExprPtr operation(SourcePos pos, Operator op, std::vector<ExprPtr> args) {
    auto e = node(Expr::Kind::op, pos);
    e->op = op;
    e->args = std::move(args);
    return e;
  }

  struct Deeper {
    explicit Deeper(Parser* p) : parser(p) {
      if (++p->depth_ > kMaxDepth) {
        p->fail(p->peek().pos,
                "the expression is nested too deeply; split it with "
                "definitions");
      }
    }
    ~Deeper() { --parser->depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Parser* parser;
  };

  ExprPtr expression() {
    const Deeper deeper(this);
    return disjunction();
  }

  ExprPtr disjunction() {
    ExprPtr e = conjunction();
    while (is("or")) {
      const Token op = take();
      e = operation(op.pos, Operator::logical_or, {e, conjunction()});
    }
    return e;
  }

  ExprPtr conjunction() {
    ExprPtr e = negation();
    while (is("and")) {
      const Token op = take();
      e = operation(op.pos, Operator::logical_and, {e, negation()});
    }
    return e;
  }

  ExprPtr negation() {
    if (!is("not")) return comparison();
    const Deeper deeper(this);
    const Token op = take();
    return operation(op.pos, Operator::logical_not, {negation()});
  }

  static std::optional<Operator> comparison_at(const Token& t) {
    if (t.kind != Token::Kind::symbol) return std::nullopt;
    const auto op = find_binary_operator(t.text);
    return op && comparison_of(*op) ? op : std::nullopt;
  }

  // A chain `a <= b < c` becomes `a <= b and b < c`.
  ExprPtr comparison() {
    ExprPtr left = additive();
    ExprPtr all;
    while (true) {
      const Token op = peek();
      ExprPtr link;
      if (const auto compares = comparison_at(op)) {
        take();
        ExprPtr right = additive();
        link = operation(op.pos, *compares, {left, right});
        left = right;
      } else if (is("in") || (is("not") && is("in", 1))) {
        const bool negated = accept("not");
        take();
        link = operation(op.pos, Operator::in, {left, additive()});
        if (negated) link = operation(op.pos, Operator::logical_not, {link});
      } else {
        break;
      }
      all = all ? operation(op.pos, Operator::logical_and, {all, link}) : link;
    }
    return all ? all : left;
  }

  ExprPtr additive() {
    ExprPtr e = multiplicative();
    while (is("+") || is("-")) {
      const Token op = take();
      e = operation(op.pos, *find_binary_operator(op.text),
                    {e, multiplicative()});
    }
    return e;
  }

  ExprPtr multiplicative() {
    ExprPtr e = unary();
    while (is("*") || is("/") || is("//") || is("%")) {
      const Token op = take();
      e = operation(op.pos, *find_binary_operator(op.text), {e, unary()});
    }
    return e;
  }

  ExprPtr unary() {
    if (is("-")) {
      const Deeper deeper(this);
      const Token op = take();
      return operation(op.pos, Operator::neg, {unary()});
    }
    if (is("+")) fail(peek().pos, "there is no unary '+'; remove it");
    return postfix();
  }

  ExprPtr postfix() {
    ExprPtr e = primary();
    while (is("[")) {
      const Token open = take();
      auto access = node(Expr::Kind::access, e->pos);
      access->args = {e};
      if (!is("]")) {
        do access->args.push_back(expression());
        while (accept(","));
      }
      expect("]", "to close the index");
      e = access;
    }
    // Lists and indices spread every list that stands in them, so the dots
    // add nothing to the tree.
    accept("...");
    return e;
  }

  ExprPtr primary() {
    const Token t = peek();
    switch (t.kind) {
      case Token::Kind::integer: {
        take();
        auto e = node(Expr::Kind::integer, t.pos, t.text);
        e->integer = t.integer;
        e->number = t.number;
        return e;
      }
      case Token::Kind::real:
        take();
        return real(t, t.number);
      case Token::Kind::string:
        take();
        return node(Expr::Kind::string, t.pos, t.text);
      case Token::Kind::pack:
        take();
        return node(Expr::Kind::pack, t.pos, t.text);
      case Token::Kind::name:
        return named();
      case Token::Kind::symbol:
        if (t.text == "(") {
          take();
          ExprPtr e = expression();
          expect(")", "to close the parenthesis");
          return e;
        }
        if (t.text == "[") return list();
        break;
      case Token::Kind::end:
        break;
    }
    fail(t.pos, "expected a value, found " + spell(t));
  }

  ExprPtr real(const Token& t, double value) {
    auto e = node(Expr::Kind::real, t.pos, t.text);
    e->number = value;
    return e;
  }

  ExprPtr list() {
    auto e = node(Expr::Kind::list, take().pos);
    if (!is("]")) {
      do e->args.push_back(expression());
      while (accept(","));
    }
    expect("]", "to close the list");
    return e;
  }

  ExprPtr named() {
    const Token t = take();
    if (is("(")) {
      if (t.text == "fold" && has_ranges()) return fold(t.pos);
      const auto r = find_reduction(t.text);
      return r && has_ranges() ? reduction(t.pos, *r) : call(t);
    }
    if (t.text == "inf") {
      return real(t, std::numeric_limits<double>::infinity());
    }
    if (t.text == "nan") {
      return real(t, std::numeric_limits<double>::quiet_NaN());
    }
    if (t.text == "pi") return real(t, std::numbers::pi);
    if (t.text == "and" || t.text == "or" || t.text == "in" ||
        t.text == "not") {
      fail(t.pos, "expected a value, found '" + t.text + "'");
    }
    return node(Expr::Kind::name, t.pos, t.text);
  }

  // At "(": does its own level hold a ':'?
  bool has_ranges() const {
    int depth = 0;
    for (std::size_t i = next_; i < tokens_.size(); ++i) {
      const Token& t = tokens_[i];
      if (t.kind != Token::Kind::symbol) continue;
      if (t.text == "(" || t.text == "[") ++depth;
      if ((t.text == ")" || t.text == "]") && --depth == 0) return false;
      if (t.text == ":" && depth == 1) return true;
    }
    return false;
  }

  ExprPtr call(const Token& name) {
    const Deeper deeper(this);
    take();
    auto e = node(Expr::Kind::call, name.pos, name.text);
    e->function = find_function(name.text);
    const bool known = e->function != FunctionId::unknown;
    if (!known && find_reduction(name.text)) {
      fail(name.pos, "'" + name.text + "' needs ranges and a ':', as in " +
                         name.text + "(k < K: x[k])");
    }
    if (e->function == FunctionId::inside) {
      e->args.push_back(expression());
      expect(",", "after the element");
      expect("else", "before the alternative, inside(a[i], else 0)");
      e->args.push_back(expression());
    } else if (!is(")")) {
      do e->args.push_back(expression());
      while (accept(","));
    }
    if (is(":")) {
      fail(peek().pos, "'" + name.text +
                           "' is no reduction, so no ':' may "
                           "stand in its arguments");
    }
    expect(")", "to close the arguments");
    return e;
  }

  ExprPtr reduction(SourcePos pos, Reduction which) {
    const Deeper deeper(this);
    take();
    auto e = node(Expr::Kind::reduce, pos);
    e->reduction = which;
    do e->binders.push_back(binder(true));
    while (accept(","));
    expect(":", "after the ranges");
    e->args = {expression()};
    expect(")", "to close the reduction");
    return e;
  }

  // `fold(k < n, p... = i...: put(p..., k, 0))`.
  ExprPtr fold(SourcePos pos) {
    const Deeper deeper(this);
    take();
    auto e = node(Expr::Kind::fold, pos);
    e->binders.push_back(binder(true));
    if (e->binders[0].pack || e->binders[0].from) {
      fail(pos, "a fold counts its steps, as in k < n");
    }
    expect(",", "after the steps of a fold");
    const SourcePos at = peek().pos;
    e->binders.push_back(binder(false));
    if (!e->binders[1].pack || e->binders[1].to) {
      fail(at, "a fold builds a pack from its start, as in p... = i...");
    }
    expect("=", "before the start of a fold's pack, p... = i...");
    e->binders[1].from = expression();
    expect(":", "after the start of a fold's pack");
    e->args = {expression()};
    expect(")", "to close the fold");
    return e;
  }

  Binder binder(bool bounded) {
    const Token t = peek();
    if (t.kind != Token::Kind::name && t.kind != Token::Kind::pack) {
      fail(t.pos, "expected the name of an index, found " + spell(t));
    }
    if (is_reserved(t.text)) {
      fail(t.pos, "'" + t.text + "' cannot name an index");
    }
    take();
    Binder b;
    b.name = t.text;
    b.pack = t.kind == Token::Kind::pack;
    if (accept("<")) {
      b.to = additive();
      if (is("<") || is("<=")) {
        fail(peek().pos, "a range has one '<'; write k from a to b");
      }
    } else if (is("from")) {
      const Token from = take();
      if (b.pack) {
        fail(from.pos, "a pack's range is written " + b.name + "... < SHAPE");
      }
      b.from = additive();
      expect("to", "between the two bounds");
      b.to = additive();
    } else if (is("<=")) {
      fail(peek().pos, "a range excludes its end: write '<'");
    } else if (bounded) {
      fail(t.pos, "index '" + t.text + "' needs a range, as in " + t.text +
                      (b.pack ? "... < SHAPE" : " < n"));
    }
    return b;
  }

  Definition definition() {
    const Token t = peek();
    if (t.kind != Token::Kind::name) {
      fail(t.pos, "expected a definition, name[i, j] = ..., found " + spell(t));
    }
    if (is_reserved(t.text)) {
      fail(t.pos, "'" + t.text + "' cannot name a definition");
    }
    take();
    Definition d;
    d.name = t.text;
    d.pos = t.pos;
    expect("[", "after the name of a definition (name[] if it has no index)");
    std::set<std::string> seen;
    if (!is("]")) {
      do {
        const SourcePos pos = peek().pos;
        d.indices.push_back(binder(false));
        if (!seen.insert(d.indices.back().name).second) {
          fail(pos, "index '" + d.indices.back().name + "' stands twice");
        }
      } while (accept(","));
    }
    expect("]", "to close the indices");
    if (is("==")) fail(peek().pos, "a definition is written with one '='");
    expect("=", "after the indices");
    d.body = expression();
    return d;
  }

  std::vector<Fault>* faults_;
  std::vector<Token> tokens_;
  bool lexed_ = false;
  std::size_t next_ = 0;
  int depth_ = 0;
  int nodes_ = 0;
};

Error first_error(const std::vector<Fault>& faults) {
  const Fault& f = faults.front();
  return {"column " + std::to_string(f.pos.column) + ": " + f.message};
}

}  // namespace

bool is_reserved(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

ExprPtr parse_expr(const LocatedText& text, std::vector<Fault>* faults) {
  return Parser(text, faults).whole();
}

std::vector<Definition> parse_definitions(const LocatedText& text,
                                          std::vector<Fault>* faults) {
  return Parser(text, faults).definitions();
}

Result<ExprPtr> parse_expr(std::string_view text) {
  std::vector<Fault> faults;
  ExprPtr e = parse_expr(LocatedText::plain(text), &faults);
  if (!faults.empty()) return first_error(faults);
  return e;
}

Result<std::vector<Definition>> parse_definitions(std::string_view text) {
  std::vector<Fault> faults;
  std::vector<Definition> d =
      parse_definitions(LocatedText::plain(text), &faults);
  if (!faults.empty()) return first_error(faults);
  return d;
}

}  // namespace assay::language
