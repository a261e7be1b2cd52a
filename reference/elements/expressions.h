// Evaluates the expressions of a nest at one element, in one engine: values as
// sets of numbers, indices as integers, reductions.
#ifndef ASSAY_REFERENCE_ELEMENTS_EXPRESSIONS_H_
#define ASSAY_REFERENCE_ELEMENTS_EXPRESSIONS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "reference/elements/accuracy.h"
#include "reference/elements/contraction.h"
#include "reference/plan/frame.h"
#include "reference/plan/nest.h"

namespace assay::reference {

// |expression| (docs/spec-language.md, `bound: dot`), the largest magnitude
// among its parts, how many terms its reductions have, and the power of two of
// which all that is added and multiplied is a multiple (contraction.h).
struct Magnitude {
  double size = 0;
  double peak = 0;
  double terms = 0;
  int grain = kNoGrain;
};
// That of a mean of n terms with this grain: kNoGrain if dividing by n rounds.
int grain_of_mean(int grain, double n);

// What expressions read of the program's other values.
template <class N>
class Sources {
 public:
  virtual const Set<N>& in_flight(int value, std::int64_t element) = 0;
  virtual const std::vector<Set<N>>& all_in_flight(int value) = 0;

 protected:
  ~Sources() = default;
};

template <class N>
class Expressions {
 public:
  // For a program whose nodes give the values from `first` on. `sources` must
  // outlive it.
  Expressions(int first, std::size_t nodes, Sources<N>* sources);

  // To be called before an element of a node is judged.
  void begin_element(const Nest& plan);
  // Forgets what was kept about a value, and about the node that gives it.
  void release(int value);

  Set<N> value(const Nest& plan, int node, Frame& frame);
  // Every index for which the condition of a `which` can hold, in `members`.
  Admitted<N> choose(const Nest& plan, int reduction, Frame& frame);
  // Calls `visit` for every term, innermost index last, until one fails.
  template <class Visit>
  void each_term(const Nest& plan, const ReductionNode& r, Frame& frame,
                 const Visit& visit) {
    each_term_from(plan, r, 0, frame, visit);
  }
  // The magnitude of a contraction that was evaluated for the current element,
  // or nothing.
  const std::optional<Magnitude>& contracted(const Nest& plan, int reduction);

  // The first failure, an index out of range for instance; empty if there is
  // none. After one, results have no meaning.
  const std::string& error() const { return error_; }

 private:
  struct Definition {
    std::vector<Set<N>> sets;
    std::vector<char> known;
  };
  struct Work {  // about one nest
    std::vector<Definition> definitions;
    std::vector<std::optional<Set<N>>> invariants;
    std::vector<std::optional<Magnitude>> contracted;
  };
  // Only the fast engine has loops for contractions.
  static constexpr bool kContracts = std::is_same_v<N, double>;

  Work& work(const Nest& plan);
  void fail(const Nest& plan, const std::string& what);

  Set<N> compute(const Nest& plan, const ValueNode& v, Frame& frame);
  Set<N> element(const Nest& plan, const ValueNode& v, Frame& frame);
  Set<N> choice(const Nest& plan, const ValueNode& v, Frame& frame);

  std::int64_t index(const Nest& plan, int node, Frame& frame, bool* unsure);
  std::int64_t index_element(const Nest& plan, const Access& a, Frame& frame,
                             bool* unsure);
  std::int64_t select(const Nest& plan, const IndexNode& x, Frame& frame,
                      bool* unsure);
  // The element's place, or -1 where an index is out of range.
  std::int64_t place(const Nest& plan, const Access& a, Frame& frame,
                     bool* unsure);
  const Set<N>& fetch(const Nest& plan, const Access& a, std::int64_t at);
  const Set<N>& definition_element(const Nest& plan, int definition,
                                   std::int64_t at);

  Set<N> reduce(const Nest& plan, int reduction, Frame& frame);
  template <class Visit>
  bool each_term_from(const Nest& plan, const ReductionNode& r,
                      std::size_t depth, Frame& frame, const Visit& visit);
  TermBox box_of(const Nest& plan, const ReductionNode& r, Frame& frame,
                 bool* unsure);
  std::vector<std::int64_t> base_of(const Nest& plan, const Contraction& c,
                                    Frame& frame, bool* unsure);
  std::optional<Set<N>> contract(const Nest& plan, int reduction, Frame& frame);
  const Packed& packed(const Nest& plan, const Access& a);

  int first_;
  Sources<N>& sources_;
  std::vector<std::unique_ptr<Work>> work_;  // by node
  std::map<int, Packed> packed_;             // by value
  std::string error_;
};

template <class N>
template <class Visit>
bool Expressions<N>::each_term_from(const Nest& plan, const ReductionNode& r,
                                    std::size_t depth, Frame& frame,
                                    const Visit& visit) {
  if (depth == r.ranges.size()) {
    visit();
    return error_.empty();
  }
  const ReductionNode::Range& range = r.ranges[depth];
  bool unsure = false;
  const std::int64_t from =
      range.from < 0 ? 0 : index(plan, range.from, frame, &unsure);
  const std::int64_t to = index(plan, range.to, frame, &unsure);
  if (unsure) fail(plan, "the bounds of a reduction are not known");
  for (std::int64_t i = from; i < to; ++i) {
    frame.slots[range.slot] = i;
    if (!each_term_from(plan, r, depth + 1, frame, visit)) return false;
  }
  return true;
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ELEMENTS_EXPRESSIONS_H_
