// The canonical text of a program: one line per value, stable ids. It is what
// subjects receive, what reports print and what identifies a program.
//
//   assay-program 1
//   %0 = input f32[5, 4] strides[1, 5]
//   %1 = const f16[2] {0x3c00, 0xbc00}
//   %2 = aten.add.Tensor(%0, 0.5, alpha=2)
//   %3 = aten._to_copy.default(%2, dtype=f16)
//   return %2, %3
//
// `%3 = getitem(%2, 1)` is the second output of the call %2, whose own value is
// its first. "assay-program 1 device 1" is a program for the second device of
// those that a machine has several of. Strides are left out where the layout is
// row-major. Arguments are none, true, false, integers, floats (always with
// '.', 'e', 'inf' or 'nan'; shortest decimal that reads back equal), dtypes by
// name, "strings" (with \" and \\ escaped), [integer lists], [%value, lists],
// %values.
#ifndef ASSAY_CORE_PROGRAM_TEXT_H_
#define ASSAY_CORE_PROGRAM_TEXT_H_

#include <string>
#include <string_view>

#include "core/program.h"
#include "core/result.h"

namespace assay {

std::string to_text(const Program& program);

// Errors name the line. Rejects references to values not yet defined.
Result<Program> parse_program(std::string_view text);

// 64-bit FNV-1a (Fowler, Noll, Vo; offset and prime of the 64-bit variant):
// the identity of a text. Shown in hexadecimal.
std::uint64_t fnv1a(std::string_view text);

}  // namespace assay

#endif  // ASSAY_CORE_PROGRAM_TEXT_H_
