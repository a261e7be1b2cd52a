// Arguments of a program as the dispatcher wants them: converted by the
// operation's schema alone, as Python's binding of torch.ops does.
#ifndef ASSAY_HARNESS_WORKERS_EAGER_EAGER_ARGS_H_
#define ASSAY_HARNESS_WORKERS_EAGER_EAGER_ARGS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <optional>
#include <string>
#include <vector>

#include "core/program.h"

namespace assay::harness::worker {

c10::ScalarType scalar_type(DType t);
// Nothing for a type that the protocol does not carry.
std::optional<DType> dtype_of(c10::ScalarType t);

// The stack for one call. Throws c10::Error, worded as torch.ops words it,
// where the arguments do not fit the schema. `values` holds the program's
// values computed so far.
torch::jit::Stack bind_arguments(const c10::FunctionSchema& schema,
                                 const Node& call,
                                 const std::vector<at::Tensor>& values);

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_EAGER_EAGER_ARGS_H_
