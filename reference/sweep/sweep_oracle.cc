#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/elements/evaluator.h"
#include "reference/numbers/element_order.h"
#include "reference/oracle/environment.h"
#include "reference/sweep/sweep.h"

namespace assay::reference {
namespace {

constexpr int kPrecisions[] = {113, 256, 1024, 4096};

// Inputs per span; a multiple of kBlock, and a divisor of a binade's 2^23.
constexpr std::uint64_t kSpan = 1 << 14;
constexpr std::uint64_t kNoSpan = ~std::uint64_t{0};

// A double between the ends, to tell a distance by.
template <class N>
double middle_of(const Real<N>& x) {
  const double lo = below(x.a), hi = above(x.b);
  if (lo == hi) return lo;
  if (std::isinf(lo) || std::isinf(hi)) return std::isinf(lo) ? hi : lo;
  return lo / 2 + hi / 2;
}

}  // namespace

Result<std::unique_ptr<SweepOracle>> SweepOracle::make(const Sweep& sweep,
                                                       const Engine* engine) {
  std::unique_ptr<SweepOracle> oracle(new SweepOracle(sweep));
  const Status ready = oracle->prepare(engine);
  if (!ready) return ready.error();
  return oracle;
}

SweepOracle::~SweepOracle() = default;

const NestAccuracy& SweepOracle::accuracy() const {
  return planned_.plans[0]->accuracy;
}

Status SweepOracle::prepare(const Engine* engine) {
  const Status environment = check_environment();
  if (!environment) return environment;
  const auto n = static_cast<std::int64_t>(
      std::min<std::uint64_t>(kBlock, sweep_.inputs()));
  program_ = sweep_.program(n);
  const Status planned = sweep_.plan(program_, sweep_.tensors(0, n), &planned_);
  if (!planned) return planned;
  if (engine == nullptr) {
    slow_ = "MPFR was asked for";
    return success();
  }
  engine_ = engine;
  Result<BlockProgram> loops =
      BlockProgram::compile(*planned_.plans[0], *engine);
  if (!loops) {
    slow_ = loops.error().message;
    return success();
  }
  loops_ = std::move(loops.value());
  operands_.resize(loops_->sources().size() * kBlock);
  const DType t = sweep_.dtype();
  if (t == DType::f32) {
    Result<BlockProgram> ranges = BlockProgram::compile(
        *planned_.plans[0], *engine, BlockProgram::Operands::ranges);
    if (ranges) ranges_ = std::move(ranges.value());
    range_ = std::make_unique<BlockResult>();
    span_ = kNoSpan;
    return success();
  }
  const std::size_t patterns = std::size_t{1} << (8 * size_bytes(t));
  values_.resize(patterns + kBlock);
  for (std::size_t b = 0; b < values_.size(); ++b) {
    values_[b] = decode_float(t, b % patterns);
  }
  return success();
}

// The last operand's patterns follow one another in a block, and those of the
// others are often the same throughout.
double* SweepOracle::operand_lanes(std::uint64_t first, std::size_t n,
                                   std::size_t source) {
  double* own = operands_.data() + source * kBlock;
  if (values_.empty()) {
    engine_->loops->from_binary32(static_cast<unsigned>(first), own, n);
    return own;
  }
  const int k = loops_->sources()[source];
  if (k == sweep_.operands() - 1) {
    return values_.data() + sweep_.operand(first, k);
  }
  const std::uint64_t pattern = sweep_.operand(first, k);
  if (pattern == sweep_.operand(first + n - 1, k)) {
    std::fill_n(own, n, values_[pattern]);
    return own;
  }
  for (std::size_t i = 0; i < n; ++i) {
    own[i] = values_[sweep_.operand(first + i, k)];
  }
  return own;
}

void SweepOracle::run_loops(std::uint64_t first, std::size_t n,
                            BlockResult* out) {
  std::vector<Lanes> operands;
  for (std::size_t s = 0; s < loops_->sources().size(); ++s) {
    double* lanes = operand_lanes(first, n, s);
    operands.push_back({lanes, lanes});
  }
  loops_->run(operands, n, out);
}

// What all numbers between the first and the last input of a span round to.
// The first span of either sign has a zero: left alone, signs of zeros not
// being monotonic.
std::optional<double> SweepOracle::common_element(std::uint64_t span) {
  const auto first = static_cast<std::uint32_t>(span * kSpan);
  const auto last = static_cast<std::uint32_t>(first + kSpan - 1);
  if ((first & ~sign_bit_mask(DType::f32)) == 0) return std::nullopt;
  double lo = decode_float(DType::f32, first);
  double hi = decode_float(DType::f32, last);
  if (std::isnan(lo) != std::isnan(hi)) return std::nullopt;
  if (lo > hi) std::swap(lo, hi);
  const std::vector<Lanes> operand(loops_->sources().size(), {&lo, &hi});
  ranges_->run(operand, 1, range_.get());
  if (range_->hard[0] != 0) return std::nullopt;
  return range_->rounded[0];
}

Status SweepOracle::elements(std::uint64_t first, std::size_t n,
                             BlockResult* out) {
  const std::uint64_t span = first / kSpan;
  if (!ranges_ || (first + n - 1) / kSpan != span) return golden(first, n, out);
  if (span != span_) {
    span_ = span;
    common_ = common_element(span);
  }
  if (!common_) return golden(first, n, out);
  out->others.clear();
  std::fill_n(out->rounded, n, *common_);
  out->any_hard = false;
  out->common = true;
  return success();
}

// Decides the lanes that are still hard, as far as engine N can.
template <class N>
Status SweepOracle::decide(const std::vector<Tensor>& inputs, std::size_t n,
                           BlockResult* out) {
  const std::map<int, Tensor> nothing_observed;
  Evaluator<N> evaluator(program_, inputs, nothing_observed, planned_,
                         {Numerics::fused, working_precision() >= 1024});
  const int id = program_.outputs[0].id;
  const DType t = sweep_.result();
  for (std::size_t i = 0; i < n; ++i) {
    if (out->hard[i] != 1) continue;
    const auto element = static_cast<std::int64_t>(i);
    const Judgement<N> j = evaluator.judge(id, element);
    if (!evaluator.error().empty()) return Error{evaluator.error()};
    const Set<N>& s = j.exact_values;
    if (s.unsure || j.admitted.elements.undecided) continue;
    if (s.unspecified || j.admitted.elements.unspecified) {
      out->hard[i] = kUnspecified;
      continue;
    }
    if (j.tolerance) {
      BlockTolerance& granted = out->tolerance;
      granted.ulp[i] = j.tolerance->ulp;
      granted.subnormal_ulp[i] =
          j.tolerance->subnormal_ulp.value_or(j.tolerance->ulp);
      granted.absolute[i] = j.tolerance->absolute;
    }
    if (!s.has_values) {
      out->rounded[i] = out->exact.lo[i] = out->exact.hi[i] = std::nan("");
      out->hard[i] = 0;
      continue;
    }
    std::uint64_t bits = j.admitted.elements.lo;
    std::vector<RightElement> others;
    if (is_float(t)) {
      const RoundedEnds ends = nearest_ends(t, s.lo);
      if (ends.a != ends.b) continue;
      bits = ends.a;
      bool decided = true;
      for (std::size_t p = 1; s.pieces && p < s.pieces->size(); ++p) {
        const Real<N>& exact = (*s.pieces)[p].lo;
        const RoundedEnds other = nearest_ends(t, exact);
        decided = decided && other.a == other.b;
        others.push_back({i, number_of_bits(t, other.a), middle_of(exact)});
      }
      if (!decided) continue;
    }
    out->others.insert(out->others.end(), others.begin(), others.end());
    out->rounded[i] = number_of_bits(t, bits);
    out->exact.lo[i] = out->exact.hi[i] = middle_of(s.lo);
    out->hard[i] = 0;
  }
  return success();
}

Status SweepOracle::golden(std::uint64_t first, std::size_t n,
                           BlockResult* out) {
  out->others.clear();
  if (loops_) {
    run_loops(first, n, out);
  } else {
    std::fill_n(out->hard, n, std::uint8_t{1});
    out->any_hard = true;
    out->common = false;
    out->exact = {out->own, out->own};
  }
  if (!out->any_hard || std::memchr(out->hard, 1, n) == nullptr) {
    return success();
  }
  const std::vector<Tensor> inputs =
      sweep_.tensors(first, element_count(program_.inputs[0].sizes));
  if (!loops_ && engine_ != nullptr) {
    const Status decided = decide<double>(inputs, n, out);
    if (!decided) return decided;
  }
  hard_ += static_cast<std::uint64_t>(std::count(out->hard, out->hard + n, 1));
  for (const int bits : kPrecisions) {
    if (std::find(out->hard, out->hard + n, 1) == out->hard + n) {
      return success();
    }
    const PrecisionScope precision(bits);
    const Status decided = decide<Mp>(inputs, n, out);
    if (!decided) return decided;
  }
  const auto open = std::find(out->hard, out->hard + n, 1) - out->hard;
  if (static_cast<std::size_t>(open) == n) return success();
  return Error{sweep_.name() + ": input " +
               std::to_string(first + static_cast<std::uint64_t>(open)) +
               " is undecided at 4096 bits"};
}

}  // namespace assay::reference
