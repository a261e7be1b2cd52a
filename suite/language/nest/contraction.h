// Recognises sums of products of elements with linear indices.
#ifndef ASSAY_SUITE_LANGUAGE_NEST_CONTRACTION_H_
#define ASSAY_SUITE_LANGUAGE_NEST_CONTRACTION_H_

#include <optional>

#include "suite/language/nest/nest.h"

namespace assay::language {

// `r` as a contraction; nothing where it is none.
std::optional<Contraction> recognise_contraction(const Nest& nest,
                                                 const ReductionNode& r);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_NEST_CONTRACTION_H_
