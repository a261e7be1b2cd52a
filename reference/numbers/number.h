// What an engine's number type N (double or Mp) must offer. Every operation
// returns two numbers that enclose the exact result and are one and the same
// where the result is exact: exactness is what lets ties be decided.
//
//   Outward<N> sum(x, y)       not for opposite infinities
//   Outward<N> product(x, y)   not for zero times infinity
//   Outward<N> quotient(x, y)  not for 0/0 or inf/inf; x/0 is an infinity
//   Outward<N> root(x)         x >= -0
//   N negated(x), floor_of(x), ceil_of(x), trunc_of(x), even_of(x)
//     even_of: to the nearest integer, ties to the even one
//   int compare(x, y)          as numbers: the two zeros are equal
//   bool is_zero(x), is_inf(x), sign_bit(x)
//   int exponent(x)            floor(log2 |x|) of a finite nonzero x
//   double below(x), above(x)  nearest doubles that enclose x
//   N exact<N>(double)         no rounding
//   Outward<N> enclose_integer<N>(int64), enclose_unsigned<N>(uint64),
//     enclose_pi<N>()
//
// NaN is never a number here: sets (set.h) carry it as a flag.
#ifndef ASSAY_REFERENCE_NUMBERS_NUMBER_H_
#define ASSAY_REFERENCE_NUMBERS_NUMBER_H_

namespace assay::reference {

template <class N>
struct Outward {
  N down, up;  // down <= exact result <= up
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_NUMBER_H_
