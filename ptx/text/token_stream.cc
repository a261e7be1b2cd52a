#include "ptx/text/token_stream.h"

#include <algorithm>

namespace assay::ptx {

const Token& TokenStream::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& TokenStream::take() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool TokenStream::take_if(char mark) {
  if (!peek().is(mark)) return false;
  take();
  return true;
}

bool TokenStream::take_if(std::string_view word) {
  if (!peek().is(word)) return false;
  take();
  return true;
}

void TokenStream::expect(char mark) {
  if (!take_if(mark)) fail(std::string("'") + mark + "'");
}

std::string TokenStream::expect_word(std::string_view what) {
  if (peek().kind != Token::Kind::word) fail(what);
  return std::string(take().text);
}

std::uint64_t TokenStream::expect_integer(std::string_view what) {
  if (peek().kind != Token::Kind::integer) fail(what);
  return take().bits;
}

std::int64_t TokenStream::expect_signed(std::string_view what) {
  // "[%rd1+-4]" is what compilers write.
  take_if('+');
  bool negative = take_if('-');
  std::uint64_t value = expect_integer(what);
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

void TokenStream::skip_past(char mark) {
  while (!take_if(mark)) {
    if (peek().kind == Token::Kind::end) fail(std::string("'") + mark + "'");
    take();
  }
}

void TokenStream::skip_line() {
  int line = peek().line;
  while (peek().kind != Token::Kind::end && peek().line == line) take();
}

void TokenStream::skip_braces() {
  expect('{');
  for (int depth = 1; depth > 0;) {
    if (peek().kind == Token::Kind::end) fail("'}'");
    const Token& token = take();
    if (token.is('{')) ++depth;
    if (token.is('}')) --depth;
  }
}

void TokenStream::fail(std::string_view expected) const {
  const Token& token = peek();
  std::string found = token.kind == Token::Kind::end
                          ? "the end of the text"
                          : "\"" + std::string(token.text) + "\"";
  throw SyntaxError{"PTX line " + std::to_string(token.line) + ": expected " +
                    std::string(expected) + ", found " + found};
}

}  // namespace assay::ptx
