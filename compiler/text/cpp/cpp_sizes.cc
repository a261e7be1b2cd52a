#include "compiler/text/cpp/cpp_sizes.h"

#include <fmt/format.h>

#include <bit>
#include <optional>

#include "compiler/text/scalar.h"
#include "core/float_bits.h"

namespace assay::compiler {
namespace {

// Loops that may be innermost are unrolled and cut into vectors without a rest
// up to this extent, and strides within such rows tell how elements lie.
constexpr std::int64_t kShort = 64;
// Of other loops only these vanish in their surroundings.
constexpr std::int64_t kTiny = 4;

// Elements that lie so far apart are loaded in one piece and sorted out. g++
// leaves a loop scalar that goes in steps of another number, if it knows it.
bool is_sorted_out(std::int64_t step) {
  return step == 3 || std::has_single_bit(static_cast<std::uint64_t>(step));
}

// Of the loop that becomes vectors.
std::size_t innermost(const LoopKernel& k) {
  return k.has_row || k.outer.empty() ? k.outer.size() : k.outer.size() - 1;
}

std::int64_t extent_of(const LoopKernel& k, std::size_t d) {
  return d == k.outer.size() ? k.row : k.outer[d];
}

// The integer that a scalar is, if it is one.
std::optional<std::int64_t> integer_of(const Value& v) {
  if (v.dtype == DType::boolean) return std::nullopt;
  if (!is_float(v.dtype)) return static_cast<std::int64_t>(v.bits);
  if (!is_wide_float(v.dtype)) return std::nullopt;
  const double x = decode_float(v.dtype, v.bits);
  if (!(x >= 0 && x < 0x1p62)) return std::nullopt;
  const auto i = static_cast<std::int64_t>(x);
  if (static_cast<double>(i) != x) return std::nullopt;
  return i;
}

}  // namespace

CppSizes::CppSizes(const Nest& nest, std::optional<Defect> defect,
                   FixedSizes fixed)
    : NestText(nest, defect), fixed_(fixed) {
  for (const Kernel& kernel : nest.kernels) {
    const auto* k = std::get_if<LoopKernel>(&kernel);
    if (k == nullptr || !k->has_row || is_fixed(*k, k->outer.size())) continue;
    rows_.insert(k->row);
  }
}

void CppSizes::begin_sizes() {
  first_ = sizes_.size();
  place_ = lines().text().size();
  declarations_.clear();
  extents_.clear();
  indices_.clear();
}

void CppSizes::end_kernel() {
  lines().insert(place_, declarations_);
  NestText::end_kernel();
}

std::string CppSizes::add(std::int64_t value, const char* type,
                          std::string meaning) {
  const std::size_t n = sizes_.size() - first_;
  declarations_.push_back(
      fmt::format("const {0} n{1} = ({0})n[{1}];  // {2}", type, n, meaning));
  sizes_.push_back({value, kernel(), std::move(meaning)});
  return fmt::format("n{}", n);
}

bool CppSizes::is_fixed(const LoopKernel& k, std::size_t d) const {
  const std::int64_t value = extent_of(k, d);
  if (fixed_ == FixedSizes::all) return true;
  if (fixed_ == FixedSizes::ones) return value <= 1;
  return value <= (d >= innermost(k) ? kShort : kTiny);
}

bool CppSizes::is_whole(const LoopKernel& k, std::size_t d, int step) const {
  return fixed_ != FixedSizes::ones && extent_of(k, d) % step == 0;
}

std::string CppSizes::extent(const LoopKernel& k, std::size_t d) {
  const std::int64_t value = extent_of(k, d);
  if (is_fixed(k, d)) return std::to_string(value);
  std::string& text = extents_[d];
  if (text.empty()) {
    text = add(value, index_type(), "extent of " + index_name(d));
  }
  return text;
}

std::string CppSizes::size(std::int64_t value, SizeUse use,
                           const std::string& meaning) {
  const bool short_loops = fixed_ == FixedSizes::short_loops;
  bool fixed = value <= 1 || fixed_ == FixedSizes::all;
  const bool short_step = short_loops && value <= kShort;
  if (use == SizeUse::offset) fixed = fixed || short_step;
  if (use == SizeUse::index) fixed = fixed || (short_step && value != step_);
  // A compiler multiplies instead of dividing by a number that it knows.
  if (use == SizeUse::divisor) fixed = fixed || short_loops;
  if (fixed) return std::to_string(value);
  return add(value, use == SizeUse::wide ? "long" : index_type(), meaning);
}

// A mean divides by the length of a row: once for each row, so that little is
// lost where the text does not have the number.
std::string CppSizes::number(const LoopKernel& k, const Value& v) {
  const std::optional<std::int64_t> integer = integer_of(v);
  if (!integer || !rows_.contains(*integer)) return NestText::number(k, v);
  const std::string n =
      add(static_cast<std::int64_t>(v.bits), "long",
          fmt::format("bits of a row's length as {}", dtype_name(v.dtype)));
  if (v.dtype == DType::f64) return fmt::format("a_double((a_u64){})", n);
  if (v.dtype == DType::f32) return fmt::format("a_float((a_u32){})", n);
  return fmt::format("({}){}", value_type(v.dtype), n);
}

std::string CppSizes::index(int buffer, const IndexExpr& at) {
  std::string& text = indices_[{buffer, to_text(at, index_names())}];
  if (!text.empty()) return text;
  const auto number = static_cast<std::size_t>(kernel());
  if (const auto* k = std::get_if<LoopKernel>(&nest().kernels[number])) {
    const std::int64_t step = at.factor_of(static_cast<int>(innermost(*k)));
    step_ = is_sorted_out(step) ? 0 : step;
  }
  text = NestText::index(buffer, at);
  step_ = 0;
  return text;
}

}  // namespace assay::compiler
