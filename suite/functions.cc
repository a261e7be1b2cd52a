#include "suite/functions.h"

#include <algorithm>

namespace assay {

const char* kind_name(ValueKind kind) {
  switch (kind) {
    case ValueKind::any:
      return "anything";
    case ValueKind::number:
      return "a number";
    case ValueKind::integer:
      return "an integer";
    case ValueKind::boolean:
      return "a truth value";
    case ValueKind::dtype:
      return "a dtype";
    case ValueKind::string:
      return "a string";
    case ValueKind::shape:
      return "a shape";
    case ValueKind::tensor:
      return "a tensor";
    case ValueKind::tensors:
      return "a list of tensors";
    case ValueKind::none:
      return "none";
  }
  return "?";
}

const std::vector<Function>& functions() {
  using K = ValueKind;
  static const std::vector<Function> table = {
      // Elementary functions of values.
      {"abs", "n", K::number, true, true, "abs(x)"},
      {"exp", "n", K::number, false, true, "exp(x)"},
      {"exp2", "n", K::number, false, true, "exp2(x)"},
      {"expm1", "n", K::number, false, true, "expm1(x)"},
      {"log", "n", K::number, false, true, "log(x)"},
      {"log2", "n", K::number, false, true, "log2(x)"},
      {"log10", "n", K::number, false, true, "log10(x)"},
      {"log1p", "n", K::number, false, true, "log1p(x)"},
      {"sqrt", "n", K::number, false, true, "sqrt(x)"},
      {"rsqrt", "n", K::number, false, true, "rsqrt(x)"},
      {"cbrt", "n", K::number, false, true, "cbrt(x)"},
      {"sin", "n", K::number, false, true, "sin(x)"},
      {"cos", "n", K::number, false, true, "cos(x)"},
      {"tan", "n", K::number, false, true, "tan(x)"},
      {"sinh", "n", K::number, false, true, "sinh(x)"},
      {"cosh", "n", K::number, false, true, "cosh(x)"},
      {"tanh", "n", K::number, false, true, "tanh(x)"},
      {"asinh", "n", K::number, false, true, "asinh(x)"},
      {"acosh", "n", K::number, false, true, "acosh(x)"},
      {"atanh", "n", K::number, false, true, "atanh(x)"},
      {"asin", "n", K::number, false, true, "asin(x)"},
      {"acos", "n", K::number, false, true, "acos(x)"},
      {"atan", "n", K::number, false, true, "atan(x)"},
      {"erf", "n", K::number, false, true, "erf(x)"},
      {"erfc", "n", K::number, false, true, "erfc(x)"},
      {"lgamma", "n", K::number, false, true, "lgamma(x)"},
      {"tgamma", "n", K::number, false, true, "tgamma(x)"},
      {"pow", "nn", K::number, false, true, "pow(x, y)"},
      {"atan2", "nn", K::number, false, true, "atan2(y, x)"},
      {"hypot", "nn", K::number, false, true, "hypot(x, y)"},
      {"fmod", "nn", K::number, false, true, "fmod(x, y)"},
      {"remainder", "nn", K::number, false, true, "remainder(x, y)"},
      {"nextafter", "nnd", K::number, false, true, "nextafter(x, y, T)"},
      {"bit_and", "nn", K::integer, false, true, "bit_and(a, b)"},
      {"bit_or", "nn", K::integer, false, true, "bit_or(a, b)"},
      {"bit_xor", "nn", K::integer, false, true, "bit_xor(a, b)"},
      {"round_even", "n", K::integer, false, true, "round_even(x)"},
      {"ceil", "n", K::integer, true, true, "ceil(x)"},
      {"floor", "n", K::integer, true, true, "floor(x)"},
      {"trunc", "n", K::integer, true, true, "trunc(x)"},
      {"sign", "n", K::number, true, true, "sign(x)"},
      {"isnan", "n", K::boolean, true, true, "isnan(x)"},
      {"isinf", "n", K::boolean, true, true, "isinf(x)"},
      {"signbit", "n", K::boolean, true, true, "signbit(x)"},
      {"where", "baa", K::any, true, true, "where(condition, then, else)"},
      {"max", "m*", K::number, true, true, "max(a, b) or max(list)"},
      {"min", "m*", K::number, true, true, "min(a, b) or min(list)"},
      {"round", "nd", K::number, false, true, "round(x, f16)"},
      {"inside", "nn", K::number, false, true, "inside(a[i], else 0)"},
      {"flat", "t", K::tensor, true, true, "flat(x)[n]"},
      {"concat", "li", K::tensor, false, true, "concat(list, d)[i...]"},
      // Formats.
      {"eps", "d", K::number, true, true, "eps(T)"},
      {"largest", "d", K::number, true, true, "largest(T)"},
      {"smallest_normal", "d", K::number, true, true, "smallest_normal(T)"},
      {"least", "d", K::integer, true, true, "least(D)"},
      {"greatest", "d", K::integer, true, true, "greatest(D)"},
      // Operands.
      {"rank", "t", K::integer, true, true, "rank(a)"},
      {"dim", "ti", K::integer, true, true, "dim(a, d)"},
      {"size", "ti", K::integer, true, true, "size(a, d)"},
      {"shape", "t", K::shape, true, true, "shape(a)"},
      {"numel", "t", K::integer, true, true, "numel(a)"},
      {"dtype", "p", K::dtype, true, true, "dtype(a)"},
      {"given", "p", K::boolean, true, true, "given(b)"},
      {"is_scalar", "p", K::boolean, true, true, "is_scalar(a)"},
      {"length", "v", K::integer, true, true, "length(list)"},
      {"category", "c", K::string, true, true, "category(a)"},
      {"promote", "c*", K::dtype, true, true, "promote(a, b, ...)"},
      {"viewable", "ts", K::boolean, true, true, "viewable(x, sizes)"},
      {"is_float", "d", K::boolean, true, true, "is_float(D)"},
      {"is_integer", "d", K::boolean, true, true, "is_integer(D)"},
      {"opmath", "d", K::dtype, true, true, "opmath(D)"},
      // Integers and shapes.
      {"floor_div", "ii", K::integer, true, true, "floor_div(a, b)"},
      {"ceil_div", "ii", K::integer, true, true, "ceil_div(a, b)"},
      {"product", "s", K::integer, true, true, "product(s)"},
      {"unique", "s", K::boolean, true, true, "unique(ints)"},
      {"iota", "i", K::shape, true, true, "iota(n)"},
      {"last", "ii", K::shape, true, true, "last(n, rank)"},
      {"reduced", "qi", K::shape, true, true, "reduced(dims, n)"},
      {"wrap", "wi", K::any, true, true, "wrap(d, n)"},
      {"broadcast", "ss", K::shape, true, true, "broadcast(s, t)"},
      {"broadcastable", "ss", K::boolean, true, true, "broadcastable(s, t)"},
      {"at", "si", K::integer, true, true, "at(p, d)"},
      {"put", "sii", K::shape, true, true, "put(p, d, v)"},
      {"insert", "sii", K::shape, true, true, "insert(p, d, v)"},
      {"drop", "si", K::shape, true, true, "drop(p, d)"},
      {"swap", "sii", K::shape, true, true, "swap(p, d, e)"},
      {"permute", "ss", K::shape, true, true, "permute(p, dims)"},
      {"unpermute", "ss", K::shape, true, true, "unpermute(p, dims)"},
      {"pick", "ss", K::shape, true, true, "pick(p, dims)"},
      {"reduce", "ssb", K::shape, true, true, "reduce(p, dims, keepdim)"},
      {"weave", "sssb", K::shape, true, true, "weave(p, dims, q, keepdim)"},
      {"ravel", "ss", K::integer, true, true, "ravel(p, s)"},
      {"unravel", "is", K::shape, true, true, "unravel(n, s)"},
      {"collapse", "sii", K::shape, true, true, "collapse(s, d, e)"},
      {"infer", "si", K::shape, true, true, "infer(s, n)"},
      {"expanded", "ss", K::shape, true, true, "expanded(s, size)"},
      {"concat_shape", "li", K::shape, true, true, "concat_shape(list, d)"},
      {"slice_start", "oi", K::integer, true, true, "slice_start(v, n)"},
      {"slice_end", "oi", K::integer, true, true, "slice_end(v, n)"},
  };
  return table;
}

const Function* find_function(std::string_view name) {
  for (const Function& f : functions()) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

bool accepts_arity(const Function& f, std::size_t count) {
  const char last = f.args.back();
  if (last == '*') return count >= 1 && count >= f.args.size() - 1;
  return count == f.args.size();
}

char argument_letter(const Function& f, std::size_t n) {
  std::string_view letters = f.args;
  if (letters.back() == '*') letters.remove_suffix(1);
  return letters[std::min(n, letters.size() - 1)];
}

}  // namespace assay
