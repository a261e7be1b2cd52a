// The inputs at which a function is hardest to round: those whose exact value
// comes nearest to a border between two elements.
#ifndef ASSAY_REFERENCE_CERTIFY_HARDEST_H_
#define ASSAY_REFERENCE_CERTIFY_HARDEST_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/dtype.h"
#include "core/result.h"
#include "reference/certify/real_function.h"
#include "reference/sweep/engine.h"

namespace assay::reference {

struct HardInput {
  std::uint64_t x = 0;
  double distance = 0;  // as midpoint_distance
};

// How far f(x) is from the nearest midpoint of two elements, in units in the
// last place of f(x). Nothing where f(x) is no number, infinite or beyond the
// last midpoint, or where an enclosure of 256 bits leaves it open.
std::optional<double> midpoint_distance(const RealFunction& f, DType t,
                                        std::uint64_t x);

// Is f(x) within one unit in the last place of x, or of f's value at zero or at
// an infinity? There the first term of an expansion tells how it rounds:
// exp(2^-24) is 1 + 2^-24 and a little, which is next to a midpoint whatever
// the function does.
bool is_expansion(const RealFunction& f, DType t, std::uint64_t x);

// At most `most` inputs of f32, f16 or bf16, the hardest first, without
// midpoints themselves and expansions. Among inputs at the same distance (x and
// -x of symmetric functions, x and 4 x of a root) only the one nearest to 1.
// The engine evaluates all inputs; MPFR decides among those near a midpoint. An
// error says what was not possible.
Result<std::vector<HardInput>> hardest_inputs(const RealFunction& f, DType t,
                                              std::size_t most,
                                              const Engine& engine, int jobs,
                                              const std::atomic<bool>* stop);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_CERTIFY_HARDEST_H_
