// What evaluates the elementary functions of a sweep: SLEEF's vector functions
// or the C library's, in loops for this CPU's instruction set.
#ifndef ASSAY_REFERENCE_SWEEP_ENGINE_H_
#define ASSAY_REFERENCE_SWEEP_ENGINE_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "reference/numbers/binary.h"
#include "reference/numbers/elementary.h"
#include "reference/sweep/loops.h"

namespace assay::reference {

struct Engine {
  std::string name;  // "sleef-avx512", "libm-avx512"
  const Loops* loops = nullptr;
  // Null where the C library's function is called, one number at a time.
  std::array<Loops::Function, kElementaryFunctions> functions = {};
  std::array<Loops::Function2, kBinaryFunctions> functions2 = {};

  Loops::Function2 function(Binary f) const {
    return functions2[static_cast<std::size_t>(f)];
  }
  // y[i] = f(x[i])
  void evaluate(Elementary f, const double* x, double* y, std::size_t n) const;
};

// Those that this CPU can run, the fastest first (bench/golden_rate).
const std::vector<Engine>& engines();
const Engine* find_engine(std::string_view name);

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SWEEP_ENGINE_H_
