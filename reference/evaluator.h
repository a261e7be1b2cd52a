// Evaluates the nodes of a program, element by element, in one engine.
//
// An element's judgement is what its spec says of it; its set in flight is
// what consumers may see. Sets in flight are computed when asked for and kept.
#ifndef ASSAY_REFERENCE_EVALUATOR_H_
#define ASSAY_REFERENCE_EVALUATOR_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "reference/accuracy.h"
#include "reference/contraction.h"
#include "reference/oracle.h"
#include "reference/plan.h"

namespace assay::reference {

// Plans of a program's nodes, by node; null where not made yet.
using Plans = std::vector<std::unique_ptr<NodePlan>>;

template <class N>
struct Judgement {
  Set<N> exact_values;
  Admitted<N> admitted;
  std::optional<Tolerance> tolerance;
  std::uint16_t clause = 0;  // into NodePlan::clauses
};

// |expression|, its parts' largest, and how many terms its reductions have.
struct Magnitude {
  double size = 0;
  double peak = 0;
  double terms = 0;
};

template <class N>
class Evaluator {
 public:
  struct Settings {
    Profile profile = Profile::fused;
    bool settle_zero_signs = false;
  };
  // All referents must outlive it.
  Evaluator(const Program& program, const std::vector<Tensor>& inputs,
            const std::map<int, Tensor>& observed, const Plans& plans,
            Settings settings);

  Judgement<N> judge(int value, std::int64_t element);
  const Set<N>& in_flight(int value, std::int64_t element);
  // Judges, and keeps the set in flight for consumers.
  Judgement<N> judge_and_keep(int value, std::int64_t element);
  // Computes all elements in order.
  void fill(int value);
  void release(int value);

  // The elements of a value where each is known to be one number or NaN.
  std::optional<Tensor> exact_elements(int value, const TensorType& type);

  // The first failure: an index out of range, say. Results are void then.
  const std::string& error() const { return error_; }

  // Records which elements are read.
  void trace(std::map<int, std::set<std::int64_t>>* reads) { reads_ = reads; }

  // The value of an expression of `plan` at an element of its result.
  Set<N> evaluate(const NodePlan& plan, int node, std::int64_t element);

 private:
  struct Store {
    std::vector<Set<N>> sets;
    std::vector<char> known;
  };
  struct Work {  // about one plan
    std::vector<Store> definitions;
    std::vector<std::optional<Set<N>>> invariants;
    // Of the contractions of the element at hand.
    std::vector<std::optional<Magnitude>> contracted;
  };

  const Tensor* given(int value) const;
  Store& store(int value);
  std::int64_t count(int value) const;
  Work& work(const NodePlan& plan);
  Frame frame_of(const Shape& extents, std::int64_t element) const;
  void fail(const NodePlan& plan, const std::string& what);

  // evaluate_value.cc
  Set<N> value(const NodePlan& plan, int node, Frame& frame);
  Set<N> compute(const NodePlan& plan, const ValueNode& v, Frame& frame);
  Set<N> choice(const NodePlan& plan, const ValueNode& v, Frame& frame);
  std::int64_t index(const NodePlan& plan, int node, Frame& frame,
                     bool* unsure);
  // The element's place, or -1 where an index is out of range.
  std::int64_t place(const NodePlan& plan, const Access& a, Frame& frame,
                     bool* unsure);
  const Set<N>& fetch(const NodePlan& plan, const Access& a, std::int64_t at);
  const Set<N>& definition_element(const NodePlan& plan, int definition,
                                   std::int64_t at);

  // evaluate_reduce.cc
  Set<N> reduce(const NodePlan& plan, int reduction, Frame& frame);
  // Every index for which the condition of a `which` can hold, in `members`.
  Admitted<N> choose(const NodePlan& plan, int reduction, Frame& frame);
  template <class Visit>
  bool each_term(const NodePlan& plan, const Reduction& r, std::size_t depth,
                 Frame& frame, const Visit& visit);
  std::optional<Set<N>> contract(const NodePlan& plan, int reduction,
                                 Frame& frame);
  const Packed& packed(const NodePlan& plan, const Access& a);

  // evaluate_tolerance.cc
  std::optional<Tolerance> tolerance(const NodePlan& plan, Frame& frame,
                                     const Set<N>& exact_values);
  Tolerance dot_tolerance(const NodePlan& plan, Frame& frame,
                          const Set<N>& exact_values);
  Magnitude magnitude(const NodePlan& plan, int node, Frame& frame);
  Magnitude magnitude_of_sum(const NodePlan& plan, int reduction, Frame& frame);

  const Program& program_;
  const std::vector<Tensor>& inputs_;
  const std::map<int, Tensor>& observed_;
  const Plans& plans_;
  Settings settings_;
  std::vector<Store> flight_;                // by value
  std::vector<std::unique_ptr<Work>> work_;  // by node
  std::map<int, Packed> packed_;             // by value
  std::map<int, std::set<std::int64_t>>* reads_ = nullptr;
  std::string error_;
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_EVALUATOR_H_
