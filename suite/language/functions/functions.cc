#include "suite/language/functions/functions.h"

#include <algorithm>
#include <array>

namespace assay::language {

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
    case ValueKind::numbers:
      return "a list of numbers";
    case ValueKind::none:
      return "none";
  }
  return "?";
}

namespace {

using K = ValueKind;
using F = FunctionId;

constexpr auto kOthers = std::to_array<Function>({
    // Functions of elements.
    {F::abs, "abs", "n", K::number, true, true, {}},
    {F::rsqrt, "rsqrt", "n", K::number, false, true, {}},
    {F::pow, "pow", "nn", K::number, false, true, "pow(x, y)"},
    {F::atan2, "atan2", "nn", K::number, false, true, "atan2(y, x)"},
    {F::hypot, "hypot", "nn", K::number, false, true, "hypot(x, y)"},
    {F::fmod, "fmod", "nn", K::number, false, true, "fmod(x, y)"},
    {F::remainder, "remainder", "nn", K::number, false, true,
     "remainder(x, y)"},
    {F::nextafter, "nextafter", "nnd", K::number, false, true,
     "nextafter(x, y, T)"},
    {F::bit_and, "bit_and", "nn", K::integer, false, true, "bit_and(a, b)"},
    {F::bit_or, "bit_or", "nn", K::integer, false, true, "bit_or(a, b)"},
    {F::bit_xor, "bit_xor", "nn", K::integer, false, true, "bit_xor(a, b)"},
    {F::bessel_i, "bessel_i", "nn", K::number, false, true, "bessel_i(n, x)"},
    {F::bessel_k, "bessel_k", "nn", K::number, false, true, "bessel_k(n, x)"},
    {F::scaled_bessel_i, "scaled_bessel_i", "nn", K::number, false, true,
     "scaled_bessel_i(n, x)"},
    {F::scaled_bessel_k, "scaled_bessel_k", "nn", K::number, false, true,
     "scaled_bessel_k(n, x)"},
    {F::bessel_j, "bessel_j", "nn", K::number, false, true, "bessel_j(n, x)"},
    {F::bessel_y, "bessel_y", "nn", K::number, false, true, "bessel_y(n, x)"},
    {F::polygamma, "polygamma", "nn", K::number, false, true,
     "polygamma(n, x)"},
    {F::hurwitz_zeta, "hurwitz_zeta", "nn", K::number, false, true,
     "hurwitz_zeta(s, x)"},
    {F::gamma_p, "gamma_p", "nn", K::number, false, true, "gamma_p(a, x)"},
    {F::gamma_q, "gamma_q", "nn", K::number, false, true, "gamma_q(a, x)"},
    {F::round_even, "round_even", "n", K::integer, false, true, {}},
    {F::ceil, "ceil", "n", K::integer, true, true, {}},
    {F::floor, "floor", "n", K::integer, true, true, {}},
    {F::trunc, "trunc", "n", K::integer, true, true, {}},
    {F::sign, "sign", "n", K::number, true, true, {}},
    {F::isnan, "isnan", "n", K::boolean, true, true, {}},
    {F::isinf, "isinf", "n", K::boolean, true, true, {}},
    {F::signbit, "signbit", "n", K::boolean, true, true, {}},
    {F::where, "where", "baa", K::any, true, true,
     "where(condition, then, else)"},
    {F::either, "either", "nn", K::number, false, true, "either(a, b)"},
    {F::max, "max", "m*", K::number, true, true, "max(a, b) or max(list)"},
    {F::min, "min", "m*", K::number, true, true, "min(a, b) or min(list)"},
    {F::round, "round", "nd", K::number, false, true, "round(x, f16)"},
    {F::inside, "inside", "nn", K::number, false, true, "inside(a[i], else 0)"},
    {F::flat, "flat", "t", K::tensor, true, true, "flat(x)[n]"},
    {F::concat, "concat", "li", K::tensor, false, true,
     "concat(list, d)[i...]"},
    {F::stored, "stored", "td", K::tensor, false, true, "stored(x, T)[i...]"},
    // Of complex elements.
    {F::re, "re", "n", K::number, false, true, "re(x[i])"},
    {F::im, "im", "n", K::number, false, true, "im(x[i])"},
    {F::complex, "complex", "nn", K::number, false, true, "complex(a, b)"},
    // Formats.
    {F::eps, "eps", "d", K::number, true, true, "eps(T)"},
    {F::largest, "largest", "d", K::number, true, true, "largest(T)"},
    {F::smallest_normal, "smallest_normal", "d", K::number, true, true,
     "smallest_normal(T)"},
    {F::least, "least", "d", K::integer, true, true, "least(D)"},
    {F::greatest, "greatest", "d", K::integer, true, true, "greatest(D)"},
    // Operands.
    {F::rank, "rank", "t", K::integer, true, true, "rank(a)"},
    {F::dim, "dim", "ti", K::integer, true, true, "dim(a, d)"},
    {F::size, "size", "ti", K::integer, true, true, "size(a, d)"},
    {F::shape, "shape", "t", K::shape, true, true, "shape(a)"},
    {F::numel, "numel", "t", K::integer, true, true, "numel(a)"},
    {F::dtype, "dtype", "p", K::dtype, true, true, "dtype(a)"},
    {F::given, "given", "p", K::boolean, true, true, "given(b)"},
    {F::is_scalar, "is_scalar", "p", K::boolean, true, true, "is_scalar(a)"},
    {F::length, "length", "v", K::integer, true, true, "length(list)"},
    {F::category, "category", "c", K::string, true, true, "category(a)"},
    {F::promote, "promote", "c*", K::dtype, true, true, "promote(a, b, ...)"},
    {F::viewable, "viewable", "ts", K::boolean, true, true,
     "viewable(x, sizes)"},
    {F::stride_of, "stride_of", "ti", K::integer, true, true,
     "stride_of(x, d)"},
    {F::fills_memory, "fills_memory", "t", K::boolean, true, true, {}},
    {F::overlaps_itself, "overlaps_itself", "t", K::boolean, true, false, {}},
    {F::overlaps_partly, "overlaps_partly", "tp*", K::boolean, true, false,
     "overlaps_partly(x, a, b, ...)"},
    {F::overlaps, "overlaps", "tp*", K::boolean, true, false,
     "overlaps(x, a, b, ...)"},
    {F::is_float, "is_float", "d", K::boolean, true, true, "is_float(D)"},
    {F::is_integer, "is_integer", "d", K::boolean, true, true, "is_integer(D)"},
    {F::is_complex, "is_complex", "d", K::boolean, true, true, "is_complex(D)"},
    {F::component, "component", "d", K::dtype, true, true, "component(D)"},
    {F::opmath, "opmath", "d", K::dtype, true, true, "opmath(D)"},
    {F::bytes, "bytes", "d", K::integer, true, true, "bytes(D)"},
    // Integers and shapes.
    {F::floor_div, "floor_div", "ii", K::integer, true, true,
     "floor_div(a, b)"},
    {F::ceil_div, "ceil_div", "ii", K::integer, true, true, "ceil_div(a, b)"},
    {F::product, "product", "s", K::integer, true, true, "product(s)"},
    {F::unique, "unique", "s", K::boolean, true, true, "unique(ints)"},
    {F::iota, "iota", "i", K::shape, true, true, "iota(n)"},
    {F::last, "last", "ii", K::shape, true, true, "last(n, rank)"},
    {F::reduced, "reduced", "qi", K::shape, true, true, "reduced(dims, n)"},
    {F::wrap, "wrap", "wi", K::any, true, true, "wrap(d, n)"},
    {F::broadcast, "broadcast", "ss", K::shape, true, true, "broadcast(s, t)"},
    {F::broadcastable, "broadcastable", "ss", K::boolean, true, true,
     "broadcastable(s, t)"},
    {F::at, "at", "si", K::integer, true, true, "at(p, d)"},
    {F::put, "put", "sii", K::shape, true, true, "put(p, d, v)"},
    {F::insert, "insert", "sii", K::shape, true, true, "insert(p, d, v)"},
    {F::drop, "drop", "si", K::shape, true, true, "drop(p, d)"},
    {F::swap, "swap", "sii", K::shape, true, true, "swap(p, d, e)"},
    {F::permute, "permute", "ss", K::shape, true, true, "permute(p, dims)"},
    {F::unpermute, "unpermute", "ss", K::shape, true, true,
     "unpermute(p, dims)"},
    {F::pick, "pick", "ss", K::shape, true, true, "pick(p, dims)"},
    {F::reduce, "reduce", "ssb", K::shape, true, true,
     "reduce(p, dims, keepdim)"},
    {F::weave, "weave", "sssb", K::shape, true, true,
     "weave(p, dims, q, keepdim)"},
    {F::ravel, "ravel", "ss", K::integer, true, true, "ravel(p, s)"},
    {F::unravel, "unravel", "is", K::shape, true, true, "unravel(n, s)"},
    {F::collapse, "collapse", "sii", K::shape, true, true, "collapse(s, d, e)"},
    {F::infer, "infer", "si", K::shape, true, true, "infer(s, n)"},
    {F::expanded, "expanded", "ss", K::shape, true, true, "expanded(s, size)"},
    {F::concat_shape, "concat_shape", "li", K::shape, true, true,
     "concat_shape(list, d)"},
    {F::slice_start, "slice_start", "oi", K::integer, true, true,
     "slice_start(v, n)"},
    {F::slice_end, "slice_end", "oi", K::integer, true, true,
     "slice_end(v, n)"},
});

static_assert([] {
  for (std::size_t i = 0; i < kOthers.size(); ++i) {
    if (static_cast<std::size_t>(kOthers[i].id) != kElementaryFunctions + i) {
      return false;
    }
  }
  return true;
}());

std::vector<Function> make_functions() {
  std::vector<Function> all;
  for (const ElementaryFunction& f : elementary::kTable) {
    all.push_back(
        {static_cast<F>(all.size()), f.name, "n", K::number, false, true, {}});
  }
  all.insert(all.end(), kOthers.begin(), kOthers.end());
  return all;
}

// The member of `E` that `id` is, where E's members have ids from `first` on.
template <class E>
std::optional<E> member(FunctionId id, FunctionId first, E last) {
  const int n = static_cast<int>(id) - static_cast<int>(first);
  if (n < 0 || n > static_cast<int>(last)) return std::nullopt;
  return static_cast<E>(n);
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all = make_functions();
  return all;
}

FunctionId find_function(std::string_view name) {
  for (const Function& f : functions()) {
    if (f.name == name) return f.id;
  }
  return FunctionId::unknown;
}

const Function& function(FunctionId id) {
  return functions()[static_cast<std::size_t>(id)];
}

std::string usage(const Function& f) {
  return f.how.empty() ? std::string(f.name) + "(x)" : std::string(f.how);
}

std::string_view function_name(FunctionId id) { return function(id).name; }

std::optional<Elementary> elementary_of(FunctionId f) {
  return member(f, id_of(Elementary::exp),
                static_cast<Elementary>(kElementaryFunctions - 1));
}
std::optional<Binary> binary_of(FunctionId f) {
  return member(f, FunctionId::pow, Binary::remainder);
}
std::optional<SpecialFunction> special_of(FunctionId f) {
  return member(f, FunctionId::bessel_i, SpecialFunction::gamma_q);
}
std::optional<Bitwise> bitwise_of(FunctionId f) {
  return member(f, FunctionId::bit_and, Bitwise::difference);
}

std::optional<Elementary> find_elementary(std::string_view name) {
  return elementary_of(find_function(name));
}
std::optional<Binary> find_binary(std::string_view name) {
  return binary_of(find_function(name));
}
std::string_view binary_name(Binary f) {
  return function_name(static_cast<FunctionId>(
      static_cast<int>(FunctionId::pow) + static_cast<int>(f)));
}

std::string_view special_name(SpecialFunction f) {
  return function_name(static_cast<FunctionId>(
      static_cast<int>(FunctionId::bessel_i) + static_cast<int>(f)));
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

}  // namespace assay::language
