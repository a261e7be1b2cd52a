#include "suite/language/format/flow.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "suite/language/format/scalar.h"

namespace assay::language {
namespace {

constexpr auto npos = std::string::npos;

bool one_of(const char* characters, char c) {
  return std::string_view(characters).find(c) != npos;
}

// Past `${name}` if one begins at `at`, else `at`.
std::size_t placeholder_end(const std::string& text, std::size_t at) {
  if (text.compare(at, 2, "${") != 0) return at;
  std::size_t end = at + 2;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) ||
          text[end] == '_')) {
    ++end;
  }
  const bool closed = end > at + 2 && end < text.size() && text[end] == '}';
  return closed ? end + 1 : at;
}

// `at` itself where a colon stands there that separates a key from its value.
std::size_t plain_end(const std::string& text, std::size_t at) {
  if (text[at] == ':' && one_of("\"'", text[at - 1])) return at;
  const bool name = one_of("&*", text[at]);
  std::size_t i = at;
  while (i < text.size()) {
    const char c = text[i];
    const char after = i + 1 < text.size() ? text[i + 1] : ' ';
    const std::size_t past = placeholder_end(text, i);
    if (past == i) {
      if (one_of(",[]{}", c) || (name && one_of(" \n", c))) break;
      if (c == ':' && one_of(" \t\n,[]{}", after)) break;
      if (c == '#' && i > at && one_of(" \t\n", text[i - 1])) break;
    }
    i = std::max(past, i + 1);
  }
  return i == at ? at : text.find_last_not_of(" \t\n", i - 1) + 1;
}

struct Token {
  enum class Kind { open, close, comma, colon, text, comment };
  Kind kind;
  std::string text;
  std::size_t space = 0;  // before it in its line
  bool first = false;     // of its line

  // Comments count for nothing: they never move to another line.
  std::size_t width() const {
    return kind == Kind::comment ? 0 : columns_of(text);
  }
  int nesting() const { return (kind == Kind::open) - (kind == Kind::close); }
};
using Kind = Token::Kind;

Token next_token(const std::string& text, std::size_t* at) {
  const std::size_t begin = *at;
  const char c = text[begin];
  const auto token = [&](Kind kind, std::size_t end) {
    *at = end;
    return Token{kind, joined(text.substr(begin, end - begin))};
  };
  if (one_of("[{", c)) return token(Kind::open, begin + 1);
  if (one_of("]}", c)) return token(Kind::close, begin + 1);
  if (c == ',') return token(Kind::comma, begin + 1);
  if (one_of("\"'", c)) return token(Kind::text, quoted_end(text, begin));
  if (c == '#') {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    return token(Kind::comment, text.find_last_not_of(" \t", end - 1) + 1);
  }
  const std::size_t end = plain_end(text, begin);
  return end == begin ? token(Kind::colon, begin + 1) : token(Kind::text, end);
}

std::vector<Token> take_tokens(const std::string& text, std::size_t* at) {
  std::vector<Token> tokens;
  int depth = 0;
  do {
    const std::size_t begin =
        std::min(text.find_first_not_of(" \t\n", *at), text.size());
    const std::string_view space(text.data() + *at, begin - *at);
    *at = begin;
    if (begin == text.size()) break;
    tokens.push_back(next_token(text, at));
    tokens.back().first = space.find('\n') != npos;
    tokens.back().space = space.size();
    depth += tokens.back().nesting();
  } while (depth > 0);
  return tokens;
}

class Setter {
 public:
  Setter(std::vector<Token> tokens, std::size_t column, std::size_t indent)
      : tokens_(std::move(tokens)), column_(column), indent_(indent) {}

  std::string run() {
    break_lines(true);
    if (!fits()) fill();
    std::string out;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const bool comment = tokens_[i].kind == Kind::comment;
      const std::size_t space =
          comment ? std::max<std::size_t>(tokens_[i].space, 2) : gap(i);
      out += breaks_[i] ? '\n' + std::string(indent_, ' ')
                        : std::string(space, ' ');
      out += tokens_[i].text;
    }
    return out;
  }

 private:
  std::size_t gap(std::size_t i) const {
    const Kind kind = tokens_[i].kind;
    return i > 0 && tokens_[i - 1].kind != Kind::open &&
           (kind == Kind::open || kind == Kind::text);
  }

  bool after_comma(std::size_t i) const {
    return i > 0 && tokens_[i - 1].kind == Kind::comma &&
           tokens_[i].kind != Kind::comment;
  }

  // The breaks that comments need, and those of the author.
  void break_lines(bool authors) {
    breaks_.assign(tokens_.size(), false);
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      const bool own_line =
          tokens_[i].first && tokens_[i].kind == Kind::comment;
      breaks_[i] = tokens_[i - 1].kind == Kind::comment || own_line ||
                   (authors && tokens_[i].first && after_comma(i));
    }
  }

  std::size_t column_after(std::size_t i, std::size_t column) const {
    return (breaks_[i] ? indent_ : column + gap(i)) + tokens_[i].width();
  }

  bool fits() const {
    std::size_t column = column_;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      column = column_after(i, column);
      if (column > kMaxColumns) return false;
    }
    return true;
  }

  void fill() {
    break_lines(false);
    std::size_t column = column_;
    std::size_t fitting = 0;  // up to this token all stand in the present line
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (after_comma(i) && i >= fitting) {
        const auto [width, end] = item(i);
        breaks_[i] = column + 1 + width > kMaxColumns;
        const std::size_t begin = breaks_[i] ? indent_ : column + 1;
        if (begin + width <= kMaxColumns) fitting = end;
      }
      column = column_after(i, column);
    }
  }

  // Width and end of the item that begins there, with the brackets and the
  // comma that follow it. Stops counting where no line has room for more.
  std::pair<std::size_t, std::size_t> item(std::size_t begin) const {
    std::size_t width = tokens_[begin].width();
    int depth = tokens_[begin].nesting();
    std::size_t i = begin + 1;
    for (; i < tokens_.size() && width <= kMaxColumns; ++i) {
      const bool done = tokens_[i - 1].kind == Kind::comma && depth <= 0;
      if (done) break;
      width += gap(i) + tokens_[i].width();
      depth += tokens_[i].nesting();
    }
    return {width, i};
  }

  std::vector<Token> tokens_;
  std::size_t column_;
  std::size_t indent_;
  std::vector<bool> breaks_;  // before which tokens
};

}  // namespace

std::string set_flow(const std::string& text, std::size_t* at,
                     std::size_t column, std::size_t indent) {
  return Setter(take_tokens(text, at), column, indent).run();
}

}  // namespace assay::language
