#include "ptx/text/lexer.h"

#include <bit>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdlib>

namespace assay::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         c == '$';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> tokens;
    while (skip_blanks()) {
      begin_ = at_;
      Token token;
      token.line = line_;
      char c = text_[at_];
      if (is_digit(c)) {
        if (!number(token)) return complain("a number");
      } else if (is_letter(c) || c == '%' || c == '.') {
        word();
        token.kind = Token::Kind::word;
      } else if (c == '"') {
        std::size_t close = text_.find('"', at_ + 1);
        if (close == text_.npos) return complain("the end of a string");
        at_ = close + 1;
        token.kind = Token::Kind::string;
      } else {
        ++at_;
        token.kind = Token::Kind::mark;
      }
      token.text = text_.substr(begin_, at_ - begin_);
      tokens.push_back(token);
    }
    if (failed_) return complain("the end of a comment");
    Token last;
    last.line = line_;
    tokens.push_back(last);
    return tokens;
  }

 private:
  Error complain(std::string_view what) const {
    std::size_t end = text_.find('\n', begin_);
    if (end == text_.npos) end = text_.size();
    return {"PTX line " + std::to_string(line_) + ": expected " +
            std::string(what) + " at \"" +
            std::string(
                text_.substr(begin_, std::min<std::size_t>(end - begin_, 40))) +
            "\""};
  }

  bool starts(std::string_view what) const {
    return text_.substr(at_).starts_with(what);
  }

  // False at the end of the text. A NUL ends it, too: NVRTC counts one in.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '\0') return false;
      if (c == '\n') ++line_;
      if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
      } else if (starts("//")) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (starts("/*")) {
        begin_ = at_;
        std::size_t close = text_.find("*/", at_ + 2);
        if (close == text_.npos) {
          failed_ = true;
          return false;
        }
        for (; at_ < close + 2; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
      } else {
        return true;
      }
    }
    return false;
  }

  // A directive ends at the next dot: ".reg.b16" is two words.
  void word() {
    bool directive = text_[at_] == '.';
    ++at_;
    while (at_ < text_.size()) {
      if (is_letter(text_[at_]) || (text_[at_] == '.' && !directive)) {
        ++at_;
      } else if (starts("::")) {
        at_ += 2;  // .L2::cache_hint
      } else {
        break;
      }
    }
  }

  bool digits(int base, std::uint64_t& value) {
    const char* end = text_.data() + text_.size();
    auto [stop, error] = std::from_chars(text_.data() + at_, end, value, base);
    if (error != std::errc()) return false;
    at_ = static_cast<std::size_t>(stop - text_.data());
    return true;
  }

  // 0f and 0d take exactly 8 and 16 digits.
  bool real(Token& token, Token::Kind kind, std::size_t count) {
    at_ += 2;
    std::size_t start = at_;
    token.kind = kind;
    return digits(16, token.bits) && at_ - start == count;
  }

  bool decimal_real(Token& token) {
    std::size_t end = at_;
    auto take = [&] {
      while (end < text_.size() && is_digit(text_[end])) ++end;
    };
    take();
    bool real = false;
    if (end < text_.size() && text_[end] == '.') {
      real = true;
      ++end;
      take();
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      real = true;
      ++end;
      if (end < text_.size() && (text_[end] == '+' || text_[end] == '-')) ++end;
      take();
    }
    if (!real) return false;
    std::string copy(text_.substr(at_, end - at_));
    token.kind = Token::Kind::real64;
    token.bits =
        std::bit_cast<std::uint64_t>(std::strtod(copy.c_str(), nullptr));
    at_ = end;
    return true;
  }

  bool number(Token& token) {
    if (starts("0f") || starts("0F"))
      return real(token, Token::Kind::real32, 8);
    if (starts("0d") || starts("0D"))
      return real(token, Token::Kind::real64, 16);
    token.kind = Token::Kind::integer;
    bool fine = false;
    if (starts("0x") || starts("0X")) {
      at_ += 2;
      fine = digits(16, token.bits);
    } else if (starts("0b") || starts("0B")) {
      at_ += 2;
      fine = digits(2, token.bits);
    } else if (decimal_real(token)) {
      return true;
    } else {
      bool octal = text_[at_] == '0';
      fine = digits(octal ? 8 : 10, token.bits);
    }
    if (fine && at_ < text_.size() && text_[at_] == 'U') ++at_;
    return fine && (at_ == text_.size() || !is_letter(text_[at_]));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  int line_ = 1;
  bool failed_ = false;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text) {
  return Lexer(text).run();
}

}  // namespace assay::ptx
