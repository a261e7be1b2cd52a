// Calls of programs and contexts: `name: aten.op.overload(args)`.
#include <algorithm>
#include <limits>

#include "suite/lexer.h"
#include "suite/read_op.h"

namespace assay {
namespace {

struct Stop {};  // thrown after a fault was recorded, caught in this file

class CallParser {
 public:
  CallParser(const LocatedText& text, Faults* faults)
      : text_(text), faults_(faults) {}

  bool run(Step* step) {
    const std::size_t open = text_.text.find('(');
    if (open == std::string::npos) {
      faults_->push_back({text_.pos(0),
                          "expected a call, "
                          "aten.add.Tensor(x, y), found '" +
                              text_.text + "'"});
      return false;
    }
    step->op = text_.text.substr(0, open);
    step->pos = text_.pos(0);
    const std::size_t before = faults_->size();
    tokens_ = tokenize(text_.part(open, text_.text.size()), faults_);
    if (faults_->size() != before) return false;
    try {
      take();  // "("
      if (!is(")")) {
        do argument(step);
        while (accept(","));
      }
      expect(")");
      if (peek().kind != Token::Kind::end) fail("the end");
      return true;
    } catch (const Stop&) {
      return false;
    }
  }

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  Token take() {
    Token t = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return t;
  }
  bool is(const char* symbol, std::size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::symbol &&
           peek(ahead).text == symbol;
  }
  bool accept(const char* symbol) {
    if (!is(symbol)) return false;
    take();
    return true;
  }
  [[noreturn]] void fail(const std::string& expected) {
    faults_->push_back(
        {peek().pos, "expected " + expected + ", found " + spell(peek())});
    throw Stop{};
  }
  void expect(const char* symbol) {
    if (!accept(symbol)) fail("',' or '" + std::string(symbol) + "'");
  }

  void argument(Step* step) {
    if (peek().kind == Token::Kind::name && is("=", 1)) {
      const Token name = take();
      take();
      const bool twice =
          std::any_of(step->kwargs.begin(), step->kwargs.end(),
                      [&name](const auto& k) { return k.first == name.text; });
      if (twice) {
        faults_->push_back({name.pos, "argument '" + name.text +
                                          "' stands twice; remove one"});
        throw Stop{};
      }
      step->kwargs.emplace_back(name.text, value(0));
      return;
    }
    if (!step->kwargs.empty()) {
      fail("name=value, because an argument before is passed by name");
    }
    step->args.push_back(value(0));
  }

  StepArg value(int depth) {
    if (depth > 8) fail("a list that is not nested so deeply");
    const Token t = peek();
    switch (t.kind) {
      case Token::Kind::name:
        take();
        return name(t.text);
      case Token::Kind::pack:
        take();
        return {t.text + "..."};
      case Token::Kind::string:
        take();
        return {Arg(t.text)};
      case Token::Kind::integer:
        take();
        return {Arg(t.integer)};
      case Token::Kind::real:
        take();
        return {Arg(t.number)};
      case Token::Kind::symbol:
        if (t.text == "-") return negative();
        if (t.text == "[") return list(depth);
        break;
      case Token::Kind::end:
        break;
    }
    fail("an argument: a name, a literal or a list");
  }

  static StepArg name(const std::string& text) {
    if (text == "none") return {Arg(None{})};
    if (text == "true") return {Arg(true)};
    if (text == "false") return {Arg(false)};
    if (text == "inf") return {Arg(std::numeric_limits<double>::infinity())};
    if (text == "nan") return {Arg(std::numeric_limits<double>::quiet_NaN())};
    if (const auto t = parse_dtype(text)) return {Arg(*t)};
    return {text};
  }

  StepArg negative() {
    take();
    const Token t = take();
    if (t.kind == Token::Kind::integer) return {Arg(-t.integer)};
    if (t.kind == Token::Kind::real) return {Arg(-t.number)};
    if (t.kind == Token::Kind::name && t.text == "inf") {
      return {Arg(-std::numeric_limits<double>::infinity())};
    }
    --next_;
    fail("a number after '-'");
  }

  // A list of integers alone is an Arg, so is the empty list.
  StepArg list(int depth) {
    take();
    StepArgList items;
    if (!is("]")) {
      do items.push_back(value(depth + 1));
      while (accept(","));
    }
    expect("]");
    std::vector<std::int64_t> ints;
    for (const StepArg& item : items) {
      const auto* arg = std::get_if<Arg>(&item.value);
      const auto* i = arg ? std::get_if<std::int64_t>(arg) : nullptr;
      if (i == nullptr) return {std::move(items)};
      ints.push_back(*i);
    }
    return {Arg(std::move(ints))};
  }

  const LocatedText& text_;
  Faults* faults_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<Step> read_steps(const YamlNode& n, Faults* faults) {
  std::vector<Step> out;
  if (!n.is_map() || n.fields.empty()) {
    faults->push_back({n.pos,
                       "expected steps, name: aten.neg.default(x), "
                       "found " +
                           n.describe()});
    return out;
  }
  for (const auto& [key, body] : n.fields) {
    Step s;
    s.name = key.text.text;
    if (!is_identifier(s.name) || parse_dtype(s.name)) {
      faults->push_back({key.pos, "'" + s.name + "' cannot name a step"});
    }
    if (!body.is_scalar()) {
      faults->push_back({body.pos,
                         "expected a call, aten.neg.default(x), "
                         "found " +
                             body.describe()});
      continue;
    }
    // A call that cannot be read still defines its name; it has no op.
    if (!CallParser(body.text, faults).run(&s)) s.op.clear();
    out.push_back(std::move(s));
  }
  return out;
}

}  // namespace assay
