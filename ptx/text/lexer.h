// PTX text to tokens. A word is everything that PTX spells with letters,
// digits, $, %, _ and dots: "ld.global.v2.f32", "%tid.x", ".reg", "$L__BB0_1".
#ifndef ASSAY_PTX_TEXT_LEXER_H_
#define ASSAY_PTX_TEXT_LEXER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace assay::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    word,
    integer,  // bits
    real32,   // bits
    real64,   // bits
    string,
    mark,  // one character
    end,
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint64_t bits = 0;
  int line = 0;

  bool is(char c) const { return kind == Kind::mark && text[0] == c; }
  bool is(std::string_view word) const {
    return kind == Kind::word && text == word;
  }
};

// The tokens point into `text`. The last one is of kind end.
Result<std::vector<Token>> tokenize(std::string_view text);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_TEXT_LEXER_H_
