// A text that knows where each of its characters stands in a file, so that a
// fault inside an expression is reported at its own line and column.
#ifndef ASSAY_SUITE_LOCATED_TEXT_H_
#define ASSAY_SUITE_LOCATED_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "suite/expr.h"

namespace assay {

struct LocatedText {
  std::string text;
  // One position per character and one for the end; may be shorter, then the
  // last one counts columns onwards. Empty: not from a file.
  std::vector<SourcePos> at;

  SourcePos pos(std::size_t offset) const;
  LocatedText part(std::size_t begin, std::size_t end) const;

  // Text that begins at `start` and is written there as it is.
  static LocatedText plain(std::string_view text, SourcePos start = {1, 1});
};

// A fault in a text: where, and what to do.
struct Fault {
  SourcePos pos;
  std::string message;
};

}  // namespace assay

#endif  // ASSAY_SUITE_LOCATED_TEXT_H_
