#include "suite/language/syntax/lexer.h"

#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

namespace assay::language {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_word(char c) { return is_letter(c) || is_digit(c); }

constexpr std::array<std::string_view, 7> kLongSymbols = {
    "...", "//", "==", "!=", "<=", ">=", "**"};
constexpr std::string_view kSymbols = "+-*/%<>()[],:;=";

class Lexer {
 public:
  Lexer(const LocatedText& text, std::vector<Fault>* faults)
      : text_(text), s_(text.text), faults_(faults) {}

  std::vector<Token> run() {
    while (true) {
      skip_space();
      if (at_ >= s_.size()) break;
      Token t;
      t.begin = at_;
      t.pos = text_.pos(at_);
      if (!one(&t)) break;
      t.end = at_;
      tokens_.push_back(std::move(t));
    }
    Token end;
    end.begin = end.end = at_;
    end.pos = text_.pos(at_);
    tokens_.push_back(end);
    return std::move(tokens_);
  }

 private:
  void skip_space() {
    while (at_ < s_.size() && (s_[at_] == ' ' || s_[at_] == '\t' ||
                               s_[at_] == '\n' || s_[at_] == '\r')) {
      ++at_;
    }
  }

  bool fail(std::size_t where, std::string message) {
    faults_->push_back({text_.pos(where), std::move(message)});
    return false;
  }

  bool one(Token* t) {
    const char c = s_[at_];
    if (is_digit(c) ||
        (c == '.' && at_ + 1 < s_.size() && is_digit(s_[at_ + 1]))) {
      return number(t);
    }
    if (is_letter(c)) return name(t);
    if (c == '"' || c == '\'') return quoted(t);
    return symbol(t);
  }

  bool number(Token* t) {
    const std::size_t begin = at_;
    const bool hex = s_[at_] == '0' && at_ + 1 < s_.size() &&
                     (s_[at_ + 1] == 'x' || s_[at_ + 1] == 'X');
    bool real = hex;
    if (hex) at_ += 2;
    while (at_ < s_.size()) {
      const char c = s_[at_];
      const char before = at_ > begin ? s_[at_ - 1] : '\0';
      const bool exponent_sign =
          (c == '+' || c == '-') && (hex ? before == 'p' || before == 'P'
                                         : before == 'e' || before == 'E');
      if (c == '.' && s_.substr(at_, 3) == "...") break;
      if (!is_word(c) && c != '.' && !exponent_sign) break;
      if (c == '.' || (!hex && (c == 'e' || c == 'E'))) real = true;
      ++at_;
    }
    t->text = std::string(s_.substr(begin, at_ - begin));
    const char* first = t->text.data() + (hex ? 2 : 0);
    const char* last = t->text.data() + t->text.size();
    if (!real) {
      const auto r = std::from_chars(first, last, t->integer);
      if (r.ec == std::errc::result_out_of_range) {
        return fail(begin, "the integer " + t->text +
                               " does not fit 64 bits; write it as a decimal");
      }
      if (r.ec == std::errc() && r.ptr == last) {
        t->kind = Token::Kind::integer;
        t->number = static_cast<double>(t->integer);
        return true;
      }
    } else if (!hex || t->text.find_first_of("pP") != std::string::npos) {
      const auto r = std::from_chars(
          first, last, t->number,
          hex ? std::chars_format::hex : std::chars_format::general);
      if (r.ec == std::errc() && r.ptr == last) {
        t->kind = Token::Kind::real;
        return true;
      }
      if (r.ec == std::errc::result_out_of_range) {
        return fail(begin, "the number " + t->text +
                               " does not fit f64; write inf or 0.0 if that "
                               "is meant");
      }
    }
    return fail(begin, "'" + t->text +
                           "' is no number; expected an integer, a decimal "
                           "or a hex float such as 0x1.8p-3");
  }

  bool name(Token* t) {
    const std::size_t begin = at_;
    while (at_ < s_.size() && is_word(s_[at_])) ++at_;
    t->text = std::string(s_.substr(begin, at_ - begin));
    t->kind = Token::Kind::name;
    if (s_.substr(at_, 3) == "...") {
      at_ += 3;
      t->kind = Token::Kind::pack;
    }
    return true;
  }

  bool quoted(Token* t) {
    const std::size_t begin = at_;
    const char quote = s_[at_++];
    const std::size_t end = s_.find(quote, at_);
    if (end == std::string_view::npos) {
      return fail(begin, std::string("the string that begins here has no "
                                     "closing ") +
                             quote);
    }
    t->kind = Token::Kind::string;
    t->text = std::string(s_.substr(at_, end - at_));
    at_ = end + 1;
    return true;
  }

  bool symbol(Token* t) {
    t->kind = Token::Kind::symbol;
    for (const std::string_view long_symbol : kLongSymbols) {
      if (!s_.substr(at_).starts_with(long_symbol)) continue;
      const char before = at_ > 0 ? s_[at_ - 1] : ' ';
      if (long_symbol == "..." && before != ')' && before != ']') {
        return fail(at_, "'...' must follow a name or a list, as in i...");
      }
      if (long_symbol == "**") {
        return fail(at_, "there is no '**'; write the product, x * x");
      }
      t->text = long_symbol;
      at_ += long_symbol.size();
      return true;
    }
    const char c = s_[at_];
    if (kSymbols.find(c) != std::string_view::npos) {
      t->text = std::string(1, c);
      ++at_;
      return true;
    }
    if (c == '!') return fail(at_, "'!' means nothing here; write not or !=");
    if (c == '&' || c == '|') {
      return fail(at_, std::string("'") + c + "' means nothing here; write " +
                           (c == '&' ? "and" : "or"));
    }
    const bool printable = c > ' ' && c < 127;
    return fail(at_, (printable ? std::string("the character '") + c + "'"
                                : "a character that is not printable ASCII") +
                         " has no meaning in an expression; remove it");
  }

  const LocatedText& text_;
  std::string_view s_;
  std::vector<Fault>* faults_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(const LocatedText& text,
                            std::vector<Fault>* faults) {
  return Lexer(text, faults).run();
}

std::string spell(const Token& token) {
  switch (token.kind) {
    case Token::Kind::end:
      return "the end";
    case Token::Kind::string:
      return "the string '" + token.text + "'";
    case Token::Kind::pack:
      return "'" + token.text + "...'";
    default:
      return "'" + token.text + "'";
  }
}

}  // namespace assay::language
