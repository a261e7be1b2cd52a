// A text that knows where each of its characters stands in a file, so that a
// fault inside an expression is reported at its own line and column.
#ifndef ASSAY_SUITE_LANGUAGE_SYNTAX_LOCATED_TEXT_H_
#define ASSAY_SUITE_LANGUAGE_SYNTAX_LOCATED_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "suite/language/syntax/expr.h"

namespace assay::language {

struct LocatedText {
  std::string text;
  // One position per character and one for the end; may be shorter, then the
  // last one counts columns onwards. Empty: not from a file.
  std::vector<SourcePos> at;

  SourcePos pos(std::size_t offset) const;
  LocatedText part(std::size_t begin, std::size_t end) const;
  // Drops the positions that pos() works out without them.
  void shorten();

  // Text that begins at `start` and is written there as it is.
  static LocatedText plain(std::string_view text, SourcePos start = {1, 1});
};

// A fault in a text: where, and what to do.
struct Fault {
  SourcePos pos;
  std::string message;  // what was found, what was expected
};

// A fault of a file that messages name.
struct Diagnostic {
  std::string file;
  SourcePos pos;
  std::string message;
};

// "file:line:column: message"
std::string to_string(const Diagnostic& d);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SYNTAX_LOCATED_TEXT_H_
