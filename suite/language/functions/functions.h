// The functions of the expression language: one table that the parser, the
// checks and the evaluators share. After parsing a function is its FunctionId,
// never its name.
#ifndef ASSAY_SUITE_LANGUAGE_FUNCTIONS_FUNCTIONS_H_
#define ASSAY_SUITE_LANGUAGE_FUNCTIONS_FUNCTIONS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suite/language/functions/elementary.h"
#include "suite/language/functions/special.h"

namespace assay::language {

// What an expression or an argument is. `number` is a real value, `integer`
// one that is known to be whole.
enum class ValueKind {
  any,
  number,
  integer,
  boolean,
  dtype,
  string,
  shape,
  tensor,
  tensors,
  numbers,  // a list of fractions
  none
};
const char* kind_name(ValueKind kind);

// fmod is exact and of its first operand's sign; remainder is
// x - y * floor(x / y), of its second's, as Python's %.
enum class Binary { pow, atan2, hypot, fmod, remainder };
inline constexpr int kBinaryFunctions = static_cast<int>(Binary::remainder) + 1;

// and, or, xor
enum class Bitwise { conjunction, disjunction, difference };

// What round(x, T) makes of a value outside of an integer dtype's range:
// integers wrap modulo 2^n, for a float nothing is promised.
enum class OutOfRange { wraps, unspecified };

// The elementary functions come first, in their own order, and have no further
// names here: id_of(Elementary::exp).
enum class FunctionId {
  unknown = -1,  // a name of no function of the language
  abs = kElementaryFunctions,
  rsqrt,
  pow,
  atan2,
  hypot,
  fmod,
  remainder,
  nextafter,
  bit_and,
  bit_or,
  bit_xor,
  bessel_i,
  bessel_k,
  scaled_bessel_i,
  scaled_bessel_k,
  bessel_j,
  bessel_y,
  polygamma,
  hurwitz_zeta,
  gamma_p,
  gamma_q,
  round_even,
  ceil,
  floor,
  trunc,
  sign,
  isnan,
  isinf,
  signbit,
  where,
  either,
  max,
  min,
  round,
  inside,
  flat,
  concat,
  stored,
  re,
  im,
  complex,
  eps,
  largest,
  smallest_normal,
  least,
  greatest,
  rank,
  dim,
  size,
  shape,
  numel,
  dtype,
  given,
  is_scalar,
  length,
  category,
  promote,
  viewable,
  stride_of,
  fills_memory,
  overlaps_itself,
  overlaps_partly,
  overlaps,
  is_float,
  is_integer,
  is_complex,
  component,
  opmath,
  bytes,
  floor_div,
  ceil_div,
  product,
  unique,
  iota,
  last,
  reduced,
  wrap,
  broadcast,
  broadcastable,
  at,
  put,
  insert,
  drop,
  swap,
  permute,
  unpermute,
  pick,
  reduce,
  weave,
  ravel,
  unravel,
  collapse,
  infer,
  expanded,
  concat_shape,
  slice_start,
  slice_end,
};

constexpr FunctionId id_of(Elementary f) { return static_cast<FunctionId>(f); }
// The elementary or special function, function of two numbers, or operation on
// bits that it is; nothing for any other function.
std::optional<Elementary> elementary_of(FunctionId f);
std::optional<SpecialFunction> special_of(FunctionId f);
std::optional<Binary> binary_of(FunctionId f);
std::optional<Bitwise> bitwise_of(FunctionId f);

struct Function {
  FunctionId id;
  std::string_view name;
  // Argument kinds, one letter each: t tensor, l list of tensors, p any
  // parameter, n number, i integer, o integer or none, d dtype, s shape, pack
  // or list of integers, q the same or none, w integer or such a list, m number
  // or such a list, v any list, b boolean, c parameter or dtype, a anything. A
  // final '*' repeats the letter before it any number of times.
  std::string_view args;
  ValueKind result;
  // Where it may stand: static expressions, values (over elements), or both.
  bool in_static;
  bool in_value;
  std::string_view how;  // "dim(a, d)"; empty where it is NAME(x)
};

// In the order of their ids.
const std::vector<Function>& functions();
FunctionId find_function(std::string_view name);
// Requires a known function.
const Function& function(FunctionId id);
std::string_view function_name(FunctionId id);
// How it is called, for messages: "dim(a, d)".
std::string usage(const Function& f);
std::string_view binary_name(Binary f);
std::optional<Binary> find_binary(std::string_view name);

// Does a call with `count` arguments agree with `f`?
bool accepts_arity(const Function& f, std::size_t count);
// The letter of argument `n`. Requires accepts_arity for some larger count.
char argument_letter(const Function& f, std::size_t n);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FUNCTIONS_FUNCTIONS_H_
