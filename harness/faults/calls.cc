// Calls that return the wrong type or the elements of another place, compute
// too few, or refuse the wrong way.
#include "harness/faults/elements.h"

namespace assay::harness::faults {
namespace {

// Only whole vectors of eight are computed.
void tail_forgotten(const Call&, Outputs* outputs) {
  Tensor& out = outputs->front();
  for (std::int64_t i = out.numel() / 8 * 8; i < out.numel(); ++i) {
    out.set_bits(i, 0);
  }
}

// Only the last element is wrong, and only where the length is no multiple of
// eight.
void last_element_forgotten(const Call&, Outputs* outputs) {
  Tensor& out = outputs->front();
  if (out.numel() % 8 != 0) out.set_bits(out.numel() - 1, 0);
}
// The last column is read one row further down.
void column_of_next_row(const Call& call, Outputs* outputs) {
  const Tensor& x = call.operands[0];
  if (x.rank() < 2 || x.type.is_contiguous()) return;
  const std::int64_t n = x.sizes().back();
  const Tensor right = outputs->front().contiguous();
  for (std::int64_t i = n - 1; i + n < x.numel(); i += n) {
    outputs->front().set_bits(i, right.bits(i + n));
  }
}

// A Python number next to f64 is taken as f32.
double number_as_f32(const Element& e) {
  return e.number(0) * static_cast<double>(static_cast<float>(e.number(1)));
}

OutputFault returned_as(DType from, DType to) {
  return [=](const Call&, Outputs* outputs) {
    Tensor& out = outputs->front();
    if (out.dtype() != from) return;
    Tensor other = Tensor::zeros(to, out.sizes());
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      other.set_number(i, out.number(i));
    }
    out = other;
  };
}

void dimension_lost(const Call&, Outputs* outputs) {
  Tensor& out = outputs->front();
  if (out.rank() > 0) out = Tensor::zeros(out.dtype(), {out.numel()});
}

Observation returns_first_operand(const Call& call,
                                  const reference::GoldenError&) {
  Observation o;
  o.outputs.push_back(call.operands[0].contiguous());
  return o;
}

Observation raises_value_error(const Call&, const reference::GoldenError& due) {
  Observation o;
  o.kind = Observation::Kind::raised;
  o.error = {"ValueError", {"ValueError"}, "", due.message, "run"};
  return o;
}

}  // namespace

std::vector<Fault> call_faults() {
  return {
      {.name = "TailForgotten",
       .spec = "add",
       .cases = {"C1/*"},
       .clauses = {"add/A1"},
       .outputs = tail_forgotten},
      {.name = "LastElementForgotten",
       .spec = "sigmoid",
       .cases = {"C1/*"},
       .clauses = {"sigmoid/A1", "sigmoid/S1"},
       .outputs = last_element_forgotten},
      {.name = "StridesIgnored",
       .spec = "neg",
       .cases = {"C3/*"},
       .clauses = {"neg/A1"},
       .operands =
           [](const Node&, std::vector<Tensor>* all) {
             read_in_storage_order(all);
           }},
      {.name = "ColumnOfNextRow",
       .spec = "neg",
       .cases = {"C3/*"},
       .clauses = {"neg/A1"},
       .outputs = column_of_next_row},
      {.name = "NumberRoundedToF32",
       .spec = "mul",
       .cases = {"*/f64/*b=*"},
       .clauses = {"mul/A1"},
       .outputs = each(number_as_f32)},
      {.name = "SumOfIntegersStaysNarrow",
       .spec = "sum",
       .cases = {"C1/i32/*", "C1/u8/*"},
       .clauses = {"M1"},
       .outputs = returned_as(DType::i64, DType::i32)},
      {.name = "ZeroDimensionalPromotes",
       .spec = "mul",
       .cases = {"C23/f32-f64/*"},
       .clauses = {"M1"},
       .outputs = returned_as(DType::f32, DType::f64)},
      {.name = "KeptDimensionLost",
       .spec = "sum_dim",
       .cases = {"C3/f32/*keepdim=true*"},
       .clauses = {"M1"},
       .outputs = dimension_lost},
      {.name = "BroadcastNotRefused",
       .spec = "add",
       .cases = {"E*"},
       .clauses = {"add/E1", "add/E2", "add/E3", "add/E4"},
       .refusal = returns_first_operand},
      {.name = "WrongErrorClass",
       .spec = "sum_dim",
       .cases = {"E*"},
       .clauses = {"sum_dim/E1", "sum_dim/E2"},
       .refusal = raises_value_error},
  };
}

}  // namespace assay::harness::faults
