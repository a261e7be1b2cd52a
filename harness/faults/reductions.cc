// Reductions and scans that accumulate badly or pick the wrong index.
#include <cmath>

#include "core/float_bits.h"
#include "harness/faults/elements.h"

namespace assay::harness::faults {
namespace {

double rounded(DType t, double x) {
  return is_float(t) ? decode_float(t, encode_float(t, x)) : x;
}

// Each partial sum rounded to the element's own type.
void sum_in_storage_type(const Call& call, Outputs* outputs) {
  const Tensor& x = call.operands[0];
  double sum = 0;
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    sum = rounded(x.dtype(), sum + x.number(i));
  }
  outputs->front().set_number(0, sum);
}

void cumsum_in_storage_type(const Call& call, Outputs* outputs) {
  const Tensor& x = call.operands[0];
  for (const auto& line : lines(x.sizes(), *int_argument(call, 1, "dim"))) {
    double sum = 0;
    for (const std::int64_t i : line) {
      sum = rounded(x.dtype(), sum + x.number(i));
      outputs->front().set_number(i, sum);
    }
  }
}

// The carry from one vector to the next is forgotten.
void cumsum_by_vectors(const Call& call, Outputs* outputs) {
  const Tensor& x = call.operands[0];
  for (const auto& line : lines(x.sizes(), *int_argument(call, 1, "dim"))) {
    double sum = 0;
    for (std::size_t k = 0; k < line.size(); ++k) {
      sum = (k % 8 == 0 ? 0 : sum) + x.number(line[k]);
      outputs->front().set_number(line[k], sum);
    }
  }
}

void product_in_storage_type(const Call& call, Outputs* outputs) {
  const Tensor &a = call.operands[0], &b = call.operands[1];
  const std::int64_t m = a.sizes()[0], inner = a.sizes()[1], n = b.sizes()[1];
  for (std::int64_t i = 0; i < m * n; ++i) {
    double sum = 0;
    for (std::int64_t k = 0; k < inner; ++k) {
      const double term = a.number(i / n * inner + k) * b.number(k * n + i % n);
      sum = rounded(a.dtype(), sum + rounded(a.dtype(), term));
    }
    outputs->front().set_number(i, sum);
  }
}

// A better element by `better(candidate, best)`; its place in the line.
template <class Better>
std::size_t best_of(const Tensor& x, const std::vector<std::int64_t>& line,
                    Better better) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < line.size(); ++k) {
    if (better(x.number(line[k]), x.number(line[best]))) best = k;
  }
  return best;
}

template <class Better>
OutputFault index_by(std::size_t output, Better better) {
  return [=](const Call& call, Outputs* outputs) {
    const Tensor& x = call.operands[0];
    const auto dim = int_argument(call, 1, "dim");
    if (!dim) return;
    std::int64_t at = 0;
    for (const auto& line : lines(x.sizes(), *dim)) {
      const auto k = static_cast<std::int64_t>(best_of(x, line, better));
      (*outputs)[output].set_integer(at++, k);
    }
  };
}

bool not_less(double x, double best) {
  return std::isnan(x) || (x >= best && !std::isnan(best));
}
bool greater_of_numbers(double x, double best) {
  return x > best || (std::isnan(best) && !std::isnan(x));
}
bool greater_of_bits(double x, double best) {
  if (std::isnan(best)) return false;
  if (x == 0 && best == 0) return std::signbit(best) && !std::signbit(x);
  return std::isnan(x) || x > best;
}

// Two sums, subtracted.
void textbook_variance(const Call& call, Outputs* outputs) {
  const Tensor& x = call.operands[0];
  const auto dim = int_argument(call, 1, "dim");
  if (!dim || x.dtype() != DType::f32) return;
  std::int64_t at = 0;
  for (const auto& line : lines(x.sizes(), *dim)) {
    float sum = 0, squares = 0;
    for (const std::int64_t i : line) {
      const auto v = static_cast<float>(x.number(i));
      sum += v;
      squares += v * v;
    }
    const auto n = static_cast<float>(line.size());
    outputs->front().set_number(
        at++, static_cast<double>((squares - sum * sum / n) / (n - 1)));
  }
}

// Divided by n whatever the correction.
void variance_uncorrected(const Call& call, Outputs* outputs) {
  const Tensor& x = call.operands[0];
  const auto dim = int_argument(call, 1, "dim");
  if (!dim) return;
  std::int64_t at = 0;
  for (const auto& line : lines(x.sizes(), *dim)) {
    const auto n = static_cast<double>(line.size());
    double mean = 0, squares = 0;
    for (const std::int64_t i : line) mean += x.number(i) / n;
    for (const std::int64_t i : line) {
      squares += (x.number(i) - mean) * (x.number(i) - mean);
    }
    outputs->front().set_number(at++, squares / n);
  }
}

// The largest element is not subtracted first.
void softmax_overflows(const Call& call, Outputs* outputs) {
  const Tensor& x = call.operands[0];
  for (const auto& line : lines(x.sizes(), *int_argument(call, 1, "dim"))) {
    float sum = 0;
    for (const std::int64_t i : line) {
      sum += std::exp(static_cast<float>(x.number(i)));
    }
    for (const std::int64_t i : line) {
      outputs->front().set_number(
          i,
          static_cast<double>(std::exp(static_cast<float>(x.number(i))) / sum));
    }
  }
}

// f32 that is 0 in what a tail is padded with.
void amax_of_padded_tail(const Call& call, Outputs* outputs) {
  const Tensor& x = call.operands[0];
  const auto dim = int_argument(call, 1, "dim");
  if (!dim) return;
  std::int64_t at = 0;
  for (const auto& line : lines(x.sizes(), *dim)) {
    Tensor& out = outputs->front();
    if (line.size() % 8 != 0 && out.number(at) < 0) out.set_number(at, 0);
    ++at;
  }
}

}  // namespace

std::vector<Fault> reduction_faults() {
  return {
      {.name = "SumAccumulatesInStorageType",
       .spec = "sum",
       // Without those from C12 on, which convert the operand first.
       .cases = {"C?/f16/*", "C?/bf16/*"},
       .clauses = {"sum/A1"},
       .outputs = sum_in_storage_type},
      {.name = "CumsumAccumulatesInStorageType",
       .spec = "cumsum",
       .cases = {"C1/f16/*", "C1/bf16/*", "C2/bf16/*"},
       .clauses = {"cumsum/A1"},
       .outputs = cumsum_in_storage_type},
      {.name = "CumsumStartsAgainAtEachVector",
       .spec = "cumsum",
       .cases = {"C1/f32/*", "C2/f32/*", "C4/i32/*"},
       .clauses = {"cumsum/A1", "cumsum/A2"},
       .outputs = cumsum_by_vectors},
      {.name = "ProductAccumulatesInStorageType",
       .spec = "mm",
       .cases = {"C1/bf16*", "C1/f16*"},
       .clauses = {"mm/A1"},
       .outputs = product_in_storage_type},
      {.name = "ArgmaxTakesLastOfTies",
       .spec = "argmax",
       .clauses = {"argmax/A1"},
       .outputs = index_by(0, not_less)},
      {.name = "ArgmaxIgnoresNan",
       .spec = "argmax",
       .clauses = {"argmax/A1"},
       .outputs = index_by(0, greater_of_numbers)},
      {.name = "MaxIndexTellsZerosApart",
       .spec = "max_dim",
       .clauses = {"max_dim/A2"},
       .outputs = index_by(1, greater_of_bits)},
      {.name = "MaxIndexIgnoresNan",
       .spec = "max_dim",
       .clauses = {"max_dim/A2"},
       .outputs = index_by(1, greater_of_numbers)},
      {.name = "AmaxOfPaddedTail",
       .spec = "amax",
       .clauses = {"amax/A1"},
       .outputs = amax_of_padded_tail},
      {.name = "VarianceOfTwoSums",
       .spec = "var",
       .cases = {"C7/*"},
       .clauses = {"var/A1"},
       .outputs = textbook_variance},
      {.name = "VarianceUncorrected",
       .spec = "var",
       .cases = {"C2/f32/*", "C4/*"},
       .clauses = {"var/A1"},
       .outputs = variance_uncorrected},
      {.name = "SoftmaxOverflows",
       .spec = "softmax",
       .cases = {"*/f32/*"},
       .clauses = {"softmax/A1"},
       .outputs = softmax_overflows},
  };
}

}  // namespace assay::harness::faults
