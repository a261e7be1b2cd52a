// For tests of guards: programs of one call, and what the shipped specs require
// of the operations that are lowered by hand.
#ifndef ASSAY_COMPILER_TESTING_SHIPPED_CLAUSES_H_
#define ASSAY_COMPILER_TESTING_SHIPPED_CLAUSES_H_

#include <map>
#include <set>
#include <string>

#include "compiler/import.h"

namespace assay::compiler {

// "f16[2, 3]; f32[3]" and "add.Tensor(%0, %1)" as a program's text.
std::string text_of_call(const std::string& inputs, const std::string& call);
// A failure of the test where it cannot be imported.
Imported import_text(const std::string& text);

// Clauses per spec ("add" -> {"E1", ...}), with what each may raise.
std::map<std::string, std::map<std::string, std::set<std::string>>>
spec_clauses();
// ATen overloads per spec, but for those of complex numbers.
std::map<std::string, std::string> spec_overloads();
std::set<std::string> lowered_specs();

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TESTING_SHIPPED_CLAUSES_H_
