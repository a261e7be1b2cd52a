// Where the characters of a YAML scalar stand in its file: they come in the
// same order, with folding, indentation and escapes in between.
#ifndef ASSAY_SUITE_LANGUAGE_SYNTAX_YAML_ALIGN_H_
#define ASSAY_SUITE_LANGUAGE_SYNTAX_YAML_ALIGN_H_

#include <string>
#include <vector>

#include "suite/language/syntax/expr.h"

namespace assay::language {

class Aligner {
 public:
  // Keeps a reference to `source`.
  explicit Aligner(const std::string& source);

  // One position per character of `value` and one for its end. `start` is
  // where the scalar begins, its quote or its '|' included; `quoted` is false
  // for plain scalars.
  std::vector<SourcePos> align(const std::string& value, SourcePos start,
                               bool quoted) const;

 private:
  std::size_t offset(SourcePos pos) const;
  SourcePos position(std::size_t p) const;
  char source(std::size_t p) const;
  // The place of `c`, the value's next character; moves *p past it.
  SourcePos one(char c, char style, std::size_t* p) const;

  const std::string& source_;
  std::vector<std::size_t> starts_;  // of lines
};

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SYNTAX_YAML_ALIGN_H_
