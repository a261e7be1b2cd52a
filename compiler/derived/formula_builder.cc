#include "compiler/derived/formula_builder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "core/float_bits.h"
#include "kit/cast_bits.h"

namespace assay::compiler {

using Kind = Term::Kind;

int FormulaBuilder::add(Term t) {
  formula_.terms.push_back(std::move(t));
  return static_cast<int>(formula_.terms.size()) - 1;
}

int FormulaBuilder::integer(std::int64_t value) {
  Term t;
  t.dtype = DType::i64;
  t.bits = static_cast<std::uint64_t>(value);
  return add(std::move(t));
}

// A number that `wide` does not hold stays in f64 until it is computed with.
int FormulaBuilder::real(double value) {
  if (whole_) {
    if (value != value) return integer(0);
    if (std::isinf(value)) return integer(value > 0 ? INT64_MAX : INT64_MIN);
    if (value == std::trunc(value) && std::abs(value) < 0x1p63) {
      return integer(static_cast<std::int64_t>(value));
    }
  }
  Term t;
  const std::uint64_t bits = encode_float(wide_, value);
  const bool exact = value != value || decode_float(wide_, bits) == value;
  t.dtype = exact ? wide_ : DType::f64;
  t.bits = exact ? bits : encode_float(DType::f64, value);
  return add(std::move(t));
}

int FormulaBuilder::boolean(bool value) {
  Term t;
  t.dtype = DType::boolean;
  t.bits = value ? 1 : 0;
  return add(std::move(t));
}

int FormulaBuilder::variable(int number) {
  Term t;
  t.kind = Kind::variable;
  t.dtype = DType::i64;
  t.variable = number;
  formula_.variables = std::max(formula_.variables, number + 1);
  return add(std::move(t));
}

int FormulaBuilder::load(int operand, DType stored, std::vector<int> index) {
  Term t;
  t.kind = Kind::load;
  t.dtype = stored;
  t.operand = operand;
  t.args = std::move(index);
  const int x = add(std::move(t));
  if (stored == DType::f64) return x;
  if (is_float(stored)) return cast(x, wide_);
  return stored == DType::boolean ? x : cast(x, DType::i64);
}

int FormulaBuilder::apply(ScalarOp op, std::vector<int> args) {
  Term t;
  t.kind = Kind::apply;
  t.scalar = op;
  t.dtype = result_of(op, dtype(args[0]));
  t.args = std::move(args);
  return add(std::move(t));
}

int FormulaBuilder::cast(int x, DType t) {
  const Term& from = formula_.at(x);
  if (from.dtype == t) return x;
  Term out;
  out.dtype = t;
  if (from.kind == Kind::number) {
    out.bits = kit::cast_bits(from.dtype, from.bits, t);
  } else {
    out.kind = Kind::cast;
    out.args = {x};
  }
  return add(std::move(out));
}

DType FormulaBuilder::real_type(const std::vector<int>& args) const {
  const auto some = [&](DType t) {
    return std::any_of(args.begin(), args.end(), [&](int a) {
      return dtype(a) == t && formula_.at(a).kind != Kind::number;
    });
  };
  return some(DType::f64) && !some(DType::f32) ? DType::f64 : wide_;
}

int FormulaBuilder::number(ScalarOp op, std::vector<int> args) {
  const bool whole = std::all_of(args.begin(), args.end(),
                                 [this](int a) { return is_whole(a); });
  const DType t = whole ? DType::i64 : real_type(args);
  for (int& a : args) a = cast(a, t);
  return apply(op, std::move(args));
}

int FormulaBuilder::floating(ScalarOp op, std::vector<int> args) {
  const DType t = real_type(args);
  for (int& a : args) a = cast(a, t);
  return apply(op, std::move(args));
}

int FormulaBuilder::of_float(ScalarOp op, int x) {
  if (!is_whole(x)) return apply(op, {x});
  if (op != ScalarOp::signbit) return boolean(false);
  return compare(ScalarOp::lt, x, integer(0));
}

int FormulaBuilder::compare(ScalarOp op, int a, int b) {
  DType common = DType::f64;
  if (is_whole(a) && is_whole(b)) common = DType::i64;
  if (dtype(a) == dtype(b)) common = dtype(a);
  // A number that the other's type holds is compared there.
  for (const auto& [x, number] : {std::pair{a, b}, std::pair{b, a}}) {
    if (is_whole(x) || !known(number)) continue;
    const double v = *known(number);
    if (decode_float(dtype(x), encode_float(dtype(x), v)) == v) {
      common = dtype(x);
    }
  }
  const int left = cast(a, common);
  return apply(op, {left, cast(b, common)});
}

int FormulaBuilder::to_whole(ScalarOp op, int x) {
  return is_whole(x) ? arithmetic(x) : floating(op, {x});
}

int FormulaBuilder::floor_div(int a, int b) {
  return number(ScalarOp::floor_div, {a, b});
}

int FormulaBuilder::ceil_div(int a, int b) {
  const int down = floor_div(number(ScalarOp::neg, {a}), b);
  return number(ScalarOp::neg, {down});
}

int FormulaBuilder::trunc_div(int a, int b) {
  return number(ScalarOp::trunc_div, {a, b});
}

// Rounding may carry the quotient onto the next whole number beyond it, never
// before it. While that is small, the sign of the remainder, by fma, tells.
int FormulaBuilder::whole_quotient(ScalarOp op, int a, int b) {
  a = cast(a, wide_);
  b = cast(b, wide_);
  if (op == ScalarOp::ceil) {
    const int down =
        whole_quotient(ScalarOp::floor, apply(ScalarOp::neg, {a}), b);
    return apply(ScalarOp::neg, {down});
  }
  const int q = apply(op, {apply(ScalarOp::div, {a, b})});
  const int size = apply(ScalarOp::abs, {q});
  const double many = std::ldexp(1, float_format(wide_).precision - 1);
  const int small = apply(ScalarOp::lt, {size, real(many)});
  const int divides =
      apply(ScalarOp::lt, {apply(ScalarOp::abs, {b}), real(HUGE_VAL)});
  const int rest = apply(ScalarOp::fma, {apply(ScalarOp::neg, {q}), b, a});
  const int zero = real(0);
  const int some = apply(ScalarOp::ne, {rest, zero});
  const auto negative = [&](int x) { return apply(ScalarOp::lt, {x, zero}); };
  const auto both = [&](int x, int y) {
    return apply(ScalarOp::logical_and, {x, y});
  };
  const int one = real(1);
  int mended = q;
  if (op == ScalarOp::trunc) {
    // One too far from zero; what is left keeps its sign.
    const int wrong = apply(ScalarOp::ne, {negative(rest), negative(a)});
    const int nearer = apply(ScalarOp::sub, {size, one});
    mended =
        choose(both(some, wrong),
               choose(negative(q), apply(ScalarOp::neg, {nearer}), nearer), q);
  } else {
    const int wrong = apply(ScalarOp::ne, {negative(rest), negative(b)});
    mended = choose(both(some, wrong), apply(ScalarOp::sub, {q, one}), q);
  }
  return choose(both(small, divides), mended, q);
}

int FormulaBuilder::times_power_of_two(int x, int n) {
  // 3 * 2^-1 is no whole number.
  if (is_whole(x) && is_whole(n) && (whole_ || known(n).value_or(-1) >= 0)) {
    return number(ScalarOp::shift_left, {x, n});
  }
  if (wide_ == DType::f32) {
    // f64 holds every power that matters, and the product.
    const int power = apply(ScalarOp::exp2, {cast(n, DType::f64)});
    return cast(apply(ScalarOp::mul, {cast(x, DType::f64), power}), wide_);
  }
  x = cast(x, wide_);
  n = cast(n, wide_);
  const auto times = [&](int a, int m) {
    return apply(ScalarOp::mul, {a, apply(ScalarOp::exp2, {m})});
  };
  // In two steps where one power alone is out of range: then nothing is lost by
  // the first that the second would have kept.
  const int half =
      apply(ScalarOp::trunc, {apply(ScalarOp::mul, {n, real(0.5)})});
  const int other = apply(ScalarOp::sub, {n, half});
  // An infinity has no halves.
  const int size = apply(ScalarOp::abs, {n});
  const int once = apply(ScalarOp::logical_or,
                         {apply(ScalarOp::le, {size, real(1000)}),
                          apply(ScalarOp::eq, {size, real(HUGE_VAL)})});
  return choose(once, times(x, n), times(times(x, half), other));
}

int FormulaBuilder::shifted_right(int x, int n) {
  return number(ScalarOp::shift_right, {x, n});
}

int FormulaBuilder::rest(int a, int quotient, int b) {
  return number(ScalarOp::sub, {a, number(ScalarOp::mul, {quotient, b})});
}

std::optional<double> FormulaBuilder::known(int term) const {
  const Term& t = formula_.at(term);
  if (t.kind != Kind::number) return std::nullopt;
  if (is_float(t.dtype)) return decode_float(t.dtype, t.bits);
  const auto whole = static_cast<std::int64_t>(t.bits);
  if (whole < -(1LL << 53) || whole > (1LL << 53)) return std::nullopt;
  return static_cast<double>(whole);
}

// In f64, where f32 asks: rounding the result then decides all.
int FormulaBuilder::power(int x, int n) {
  const double factors = known(n).value_or(0);
  const double size = std::abs(factors);
  const double most = wide_ == DType::f32 ? 4 : 2;
  if (size < 1 || size > most || size != std::trunc(size) ||
      (factors < 0 && size > 1 && wide_ == DType::f64)) {
    return floating(ScalarOp::pow, {x, n});
  }
  const int one = cast(cast(x, wide_), DType::f64);
  int product = one;
  for (int k = 1; k < static_cast<int>(size); ++k) {
    product = apply(ScalarOp::mul, {product, one});
  }
  if (factors < 0) {
    product = apply(ScalarOp::div, {cast(real(1), DType::f64), product});
  }
  return cast(product, wide_);
}

int FormulaBuilder::float_rest(int x, int y) {
  if (known(y) != 1.0) return floating(ScalarOp::fmod, {x, y});
  x = cast(x, wide_);
  const int left = apply(ScalarOp::sub, {x, apply(ScalarOp::trunc, {x})});
  // Zero has the sign of x.
  const int minus = apply(ScalarOp::neg, {apply(ScalarOp::abs, {left})});
  return choose(apply(ScalarOp::signbit, {x}), minus, left);
}

int FormulaBuilder::choose(int condition, int then, int otherwise) {
  if (dtype(then) != dtype(otherwise)) {
    const bool whole = is_whole(then) && is_whole(otherwise);
    const DType t = whole ? DType::i64 : real_type({then, otherwise});
    then = cast(then, t);
    otherwise = cast(otherwise, t);
  }
  Term t;
  t.kind = Kind::choose;
  t.dtype = dtype(then);
  t.args = {condition, then, otherwise};
  return add(std::move(t));
}

int FormulaBuilder::fold(Combiner combiner, std::vector<Term::Range> ranges,
                         int term) {
  for (const Term::Range& r : ranges) {
    formula_.variables = std::max(formula_.variables, r.variable + 1);
  }
  Term t;
  t.kind = Kind::fold;
  t.dtype = dtype(term);
  t.args = {term};
  t.combiner = combiner;
  t.ranges = std::move(ranges);
  return add(std::move(t));
}

int FormulaBuilder::with_variable(int term, int variable, int place) {
  std::map<int, int> made;
  const std::function<int(int)> with = [&](int id) {
    const auto [it, is_new] = made.emplace(id, id);
    if (!is_new) return it->second;
    Term t = formula_.at(id);
    if (t.kind == Kind::variable) {
      return made[id] = t.variable == variable ? place : id;
    }
    const Term before = t;
    for (int& a : t.args) a = with(a);
    for (Term::Range& r : t.ranges) {
      r.from = with(r.from);
      r.to = with(r.to);
    }
    return made[id] = t == before ? id : add(std::move(t));
  };
  return with(term);
}

int FormulaBuilder::truth(int x) {
  if (dtype(x) == DType::boolean) return x;
  Term zero;
  zero.dtype = dtype(x);
  return apply(ScalarOp::ne, {x, add(std::move(zero))});
}

int FormulaBuilder::arithmetic(int x) {
  return cast(x, is_whole(x) ? DType::i64 : real_type({x}));
}

int FormulaBuilder::as(int x, DType t) {
  return t == DType::boolean ? truth(x) : cast(x, t);
}

int FormulaBuilder::rounded(int x, DType t) {
  if (t == DType::boolean) return truth(x);
  if (!is_float(t)) return cast(cast(x, t), DType::i64);
  if (!is_whole(x) && float_format(t).holds(float_format(dtype(x)))) return x;
  return cast(cast(x, t), wide_);
}

// Conditions on an index alone, as those of an access that may be out of range.
std::optional<bool> FormulaBuilder::outcome(int term,
                                            const Shape& sizes) const {
  const Term& t = formula_.at(term);
  if (t.kind == Kind::number) return t.bits != 0;
  if (t.kind != Kind::apply || t.args.size() != 2) return std::nullopt;
  if (t.scalar == ScalarOp::logical_and) {
    const auto a = outcome(t.args[0], sizes), b = outcome(t.args[1], sizes);
    if (a && b) return *a && *b;
    return std::nullopt;
  }
  const Term &index = formula_.at(t.args[0]), &end = formula_.at(t.args[1]);
  if (index.kind != Kind::variable || end.kind != Kind::number ||
      end.dtype != DType::i64 ||
      index.variable >= static_cast<int>(sizes.size())) {
    return std::nullopt;
  }
  const auto n = static_cast<std::int64_t>(end.bits);
  if (t.scalar == ScalarOp::ge && n <= 0) return true;
  if (t.scalar == ScalarOp::lt &&
      n >= sizes[static_cast<std::size_t>(index.variable)]) {
    return true;
  }
  return std::nullopt;
}

std::optional<int> FormulaBuilder::whole_operand(int term,
                                                 const Shape& sizes) const {
  const std::size_t rank = sizes.size();
  while (formula_.at(term).kind == Kind::choose) {
    const auto known = outcome(formula_.at(term).args[0], sizes);
    if (!known) return std::nullopt;
    term = formula_.at(term).args[*known ? 1 : 2];
  }
  const Term& t = formula_.at(term);
  if (t.kind != Kind::load || t.args.size() != rank) return std::nullopt;
  for (std::size_t d = 0; d < rank; ++d) {
    const Term& index = formula_.at(t.args[d]);
    const bool own =
        index.kind == Kind::variable && index.variable == static_cast<int>(d);
    const bool only =
        sizes[d] == 1 && index.kind == Kind::number && index.bits == 0;
    if (!own && !only) return std::nullopt;
  }
  return t.operand;
}

std::shared_ptr<const Formula> FormulaBuilder::take(int term) {
  // The result is the last term.
  if (term + 1 != static_cast<int>(formula_.terms.size())) {
    add(formula_.at(term));
  }
  auto out = std::make_shared<const Formula>(std::move(formula_));
  formula_ = {};
  return out;
}

}  // namespace assay::compiler
