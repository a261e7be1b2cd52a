#include "harness/fuzz/difference_examiner.h"

#include <chrono>

#include "core/float_bits.h"
#include "harness/judge/judge.h"

namespace assay::harness {
namespace {

constexpr std::chrono::milliseconds kDeadline{60'000};

bool returned(const Observation& o) {
  return o.kind == Observation::Kind::returned;
}

bool is_same_element(const Tensor& a, const Tensor& b, std::int64_t i) {
  const DType t = a.dtype();
  return a.bits(i) == b.bits(i) || (is_float(t) && is_nan_bits(t, a.bits(i)) &&
                                    is_nan_bits(t, b.bits(i)));
}

// The index of row-major element `i`.
Shape index_of(std::int64_t i, const Shape& sizes) {
  Shape index(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0;) {
    index[d] = i % sizes[d];
    i /= sizes[d];
  }
  return index;
}

}  // namespace

Observation DifferenceExaminer::run(const Candidate& c,
                                    Executor& executor) const {
  const auto types = types_of(c, specs_);
  Observation none;
  none.kind = Observation::Kind::not_run;
  if (!types) return none;
  std::vector<TensorType> expected;
  for (const ValueRef v : c.outputs) {
    const TensorType& t = (*types)[static_cast<std::size_t>(v.id)];
    expected.push_back(TensorType::contiguous(t.dtype, t.sizes));
  }
  return executor.run(program_of(c), inputs_of(c), expected, kDeadline);
}

Examined DifferenceExaminer::examine(const Candidate& c, bool) {
  Examined out;
  const Observation a = run(c, a_);
  const Observation b = run(c, b_);
  if (!returned(a) || !returned(b) || a.outputs.size() != b.outputs.size()) {
    return out;
  }
  out.fails = hash_outputs(a.outputs) != hash_outputs(b.outputs);
  for (std::size_t k = 0; out.fails && k < a.outputs.size(); ++k) {
    for (std::int64_t i = 0; i < a.outputs[k].numel(); ++i) {
      if (is_same_element(a.outputs[k], b.outputs[k], i)) continue;
      out.sizes = a.outputs[k].sizes();
      out.index = index_of(i, out.sizes);
      return out;
    }
  }
  return out;
}

std::vector<GivenTensor> DifferenceExaminer::values_of(const Candidate& c,
                                                       ValueRef v) {
  Candidate part = c;
  part.outputs = {v};
  const Observation o = run(pruned(part), a_);
  if (!returned(o) || o.outputs.size() != 1) return {};
  return {given_of(o.outputs.front())};
}

}  // namespace assay::harness
