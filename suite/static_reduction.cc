#include "suite/static_reduction.h"

#include <memory>

#include "suite/static_operators.h"

namespace assay {
namespace {

Operand combine(const char* op, const Operand& a, const Operand& b) {
  Expr e;
  e.kind = Expr::Kind::op;
  e.text = op;
  // Operands for the message of an overflow.
  const auto zero = std::make_shared<Expr>();
  e.args = {zero, zero};
  return arithmetic(e, a, b);
}

}  // namespace

bool StaticReduction::is_logical() const {
  return e_.text == "any" || e_.text == "all" || e_.text == "count";
}

void StaticReduction::take_truth(bool t) {
  any_ = any_ || t;
  all_ = all_ && t;
  if (e_.text != "count" || t) ++count_;
  done_ = (e_.text == "any" && t) || (e_.text == "all" && !t);
}

void StaticReduction::take(const Operand& v) {
  if (is_logical()) {
    const bool* t = std::get_if<bool>(&v);
    if (t == nullptr) {
      throw EvaluationStop{"'" + to_string(*e_.args[0]) + "' is " +
                           describe(v) + ", expected true or false"};
    }
    return take_truth(*t);
  }
  if (!number_of(v)) {
    throw EvaluationStop{"'" + to_string(e_) + "' reduces " + describe(v)};
  }
  ++count_;
  if (!total_) {
    total_ = v;
  } else if (e_.text == "max" || e_.text == "min") {
    total_ = *apply_static(e_.text, {*total_, v});
  } else {
    total_ = combine(e_.text == "prod" ? "*" : "+", *total_, v);
  }
}

Operand StaticReduction::result() const {
  if (e_.text == "any") return any_;
  if (e_.text == "all") return all_;
  if (e_.text == "count") return count_;
  if (total_ && e_.text == "mean") {
    return *number_of(*total_) / static_cast<double>(count_);
  }
  if (total_) return *total_;
  if (e_.text == "sum") return std::int64_t{0};
  if (e_.text == "prod") return std::int64_t{1};
  throw EvaluationStop{"'" + to_string(e_) + "' is over nothing"};
}

}  // namespace assay
