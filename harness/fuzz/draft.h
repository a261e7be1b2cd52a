// A program while it grows. Values keep their ids when an input is added, which
// those of a Program do not; a Candidate is made of it at the end.
#ifndef ASSAY_HARNESS_FUZZ_DRAFT_H_
#define ASSAY_HARNESS_FUZZ_DRAFT_H_

#include <cstddef>
#include <vector>

#include "harness/reduce/candidate.h"

namespace assay::harness {

class Draft {
 public:
  ValueRef add_given(GivenTensor given);
  ValueRef add_node(Node node);

  const std::vector<GivenTensor>& givens() const { return givens_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  std::size_t value_count() const { return givens_.size() + nodes_.size(); }
  bool is_given(ValueRef v) const { return v.id < kFirstNode; }
  // Values by position: what is given, then what is computed.
  ValueRef value(std::size_t position) const;
  std::size_t position(ValueRef v) const;

  // Nothing is left out. `captured`: which of the givens are constants; those
  // lie row-major.
  Candidate candidate(const std::vector<ValueRef>& outputs,
                      const std::vector<bool>& captured = {}) const;

 private:
  static constexpr int kFirstNode = 1 << 16;
  std::vector<GivenTensor> givens_;
  std::vector<Node> nodes_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_FUZZ_DRAFT_H_
