#include "suite/cases/inputs/formula.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::cases {
namespace {

Error unknown(const language::Expr& e) {
  return Error{"a formula cannot contain '" + language::to_string(e) +
               "': it takes numbers, its indices, arithmetic, where, min, "
               "max and elementary functions"};
}

Result<double> apply_op(const language::Expr& e, const std::vector<double>& v) {
  using language::Operator;
  if (e.op == Operator::neg) return -v[0];
  if (v.size() != 2) return unknown(e);
  const double a = v[0], b = v[1];
  switch (e.op) {
    case Operator::add:
      return a + b;
    case Operator::sub:
      return a - b;
    case Operator::mul:
      return a * b;
    case Operator::div:
      return a / b;
    case Operator::floor_div:
      return std::floor(a / b);
    case Operator::mod:
      return a - std::floor(a / b) * b;
    case Operator::eq:
      return a == b ? 1.0 : 0.0;
    case Operator::ne:
      return a != b ? 1.0 : 0.0;
    case Operator::lt:
      return a < b ? 1.0 : 0.0;
    case Operator::le:
      return a <= b ? 1.0 : 0.0;
    case Operator::gt:
      return a > b ? 1.0 : 0.0;
    case Operator::ge:
      return a >= b ? 1.0 : 0.0;
    default:
      return unknown(e);
  }
}

Result<double> apply_call(const language::Expr& e,
                          const std::vector<double>& v) {
  using language::Elementary;
  using language::FunctionId;
  if (e.function == FunctionId::unknown ||
      !accepts_arity(function(e.function), v.size())) {
    return unknown(e);
  }
  switch (e.function) {
    case FunctionId::where:
      return v[0] != 0 ? v[1] : v[2];
    case FunctionId::min:
      if (v.size() != 2) return unknown(e);
      return std::min(v[0], v[1]);
    case FunctionId::max:
      if (v.size() != 2) return unknown(e);
      return std::max(v[0], v[1]);
    case FunctionId::abs:
      return std::fabs(v[0]);
    case FunctionId::floor:
      return std::floor(v[0]);
    case FunctionId::ceil:
      return std::ceil(v[0]);
    case FunctionId::trunc:
      return std::trunc(v[0]);
    default:
      break;
  }
  const auto f = elementary_of(e.function);
  if (f == Elementary::exp) return std::exp(v[0]);
  if (f == Elementary::log) return std::log(v[0]);
  if (f == Elementary::log2) return std::log2(v[0]);
  if (f == Elementary::sqrt) return std::sqrt(v[0]);
  return unknown(e);
}

}  // namespace

Result<double> evaluate_formula(const language::Expr& e,
                                const std::map<std::string, double>& names) {
  switch (e.kind) {
    case language::Expr::Kind::integer:
      return static_cast<double>(e.integer);
    case language::Expr::Kind::real:
      return e.number;
    case language::Expr::Kind::name: {
      const auto it = names.find(e.text);
      if (it == names.end()) return unknown(e);
      return it->second;
    }
    case language::Expr::Kind::op:
    case language::Expr::Kind::call: {
      std::vector<double> values;
      for (const language::ExprPtr& arg : e.args) {
        const Result<double> value = evaluate_formula(*arg, names);
        if (!value) return value.error();
        values.push_back(*value);
      }
      return e.kind == language::Expr::Kind::op ? apply_op(e, values)
                                                : apply_call(e, values);
    }
    default:
      return unknown(e);
  }
}

}  // namespace assay::cases
