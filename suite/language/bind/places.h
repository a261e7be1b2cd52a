// Where the values of a program lie in memory, as far as specs promise it, and
// what of two operands overlaps: for requirements of calls that write.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_PLACES_H_
#define ASSAY_SUITE_LANGUAGE_BIND_PLACES_H_

#include <optional>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/writes.h"
#include "suite/language/bind/binding.h"
#include "suite/language/bind/layout.h"

namespace assay::language {

// The places of inputs, constants and nodes, which are taken in one by one.
class Places {
 public:
  // Both must outlive it.
  Places(const Program& program, const Storages& storages);

  // Nothing where no layout is promised, or it may be a copy or a view.
  const std::optional<Place>& of(ValueRef value) const {
    return places_[static_cast<std::size_t>(value.id)];
  }
  // Takes in the next node: `output` of a bound call, of this type. An error is
  // a fault of the call's spec.
  Status follow(const Binding& call, std::size_t output,
                const TensorType& type);

 private:
  const Program& program_;
  const Storages& storages_;
  std::vector<Strides> strides_;
  std::vector<std::optional<Place>> places_;
};

// The place of a value that memory was made for. Where its strides leave gaps,
// the storage's end is not known.
Place own_place(int id, const Shape& sizes, const Shape& strides);

// Has each element of its storage a place in the tensor? False where the
// tensor's place is not known.
bool fills_memory(const TensorArg& x);

// Does a dimension step from one element to the same one? More than that
// PyTorch does not look at (aten/src/ATen/MemoryOverlap.cpp,
// has_internal_overlap). False where the tensor's place is not known.
bool overlaps_itself(const TensorArg& x);

// May two elements lie in one place? False only where each dimension, in the
// order of their strides, steps beyond all that those before it reach, and
// where the tensor's place is not known.
bool may_share_elements(const TensorArg& x);

// What two tensors have in common by what PyTorch looks at
// (aten/src/ATen/MemoryOverlap.cpp, get_overlap_status): the ranges of memory
// of tensors without gaps. Of others, and of those whose place is not known,
// nobody knows.
enum class Overlap { unknown, none, partly, whole };
Overlap overlap_of(const TensorArg& x, const TensorArg& y);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_PLACES_H_
