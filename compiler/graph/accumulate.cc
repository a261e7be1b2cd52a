#include "compiler/graph/accumulate.h"

#include <limits>

#include "compiler/graph/apply.h"
#include "core/float_bits.h"
#include "core/integer_bits.h"

namespace assay::compiler {

std::uint64_t identity_of(Combiner c, DType t) {
  const double inf = std::numeric_limits<double>::infinity();
  switch (c) {
    case Combiner::sum:
    case Combiner::last:
      return 0;
    case Combiner::product:
      return is_float(t) ? encode_float(t, 1.0) : 1;
    case Combiner::maximum:
      return is_float(t)
                 ? encode_float(t, -inf)
                 : static_cast<std::uint64_t>(integer_min(t)) & width_mask(t);
    case Combiner::minimum:
      return is_float(t) ? encode_float(t, inf) : integer_max(t);
  }
  return 0;
}

ScalarOp step_of(Combiner c) {
  switch (c) {
    case Combiner::sum:
      return ScalarOp::add;
    case Combiner::product:
      return ScalarOp::mul;
    case Combiner::maximum:
      return ScalarOp::maximum;
    case Combiner::minimum:
      return ScalarOp::minimum;
    case Combiner::last:
      break;
  }
  return ScalarOp::add;
}

Accumulator::Accumulator(Combiner combiner, Order order, DType t)
    : combiner_(combiner),
      order_(order),
      type_(t),
      identity_(identity_of(combiner, t)),
      lanes_(static_cast<std::size_t>(order.lanes), identity_),
      total_(identity_) {}

std::uint64_t Accumulator::combine(std::uint64_t a, std::uint64_t b) const {
  const std::uint64_t args[] = {a, b};
  return apply(step_of(combiner_), type_, args);
}

std::uint64_t& Accumulator::next_lane() {
  return lanes_[static_cast<std::size_t>(in_block_ % order_.lanes)];
}

void Accumulator::count_term() {
  if (++in_block_ == order_.block) close_block();
}

void Accumulator::add(std::uint64_t term) {
  std::uint64_t& lane = next_lane();
  lane = combine(lane, term);
  count_term();
}

void Accumulator::add_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t& lane = next_lane();
  const std::uint64_t args[] = {a, b, lane};
  lane = is_wide_float(type_)
             ? apply(ScalarOp::fma, type_, args)
             : combine(lane, apply(ScalarOp::mul, type_, args));
  count_term();
}

void Accumulator::close_block() {
  if (in_block_ == 0) return;
  for (std::size_t half = lanes_.size() / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) {
      lanes_[l] = combine(lanes_[l], lanes_[l + half]);
    }
  }
  total_ = combine(total_, lanes_[0]);
  lanes_.assign(lanes_.size(), identity_);
  in_block_ = 0;
}

std::uint64_t Accumulator::result() {
  close_block();
  return total_;
}

}  // namespace assay::compiler
