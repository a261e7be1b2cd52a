#include "suite/language/bind/static_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/integer_math.h"
#include "suite/language/bind/places.h"
#include "suite/language/functions/promote.h"
#include "suite/language/functions/shape_functions.h"

namespace assay::language {
namespace {

using Args = std::vector<Operand>;
using Out = Result<Operand>;
using Implementation = Out (*)(const Args&);

struct Wrong {  // thrown by the accessors, caught in apply_static
  std::string message;
};

[[noreturn]] void wrong(const char* expected, const Operand& found) {
  throw Wrong{std::string("expected ") + expected + ", found " +
              describe(found)};
}

std::int64_t integer(const Operand& v) {
  const bool truth = std::holds_alternative<bool>(v);
  if (const auto i = whole_of(v); i && !truth) return *i;
  wrong("an integer", v);
}

double real(const Operand& v) {
  if (const auto d = number_of(v)) return *d;
  wrong("a number", v);
}

bool is_whole(const Operand& v) { return integer_of(v).has_value(); }

std::int64_t whole(const Operand& v) {
  if (const auto* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  return integer(v);
}

bool truth(const Operand& v) {
  if (const auto* b = std::get_if<bool>(&v)) return *b;
  wrong("a truth value", v);
}

Shape shape(const Operand& v) {
  if (const auto* s = std::get_if<Shape>(&v)) return *s;
  wrong("a shape", v);
}

DType dtype(const Operand& v) {
  if (const auto* t = std::get_if<DType>(&v)) return *t;
  wrong("a dtype", v);
}

bool is_number(const Operand& v) { return number_of(v).has_value(); }

// Sizes of a tensor; a Python number has none.
const Shape& sizes(const Operand& v) {
  static const Shape kNoSizes;
  if (const auto* t = std::get_if<const TensorArg*>(&v)) {
    return (*t)->type.sizes;
  }
  if (is_number(v)) return kNoSizes;
  wrong("a tensor", v);
}

DType dtype_of(const Operand& v) {
  if (const auto* t = std::get_if<const TensorArg*>(&v)) {
    return (*t)->type.dtype;
  }
  if (std::holds_alternative<bool>(v)) return DType::boolean;
  if (std::holds_alternative<std::int64_t>(v)) return DType::i64;
  if (std::holds_alternative<double>(v)) return DType::f32;
  if (const auto* d = std::get_if<DType>(&v)) return *d;
  wrong("a tensor or a number", v);
}

template <class T>
Out pass(Result<T> r) {
  if (!r) return r.error();
  return Operand(std::move(*r));
}

Out dim(const Args& a) {
  const Shape& s = sizes(a[0]);
  const std::int64_t rank = static_cast<std::int64_t>(s.size());
  const std::int64_t d = integer(a[1]);
  if (d < -rank || d >= rank) {
    return Error{"dimension " + std::to_string(d) +
                 " is out of range for a tensor of rank " +
                 std::to_string(rank)};
  }
  return Operand(s[static_cast<std::size_t>(d < 0 ? d + rank : d)]);
}

Out size(const Args& a) {
  const std::int64_t d = integer(a[1]);
  if (sizes(a[0]).empty() && (d == 0 || d == -1)) {
    return Operand(std::int64_t{1});
  }
  return dim(a);
}

Out length(const Args& a) {
  if (const auto* l = std::get_if<const std::vector<TensorArg>*>(&a[0])) {
    return Operand(static_cast<std::int64_t>((*l)->size()));
  }
  if (const auto* n = std::get_if<const Numbers*>(&a[0])) {
    return Operand(static_cast<std::int64_t>((*n)->size()));
  }
  return Operand(static_cast<std::int64_t>(shape(a[0]).size()));
}

Out category(const Args& a) {
  const DType t = dtype_of(a[0]);
  return Operand(std::string(is_complex(t)   ? "complex"
                             : is_float(t)   ? "float"
                             : is_integer(t) ? "int"
                                             : "bool"));
}

Out promote_all(const Args& args) {
  using Rank = PromotionOperand::Rank;
  std::vector<PromotionOperand> operands;
  const auto add = [&operands](const TensorArg& t) {
    operands.push_back({t.type.dtype, t.type.sizes.empty()
                                          ? Rank::zero_dim
                                          : Rank::dimensioned});
  };
  for (const Operand& a : args) {
    if (std::holds_alternative<None>(a)) continue;
    if (const auto* t = std::get_if<const TensorArg*>(&a)) {
      add(**t);
    } else if (const auto* l = std::get_if<const std::vector<TensorArg>*>(&a)) {
      for (const TensorArg& t2 : **l) add(t2);
    } else {
      const bool is_type = std::holds_alternative<DType>(a);
      operands.push_back(
          {dtype_of(a), is_type ? Rank::dimensioned : Rank::number});
    }
  }
  if (operands.empty()) return Error{"promote of nothing"};
  const std::optional<DType> result = promote(operands);
  if (!result) return Error{"PyTorch has no result type for these dtypes"};
  return Operand(*result);
}

const TensorArg& tensor(const Operand& v) {
  if (const auto* t = std::get_if<const TensorArg*>(&v)) return **t;
  wrong("a tensor", v);
}

Out view_exists(const Args& a) {
  const TensorType& type = tensor(a[0]).type;
  return Operand(viewable(type.sizes, type.strides, shape(a[1])));
}

// In elements, as PyTorch counts: where the program has put the tensor, if that
// is promised.
Out stride_of(const Args& a) {
  const TensorArg& x = tensor(a[0]);
  const Shape& strides = x.place ? x.place->strides : x.type.strides;
  const auto rank = static_cast<std::int64_t>(strides.size());
  const std::int64_t d = integer(a[1]);
  if (d < -rank || d >= rank) return Error{"the dimension is out of range"};
  return Operand(strides[static_cast<std::size_t>(d < 0 ? d + rank : d)]);
}

// Numbers, and what is left out, lie nowhere.
Out overlapping(const Args& a, bool wholly) {
  const TensorArg& x = tensor(a[0]);
  const auto meets = [&x, wholly](const TensorArg& y) {
    const Overlap o = overlap_of(x, y);
    return o == Overlap::partly || (wholly && o == Overlap::whole);
  };
  return Operand(std::any_of(a.begin() + 1, a.end(), [&](const Operand& v) {
    if (const auto* t = std::get_if<const TensorArg*>(&v)) return meets(**t);
    const auto* l = std::get_if<const std::vector<TensorArg>*>(&v);
    return l != nullptr && std::any_of((*l)->begin(), (*l)->end(), meets);
  }));
}

Out divide(const Args& a, bool up) {
  const std::int64_t n = integer(a[0]);
  const std::int64_t d = integer(a[1]);
  if (d == 0) return Error{"division by zero"};
  if (d == -1 && n == std::numeric_limits<std::int64_t>::min()) {
    return Error{"the quotient does not fit 64 bits"};
  }
  return Operand(up ? ceil_div(n, d) : floor_div(n, d));
}

Out rounded(const Operand& v, double (*f)(double)) {
  if (is_whole(v)) return Operand(whole(v));
  const double d = f(real(v));
  if (std::abs(d) < 0x1p62) return Operand(static_cast<std::int64_t>(d));
  return Operand(d);
}

Out extreme(const Args& args, bool largest) {
  if (args.size() == 1) {
    const Shape list = shape(args[0]);
    if (list.empty()) return Operand(std::int64_t{0});
    return Operand(largest ? *std::max_element(list.begin(), list.end())
                           : *std::min_element(list.begin(), list.end()));
  }
  Operand best = args[0];
  for (const Operand& a : args) {
    if (is_whole(a) && is_whole(best)) {
      if (largest ? whole(a) > whole(best) : whole(a) < whole(best)) {
        best = a;
      }
    } else if (std::isnan(real(a))) {
      return Operand(real(a));
    } else if (largest ? real(a) > real(best) : real(a) < real(best)) {
      best = a;
    }
  }
  return Operand(best);
}

Out absolute(const Args& a) {
  if (!is_whole(a[0])) return Operand(std::abs(real(a[0])));
  const std::int64_t n = whole(a[0]);
  if (n == std::numeric_limits<std::int64_t>::min()) {
    return Error{"the magnitude does not fit 64 bits"};
  }
  return Operand(n < 0 ? -n : n);
}

Out sign(const Args& a) {
  const double v = real(a[0]);
  if (std::isnan(v)) return Operand(v);
  return Operand(std::int64_t{v > 0} - std::int64_t{v < 0});
}

// Of a complex type that of its parts.
DType float_dtype(const Operand& v) {
  const DType t = component(dtype(v));
  if (!is_float(t)) wrong("a float dtype", v);
  return t;
}

FloatFormat format(const Operand& v) { return float_format(float_dtype(v)); }

Out largest(const Args& a) {
  const DType t = float_dtype(a[0]);
  return Operand(decode_float(t, largest_bits(t)));
}

Out integer_end(const Operand& v, bool greatest) {
  const DType t = dtype(v);
  if (is_float(t) || is_complex(t)) wrong("an integer dtype or bool", v);
  if (!greatest) return Operand(integer_min(t));
  const std::uint64_t end = integer_max(t);
  if (std::cmp_greater(end, std::numeric_limits<std::int64_t>::max())) {
    return Error{"the greatest " + std::string(dtype_name(t)) +
                 " is no integer of 64 bits with a sign"};
  }
  return Operand(static_cast<std::int64_t>(end));
}

Out unique(const Args& a) {
  Shape s = shape(a[0]);
  std::sort(s.begin(), s.end());
  return Operand(std::adjacent_find(s.begin(), s.end()) == s.end());
}

Out iota(const Args& a) {
  const std::int64_t n = integer(a[0]);
  if (n < 0 || n > 4096) {
    return Error{"iota(" + std::to_string(n) + "): expected 0 to 4096"};
  }
  Shape s;
  for (std::int64_t i = 0; i < n; ++i) s.push_back(i);
  return Operand(s);
}

Out wrap(const Args& a) {
  const std::int64_t n = integer(a[1]);
  const auto one = [n](std::int64_t d) { return d < 0 ? d + n : d; };
  if (const auto* s = std::get_if<Shape>(&a[0])) {
    Shape out = *s;
    for (std::int64_t& d : out) d = one(d);
    return Operand(out);
  }
  return Operand(one(integer(a[0])));
}

Out concat_shape(const Args& a) {
  const auto* list = std::get_if<const std::vector<TensorArg>*>(&a[0]);
  if (list == nullptr) wrong("a list of tensors", a[0]);
  std::vector<Shape> shapes;
  for (const TensorArg& t : **list) shapes.push_back(t.type.sizes);
  return pass(shape_concat(shapes, integer(a[1])));
}

// The last `count` of `rank` dimensions.
Out last(const Args& a) {
  const std::int64_t count = integer(a[0]);
  const std::int64_t rank = integer(a[1]);
  if (count < 0 || count > rank) {
    return Error{"there are no last " + std::to_string(count) + " of " +
                 std::to_string(rank) + " dimensions"};
  }
  Shape out;
  for (std::int64_t d = rank - count; d < rank; ++d) out.push_back(d);
  return Operand(out);
}

// What a reduction over `dims` takes of n dimensions: all, if it names none.
Out reduced(const Args& a) {
  const bool none = std::holds_alternative<None>(a[0]);
  if (!none && !shape(a[0]).empty()) return Operand(shape(a[0]));
  return iota({a[1]});
}

// An end point of a Python slice in a dimension of n.
Out slice_point(const Args& a, bool end) {
  const std::int64_t n = integer(a[1]);
  if (std::holds_alternative<None>(a[0])) {
    return Operand(end ? n : std::int64_t{0});
  }
  std::int64_t v = integer(a[0]);
  if (v < 0) v += n;
  return Operand(std::clamp<std::int64_t>(v, 0, std::max<std::int64_t>(n, 0)));
}

const std::map<FunctionId, Implementation>& table() {
  using F = FunctionId;
  static const std::map<FunctionId, Implementation> t = {
      {F::abs, absolute},
      {F::ceil, [](const Args& a) { return rounded(a[0], std::ceil); }},
      {F::floor, [](const Args& a) { return rounded(a[0], std::floor); }},
      {F::trunc, [](const Args& a) { return rounded(a[0], std::trunc); }},
      {F::sign, sign},
      {F::isnan,
       [](const Args& a) -> Out { return Operand(std::isnan(real(a[0]))); }},
      {F::isinf,
       [](const Args& a) -> Out { return Operand(std::isinf(real(a[0]))); }},
      {F::signbit,
       [](const Args& a) -> Out { return Operand(std::signbit(real(a[0]))); }},
      {F::max, [](const Args& a) { return extreme(a, true); }},
      {F::min, [](const Args& a) { return extreme(a, false); }},
      {F::eps,
       [](const Args& a) -> Out {
         return Operand(std::ldexp(1.0, 1 - format(a[0]).precision));
       }},
      {F::largest, largest},
      {F::smallest_normal,
       [](const Args& a) -> Out {
         return Operand(std::ldexp(1.0, format(a[0]).emin));
       }},
      {F::least, [](const Args& a) { return integer_end(a[0], false); }},
      {F::greatest, [](const Args& a) { return integer_end(a[0], true); }},
      {F::rank,
       [](const Args& a) -> Out {
         return Operand(static_cast<std::int64_t>(sizes(a[0]).size()));
       }},
      {F::dim, dim},
      {F::size, size},
      {F::shape, [](const Args& a) -> Out { return Operand(sizes(a[0])); }},
      {F::numel,
       [](const Args& a) { return pass(shape_product(sizes(a[0]))); }},
      {F::dtype, [](const Args& a) -> Out { return Operand(dtype_of(a[0])); }},
      {F::is_scalar,
       [](const Args& a) -> Out { return Operand(is_number(a[0])); }},
      {F::length, length},
      {F::category, category},
      {F::promote, promote_all},
      {F::viewable, view_exists},
      {F::stride_of, stride_of},
      {F::fills_memory,
       [](const Args& a) -> Out {
         return Operand(fills_memory(tensor(a[0])));
       }},
      {F::overlaps_itself,
       [](const Args& a) -> Out {
         return Operand(overlaps_itself(tensor(a[0])));
       }},
      {F::overlaps_partly, [](const Args& a) { return overlapping(a, false); }},
      {F::overlaps, [](const Args& a) { return overlapping(a, true); }},
      {F::is_float,
       [](const Args& a) -> Out { return Operand(is_float(dtype(a[0]))); }},
      {F::is_integer,
       [](const Args& a) -> Out { return Operand(is_integer(dtype(a[0]))); }},
      {F::is_complex,
       [](const Args& a) -> Out { return Operand(is_complex(dtype(a[0]))); }},
      {F::component,
       [](const Args& a) -> Out { return Operand(component(dtype(a[0]))); }},
      {F::opmath,
       [](const Args& a) -> Out { return Operand(opmath(dtype(a[0]))); }},
      {F::bytes,
       [](const Args& a) -> Out {
         return Operand(std::int64_t{size_bytes(dtype(a[0]))});
       }},
      {F::floor_div, [](const Args& a) { return divide(a, false); }},
      {F::ceil_div, [](const Args& a) { return divide(a, true); }},
      {F::product,
       [](const Args& a) { return pass(shape_product(shape(a[0]))); }},
      {F::unique, unique},
      {F::iota, iota},
      {F::last, last},
      {F::reduced, reduced},
      {F::wrap, wrap},
      {F::broadcast,
       [](const Args& a) {
         return pass(shape_broadcast(shape(a[0]), shape(a[1])));
       }},
      {F::broadcastable,
       [](const Args& a) -> Out {
         return Operand(shapes_broadcast(shape(a[0]), shape(a[1])));
       }},
      {F::at,
       [](const Args& a) {
         return pass(shape_at(shape(a[0]), integer(a[1])));
       }},
      {F::put,
       [](const Args& a) {
         return pass(shape_put(shape(a[0]), integer(a[1]), integer(a[2])));
       }},
      {F::insert,
       [](const Args& a) {
         return pass(shape_insert(shape(a[0]), integer(a[1]), integer(a[2])));
       }},
      {F::drop,
       [](const Args& a) {
         return pass(shape_drop(shape(a[0]), integer(a[1])));
       }},
      {F::swap,
       [](const Args& a) {
         return pass(shape_swap(shape(a[0]), integer(a[1]), integer(a[2])));
       }},
      {F::permute,
       [](const Args& a) {
         return pass(shape_permute(shape(a[0]), shape(a[1])));
       }},
      {F::unpermute,
       [](const Args& a) {
         return pass(shape_unpermute(shape(a[0]), shape(a[1])));
       }},
      {F::pick,
       [](const Args& a) {
         return pass(shape_pick(shape(a[0]), shape(a[1])));
       }},
      {F::reduce,
       [](const Args& a) {
         return pass(shape_reduce(shape(a[0]), shape(a[1]), truth(a[2])));
       }},
      {F::weave,
       [](const Args& a) {
         return pass(
             shape_weave(shape(a[0]), shape(a[1]), shape(a[2]), truth(a[3])));
       }},
      {F::ravel,
       [](const Args& a) {
         return pass(shape_ravel(shape(a[0]), shape(a[1])));
       }},
      {F::unravel,
       [](const Args& a) {
         return pass(shape_unravel(integer(a[0]), shape(a[1])));
       }},
      {F::collapse,
       [](const Args& a) {
         return pass(shape_collapse(shape(a[0]), integer(a[1]), integer(a[2])));
       }},
      {F::expanded,
       [](const Args& a) {
         return pass(shape_expanded(shape(a[0]), shape(a[1])));
       }},
      {F::concat_shape, concat_shape},
      {F::slice_start, [](const Args& a) { return slice_point(a, false); }},
      {F::slice_end, [](const Args& a) { return slice_point(a, true); }},
      {F::infer,
       [](const Args& a) {
         return pass(shape_infer(shape(a[0]), integer(a[1])));
       }},
  };
  return t;
}

}  // namespace

Result<Operand> apply_static(FunctionId f, const Args& args) {
  const std::string name(function_name(f));
  const auto it = table().find(f);
  if (it == table().end()) return Error{"'" + name + "' is no static function"};
  if (!accepts_arity(function(f), args.size())) {
    return Error{name + " takes other arguments: " + usage(function(f))};
  }
  try {
    return it->second(args);
  } catch (const Wrong& w) {
    return Error{name + ": " + w.message};
  }
}

}  // namespace assay::language
