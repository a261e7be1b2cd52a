// A case: a program, concrete inputs, and the clause that they test.
#ifndef ASSAY_SUITE_CASES_CASE_H_
#define ASSAY_SUITE_CASES_CASE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/tensor.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

// Which cases run. Each profile holds all of those before it.
enum class Profile {
  quick,     // chosen by what they show for their cost (docs/results.md)
  standard,  // every value of every axis of an operation once
  full
};
const char* profile_name(Profile p);
std::optional<Profile> parse_profile(const std::string& name);

struct Case {
  std::string path;     // its identity (path.h), "bmm/E4/f16-f32/2x3x5"
  std::string spec;     // row of the matrix: the operation's or program's name
  std::string clause;   // the second part of the path
  std::string context;  // empty: alone
  Program program;
  // Inputs, one per program input; the same at every call.
  std::function<std::vector<Tensor>()> make_inputs;
  // The same with other random elements, which `salt` decides: inputs that
  // nobody knows before the salt. Null where no element is random.
  std::function<std::vector<Tensor>(std::uint64_t salt)> draw_inputs;
  // The promise that must refuse the program ("bmm/E4"), empty if it must
  // return. The oracle evaluates the same requirements again, with all elements
  // known; a difference is the suite's fault.
  std::string must_raise;
  std::string control;  // of a negative case: the path of its passing twin
  Profile profile = Profile::quick;  // the smallest that holds it
  // May share a compiled program with other cases: it returns, and is small.
  bool packable = true;
  double vacuous = language::kVacuousShare;  // its clause's, in every context
  bool unbiased = false;  // as CaseGroup says; never in a context

  bool is_in(Profile p) const { return profile <= p; }
};

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_CASE_H_
