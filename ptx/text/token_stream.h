// The parser's view of the tokens: look, take, expect. Errors are thrown as
// SyntaxError inside of the parser and leave it as a Result.
#ifndef ASSAY_PTX_TEXT_TOKEN_STREAM_H_
#define ASSAY_PTX_TEXT_TOKEN_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/text/lexer.h"

namespace assay::ptx {

struct SyntaxError {
  std::string message;
};

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens)
      : tokens_(std::move(tokens)) {}

  const Token& peek(std::size_t ahead = 0) const;
  const Token& take();
  bool take_if(char mark);
  bool take_if(std::string_view word);
  void expect(char mark);
  std::string expect_word(std::string_view what);
  std::uint64_t expect_integer(std::string_view what);
  std::int64_t expect_signed(std::string_view what);
  // Up to the next mark of that kind, and that, too.
  void skip_past(char mark);
  // Everything that stands on the next token's line.
  void skip_line();
  // From an opening brace to the one that closes it.
  void skip_braces();
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace assay::ptx

#endif  // ASSAY_PTX_TEXT_TOKEN_STREAM_H_
