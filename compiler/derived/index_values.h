// Index arithmetic of a nest at given values of its variables.
#ifndef ASSAY_COMPILER_DERIVED_INDEX_VALUES_H_
#define ASSAY_COMPILER_DERIVED_INDEX_VALUES_H_

#include <cstdint>
#include <map>
#include <optional>

#include "suite/language/nest/nest.h"

namespace assay::compiler {

// The value of an index, and of a condition among indices, is known where
// nothing hangs on an element or on a slot that has no value.
class IndexValues {
 public:
  explicit IndexValues(const language::Nest& nest) : nest_(nest) {}

  void set(int slot, std::int64_t value) { slots_[slot] = value; }
  void clear() { slots_.clear(); }

  std::optional<std::int64_t> index(int id) const;
  // A condition is 0 or 1.
  std::optional<std::int64_t> value(int id) const;
  // How many terms are reduced, if that is the same for every element.
  std::optional<std::int64_t> terms(const language::ReductionNode& r) const;

 private:
  const language::Nest& nest_;
  std::map<int, std::int64_t> slots_;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_INDEX_VALUES_H_
