#include "reference/sweep/block_program.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/sweep/block_compile.h"

namespace assay::reference {
namespace {

// From here on gamma and its logarithm rise; their minimum is at 1.4616...
constexpr double kGammaRises = 2;

// Scratch arrays behind the registers' storage.
constexpr std::size_t kScratch = 3;

// Below zero gamma's sign changes at every integer; SLEEF loses it where the
// result underflows.
void restore_signs(const double* x, double* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (y[i] != 0 || x[i] >= 0) continue;
    const bool odd = std::fmod(std::floor(x[i]), 2) != 0;
    y[i] = odd ? -0.0 : 0.0;
  }
}

// Numbers of 24 bits and of such a size are integers.
bool are_poles_of_gamma(const double* x, std::size_t n) {
  return std::all_of(x, x + n, [](double v) { return v <= -0x1p23; });
}

}  // namespace

Result<BlockProgram> BlockProgram::compile(const Nest& nest,
                                           const Engine& engine,
                                           Operands operands) {
  BlockProgram p;
  p.engine_ = &engine;
  const Status compiled = Compiler(nest, operands, &p).compile();
  if (!compiled) {
    return Error{"the loops of a sweep cannot evaluate " +
                 compiled.error().message};
  }
  const std::size_t arrays = 2 * p.registers_.size() + kScratch;
  p.storage_.resize(arrays * kBlock);
  p.branch_marks_.resize(static_cast<std::size_t>(p.branches_) * kBlock);
  p.lanes_.resize(p.registers_.size());
  for (std::size_t r = 0; r < p.registers_.size(); ++r) {
    double* lo = p.storage_.data() + 2 * r * kBlock;
    const Register& reg = p.registers_[r];
    p.lanes_[r] = {lo, reg.point ? lo : lo + kBlock};
    if (!reg.constant) continue;
    std::fill_n(p.lanes_[r].lo, kBlock, reg.lo);
    std::fill_n(p.lanes_[r].hi, kBlock, reg.hi);
  }
  return p;
}

void BlockProgram::elementary(const Step& s, std::size_t n,
                              unsigned char* hard) {
  const Loops& loops = *engine_->loops;
  const Elementary f = s.elementary;
  Lanes x = lanes_[static_cast<std::size_t>(s.a)];
  const Lanes out = lanes_[static_cast<std::size_t>(s.out)];
  if (s.root) {
    loops.root_sqrt(x, out, n);
    return;
  }
  const bool narrow = registers_[static_cast<std::size_t>(s.a)].narrow;
  if (is_gamma(f) && narrow && are_poles_of_gamma(x.lo, n)) {
    const double pole = f == Elementary::tgamma ? std::nan("") : kInfinity;
    std::fill_n(out.lo, n, pole);
    std::fill_n(out.hi, n, pole);
    return;
  }
  double* y = scratch(0);
  const auto at = [&](double* points, Lanes result) {
    if (f == Elementary::sqrt) {
      loops.root_sqrt({points, points}, {y, y}, n);
    } else {
      engine_->evaluate(f, points, y, n);
    }
    if (f == Elementary::tgamma) restore_signs(points, y, n);
    loops.enclose(points, y, result, underflows(f), overflows(f), n);
  };
  if (x.point()) {
    at(x.lo, out);
    return;
  }
  const Lanes at_lo = {scratch(1), scratch(2)};
  at(x.lo, at_lo);
  at(x.hi, out);
  loops.hull(at_lo, out, out, hard, n);
  const Domain d = domain(f);
  for (std::size_t i = 0; i < n; ++i) {
    // Not monotone between the ends, or reaching out of the domain.
    const bool across = is_even(f) && x.lo[i] < 0 && x.hi[i] > 0;
    const bool outside = (x.lo[i] < d.least) != (x.hi[i] < d.least) ||
                         (x.lo[i] > d.greatest) != (x.hi[i] > d.greatest);
    const bool differs = x.lo[i] != x.hi[i] && !std::isnan(x.lo[i]);
    const bool monotonic =
        !is_periodic(f) && (!is_gamma(f) || x.lo[i] >= kGammaRises);
    const bool turns = !monotonic && differs;
    if (across || outside || turns) hard[i] = 1;
  }
}

// fmod and remainder are exact, or as good as (python_remainder).
void BlockProgram::binary(const Step& s, std::size_t n) {
  const Lanes x = lanes_[static_cast<std::size_t>(s.a)];
  const Lanes y = lanes_[static_cast<std::size_t>(s.b)];
  const Lanes out = lanes_[static_cast<std::size_t>(s.out)];
  const Loops::Function2 evaluate = engine_->function(s.binary);
  if (out.point()) {
    evaluate(x.lo, y.lo, out.lo, n);
    return;
  }
  evaluate(x.lo, y.lo, scratch(0), n);
  engine_->loops->enclose2(x.lo, y.lo, scratch(0), out, n);
}

void BlockProgram::execute(const Step& s, std::size_t n, unsigned char* hard) {
  using Op = ValueNode::Op;
  const Loops& l = *engine_->loops;
  const auto lanes = [this](int r) {
    return r < 0 ? Lanes{nullptr, nullptr}
                 : lanes_[static_cast<std::size_t>(r)];
  };
  const Lanes a = lanes(s.a), b = lanes(s.b), c = lanes(s.c);
  const Lanes out = lanes(s.out);
  switch (s.op) {
    case Op::add:
      return (s.root ? l.root_add : l.add)(a, b, out, hard, n);
    case Op::sub:
      return (s.root ? l.root_sub : l.sub)(a, b, out, hard, n);
    case Op::mul:
      return (s.root ? l.root_mul : l.mul)(a, b, out, hard, n);
    case Op::div:
      return (s.root ? l.root_div : l.div)(a, b, out, hard, n);
    case Op::max:
      return l.max(a, b, out, hard, n);
    case Op::min:
      return l.min(a, b, out, hard, n);
    case Op::binary:
      return binary(s, n);
    case Op::logical_and:
      return l.logical_and(a, b, out, hard, n);
    case Op::logical_or:
      return l.logical_or(a, b, out, hard, n);
    case Op::neg:
      return l.negate(a, out, n);
    case Op::abs:
      return l.magnitude(a, out, n);
    case Op::floor:
      return l.floor(a, out, n);
    case Op::ceil:
      return l.ceil(a, out, n);
    case Op::trunc:
      return l.trunc(a, out, n);
    case Op::sign:
      return l.sign(a, out, n);
    case Op::isnan:
      return l.is_nan(a, out, n);
    case Op::isinf:
      return l.is_infinite(a, out, n);
    case Op::signbit:
      return l.sign_bit(a, out, n);
    case Op::logical_not:
      return l.logical_not(a, out, n);
    case Op::compare:
      return l.compare(s.comparison, a, b, out, n);
    case Op::where:
      return l.select(a, b, c, out, n);
    case Op::round:
      return l.round(s.format, a, out, n);
    default:
      return elementary(s, n, hard);
  }
}

// The marks of a choice's branches, where the condition does not rule them out.
void BlockProgram::take_marks(const Step& s, std::size_t n, BlockResult* out) {
  unsigned char* to = marks(s.branch, out);
  const Lanes condition = lanes_[static_cast<std::size_t>(s.a)];
  const unsigned char* b = marks(s.b_branch, out);
  if (s.b_branch != s.branch && std::memchr(b, 1, n) != nullptr) {
    for (std::size_t i = 0; i < n; ++i) {
      const bool never = condition.lo[i] == 0 && condition.hi[i] == 0;
      if (b[i] != 0 && !never) to[i] = 1;
    }
  }
  const unsigned char* c = marks(s.c_branch, out);
  if (s.c_branch != s.branch && std::memchr(c, 1, n) != nullptr) {
    for (std::size_t i = 0; i < n; ++i) {
      const bool always = condition.lo[i] > 0 || condition.hi[i] < 0;
      if (c[i] != 0 && !always) to[i] = 1;
    }
  }
}

void BlockProgram::run(const std::vector<Lanes>& operands, std::size_t n,
                       BlockResult* out) {
  std::memset(out->hard, 0, n);
  std::fill(branch_marks_.begin(), branch_marks_.end(), std::uint8_t{0});
  out->common = false;
  for (std::size_t r = 0; r < registers_.size(); ++r) {
    const int k = registers_[r].operand;
    if (k >= 0) lanes_[r] = operands[static_cast<std::size_t>(k)];
  }
  for (const Step& s : steps_) {
    execute(s, n, marks(s.branch, out));
    if (s.op == ValueNode::Op::where) take_marks(s, n, out);
  }
  out->exact = lanes_[static_cast<std::size_t>(body_)];
  const bool marked = engine_->loops->settle(format_, out->exact, out->rounded,
                                             scratch(0), out->hard, n);
  out->any_hard = marked || marks_ || !undefined_.empty();
  for (const int u : undefined_) {
    const Lanes when = lanes_[static_cast<std::size_t>(u)];
    for (std::size_t i = 0; i < n; ++i) {
      if (when.hi[i] == 0) continue;
      if (out->hard[i] != kUnspecified) {
        out->hard[i] = when.lo[i] == 0 ? 1 : kUnspecified;
      }
    }
  }
  const auto copy = [&](int r, double* to) {
    if (r >= 0) std::copy_n(lanes_[static_cast<std::size_t>(r)].hi, n, to);
  };
  copy(ulp_, out->tolerance.ulp);
  copy(subnormal_ulp_, out->tolerance.subnormal_ulp);
  copy(absolute_, out->tolerance.absolute);
}

}  // namespace assay::reference
