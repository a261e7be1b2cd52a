#include "suite/formula.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay {
namespace {

Error unknown(const Expr& e) {
  return Error{"a formula cannot contain '" + to_string(e) +
               "': it takes numbers, its indices, arithmetic, where, min, "
               "max and elementary functions"};
}

Result<double> apply_op(const Expr& e, const std::vector<double>& v) {
  if (v.size() == 1) {
    if (e.text == "neg" || e.text == "-") return -v[0];
    return unknown(e);
  }
  if (v.size() != 2) return unknown(e);
  const double a = v[0], b = v[1];
  if (e.text == "+") return a + b;
  if (e.text == "-") return a - b;
  if (e.text == "*") return a * b;
  if (e.text == "/") return a / b;
  if (e.text == "//") return std::floor(a / b);
  if (e.text == "%") return a - std::floor(a / b) * b;
  if (e.text == "==") return a == b ? 1.0 : 0.0;
  if (e.text == "!=") return a != b ? 1.0 : 0.0;
  if (e.text == "<") return a < b ? 1.0 : 0.0;
  if (e.text == "<=") return a <= b ? 1.0 : 0.0;
  if (e.text == ">") return a > b ? 1.0 : 0.0;
  if (e.text == ">=") return a >= b ? 1.0 : 0.0;
  return unknown(e);
}

Result<double> apply_call(const Expr& e, const std::vector<double>& v) {
  if (e.text == "where" && v.size() == 3) return v[0] != 0 ? v[1] : v[2];
  if (e.text == "min" && v.size() == 2) return std::min(v[0], v[1]);
  if (e.text == "max" && v.size() == 2) return std::max(v[0], v[1]);
  if (v.size() != 1) return unknown(e);
  const double x = v[0];
  if (e.text == "abs") return std::fabs(x);
  if (e.text == "floor") return std::floor(x);
  if (e.text == "ceil") return std::ceil(x);
  if (e.text == "trunc") return std::trunc(x);
  if (e.text == "exp") return std::exp(x);
  if (e.text == "log") return std::log(x);
  if (e.text == "log2") return std::log2(x);
  if (e.text == "sqrt") return std::sqrt(x);
  return unknown(e);
}

}  // namespace

Result<double> evaluate_formula(const Expr& e,
                                const std::map<std::string, double>& names) {
  switch (e.kind) {
    case Expr::Kind::integer:
      return static_cast<double>(e.integer);
    case Expr::Kind::real:
      return e.number;
    case Expr::Kind::name: {
      const auto it = names.find(e.text);
      if (it == names.end()) return unknown(e);
      return it->second;
    }
    case Expr::Kind::op:
    case Expr::Kind::call: {
      std::vector<double> values;
      for (const ExprPtr& arg : e.args) {
        const Result<double> value = evaluate_formula(*arg, names);
        if (!value) return value.error();
        values.push_back(*value);
      }
      return e.kind == Expr::Kind::op ? apply_op(e, values)
                                      : apply_call(e, values);
    }
    default:
      return unknown(e);
  }
}

}  // namespace assay
