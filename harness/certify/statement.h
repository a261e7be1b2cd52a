// The statement: what a person says of a submission. YAML, read strictly.
#ifndef ASSAY_HARNESS_CERTIFY_STATEMENT_H_
#define ASSAY_HARNESS_CERTIFY_STATEMENT_H_

#include <string>

#include "core/result.h"

namespace assay::harness {

struct Statement {
  std::string vendor, product, version;
  std::string device;  // of the column: "cpu-avx512"
  std::string level;
  std::string date;  // YYYY-MM-DD
  // Declarations, which the level must allow.
  bool flush_subnormals = false;     // results, to zero of the same sign
  bool subnormals_are_zero = false;  // inputs are read so, too
  std::string notes;
};

// An error gives file:line:column, all of the text at once.
Result<Statement> parse_statement(const std::string& file,
                                  const std::string& text);

// One to fill in. `device` and `level` may be empty.
std::string statement_template(const std::string& device,
                               const std::string& level,
                               const std::string& date);

// "2026-11-23", a day that the calendar has.
bool is_day(const std::string& text);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_STATEMENT_H_
