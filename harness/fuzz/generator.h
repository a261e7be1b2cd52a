// Random programs, typed by the specs: each call is one of a specified
// operation whose requirements hold, or at the very end one that breaks a
// single requirement.
#ifndef ASSAY_HARNESS_FUZZ_GENERATOR_H_
#define ASSAY_HARNESS_FUZZ_GENERATOR_H_

#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "harness/reduce/candidate.h"
#include "suite/cases/valid/call.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

// Sizes of what is drawn. The oracle's time goes with them.
inline constexpr std::size_t kMostSteps = 12;
inline constexpr std::int64_t kMostGivenElements = 200;  // of one operand
inline constexpr std::int64_t kMostElements = 400;       // of one value

// The valid calls that the specs' own cases make: whatever a random call
// cannot know of an operation (which indices, which window, which range of
// values) is taken from one of these.
class CallTemplates {
 public:
  explicit CallTemplates(const language::SpecSet& specs);

  const language::SpecSet& specs() const { return specs_; }
  // Small calls of an operation; empty where its cases are all large. Made when
  // first asked for, by several threads at once.
  const std::vector<cases::Call>& of(const language::OpSpec& op) const;
  // Is any of them given this type of element there? Of other types the specs
  // often promise nothing.
  bool takes(const language::OpSpec& op, const language::Param& param,
             DType dtype) const;
  // Those that programs call most, by weight; all that write into an operand;
  // of those that do not, all that work element by element, and all others.
  const std::vector<const language::OpSpec*>& common() const { return common_; }
  const std::vector<const language::OpSpec*>& writing() const {
    return writing_;
  }
  const std::vector<const language::OpSpec*>& pointwise() const {
    return pointwise_;
  }
  const std::vector<const language::OpSpec*>& others() const { return others_; }

 private:
  struct Entry {
    std::once_flag made;
    std::vector<cases::Call> calls;
    std::set<std::pair<const language::Param*, DType>> types;
  };
  const Entry& entry(const language::OpSpec& op) const;

  const language::SpecSet& specs_;
  std::vector<const language::OpSpec*> common_, writing_, pointwise_, others_;
  mutable std::deque<Entry> entries_;  // one per operation
};

// Program `number` of a seed: a function of these and of the specs, the same on
// every machine. Its must_raise says whether it must be refused.
Candidate draw_program(const CallTemplates& templates, std::uint64_t seed,
                       std::uint64_t number);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_FUZZ_GENERATOR_H_
