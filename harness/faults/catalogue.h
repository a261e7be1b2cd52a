// The wrong implementations of specs/faults, as faults of a subject.
#ifndef ASSAY_HARNESS_FAULTS_CATALOGUE_H_
#define ASSAY_HARNESS_FAULTS_CATALOGUE_H_

#include <map>
#include <memory>
#include <string>

#include "harness/faults/fault.h"
#include "harness/faults/subject.h"
#include "suite/language/model/fault_spec.h"

namespace assay::harness::faults {

// A small set of specs and who answers by them.
class Definition {
 public:
  explicit Definition(const language::OpSpec& op);
  RightAnswers& answers() { return answers_; }
  // The result of a pointwise operation; the tensor itself, where its dtype is
  // none that the operation takes.
  Tensor applied(const Tensor& x);

 private:
  language::SpecSet specs_;
  RightAnswers answers_;
};

class WrongImplementation {
 public:
  // `op` is the operation that it is of. Both must outlive it.
  WrongImplementation(const language::FaultSpec& spec,
                      const language::OpSpec& op);
  // Of this object; its functions may be called by one thread at a time.
  const Fault& fault() const { return fault_; }

 private:
  void change_operands(const Node& node, std::vector<Tensor>* operands);

  const language::FaultSpec& spec_;
  const language::OpSpec& op_;
  std::map<const language::OpSpec*, std::unique_ptr<Definition>> definitions_;
  Fault fault_;
};

}  // namespace assay::harness::faults

#endif  // ASSAY_HARNESS_FAULTS_CATALOGUE_H_
