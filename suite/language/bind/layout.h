// The layout that specs promise of results: `layout` of a result
// (docs/spec-language.md, Result), worked out from the operands' strides.
#ifndef ASSAY_SUITE_LANGUAGE_BIND_LAYOUT_H_
#define ASSAY_SUITE_LANGUAGE_BIND_LAYOUT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "suite/language/bind/binding.h"
#include "suite/language/model/spec.h"

namespace assay::language {

// A rule's name, and whether it is written with operands: elementwise(a, b).
struct LayoutRule {
  enum class Id { any, contiguous, elementwise, view, like, channels_last };
  enum class Operands { none, some, one_or_more };
  const char* name;
  Id id;
  Operands operands;
};
const std::vector<LayoutRule>& layout_rules();
const LayoutRule* find_layout_rule(const std::string& name);  // or null

// Strides in elements; nothing where none are promised.
using Strides = std::optional<Shape>;

// How a result lies: its strides and, of a view, its first element, counted
// from its operand's; both in elements.
struct Lying {
  Shape strides;
  std::int64_t first = 0;
};

// What is promised of an output of a call, whose form is selected and whose
// type is `result`; nothing where nothing is. `strides_of` gives those of its
// operands. An error is a fault of the spec.
Result<std::optional<Lying>> promised_layout(
    const Binding& call, const OutputSpec& output, const TensorType& result,
    const std::function<Strides(ValueRef)>& strides_of);

// The strides promised of what a program returns, each by the rules of all
// calls that lead to it, as if they were executed one after another. Those of a
// program that must be refused are nothing.
Result<std::vector<Strides>> promised_strides(const SpecSet& specs,
                                              const Program& program);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_BIND_LAYOUT_H_
