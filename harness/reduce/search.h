// The search for the smallest candidate that still fails: delta debugging over
// steps, operands, sizes, types, arguments and elements, in this order. It
// knows programs and their types; whether the failure remains it asks.
#ifndef ASSAY_HARNESS_REDUCE_SEARCH_H_
#define ASSAY_HARNESS_REDUCE_SEARCH_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/reduce/candidate.h"
#include "harness/reduce/weight.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

struct Examined {
  bool fails = false;   // in the way that is looked for
  bool telling = true;  // a case of it could tell right from wrong
  // The index of an element that is wrong, and the sizes that it is within.
  Shape index, sizes;
};

// Answers what the search cannot know. The same question gets the same answer.
class Examiner {
 public:
  virtual ~Examiner() = default;
  // `must_tell`: it does not count as failing unless it is telling.
  virtual Examined examine(const Candidate& c, bool must_tell) = 0;
  // What node `v` of the candidate may be, the best first; possibly nothing.
  virtual std::vector<GivenTensor> values_of(const Candidate& c,
                                             ValueRef v) = 0;
};

struct SearchLimits {
  int trials = 500;            // calls of examine
  std::function<bool()> stop;  // asked before each of them; may be empty
};

struct Reduced {
  Candidate candidate;
  Weight weight;
  bool telling = true;
  int trials = 0;
  bool complete = false;  // no change that is known makes it smaller
};

// Called whenever a smaller one was found.
using Progress = std::function<void(const Reduced&)>;

// Requires that `start` fails, and is a program of `specs` that is refused by
// its must_raise or returns; `first` is what was examined of it. What is left
// is refused by the same promise.
Reduced search(const Candidate& start, const Examined& first,
               const language::SpecSet& specs, Examiner& examiner,
               const SearchLimits& limits, const Progress& progress = {});

// The types of its values, up to a call that is refused; nothing where it is
// no program, or is refused by another promise than it must be.
std::optional<std::vector<TensorType>> types_of(const Candidate& c,
                                                const language::SpecSet& specs);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_REDUCE_SEARCH_H_
