// Elements and sizes of random programs' inputs: ordinary ones among which a
// fault of arithmetic shows, and those at which formats change their behaviour.
#ifndef ASSAY_HARNESS_FUZZ_ELEMENTS_H_
#define ASSAY_HARNESS_FUZZ_ELEMENTS_H_

#include <cstdint>
#include <vector>

#include "core/dtype.h"
#include "core/tensor.h"
#include "suite/cases/inputs/random.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

// Row-major. One of these kinds: standard normal; small integers; next to
// powers of two; halfway between neighbours of a narrower format, or next to
// that; of any magnitude; ordinary ones with a few special values in between,
// since many would leave nothing but NaN after a few steps. Integers: small
// ones, and those next to the ends of their own and of other types.
std::vector<std::uint64_t> draw_elements(DType t, const Shape& sizes,
                                         cases::Random* random);

// Lengths before, at and after the widths of vectors, 0-d, now and then empty;
// at most 70 elements.
Shape draw_sizes(cases::Random* random);

// Sizes that broadcast to `sizes`: mostly these, or some of them 1, or the
// first ones left out.
Shape draw_broadcast(const Shape& sizes, cases::Random* random);

language::Layout draw_layout(cases::Random* random);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_FUZZ_ELEMENTS_H_
