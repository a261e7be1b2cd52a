// A reduction of a static expression while its ranges are run through.
#ifndef ASSAY_SUITE_STATIC_REDUCTION_H_
#define ASSAY_SUITE_STATIC_REDUCTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "suite/expr.h"
#include "suite/static_functions.h"

namespace assay {

class StaticReduction {
 public:
  explicit StaticReduction(const Expr& e) : e_(e) {}

  bool is_logical() const;             // any, all, count
  bool done() const { return done_; }  // nothing more can change the result
  void take(const Operand& v);
  // Stops the evaluation where the reduction is over nothing and has no
  // value.
  Operand result() const;

 private:
  void take_truth(bool t);

  const Expr& e_;
  std::optional<Operand> total_;
  std::int64_t count_ = 0;
  bool any_ = false;
  bool all_ = true;
  bool done_ = false;
};

}  // namespace assay

#endif  // ASSAY_SUITE_STATIC_REDUCTION_H_
