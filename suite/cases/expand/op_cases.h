// The growing set of one operation's cases, by path.
#ifndef ASSAY_SUITE_CASES_EXPAND_OP_CASES_H_
#define ASSAY_SUITE_CASES_EXPAND_OP_CASES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "suite/cases/case_program.h"
#include "suite/cases/contexts/contexts.h"
#include "suite/cases/expand/expand.h"
#include "suite/cases/select.h"
#include "suite/cases/valid/base_cases.h"
#include "suite/language/bind/bind_program.h"

namespace assay::cases {

// A call (an index into valid cases, or into invalid inputs) put into a
// context, with one of its operands as in0 and one of its outputs observed.
struct Placement {
  std::size_t host;
  const ContextTraits* traits;
  std::size_t in0;
  std::size_t output;

  const language::ContextSpec& context() const { return *traits->context; }
};

class OpCases {
 public:
  OpCases(const language::SpecSet& specs, const language::OpSpec& spec);

  const language::SpecSet& specs() const { return specs_; }
  const language::OpSpec& spec() const { return spec_; }
  const std::vector<BaseCase>& bases() const { return bases_; }
  // Those in which calls of the operation may stand, and could tell something.
  const std::vector<ContextTraits>& contexts() const { return contexts_; }

  // The case of that path, null if there is none. Valid until the next add.
  Case* find(const std::string& path);
  // A path that is taken is an error of the spec.
  void add(Case c);

  // Makes the valid cases, alone, at most kFullAlone of them.
  void add_valid();
  // Takes in valid calls that become cases where something needs them.
  void add_bases(std::vector<BaseCase> more);
  // Makes a valid case, alone, if it is not there yet.
  void add_alone(std::size_t base);
  // Puts a valid case into a context. False: the context does not suit it.
  bool add_placed(const Placement& c);
  // The same for the twin of a case that must be refused: that it returns is
  // what is asked, of its values no more than they happen to tell.
  bool add_control(const Placement& c);

  // The path that a case in a context would have.
  std::string path_of(const Placement& c) const;
  // The output that the context would read of this call, whose outputs have
  // these dtypes; nothing where it could tell nothing about the call.
  std::optional<std::size_t> suits(const ContextTraits& traits,
                                   const Call& call,
                                   const std::vector<DType>& results) const;
  // Types of the program and what refuses it.
  Result<language::ProgramTypes> types_of(const CaseProgram& made) const;

  // Moves everything to `out`.
  void finish(Expansion* out);

 private:
  const language::SpecSet& specs_;
  const language::OpSpec& spec_;
  std::vector<ContextTraits> contexts_;
  std::vector<BaseCase> bases_;
  std::vector<Case> cases_;
  std::map<std::string, std::size_t> index_;
  std::vector<std::string> errors_;
};

// The dtypes of the call's outputs, none if they cannot be worked out.
std::vector<DType> result_dtypes(const Call& call);

// A valid case as a candidate for the quick profile.
Candidate describe_base(const BaseCase& b);

// How much an input of this size and type shows by itself.
int input_bonus(const Call& call);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_EXPAND_OP_CASES_H_
