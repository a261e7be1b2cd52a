// Which cases share a compiled program, and which come first. A function of
// the selected cases alone, so that a resumed run packs as the first one did.
#ifndef ASSAY_HARNESS_PACKING_H_
#define ASSAY_HARNESS_PACKING_H_

#include <cstddef>
#include <vector>

#include "core/program.h"
#include "core/tensor.h"
#include "harness/subject.h"
#include "suite/case.h"

namespace assay {

inline constexpr std::size_t kPackLimit = 30;

// Cases by index. Units of one case where `slow` is false; else up to
// kPackLimit packable cases that return, in path order. Heavy units first.
std::vector<std::vector<std::size_t>> make_units(
    const std::vector<const Case*>& cases, bool slow);

// The part of a packed program's outputs that belongs to each case. Requires
// that there are as many outputs as the programs have together.
std::vector<Observation> unpack(const Observation& packed,
                                const std::vector<const Case*>& cases);

}  // namespace assay

#endif  // ASSAY_HARNESS_PACKING_H_
