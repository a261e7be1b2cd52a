// Relations: promises about all results of a call together, where no formula
// says what each of them is. A factorisation multiplies back to its operand
// within its backward error, a permutation has each number once. The oracle
// evaluates them from what was returned, as it does for coherence.
#ifndef ASSAY_HARNESS_JUDGE_RELATIONS_H_
#define ASSAY_HARNESS_JUDGE_RELATIONS_H_

#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "harness/judge/golden_source.h"
#include "reference/oracle/oracle.h"

namespace assay::harness {

// The sets of a program's relations, given what was returned: `related` is
// language::related_program of `program`, `base` the program's golden, asked
// for with `asked`. None where what was returned has other types than due.
Result<std::vector<reference::GoldenOutput>> judged_relations(
    const Program& program, const Program& related,
    const std::vector<Tensor>& inputs, const reference::Golden& base,
    const std::vector<Tensor>& returned, const GoldenSource& oracle,
    reference::OracleOptions asked);

// An element of a relation that is not true, and how many there are of it.
struct BrokenRelation {
  std::string clause;  // "linalg_cholesky/R1"
  std::string place;   // "[0,1]"
  std::int64_t broken = 0;
  std::int64_t elements = 0;
};
// The first relation that does not hold.
std::optional<BrokenRelation> broken_relation(
    const std::vector<reference::GoldenOutput>& relations);

// Why the relations could not tell right from wrong: they hold of zeros,
// infinities or the inputs as results. Empty if they can, and where half of a
// case's elements may admit such an answer (`share`).
std::string relation_vacuity(const Program& program, const Program& related,
                             const std::vector<Tensor>& inputs,
                             const reference::Golden& base,
                             const GoldenSource& oracle,
                             const reference::OracleOptions& asked,
                             double share);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_RELATIONS_H_
