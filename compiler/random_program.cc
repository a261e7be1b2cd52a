#include "compiler/random_program.h"

#include <algorithm>
#include <array>
#include <limits>

#include "compiler/import.h"
#include "core/float_bits.h"

namespace assay::compiler {
namespace {

constexpr std::int64_t kMostElements = 3000;

class Generator {
 public:
  explicit Generator(std::mt19937_64* random) : random_(*random) {}

  Program run(int nodes) {
    const int inputs = 1 + pick(3);
    for (int i = 0; i < inputs; ++i) program_.inputs.push_back(input_type());
    if (pick(2) == 0) {
      program_.constants.push_back(fill({dtype(), shape(), {}}));
    }
    types_ = import_types();
    for (int i = 0;
         i < 4 * nodes && static_cast<int>(program_.nodes.size()) < nodes;
         ++i) {
      try_call();
    }
    const int count = static_cast<int>(types_.size());
    program_.outputs = {{count - 1}};
    for (int i = pick(3); i > 0; --i) {
      program_.outputs.push_back({pick(count)});
    }
    return program_;
  }

  Tensor fill(TensorType t) {
    if (t.strides.size() != t.sizes.size()) {
      t = TensorType::contiguous(t.dtype, t.sizes);
    }
    Tensor out = Tensor::strided(t);
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      out.set_bits(i, element(t.dtype));
    }
    return out;
  }

 private:
  int pick(int n) {
    return static_cast<int>(random_() % static_cast<std::uint64_t>(n));
  }

  std::uint64_t element(DType t) {
    if (!is_float(t)) {
      std::uint64_t v = random_();
      if (pick(2) == 0) v %= 5;
      if (t == DType::boolean) return v % 2;
      const int unused = 64 - 8 * size_bytes(t);
      return v << unused >> unused;
    }
    const double inf = std::numeric_limits<double>::infinity();
    constexpr double kTiny = std::numeric_limits<float>::denorm_min();
    const std::array<double, 8> special = {
        0.0,       -0.0,  inf,  -inf, std::numeric_limits<double>::quiet_NaN(),
        3 * kTiny, -1e30, 65504};
    if (pick(12) == 0) {
      return encode_float(t, special[static_cast<std::size_t>(pick(8))]);
    }
    std::normal_distribution<double> normal(0, 2);
    return encode_float(t, normal(random_));
  }

  DType dtype() {
    // Floats more often than the rest.
    constexpr DType kChoices[] = {
        DType::f32,  DType::f32, DType::f32,    DType::f16, DType::f16,
        DType::bf16, DType::f64, DType::i64,    DType::i32, DType::i16,
        DType::u8,   DType::i8,  DType::boolean};
    return kChoices[pick(13)];
  }

  Shape shape() {
    constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 17, 0, 33};
    Shape s;
    for (int d = pick(4); d > 0; --d) s.push_back(kSizes[pick(10)]);
    return element_count(s) > kMostElements ? Shape{3, 4} : s;
  }

  TensorType input_type() {
    TensorType t = TensorType::contiguous(dtype(), shape());
    const int layout = pick(4);
    if (layout == 1) {  // a transposed layout
      Shape reversed(t.sizes.rbegin(), t.sizes.rend());
      Shape strides = contiguous_strides(reversed);
      t.strides.assign(strides.rbegin(), strides.rend());
    } else if (layout == 2) {  // every other element
      for (std::int64_t& s : t.strides) s *= 2;
    } else if (layout == 3 && !t.sizes.empty()) {  // expanded
      t.strides[0] = 0;
    }
    return t;
  }

  std::vector<Type> import_types() {
    Program probe = program_;
    probe.outputs.clear();
    for (int i = 0; i < probe.value_count(); ++i) probe.outputs.push_back({i});
    const Result<Imported> r = import_program(probe);
    if (!r.ok() || r->refusal || !r->unsupported.empty()) return {};
    return r->outputs;
  }

  // Keeps the call if it is valid and its result small.
  void try_call() {
    program_.nodes.push_back(call());
    std::vector<Type> types = import_types();
    if (types.empty() || element_count(types.back().sizes) > kMostElements) {
      program_.nodes.pop_back();
      return;
    }
    types_ = std::move(types);
  }

  ValueRef any() {
    const int n = static_cast<int>(types_.size());
    // Recent values more often, so that chains grow.
    return {pick(2) == 0 ? n - 1 : pick(n)};
  }
  const Type& type(ValueRef v) {
    return types_[static_cast<std::size_t>(v.id)];
  }
  std::int64_t some_dim(ValueRef v) {
    const auto rank = static_cast<int>(type(v).sizes.size());
    return rank == 0 ? 0 : pick(2 * rank) - rank;
  }

  Node call() {
    const ValueRef x = any();
    const ValueRef y = any();
    const auto dim = some_dim(x);
    switch (pick(24)) {
      default: {
        constexpr const char* kUnary[] = {
            "neg",       "abs",        "exp",          "log2",
            "log",       "sqrt",       "rsqrt",        "erf",
            "tanh",      "sigmoid",    "gelu",         "relu",
            "ceil",      "floor",      "sign",         "isnan",
            "isinf",     "reciprocal", "silu",         "logical_not",
            "exp2",      "expm1",      "log10",        "log1p",
            "sin",       "cos",        "tan",          "sinc",
            "asin",      "acos",       "atan",         "sinh",
            "cosh",      "asinh",      "acosh",        "atanh",
            "erfc",      "mish",       "softplus",     "log_sigmoid",
            "hardswish", "elu",        "logit",        "nan_to_num",
            "isfinite",  "lgamma",     "special_erfcx"};
        return {std::string("aten.") + kUnary[pick(47)] + ".default", {x}, {}};
      }
      case 22:
        return {"assay.e8m0_encode", {x}, {}};
      case 0:
      case 1:
      case 2: {
        constexpr const char* kBinary[] = {
            "add.Tensor",      "sub.Tensor",      "mul.Tensor", "div.Tensor",
            "maximum.default", "minimum.default", "eq.Tensor",  "gt.Tensor"};
        return {std::string("aten.") + kBinary[pick(8)], {x, y}, {}};
      }
      case 3:
        return {"aten.mul.Tensor", {x, 0.37}, {}};
      case 4:
        return {"aten.add.Tensor", {x, y}, {{"alpha", std::int64_t{3}}}};
      case 5:
      case 6:
        return {"aten._to_copy.default", {x}, {{"dtype", dtype()}}};
      case 7:
        return {"aten.sum.dim_IntList", {x, Shape{dim}, pick(2) == 0}, {}};
      case 8:
        return {"aten.mean.dim", {x, Shape{dim}, pick(2) == 0}, {}};
      case 9:
        return {"aten.amax.default", {x, Shape{dim}, pick(2) == 0}, {}};
      case 10:
        return {"aten.softmax.int", {x, dim}, {}};
      case 11:
        return {"aten.transpose.int", {x, dim, some_dim(x)}, {}};
      case 12:
        return {"aten.flatten.using_ints", {x}, {}};
      case 13:
        return {"aten.slice.Tensor",
                {x, dim, std::int64_t{1}, None{}, std::int64_t{1 + pick(2)}},
                {}};
      case 14:
        return {"aten.select.int", {x, dim, std::int64_t{0}}, {}};
      case 15:
        return {"aten.cat.default", {std::vector<ValueRef>{x, y, x}, dim}, {}};
      case 16:
        return {"aten.matmul.default", {x, y}, {}};
      case 17:
        return {"aten.where.self", {any(), x, y}, {}};
      case 18:
        return {"aten.clamp.default", {x, std::int64_t{-1}, 1.5}, {}};
      case 19: {
        Shape folded = {-1, 2};
        return {"aten.reshape.default", {x, folded}, {}};
      }
      case 20:
        return {"aten.sum.default", {x}, {}};
      case 21:
        return {"aten.unsqueeze.default", {x, dim}, {}};
    }
  }

  std::mt19937_64& random_;
  Program program_;
  std::vector<Type> types_;  // of the program's values
};

}  // namespace

Program random_program(std::mt19937_64* random, int nodes) {
  return Generator(random).run(nodes);
}

std::vector<Tensor> random_inputs(std::mt19937_64* random,
                                  const Program& program) {
  Generator g(random);
  std::vector<Tensor> out;
  for (const TensorType& t : program.inputs) out.push_back(g.fill(t));
  return out;
}

bool same_elements(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.sizes() != b.sizes()) return false;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    if (a.bits(i) == b.bits(i)) continue;
    if (!is_float(a.dtype()) || !is_nan_bits(a.dtype(), a.bits(i)) ||
        !is_nan_bits(b.dtype(), b.bits(i))) {
      return false;
    }
  }
  return true;
}

}  // namespace assay::compiler
