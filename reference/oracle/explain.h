// Why an element's golden is what it is: every value that it was computed
// from, with the promise that bounds it, the bound evaluated, the enclosure of
// the exact value and what is admissible.
#ifndef ASSAY_REFERENCE_ORACLE_EXPLAIN_H_
#define ASSAY_REFERENCE_ORACLE_EXPLAIN_H_

#include <cstdint>
#include <string>

#include "reference/oracle/session.h"

namespace assay::reference {

// Explains an element of value `id`. Requires check(*session); makes its nests.
Result<std::string> explain_element(Session* session, int id,
                                    std::int64_t element);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ORACLE_EXPLAIN_H_
