// PyTorch's type promotion (torch.result_type).
#ifndef ASSAY_KIT_PROMOTION_H_
#define ASSAY_KIT_PROMOTION_H_

#include <optional>

#include "core/dtype.h"

namespace assay::kit {

// The result type of two tensors with dimensions (or two 0-d tensors).
DType promote_types(DType a, DType b);

// Collects operands; tensors with dimensions decide over 0-d tensors, and
// these over Python numbers, unless the lower one is of a higher category
// (bool < integer < float).
class Promotion {
 public:
  void add_tensor(DType t, bool has_dimensions);
  // A Python number: bool, i64 or, for a float, f32 (the default dtype).
  void add_number(DType kind);
  DType result() const;

 private:
  static void merge(std::optional<DType>* into, DType t);
  std::optional<DType> dimensioned_, zero_dim_, number_;
};

}  // namespace assay::kit

#endif  // ASSAY_KIT_PROMOTION_H_
