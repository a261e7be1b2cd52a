// PTX held against what its program asks for, without executing it.
#ifndef ASSAY_PTX_LINT_PTX_LINT_H_
#define ASSAY_PTX_LINT_PTX_LINT_H_

#include <compare>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "core/dtype.h"
#include "ptx/lint/finding.h"
#include "ptx/text/module.h"

namespace assay::ptx {

// A conversion that loses something: not every element of `from` is one of
// `to`.
struct Cast {
  DType from;
  DType to;
  bool operator==(const Cast&) const = default;
  bool operator<(const Cast& other) const {
    return std::tie(from, to) < std::tie(other.from, other.to);
  }
};

// What the program says. The default is a program of IEEE 754 arithmetic that
// names no format.
struct Expectation {
  std::set<Cast> casts;              // named by the program, and observable
  std::optional<std::size_t> fused;  // multiply-adds; none: not known
  bool approximate = false;          // declared: documented bounds will do
  bool flush = false;                // declared: subnormals may be zeros
  bool tf32 = false;                 // declared
  bool any_order = false;            // documented: sums may differ by run
};

// Of everything that was compiled from one program: a cast is lost where no
// module has it.
std::vector<Finding> lint(std::span<const Module> modules,
                          const Expectation& expected);
inline std::vector<Finding> lint(const Module& module,
                                 const Expectation& expected) {
  return lint(std::span(&module, 1), expected);
}

}  // namespace assay::ptx

#endif  // ASSAY_PTX_LINT_PTX_LINT_H_
