#include "reference/sweep/block_compile.h"

#include <algorithm>
#include <cmath>

#include "core/float_bits.h"
#include "reference/numbers/number_double.h"
#include "reference/sets/set.h"

namespace assay::reference {

namespace {

bool is_narrow_constant(double x) {
  return static_cast<double>(static_cast<float>(x)) == x;
}

}  // namespace

std::optional<NarrowFormat> narrow_format(DType t) {
  if (!is_float(t) || t == DType::f64) return std::nullopt;
  const FloatFormat& f = float_format(t);
  if (!f.has_infinity()) return std::nullopt;
  return NarrowFormat{f.precision, f.emin, f.emax,
                      decode_float(t, largest_bits(t))};
}

// Operations on enclosures that are no points can fail to give one.
bool BlockProgram::Compiler::may_mark(const Step& s) const {
  using Op = ValueNode::Op;
  switch (s.op) {
    case Op::elementary:
      return !point(s.a);
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
      return !point(s.a) || !point(s.b);
    default:
      return false;
  }
}

bool BlockProgram::Compiler::narrow(int r) const {
  return out_.registers_[static_cast<std::size_t>(r)].narrow;
}
bool BlockProgram::Compiler::point(int r) const {
  return out_.registers_[static_cast<std::size_t>(r)].point;
}

int BlockProgram::Compiler::constant(double lo, double hi) {
  Register r;
  r.constant = true;
  r.lo = lo;
  r.hi = hi;
  r.point = lo == hi || std::isnan(lo);
  r.narrow = r.point && is_narrow_constant(lo);
  out_.registers_.push_back(r);
  return static_cast<int>(out_.registers_.size()) - 1;
}

int BlockProgram::Compiler::step(Step s, bool is_point, bool is_narrow) {
  Register r;
  r.point = is_point;
  r.narrow = is_narrow;
  out_.registers_.push_back(r);
  s.out = static_cast<int>(out_.registers_.size()) - 1;
  s.branch = branch_;
  out_.marks_ = out_.marks_ || may_mark(s);
  out_.steps_.push_back(s);
  return s.out;
}

// The element at the output's own place.
int BlockProgram::Compiler::element(const Access& a) {
  const bool own = a.index.size() == 1 &&
                   nest_.index(a.index[0]).op == IndexNode::Op::slot &&
                   nest_.index(a.index[0]).value == 0;
  if (!own) throw Refusal{"'" + a.text + "', which is not pointwise"};
  if (a.is_definition()) {
    return value(
        nest_.definitions[static_cast<std::size_t>(a.definition())].body);
  }
  if (a.stored || !is_float(a.dtype) || a.dtype == DType::f64) {
    throw Refusal{"operands of " + std::string(dtype_name(a.dtype))};
  }
  const auto at =
      std::find(out_.sources_.begin(), out_.sources_.end(), a.source);
  const auto k = static_cast<int>(at - out_.sources_.begin());
  if (at == out_.sources_.end()) out_.sources_.push_back(a.source);
  for (std::size_t r = 0; r < out_.registers_.size(); ++r) {
    if (out_.registers_[r].operand == k) return static_cast<int>(r);
  }
  Register r;
  r.operand = k;
  r.point = operands_ == Operands::elements;
  r.narrow = r.point;
  out_.registers_.push_back(r);
  return static_cast<int>(out_.registers_.size()) - 1;
}

int BlockProgram::Compiler::value(int node, bool last) {
  const auto known = known_.find({node, last});
  if (known != known_.end()) return known->second;
  const int r = compute(nest_.node(node), last);
  known_[{node, last}] = r;
  return r;
}

int BlockProgram::Compiler::value_in_branch(int node, bool last, int* branch) {
  const int around = branch_;
  const auto known = known_;
  branch_ = *branch = ++out_.branches_;
  const int r = value(node, last);
  branch_ = around;
  known_ = known;
  return r;
}

int BlockProgram::Compiler::unary(const ValueNode& v, bool last) {
  using Op = ValueNode::Op;
  Step s;
  s.op = v.op;
  s.a = value(v.a, last && v.op == Op::neg);
  const bool p = point(s.a), n = narrow(s.a);
  switch (v.op) {
    case Op::neg:
    case Op::abs:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::sign:
    case Op::isnan:
    case Op::isinf:
    case Op::signbit:
    case Op::logical_not:
      // Truth values of points are points, except signbit's of NaN.
      return step(s, p && v.op != Op::signbit, n);
    case Op::round: {
      const auto f = narrow_format(v.dtype);
      if (!f) throw Refusal{"a cast to " + std::string(dtype_name(v.dtype))};
      s.format = *f;
      return step(s, p, p);
    }
    case Op::elementary:
      s.elementary = v.elementary;
      s.root = last && v.elementary == Elementary::sqrt && n;
      return step(s, s.root, false);
    default:
      throw Refusal{"an operation of another kind"};
  }
}

int BlockProgram::Compiler::binary(const ValueNode& v, bool last) {
  using Op = ValueNode::Op;
  Step s;
  s.op = v.op;
  s.comparison = v.comparison;
  s.a = value(v.a);
  s.b = value(v.op == Op::square ? v.a : v.b);
  const bool points = point(s.a) && point(s.b);
  const bool narrows = narrow(s.a) && narrow(s.b);
  switch (v.op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::square:
      if (v.op == Op::square) s.op = Op::mul;
      s.root = last && narrows;
      return step(s, s.root, false);
    case Op::binary: {
      s.binary = v.binary;
      const bool exact =
          v.binary == Binary::fmod || v.binary == Binary::remainder;
      if (!points || (exact && !(narrows && last))) {
        throw Refusal{std::string(binary_name(v.binary)) +
                      " of computed operands"};
      }
      return step(s, exact, false);
    }
    case Op::max:
    case Op::min:
      return step(s, points, narrows);
    case Op::compare:
    case Op::logical_and:
    case Op::logical_or:
      return step(s, points, points);
    default:
      throw Refusal{"an operation of another kind"};
  }
}

int BlockProgram::Compiler::compute(const ValueNode& v, bool last) {
  using Op = ValueNode::Op;
  switch (v.op) {
    case Op::integer: {
      const auto n = Set<double>::of_element(
          v.dtype, static_cast<std::uint64_t>(v.integer));
      return constant(n.lo.a, n.hi.b);
    }
    case Op::real:
      return constant(v.number, v.number);
    case Op::pi: {
      const Outward<double> pi = enclose_pi<double>();
      return constant(pi.down, pi.up);
    }
    case Op::element:
      return element(nest_.access(v.access));
    case Op::rsqrt: {
      Step root;
      root.op = Op::elementary;
      root.elementary = Elementary::sqrt;
      root.a = value(v.a);
      Step s;
      s.op = Op::div;
      s.a = constant(1, 1);
      s.b = step(root, false, false);
      return step(s, false, false);
    }
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::square:
    case Op::max:
    case Op::min:
    case Op::binary:
    case Op::compare:
    case Op::logical_and:
    case Op::logical_or:
      return binary(v, last);
    case Op::either:
    case Op::where: {
      // Either is a choice by a condition that is 0 or 1.
      const bool open = v.op == Op::either;
      Step s;
      s.op = Op::where;
      s.a = open ? constant(0, 1) : value(v.a);
      s.b = value_in_branch(open ? v.a : v.b, last, &s.b_branch);
      s.c = value_in_branch(open ? v.b : v.c, last, &s.c_branch);
      const bool points = point(s.a) && point(s.b) && point(s.c);
      return step(s, points, points && narrow(s.b) && narrow(s.c));
    }
    case Op::index:
    case Op::inside:
    case Op::reduce:
      throw Refusal{"what is not pointwise"};
    default:
      return unary(v, last);
  }
}

Status BlockProgram::Compiler::compile() {
  const auto format = narrow_format(nest_.type.dtype);
  if (!format) {
    return Error{"results of " + std::string(dtype_name(nest_.type.dtype))};
  }
  out_.format_ = *format;
  if (nest_.accuracy.spec->bound == language::Accuracy::Bound::dot) {
    return Error{"the bounds of sums"};
  }
  try {
    int body_branch = 0;
    int body = nest_.special.empty()
                   ? value(nest_.out().body, true)
                   : value_in_branch(nest_.out().body, true, &body_branch);
    // The first special value that applies decides.
    for (auto s = nest_.special.rbegin(); s != nest_.special.rend(); ++s) {
      Step choice;
      choice.op = ValueNode::Op::where;
      choice.a = value(s->when);
      choice.b = value_in_branch(s->then, true, &choice.b_branch);
      choice.c = body;
      choice.c_branch = body_branch;
      const bool points = point(choice.a) && point(choice.b) && point(choice.c);
      body = step(choice, points, false);
      body_branch = 0;
    }
    out_.body_ = body;
    for (const NestClause& u : nest_.undefined) {
      out_.undefined_.push_back(value(u.when));
    }
    const NestAccuracy& a = nest_.accuracy;
    if (a.ulp >= 0) out_.ulp_ = value(a.ulp);
    out_.subnormal_ulp_ =
        a.subnormal_ulp >= 0 ? value(a.subnormal_ulp) : out_.ulp_;
    if (a.absolute >= 0) out_.absolute_ = value(a.absolute);
  } catch (const Refusal& r) {
    return Error{r.what};
  }
  return success();
}

}  // namespace assay::reference
