// Judges the values of a program, element by element, in one engine.
//
// An element's judgement is what its spec says of it; its set in flight is
// what consumers may see. Sets in flight are computed when asked for and kept.
#ifndef ASSAY_REFERENCE_ELEMENTS_EVALUATOR_H_
#define ASSAY_REFERENCE_ELEMENTS_EVALUATOR_H_

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/program.h"
#include "reference/elements/accuracy.h"
#include "reference/elements/expressions.h"
#include "reference/elements/tolerances.h"
#include "reference/plan/planned.h"

namespace assay::reference {

template <class N>
struct Judgement {
  Set<N> exact_values;
  Admitted<N> admitted;
  std::optional<Tolerance> tolerance;
  std::uint16_t clause = 0;  // into Nest::clauses
};

template <class N>
class Evaluator final : private Sources<N> {
 public:
  struct Settings {
    Numerics numerics = Numerics::fused;
    bool elided_casts = false;
    bool settle_zero_signs = false;
    // Float elements that are given may be off by 2^-rough of themselves; 0:
    // they are exact.
    int rough = 0;
  };
  // All referents must outlive it.
  Evaluator(const Program& program, const std::vector<Tensor>& tensors,
            const std::map<int, Tensor>& observed,
            const PlannedProgram& planned, Settings settings);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Of a node's value.
  Judgement<N> judge(int value, std::int64_t element);
  // How a judgement by the definition rounds.
  Rounding rounding_of(const Nest& plan) const;
  // Judges, and keeps the set in flight for consumers.
  Judgement<N> judge_and_keep(int value, std::int64_t element);
  const Set<N>& in_flight(int value, std::int64_t element) override;
  // Computes all elements in order.
  const std::vector<Set<N>>& all_in_flight(int value) override;
  void release(int value);

  // The elements of a value where each is known to be one number or NaN.
  std::optional<Tensor> exact_elements(int value, const TensorType& type);

  // The first failure, an index out of range for instance; empty if there is
  // none. After one, results have no meaning.
  const std::string& error() const { return expressions_.error(); }

  // Records which elements are read, except those that the fast engine's
  // contractions read together.
  void trace(std::map<int, std::set<std::int64_t>>* reads) { reads_ = reads; }

  // The value of an expression of `plan` at an element of its result.
  Set<N> evaluate(const Nest& plan, int node, std::int64_t element);

 private:
  struct Store {
    std::vector<Set<N>> sets;
    std::vector<char> known;
  };

  const Tensor* given(int value) const;
  bool is_version(int value) const {
    return planned_.versions && planned_.versions->is_version(value);
  }
  Store& store(int value);
  std::int64_t count(int value) const;

  // The judgement by the first undefined clause that holds, if one does.
  // `unsure` is set where it is not known whether one does.
  std::optional<Judgement<N>> undefined(const Nest& plan, Frame& frame,
                                        bool* unsure);
  // The judgements by every special value whose condition can hold, united in
  // `all`. True if one surely holds.
  bool special(const Nest& plan, Frame& frame, std::optional<Judgement<N>>* all,
               bool* unsure);
  // The judgement by the definition.
  Judgement<N> defined(const Nest& plan, Frame& frame);

  const Program& program_;
  const std::vector<Tensor>& tensors_;  // inputs, then constants
  const std::map<int, Tensor>& observed_;
  const PlannedProgram& planned_;
  Settings settings_;
  Expressions<N> expressions_;
  Tolerances<N> tolerances_;
  // By value, then version: references to stores stay good as they are added.
  std::deque<Store> flight_;
  std::map<int, std::set<std::int64_t>>* reads_ = nullptr;
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_ELEMENTS_EVALUATOR_H_
