// A subject in this process that computes a program call by call, each as the
// oracle says, except for one fault.
#ifndef ASSAY_HARNESS_FAULTS_SUBJECT_H_
#define ASSAY_HARNESS_FAULTS_SUBJECT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/faults/fault.h"
#include "harness/subject/executor.h"

namespace assay::harness::faults {

// What a call must return: from every acceptance set the element nearest to the
// exact value. Remembers its answers, because a faulty subject needs most of
// them again.
class RightAnswers {
 public:
  struct Answer {
    Outputs outputs;
    std::optional<reference::GoldenError> error;
  };

  explicit RightAnswers(const language::SpecSet& specs,
                        TorchVersion torch = kDefaultTorch)
      : specs_(specs), oracle_(specs), torch_(torch) {}
  TorchVersion torch() const { return torch_; }
  // How the results of a program lie: as promised, or else row-major, and in
  // the storages of what they are views of.
  std::vector<ReturnedLayout> layouts(const Program& program,
                                      const std::vector<Tensor>& outputs) const;
  Result<Answer> of(const Node& node, const std::vector<Tensor>& operands,
                    std::size_t outputs);
  void forget() { known_.clear(); }

 private:
  Result<Answer> ask(const Node& node, const std::vector<Tensor>& operands,
                     std::size_t outputs) const;

  const language::SpecSet& specs_;
  reference::Oracle oracle_;
  TorchVersion torch_;
  std::map<std::string, Answer> known_;
};

class FaultySubject : public Executor {
 public:
  // Both must outlive it. Without a fault it is right.
  FaultySubject(RightAnswers* right, const Fault* fault)
      : right_(right), fault_(fault) {}

  Result<Identity> identify() override;
  Observation run(const Program& program, const std::vector<Tensor>& inputs,
                  const std::vector<TensorType>& expected,
                  std::chrono::milliseconds deadline) override;

 private:
  // Adds the value of each node to `values`, and what is returned to
  // `observed`; true if all have one.
  bool compute(const Program& program, std::vector<Tensor>* values,
               Observation* observed);

  RightAnswers* right_;
  const Fault* fault_;
};

}  // namespace assay::harness::faults

#endif  // ASSAY_HARNESS_FAULTS_SUBJECT_H_
