#include "harness/fuzz/column.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

CaseResult failure(const std::string& clause, FailureClass f) {
  CaseResult r;
  r.case_path = "fuzz/1/2";
  r.status = CellStatus::fail;
  r.failure = f;
  r.clause = clause;
  r.error_over_bound = 1e9;
  return r;
}

// An entry's cases and largest error are those of the suite; its operation,
// clause, status and class say what is known of a random program, too.
TEST(KnownOfRandomPrograms, GoByOperationClauseAndClass) {
  const auto list = parse_known("list.yaml",
                                "entries:\n"
                                "- op: exp*\n"
                                "  clause: exp/A1\n"
                                "  status: fail\n"
                                "  class: wrong_value\n"
                                "  cases: 'exp/C1/*'\n"
                                "  max_error: 4\n"
                                "  reason: tested\n"
                                "  link: https://example.com\n",
                                {});
  ASSERT_TRUE(list) << list.error().message;
  FuzzColumn c;
  c.known = *list;
  const auto wrong = FailureClass::wrong_value;
  EXPECT_TRUE(is_known(c, failure("exp/A1", wrong), "exp"));
  EXPECT_FALSE(is_known(c, failure("exp/A2", wrong), "exp"));
  EXPECT_FALSE(is_known(c, failure("exp/A1", wrong), "log"));
  EXPECT_FALSE(is_known(c, failure("exp/A1", FailureClass::elided), "exp"));
}

}  // namespace
}  // namespace assay::harness
