// specs/boundaries.yaml: where functions change their behaviour, solved and
// stored as bit patterns, for `{solved: f}` in boundary clauses. One line for
// each function, format and kind:
//   exp/f32/overflow: [0x42b17217]
//   exp/f32/hardest: {0x412e8e39: -31.48}
#ifndef ASSAY_SUITE_LANGUAGE_MODEL_SOLVED_H_
#define ASSAY_SUITE_LANGUAGE_MODEL_SOLVED_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "suite/language/syntax/expr.h"

namespace assay::language {

struct SolvedPattern {
  std::uint64_t bits = 0;
  double distance = 0;  // kHardest only: log2 of ulps to the midpoint
  SourcePos pos;
};

// For kHardest, inputs with log2 of how many ulps lie between the exact value
// and the nearest midpoint of two elements. For the other kinds, elements such
// that the kind's condition holds for exactly one of the element and the next.
struct SolvedLine {
  std::string function;
  DType dtype = DType::f32;
  std::string kind;
  std::vector<SolvedPattern> patterns;
};

struct SolvedSet {
  std::string file;
  std::vector<SolvedLine> lines;  // sorted by function, dtype's name and kind

  bool knows(std::string_view function) const;
  std::vector<std::string> functions() const;
  // The patterns of all kinds and their neighbours, two elements on either
  // side of a boundary and one on either side of a hardest input, each once,
  // the hardest first. Empty where nothing is stored.
  std::vector<std::uint64_t> values(std::string_view function, DType t) const;
};

inline constexpr std::string_view kHardest = "hardest";
// "domain", "hardest", "identity", ...: all kinds, sorted.
const std::vector<std::string>& solved_kinds();

// As the file holds it, without its head.
std::string solved_text(const SolvedSet& solved);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_MODEL_SOLVED_H_
