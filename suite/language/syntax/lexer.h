// Tokens of the expression language.
#ifndef ASSAY_SUITE_LANGUAGE_SYNTAX_LEXER_H_
#define ASSAY_SUITE_LANGUAGE_SYNTAX_LEXER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "suite/language/syntax/located_text.h"

namespace assay::language {

struct Token {
  enum class Kind { integer, real, string, name, pack, symbol, end };
  Kind kind = Kind::end;
  std::string text;  // of a string: its content
  std::int64_t integer = 0;
  double number = 0;
  SourcePos pos;
  std::size_t begin = 0, end = 0;  // in the text
};

// The tokens of `text`, closed by one of kind `end`. On a fault the rest of
// the text is dropped.
std::vector<Token> tokenize(const LocatedText& text,
                            std::vector<Fault>* faults);

// How a token is named in messages: "'<='", "the end".
std::string spell(const Token& token);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SYNTAX_LEXER_H_
