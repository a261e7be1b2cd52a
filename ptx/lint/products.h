// Products that reach a sum: what an assembler could make one fused
// multiply-add of.
#ifndef ASSAY_PTX_LINT_PRODUCTS_H_
#define ASSAY_PTX_LINT_PRODUCTS_H_

#include <functional>
#include <vector>

#include "ptx/text/module.h"

namespace assay::ptx {

struct ProductAndSum {
  const Instruction* product;
  const Instruction* sum;
};

// The sums (add, sub) for which `counts` holds and that read, directly or
// through mov and neg, the result of a mul of the same type for which it holds.
// Registers are not told apart by the order of their writes, as PTX of
// compilers writes most of them once.
std::vector<ProductAndSum> products_in_sums(
    const Function& f, const std::function<bool(const Instruction&)>& counts);

}  // namespace assay::ptx

#endif  // ASSAY_PTX_LINT_PRODUCTS_H_
