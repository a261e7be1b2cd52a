// Operations that make each element of the result of the elements at the same
// index: broadcasting, promotion and rounding once.
#ifndef ASSAY_KIT_ELEMENTWISE_H_
#define ASSAY_KIT_ELEMENTWISE_H_

#include <bit>
#include <compare>
#include <type_traits>
#include <utility>

#include "core/float_bits.h"
#include "core/integer_bits.h"
#include "kit/broadcast.h"
#include "kit/call.h"
#include "kit/cast_bits.h"

namespace assay::kit {

// An integer whose arithmetic wraps, as that of tensors does.
struct Integer {
  std::int64_t value = 0;

  Integer() = default;
  Integer(std::int64_t v) : value(v) {}  // NOLINT: implicit
  static Integer wrapped(std::uint64_t v) {
    return static_cast<std::int64_t>(v);
  }
  std::uint64_t bits() const { return static_cast<std::uint64_t>(value); }

  friend Integer operator+(Integer a, Integer b) {
    return wrapped(a.bits() + b.bits());
  }
  friend Integer operator-(Integer a, Integer b) {
    return wrapped(a.bits() - b.bits());
  }
  friend Integer operator*(Integer a, Integer b) {
    return wrapped(a.bits() * b.bits());
  }
  friend Integer operator-(Integer a) { return Integer(0) - a; }
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a null in it
  friend auto operator<=>(const Integer&, const Integer&) = default;
};

// The dtype of a result of these operands (torch.result_type); Unsupported
// where there is none, as of an 8-bit float and another type, or where PyTorch
// computes nothing in it, as in 8-bit floats.
template <std::size_t N>
DType promote(const std::array<Operand, N>& operands);

// The shape of a result of these operands; raises RuntimeError, by `clause`,
// where they do not broadcast together.
template <std::size_t N>
Shape broadcast(const std::array<Operand, N>& operands,
                const std::string& clause);

// A Python number as an element of `t`.
std::uint64_t bits_of_number(const Arg& number, DType t);

// A Python number in the type that a function of elementwise() computes in.
template <class T>
T number_as(const Arg& number) {
  if constexpr (std::is_same_v<T, double>) {
    return decode_float(DType::f64, bits_of_number(number, DType::f64));
  } else {
    return Integer::wrapped(bits_of_number(number, DType::i64));
  }
}

// result[i] = f(operands[i]...): the operands are rounded to `compute`, and f
// is called with doubles, or with Integers where `compute` is an integer dtype
// or bool; Unsupported where it does not take these. What it returns (double,
// Integer or bool) is rounded to `result`.
//
// In double +, -, *, / and sqrt are correctly rounded for every narrower
// format: 53 >= 2 * 24 + 2 (Figueroa, When is double rounding innocuous?).
template <std::size_t N, class F>
Plan elementwise(const std::array<Operand, N>& operands, DType compute,
                 DType result, F f, const std::string& clause = {});

// The same elements in another dtype, cast once from the one they have.
Plan cast(const Operand& operand, DType to);

// --- The rest is how.

namespace elements {

DType promote(const Operand* operands, std::size_t count);
Shape broadcast(const Operand* operands, std::size_t count,
                const std::string& clause);
// Where an operand's elements come from, at the offsets of `strides`.
struct Source {
  const View* view = nullptr;  // none of a number
  std::uint64_t number = 0;    // as an element of `compute`
  Shape strides;
};
Source source_of(const Operand& o, const std::vector<View>& views,
                 const Shape& shape, DType compute);

template <class T>
T element(const Source& s, std::int64_t offset, DType compute) {
  const std::uint64_t bits =
      s.view == nullptr
          ? s.number
          : cast_bits(s.view->type.dtype, s.view->bits(offset), compute);
  if constexpr (std::is_same_v<T, double>) {
    return decode_float(compute, bits);
  } else {
    return integer_of_bits(compute, bits);
  }
}

inline std::uint64_t bits_of(double v, DType t) {
  return cast_bits(DType::f64, std::bit_cast<std::uint64_t>(v), t);
}
inline std::uint64_t bits_of(Integer v, DType t) {
  return cast_bits(DType::i64, v.bits(), t);
}
inline std::uint64_t bits_of(bool v, DType t) {
  return cast_bits(DType::boolean, v ? 1 : 0, t);
}

template <class F, class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return std::is_invocable_v<F, decltype((void(I), std::declval<T>()))...>;
}

template <class T, std::size_t N, class F>
void run(const std::array<Operand, N>& operands, const std::vector<View>& views,
         const View& out, DType compute, const F& f) {
  std::array<Source, N> sources;
  std::array<Shape, N + 1> strides;
  for (std::size_t n = 0; n < N; ++n) {
    sources[n] = source_of(operands[n], views, out.type.sizes, compute);
    strides[n] = sources[n].strides;
  }
  strides[N] = out.type.strides;
  for_each_offset(out.type.sizes, strides, [&](const auto& at) {
    const auto apply = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return f(element<T>(sources[I], at[I], compute)...);
    };
    out.set_bits(at[N],
                 bits_of(apply(std::make_index_sequence<N>()), out.type.dtype));
  });
}

}  // namespace elements

template <std::size_t N>
DType promote(const std::array<Operand, N>& operands) {
  return elements::promote(operands.data(), N);
}

template <std::size_t N>
Shape broadcast(const std::array<Operand, N>& operands,
                const std::string& clause) {
  return elements::broadcast(operands.data(), N, clause);
}

template <std::size_t N, class F>
Plan elementwise(const std::array<Operand, N>& operands, DType compute,
                 DType result, F f, const std::string& clause) {
  constexpr auto kEach = std::make_index_sequence<N>();
  constexpr bool kFloats = elements::takes<F, double>(kEach);
  constexpr bool kIntegers = elements::takes<F, Integer>(kEach);
  static_assert(kFloats || kIntegers, "f takes N doubles, N Integers or both");
  // Integer is signed: half of u64 would compare as negative.
  if (compute == DType::u64 || !(is_float(compute) ? kFloats : kIntegers)) {
    throw Unsupported{"arithmetic in " + std::string(dtype_name(compute))};
  }
  return {{TensorType::contiguous(result, broadcast(operands, clause))},
          [=](const std::vector<View>& views, const std::vector<View>& out) {
            if constexpr (kFloats) {
              if (is_float(compute)) {
                elements::run<double>(operands, views, out[0], compute, f);
              }
            }
            if constexpr (kIntegers) {
              if (!is_float(compute)) {
                elements::run<Integer>(operands, views, out[0], compute, f);
              }
            }
          }};
}

}  // namespace assay::kit

#endif  // ASSAY_KIT_ELEMENTWISE_H_
