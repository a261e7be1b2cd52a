// Numbers, sets and elements as `assay explain` prints them.
#ifndef ASSAY_REFERENCE_ORACLE_EXPLAIN_TEXT_H_
#define ASSAY_REFERENCE_ORACLE_EXPLAIN_TEXT_H_

#include <cstdint>
#include <string>

#include "core/dtype.h"
#include "reference/golden/golden.h"
#include "reference/sets/set.h"

namespace assay::reference {

// "0x3fb504f3 (0x1.6a09e6p+0 = 1.41421354)"
std::string element_text(DType t, std::uint64_t bits);
std::string set_text(DType t, const ElementSet& e);
// To 40 significant digits, or as many as the enclosure knows.
std::string number_text(const Real<Mp>& x);
std::string values_text(const Set<Mp>& s);
// Between which two elements of a float format the exact value lies, and how
// far above the lower one as a part of their distance; empty where the value is
// no number or the elements are not known.
std::string place_text(DType t, const Set<Mp>& s);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ORACLE_EXPLAIN_TEXT_H_
