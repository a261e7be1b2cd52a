// lgamma and tgamma over a range of arguments: poles at 0, -1, -2, ..., one
// extremum between two of them and one beyond 0.
//
// ln |gamma| is convex between poles (its second derivative, the trigamma
// function, is a sum of squares: DLMF 5.15.1), so its greatest value is at an
// end and its least at an end or where the digamma function is zero. From piece
// to piece the least value of the negative ones falls toward -infinity.
#ifndef ASSAY_REFERENCE_NUMBERS_GAMMA_H_
#define ASSAY_REFERENCE_NUMBERS_GAMMA_H_

#include "reference/numbers/real.h"

namespace assay::reference {

// The least and the greatest value of a function on a range, enclosed.
template <class N>
struct GammaRange {
  Real<N> least, greatest;
};

// Over the arguments from lo to hi, infinities included. tgamma's is every
// number where a pole below zero is among them.
GammaRange<Mp> gamma_range(Elementary f, const Mp& lo, const Mp& hi);
GammaRange<double> gamma_range(Elementary f, double lo, double hi);

// Has tgamma no value somewhere from lo to hi?
template <class N>
bool gamma_is_nan(const N& lo, const N& hi) {
  if (compare(lo, exact<N>(-1.0)) > 0) return false;
  return is_inf(lo) || compare(ceil_of(lo), hi) <= 0;
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_GAMMA_H_
