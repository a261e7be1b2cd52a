// How elements, sets and types are printed in reasons and witnesses. One
// spelling everywhere, so that reports can be searched.
#ifndef ASSAY_HARNESS_JUDGE_SHOW_H_
#define ASSAY_HARNESS_JUDGE_SHOW_H_

#include <cstdint>
#include <string>

#include "core/dtype.h"
#include "core/tensor.h"
#include "reference/oracle/oracle.h"

namespace assay::harness {

// "0x3f800000 (0x1p+0)", "0x7fc00000 (nan)"; integers in decimal, bool as
// true and false.
std::string show_bits(DType t, std::uint64_t bits);

// "[0x3f7fffff (0x1.fffffep-1) .. 0x3f800000 (0x1p+0)] or nan"
std::string show_set(const reference::ElementSet& set, DType t);

// A real number: hex float, and decimal where it is not an integer.
std::string show_number(double value);

// How many elements `bits` lies beyond the nearer end of the set, in words
// ("3 steps above", "zero of the wrong sign"); empty where that says nothing.
std::string show_distance(const reference::ElementSet& set, DType t,
                          std::uint64_t bits);

// One line: control characters become spaces, overlong text is cut.
std::string one_line(const std::string& text, std::size_t limit = 300);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_JUDGE_SHOW_H_
