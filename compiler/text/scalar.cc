#include "compiler/text/scalar.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <iterator>

#include "core/float_bits.h"

namespace assay::compiler {

namespace {

// In the order of DType. Floats narrower than f32 are patterns, which
// a_from_NAME and a_to_NAME of compiler/math read and write.
constexpr const char* kValueTypes[] = {
    "double",        "float",         "a_u16",          "a_u16",
    "unsigned char", "unsigned char", "unsigned char",  "unsigned char",
    "unsigned char", "unsigned char", "signed char",    "short",
    "int",           "a_i64",         "unsigned short", "unsigned int",
    "a_u64",         "bool"};
static_assert(std::size(kValueTypes) == kAllDTypes.size());

}  // namespace

const char* value_type(DType t) {
  return kValueTypes[static_cast<std::size_t>(t)];
}

const char* storage_type(DType t) {
  return t == DType::boolean ? "unsigned char" : value_type(t);
}

std::string literal(DType t, std::uint64_t bits) {
  if (t == DType::boolean) return bits != 0 ? "true" : "false";
  if (is_wide_float(t)) {
    const double v = decode_float(t, bits);
    const bool wide = t == DType::f64;
    if (std::isfinite(v)) return fmt::format("{:a}{}", v, wide ? "" : "f");
    return wide ? fmt::format("a_double({:#x}ul)", bits)
                : fmt::format("a_float({:#x}u)", bits);
  }
  return fmt::format("({}){:#x}{}", value_type(t), bits,
                     t == DType::i64 ? "ul" : "u");
}

bool narrows_float(DType from, DType to) {
  return is_float(from) && is_integer(to) && size_bytes(to) < 8;
}

std::string cast_text(DType from, DType to, const std::string& v) {
  // As a choice: g++ leaves loops scalar that convert a comparison.
  if (from == DType::boolean && is_float(to)) {
    return fmt::format("({} ? {} : {})", v, literal(to, encode_float(to, 1)),
                       literal(to, encode_float(to, 0)));
  }
  // Floats narrower than f32 are patterns: read as float first, write by
  // rounding.
  if (opmath(from) != from) {
    const std::string wide = fmt::format("a_from_{}({})", dtype_name(from), v);
    return to == DType::f32 ? wide : cast_text(DType::f32, to, wide);
  }
  if (opmath(to) != to) {
    const bool direct =
        from == DType::f32 || from == DType::f64 || from == DType::i64;
    return fmt::format("a_to_{}({}{})", dtype_name(to),
                       direct ? "" : "(double)", v);
  }
  if (is_float(from) && !is_float(to)) {
    return fmt::format("({})a_truncate((double){})", value_type(to), v);
  }
  return fmt::format("({}){}", value_type(to), v);
}

std::string apply_text(ScalarOp op, DType t,
                       const std::vector<std::string>& args) {
  const ScalarOpInfo& row = info(op);
  if (op == ScalarOp::select) {
    return fmt::format("{} ? {} : {}", args[0], args[1], args[2]);
  }
  // Integer arithmetic goes through functions that wrap.
  const bool infix = !row.infix.empty() && (!is_integer(t) || row.gives_bool);
  if (infix) return fmt::format("{} {} {}", args[0], row.infix, args[1]);
  std::string text = fmt::format("a_{}(", row.name);
  for (std::size_t i = 0; i < args.size(); ++i) {
    text += (i > 0 ? ", " : "") + args[i];
  }
  return text + ")";
}

// NaN compares false, so it is x that stays. Equal operands have the same bits
// but for zeros: of +0 and a maximum, or -0 and a minimum, the limit is the
// result whichever zero x is. The other zero would be the result for its like
// alone, and clang makes any zero of that.
std::string limit_text(ScalarOp op, DType t, const std::string& x,
                       const std::string& limit, std::uint64_t bits) {
  const bool up = op == ScalarOp::maximum;
  if ((!up && op != ScalarOp::minimum) || !is_wide_float(t)) return "";
  const double value = decode_float(t, bits);
  if (std::isnan(value) || (value == 0 && std::signbit(value) == up)) return "";
  return fmt::format("{0} {1} {2} ? {2} : {0}", x,
                     value != 0 ? (up ? "<" : ">") : (up ? "<=" : ">="), limit);
}

}  // namespace assay::compiler
