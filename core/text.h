// Texts that messages of all rooms share, so that a shape, a type or a place
// in a tensor is spelled the same everywhere.
#ifndef ASSAY_CORE_TEXT_H_
#define ASSAY_CORE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/dtype.h"
#include "core/tensor.h"

namespace assay {

// "[2, 3]"
std::string shape_text(const Shape& sizes);

// "f32[2, 3]"
std::string type_text(DType t, const Shape& sizes);

// The index of the element at row-major `linear`: "[1, 0, 2]"; "[]" for a
// scalar and where a size is 0.
std::string index_text(const Shape& sizes, std::int64_t linear);

// How many edits lie between two words: insert, delete, replace or transpose
// a letter (optimal string alignment). Upper and lower case count as equal.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace assay

#endif  // ASSAY_CORE_TEXT_H_
