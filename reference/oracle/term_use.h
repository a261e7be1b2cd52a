// What the terms of accuracy entries are good for: at how many elements of a
// program each of them makes the acceptance set wider, and at how many nothing
// excuses how wide it is.
#ifndef ASSAY_REFERENCE_ORACLE_TERM_USE_H_
#define ASSAY_REFERENCE_ORACLE_TERM_USE_H_

#include <cstddef>
#include <map>
#include <vector>

#include "reference/oracle/oracle.h"

namespace assay::reference {

// Counts elements that the entry decides; special values are not its own.
struct TermUse {
  std::size_t elements = 0;
  std::size_t zero_sign = 0;  // that `zero_sign: any` gives another zero
  std::size_t abs = 0;        // that `abs` makes wider than `ulp` alone
  // A bound reaches the end of the format from an exact value below its last
  // binade: it is larger than the value. Partial sums that overflow do not
  // count.
  std::size_t overflow = 0;
  // `abs` beside `ulp` admits numbers beside an exact value of zero, which is
  // zero for all operands and steps that are off by 2^kRoughBits roundings.
  std::size_t beside_zero = 0;

  void add(const TermUse& other);
};

// Of the result's format. What cancels differs by more.
inline constexpr int kRoughBits = 8;

using TermUses = std::map<const language::Accuracy*, TermUse>;

// Of the nodes of a program that `zero_sign: any`, `ulp` or `abs` decides. The
// entries are those of `specs`.
Result<TermUses> term_uses(const language::SpecSet& specs,
                           const Program& program,
                           const std::vector<Tensor>& inputs,
                           const OracleOptions& options = {});

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ORACLE_TERM_USE_H_
