// Results rounded the wrong way, twice, or not at all.
#include <cmath>
#include <limits>

#include "core/float_bits.h"
#include "harness/faults/elements.h"

namespace assay::harness::faults {
namespace {

// Every element that the mode rounds otherwise.
OutputFault rounded(RoundingMode mode, Overflow overflow) {
  return [=](const Call& call, Outputs* outputs) {
    Tensor& out = outputs->front();
    if (!is_float(out.dtype())) return;
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      const double x = Element(call, out, i).number(0);
      out.set_bits(i, encode_float(out.dtype(), x, mode, overflow));
    }
  };
}

// Through f32, which is exact for all narrower sources.
double rounded_twice(const Element& e) {
  return static_cast<double>(static_cast<float>(e.number(0)));
}

// NaN becomes the largest element, as in a conversion that saturates by
// comparisons.
void saturate_nan(const Call& call, Outputs* outputs) {
  Tensor& out = outputs->front();
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    if (std::isnan(Element(call, out, i).number(0))) {
      out.set_bits(i, largest_bits(out.dtype()));
    }
  }
}

// NaN from the largest element on, which is an element still.
void nan_of_largest(const Call& call, Outputs* outputs) {
  Tensor& out = outputs->front();
  const double largest = decode_float(out.dtype(), largest_bits(out.dtype()));
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    if (std::fabs(Element(call, out, i).number(0)) >= largest) {
      out.set_bits(i, quiet_nan_bits(out.dtype()));
    }
  }
}

void flush_results(const Call&, Outputs* outputs) {
  Tensor& out = outputs->front();
  const DType t = out.dtype();
  if (!is_float(t)) return;
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    if (is_subnormal_bits(t, out.bits(i))) {
      out.set_bits(i, out.bits(i) & sign_bit_mask(t));
    }
  }
}

void flush_operands(const Node&, std::vector<Tensor>* operands) {
  for (Tensor& t : *operands) {
    if (!is_float(t.dtype())) continue;
    Tensor flushed = t.contiguous();
    for (std::int64_t i = 0; i < t.numel(); ++i) {
      if (is_subnormal_bits(t.dtype(), t.bits(i))) {
        flushed.set_bits(i, t.bits(i) & sign_bit_mask(t.dtype()));
      }
    }
    t = flushed;
  }
}

// A sum whose operand is a product takes the product unrounded.
void contract(const Call& call, Outputs* outputs) {
  const auto product = std::get<ValueRef>(call.node.args[0]);
  if (!call.program.is_node(product)) return;
  const Node& mul = call.program.node(product);
  if (mul.op != "aten.mul.Tensor") return;
  const auto value = [&](const Arg& arg) -> const Tensor& {
    return call.values[static_cast<std::size_t>(std::get<ValueRef>(arg).id)];
  };
  const Tensor &a = value(mul.args[0]), &b = value(mul.args[1]),
               &c = value(call.node.args[1]);
  Tensor& out = outputs->front();
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    out.set_number(i, std::fma(static_cast<float>(a.number(i)),
                               static_cast<float>(b.number(i)),
                               static_cast<float>(c.number(i))));
  }
}

// A widening cast of what was narrowed before returns what there was then.
void remove_round_trip(const Call& call, Outputs* outputs) {
  const auto narrow = std::get<ValueRef>(call.node.args[0]);
  if (!call.program.is_node(narrow)) return;
  const Node& cast = call.program.node(narrow);
  if (cast.op != call.node.op) return;
  const auto source = std::get<ValueRef>(cast.args[0]);
  const Tensor& before = call.values[static_cast<std::size_t>(source.id)];
  if (before.dtype() == outputs->front().dtype()) {
    outputs->front() = before.contiguous();
  }
}

// The cast that follows a narrow result reads it as it was computed.
void widen_unrounded(const Call& call, Outputs* outputs) {
  const auto operand = std::get<ValueRef>(call.node.args[0]);
  const Node& log = call.program.node(operand);
  const auto source = std::get<ValueRef>(log.args[0]);
  const Tensor& x = call.values[static_cast<std::size_t>(source.id)];
  Tensor& out = outputs->front();
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    out.set_number(
        i, static_cast<double>(std::log(static_cast<float>(x.number(i)))));
  }
}

double round_half_away(const Element& e) { return std::round(e.number(0)); }

double exponent_field(const Element& e) { return std::floor(e.number(0)); }

}  // namespace

std::vector<Fault> rounding_faults() {
  return {
      {.name = "CastTowardZero",
       .spec = "_to_copy",
       .cases = {"*dtype=f16*", "*dtype=bf16*"},
       .clauses = {"_to_copy/A1"},
       .outputs = rounded(RoundingMode::toward_zero, Overflow::standard)},
      {.name = "CastHalfAwayFromZero",
       .spec = "_to_copy",
       .cases = {"*dtype=f16*", "*dtype=bf16*"},
       .clauses = {"_to_copy/A1"},
       .outputs = rounded(RoundingMode::nearest_away, Overflow::standard)},
      {.name = "CastRoundsTwice",
       .spec = "_to_copy",
       .cases = {"*/f64/*dtype=f16*", "*/f64/*dtype=bf16*"},
       .clauses = {"_to_copy/A1"},
       .outputs = each(rounded_twice)},
      {.name = "CastToE4m3SaturatesNan",
       .spec = "_to_copy",
       .cases = {"*dtype=f8e4m3fn", "*dtype=f8e4m3fn/*"},
       .clauses = {"_to_copy/A2"},
       .outputs = saturate_nan},
      {.name = "CastToE4m3LosesLargest",
       .spec = "_to_copy",
       .cases = {"*dtype=f8e4m3fn", "*dtype=f8e4m3fn/*"},
       .clauses = {"_to_copy/A2"},
       .outputs = nan_of_largest},
      {.name = "CastToE4m3Saturates",
       .spec = "_to_copy",
       .cases = {"*dtype=f8e4m3fn", "*dtype=f8e4m3fn/*"},
       .clauses = {"_to_copy/A2"},
       .outputs = rounded(RoundingMode::nearest_even, Overflow::saturate)},
      {.name = "CastToE4m3OverflowsToNan",
       .spec = "_to_copy",
       .cases = {"*dtype=f8e4m3fn", "*dtype=f8e4m3fn/*"},
       .clauses = {"_to_copy/A3"},
       .torch = {2, 12},
       .outputs = rounded(RoundingMode::nearest_even, Overflow::standard)},
      {.name = "CastToE8m0RoundsDown",
       .spec = "_to_copy",
       .cases = {"*dtype=f8e8m0fnu*"},
       .clauses = {"_to_copy/A1"},
       .outputs = rounded(RoundingMode::down, Overflow::standard)},
      {.name = "E8m0CodeIsExponentField",
       .spec = "e8m0_encode_direct",
       .op = "aten.ceil.default",
       .clauses = {"_to_copy/A1"},
       .outputs = each(exponent_field)},
      {.name = "CeilOfLog2IsOneMore",
       .spec = "e8m0_encode_direct",
       .op = "aten.ceil.default",
       .clauses = {"_to_copy/A1"},
       .outputs =
           each([](const Element& e) { return std::floor(e.number(0)) + 1; })},
      {.name = "CastPairVanishes",
       .spec = "cast_round_trip",
       .op = "aten._to_copy.default",
       .clauses = {"_to_copy/A1"},
       .failure = FailureClass::elided,
       .outputs = remove_round_trip},
      {.name = "ConsumerReadsUnrounded",
       .spec = "log",
       .op = "aten._to_copy.default",
       .cases = {"*/f16/*/widen"},
       .clauses = {"_to_copy/A1"},
       .contexts = true,
       .failure = FailureClass::incoherent,
       .outputs = widen_unrounded},
      {.name = "ProductContracted",
       .spec = "multiply_add",
       .op = "aten.add.Tensor",
       .clauses = {"add/A1"},
       .outputs = contract},
      {.name = "ResultsFlushed",
       .spec = "mul",
       .clauses = {"mul/A1"},
       .outputs = flush_results},
      {.name = "OperandsFlushed",
       .spec = "sqrt",
       .clauses = {"sqrt/A1"},
       .operands = flush_operands},
      {.name = "RoundHalfAwayFromZero",
       .spec = "round",
       .cases = {"*/f32/*", "*/f64/*", "*/f16/*", "*/bf16/*"},
       .clauses = {"round/A1"},
       .outputs = each(round_half_away)},
  };
}

}  // namespace assay::harness::faults
