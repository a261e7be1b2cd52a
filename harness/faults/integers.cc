// Integer arithmetic that saturates, goes through a float or rounds its
// quotient the other way.
#include <algorithm>
#include <cmath>

#include "harness/faults/elements.h"

namespace assay::harness::faults {
namespace {

// Only for alpha = 1.
void add_saturates(const Call& call, Outputs* outputs) {
  Tensor& out = outputs->front();
  // No sum of u64 is asked for: i64 does not hold its ends.
  if (!is_integer(out.dtype()) || out.dtype() == DType::u64 ||
      call.node.args.size() > 2 || !call.node.kwargs.empty()) {
    return;
  }
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    const Element e(call, out, i);
    const std::int64_t least = integer_min(out.dtype());
    const auto greatest = static_cast<std::int64_t>(integer_max(out.dtype()));
    std::int64_t sum = 0;
    if (__builtin_add_overflow(e.integer(0), e.integer(1), &sum)) {
      sum = e.integer(0) < 0 ? least : greatest;
    }
    out.set_integer(i, std::clamp(sum, least, greatest));
  }
}

// 2^63 and above cannot be converted back; they are as the subject likes.
std::int64_t integer_of(double x) {
  return x >= 0x1p63 || x < -0x1p63 || std::isnan(x)
             ? 0
             : static_cast<std::int64_t>(x);
}

std::int64_t product_in_f64(const Element& e) {
  return integer_of(static_cast<double>(e.integer(0)) *
                    static_cast<double>(e.integer(1)));
}

std::int64_t quotient_in_f64(const Element& e) {
  return integer_of(std::floor(static_cast<double>(e.integer(0)) /
                               static_cast<double>(e.integer(1))));
}

double quotient_truncated(const Element& e) {
  return std::trunc(e.number(0) / e.number(1));
}

std::int64_t integer_quotient_truncated(const Element& e) {
  if (e.integer(1) == -1) return static_cast<std::int64_t>(e.right());
  return e.integer(0) / e.integer(1);
}

double remainder_of_dividend(const Element& e) {
  return std::fmod(e.number(0), e.number(1));
}

std::int64_t integer_remainder_of_dividend(const Element& e) {
  return e.integer(1) == -1 ? 0 : e.integer(0) % e.integer(1);
}

// Any number that is not zero is true; here only those that do not truncate
// to zero.
double bool_of_integer(const Element& e) {
  return e.number(0) != 0 && std::trunc(e.number(0)) != 0 ? 1 : 0;
}

}  // namespace

std::vector<Fault> integer_faults() {
  return {
      {.name = "IntegerSumSaturates",
       .spec = "add",
       .cases = {"*/u8/*", "*/i32/*", "*/i64/*"},
       .clauses = {"add/A3"},
       .outputs = add_saturates},
      {.name = "IntegerProductInF64",
       .spec = "mul",
       .cases = {"*/i64/*"},
       .clauses = {"mul/A2"},
       .outputs = each_integer(product_in_f64)},
      {.name = "IntegerQuotientInF64",
       .spec = "floor_divide",
       .cases = {"*/i64/*"},
       .clauses = {"floor_divide/A2"},
       .outputs = each_integer(quotient_in_f64)},
      {.name = "FloorDivideTruncates",
       .spec = "floor_divide",
       .cases = {"*/f32/*"},
       .clauses = {"floor_divide/A1"},
       .outputs = each(quotient_truncated)},
      {.name = "IntegerFloorDivideTruncates",
       .spec = "floor_divide",
       .cases = {"*/i32/*", "*/i64/*"},
       .clauses = {"floor_divide/A2"},
       .outputs = each_integer(integer_quotient_truncated)},
      {.name = "RemainderHasSignOfDividend",
       .spec = "remainder",
       .cases = {"*/f32/*"},
       .clauses = {"remainder/A1"},
       .outputs = each(remainder_of_dividend)},
      {.name = "IntegerRemainderHasSignOfDividend",
       .spec = "remainder",
       .cases = {"*/i32/*", "*/i64/*"},
       .clauses = {"remainder/A2"},
       .outputs = each_integer(integer_remainder_of_dividend)},
      {.name = "CastToBoolThroughInteger",
       .spec = "_to_copy",
       .cases = {"*dtype=bool*"},
       .clauses = {"_to_copy/A1"},
       .outputs = each(bool_of_integer)},
  };
}

}  // namespace assay::harness::faults
