// What a call's arguments and a spec's symbols stand for: the types that
// binding, the evaluation of static expressions and the nest share.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_BINDING_H_
#define ASSAY_SUITE_LANGUAGE_BIND_BINDING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/program.h"
#include "suite/language/model/spec.h"

namespace assay::language {

// Where a tensor lies in memory.
struct Place {
  int storage = 0;  // the value of the program that it was made for
  int tensor = 0;   // the value that it is: what was written into stays itself
  std::int64_t first = 0;  // element of the storage
  Shape strides;
  std::int64_t count = 0;  // elements that the storage has; 0 if unknown
};

struct TensorArg {
  TensorType type;
  // Elements, where known: requirements may read them. Not owned.
  const Tensor* value = nullptr;
  ValueRef ref;  // which value of the program, for the caller's use
  // Where known: requirements may ask what overlaps.
  std::optional<Place> place;
};

using Actual =
    std::variant<None, bool, std::int64_t, double, DType, std::string, Shape,
                 Numbers, TensorArg, std::vector<TensorArg>>;

// What a static expression evaluates to. Shapes, index packs and integer
// lists are all Shape.
using StaticValue =
    std::variant<None, bool, std::int64_t, double, DType, std::string, Shape>;

struct Binding {
  const OpSpec* spec = nullptr;
  std::map<std::string, Actual> actuals;
  // Dtype symbols (DType), dimension symbols (int64), packs (Shape). Dimension
  // symbols appear once a form has been selected.
  std::map<std::string, StaticValue> symbols;
  const Form* form = nullptr;

  const TensorArg* tensor(const std::string& param) const;  // or null
};

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_BINDING_H_
