// Small specs for this room's tests: the language's forms, not the contracts
// of real operations (those are in specs/).
#ifndef ASSAY_REFERENCE_TESTING_TEST_SPECS_H_
#define ASSAY_REFERENCE_TESTING_TEST_SPECS_H_

#include <stdexcept>

#include "reference/testing/test_support.h"

namespace assay::reference {

inline std::string unary_spec(const std::string& name, const std::string& body,
                              const std::string& accuracy,
                              const std::string& more = {}) {
  return "op: " + name + "\naten: aten." + name + ".default\n" +
         "doc: a test\n"
         "params:\n"
         "  x: {tensor: T, shape: [S...]}\n"
         "dtypes: {T: [f64, f32, f16, bf16, u8, i32, i64, bool]}\n"
         "result: {dtype: T, shape: shape(x)}\n"
         "value: {V1: \"out[i...] = " +
         body + "\"}\naccuracy:\n  A1: {" + accuracy + "}\n" + more +
         "cases:\n  C1: {shapes: [{S: [3]}]}\n";
}

inline std::string binary_spec(const std::string& name, const std::string& body,
                               const std::string& accuracy,
                               const std::string& dtype = "promote(a, b)") {
  return "op: " + name + "\naten: aten." + name + ".default\n" +
         "doc: a test\n"
         "params:\n"
         "  a: {tensor: T, shape: [A...], scalar: true}\n"
         "  b: {tensor: T2, shape: [B...], scalar: true}\n"
         "dtypes:\n"
         "  T: [f64, f32, f16, bf16, u8, i32, i64, bool]\n"
         "  T2: [f64, f32, f16, bf16, u8, i32, i64, bool]\n"
         "result: {dtype: \"" +
         dtype +
         "\", shape: \"broadcast(shape(a), shape(b))\"}\n"
         "value: {V1: \"out[i...] = " +
         body + "\"}\naccuracy:\n  A1: {" + accuracy +
         "}\ncases:\n  C1: {shapes: [{A: [3], B: [3]}]}\n";
}

inline const language::SpecSet& test_specs() {
  static const language::SpecSet specs = specs_of({
      unary_spec("exp", "exp(x[i...])", "ulp: 1"),
      unary_spec("log2", "log2(x[i...])", "ulp: 1.5"),
      unary_spec("neg", "-x[i...]", "bound: exact"),
      unary_spec("sqrt", "sqrt(x[i...])", "bound: correctly_rounded"),
      unary_spec("ceil", "ceil(x[i...])", "bound: exact"),
      unary_spec("logexp", "floor(exp(log(x[i...])))", "bound: exact"),
      unary_spec("third", "x[i...] / 3 * 3", "bound: correctly_rounded"),
      unary_spec("loose", "x[i...]", "abs: 100"),
      unary_spec("sgn", "sign(x[i...])", "bound: exact"),
      unary_spec("side", "where(signbit(x[i...]), -2, 3)", "bound: exact"),
      unary_spec("one", "1 + 0 * x[i...]", "bound: exact"),
      unary_spec("next", "inside(x[put(i..., 0, at(i..., 0) + 1)], else 7)",
                 "bound: exact"),
      unary_spec("clamped", "x[i...]", "bound: exact",
                 "special: {S1: {when: \"x[i...] > 4\", then: 4}}\n"
                 "undefined: {U1: {when: \"x[i...] < -4\", why: a test}}\n"),
      binary_spec("add", "a[i...] + b[i...]", "bound: correctly_rounded"),
      binary_spec("addi", "a[i...] + b[i...]", "bound: exact"),
      binary_spec("muli", "a[i...] * b[i...]", "bound: exact"),
      binary_spec("mul", "a[i...] * b[i...]", "bound: correctly_rounded"),
      binary_spec("div", "a[i...] / b[i...]", "bound: correctly_rounded"),
      binary_spec("maximum", "max(a[i...], b[i...])", "bound: exact"),
      binary_spec("eq", "a[i...] == b[i...]", "bound: exact", "bool"),
      binary_spec("gt", "a[i...] > b[i...]", "bound: exact", "bool"),
      R"yaml(
op: cast
aten: aten.cast.default
doc: a test
params:
  x: {tensor: T, shape: [S...]}
  dtype: {kind: dtype, keyword: true}
dtypes: {T: [f64, f32, f16, bf16, u8, i32, i64, bool]}
result: {dtype: dtype, shape: shape(x)}
value: {V1: "out[i...] = x[i...]"}
accuracy:
  A1: {bound: cast}
cases:
  C1: {shapes: [{S: [3]}]}
)yaml",
      R"yaml(
op: chance
aten: aten.chance.default
doc: a test
params:
  x: {tensor: T, shape: [S...]}
dtypes: {T: [f32, f16]}
result: {dtype: T, shape: shape(x)}
requires:
  E1:
    that: "all(i... < shape(x): 0 <= x[i...] and x[i...] <= 1)"
    raises: RuntimeError
value: {V1: "out[i...] = 1 - x[i...]"}
accuracy:
  A1: {bound: correctly_rounded}
cases:
  C1: {shapes: [{S: [3]}]}
)yaml",
      R"yaml(
op: bmm
aten: aten.bmm.default
doc: a test
params:
  a: {tensor: T, shape: [B, M, K]}
  b: {tensor: T2, shape: [B, K, N]}
dtypes: {T: [f64, f32, f16, bf16, i32, i64], T2: T}
result: {dtype: T, shape: "[B, M, N]"}
requires:
  E1: {that: "rank(a) == 3 and rank(b) == 3", raises: RuntimeError}
  E2:
    that: "dim(a, 0) == dim(b, 0) and dim(a, 2) == dim(b, 1)"
    raises: RuntimeError
  E3:
    that: dtype(a) == dtype(b)
    raises: [RuntimeError, TypeError]
    message: dtype
    phase: run
value: {V1: "out[n,i,j] = sum(k < K: a[n,i,k] * b[n,k,j])"}
accuracy:
  A1: {for: [f64, f32, f16, bf16], bound: dot, accumulate: opmath}
  A2: {for: [i32, i64], bound: exact}
cases:
  C1: {shapes: [{B: 2, M: 3, K: 4, N: 5}]}
)yaml",
      R"yaml(
op: conv
aten: aten.conv.default
doc: a test
params:
  x: {tensor: T, shape: [N, C, H, W]}
  w: {tensor: T, shape: [O, G, R, S]}
  stride: {kind: ints}
  padding: {kind: ints}
  groups: {kind: int}
dtypes: {T: [f64, f32, f16, bf16]}
result:
  dtype: T
  shape: >-
    [N, O, (H + 2 * at(padding, 0) - R) // at(stride, 0) + 1,
    (W + 2 * at(padding, 1) - S) // at(stride, 1) + 1]
value:
  V1: >-
    out[n, o, y, z] = sum(c < G, r < R, s < S:
    inside(x[n, (o // (O // groups)) * G + c,
    y * at(stride, 0) + r - at(padding, 0),
    z * at(stride, 1) + s - at(padding, 1)], else 0) * w[o, c, r, s])
accuracy:
  A1: {bound: dot, accumulate: opmath}
cases:
  C1: {shapes: [{N: 1, C: 2, H: 4, W: 4, O: 2, G: 2, R: 3, S: 3}]}
)yaml",
      R"yaml(
op: pool
aten: aten.pool.default
doc: a test
params:
  x: {tensor: T, shape: [H]}
  n: {kind: int}
dtypes: {T: [f64, f32]}
result: {dtype: T, shape: "[n]"}
value:
  V1: >-
    out[y] = mean(i from floor(y * H / n) to ceil_div((y + 1) * H, n): x[i])
accuracy:
  A1: {bound: dot}
cases:
  C1: {shapes: [{H: 11}]}
)yaml",
      R"yaml(
op: sum
aten: aten.sum.default
doc: a test
params:
  x: {tensor: T, shape: [S...]}
  dim: {kind: ints}
  keepdim: {kind: bool, default: false}
dtypes: {T: [f64, f32, f16, i64]}
result: {dtype: T, shape: "reduce(shape(x), dim, keepdim)"}
value:
  V1: >-
    out[i...] = sum(k... < pick(shape(x), dim):
    x[weave(i..., dim, k..., keepdim)])
accuracy:
  A1: {for: [f64, f32, f16], bound: dot}
  A2: {for: [i64], bound: exact}
cases:
  C1: {shapes: [{S: [3, 4]}]}
)yaml",
      R"yaml(
op: softmax
aten: aten.softmax.default
doc: a test
params:
  x: {tensor: T, shape: [S...]}
dtypes: {T: [f64, f32, f16, bf16]}
result: {dtype: T, shape: shape(x)}
value:
  V1: >-
    m[j... < drop(shape(x), -1)] =
    max(k < size(x, -1): x[insert(j..., -1, k)]);
    s[j... < drop(shape(x), -1)] =
    sum(k < size(x, -1): exp(x[insert(j..., -1, k)] - m[j...]));
    out[i...] = exp(x[i...] - m[drop(i..., -1)]) / s[drop(i..., -1)]
accuracy:
  A1: {ulp: 8}
cases:
  C1: {shapes: [{S: [3, 4]}]}
)yaml",
      R"yaml(
op: embedding
aten: aten.embedding.default
doc: a test
params:
  w: {tensor: T, shape: [R, D]}
  index: {tensor: I, shape: [N...]}
dtypes: {T: [f32], I: [i64]}
result: {dtype: T, shape: "[N..., D]"}
requires:
  E1:
    that: >-
      all(i... < shape(index):
      0 <= index[i...] and index[i...] < dim(w, 0))
    raises: IndexError
value: {V1: "out[n..., d] = w[index[n...], d]"}
accuracy:
  A1: {bound: exact}
cases:
  C1: {shapes: [{R: 3, D: 2, N: [4]}]}
)yaml",
      R"yaml(
op: reshape
aten: aten.reshape.default
doc: a test
params:
  x: {tensor: T, shape: [S...]}
  size: {kind: ints}
dtypes: {T: [f32, i64]}
result: {dtype: T, shape: "infer(size, numel(x))"}
value: {V1: "out[i...] = flat(x)[ravel(i..., infer(size, numel(x)))]"}
accuracy:
  A1: {bound: exact}
cases:
  C1: {shapes: [{S: [2, 3]}]}
)yaml",
      R"yaml(
op: unflat
aten: aten.unflat.default
doc: a test
params:
  x: {tensor: T, shape: [S...]}
dtypes: {T: [f32]}
result: {dtype: T, shape: "[numel(x)]"}
value: {V1: "out[n] = x[unravel(n, shape(x))]"}
accuracy:
  A1: {bound: exact}
cases:
  C1: {shapes: [{S: [2, 3]}]}
)yaml",
      R"yaml(
op: cat
aten: aten.cat.default
doc: a test
params:
  list: {tensors: T}
  dim: {kind: int}
dtypes: {T: [f32, f16, bf16, i64]}
result: {dtype: promote(list), shape: "concat_shape(list, dim)"}
value: {V1: "out[i...] = round(concat(list, dim)[i...], promote(list))"}
accuracy:
  A1: {bound: exact}
cases:
  C1: {shapes: [{list.0: [2, 3]}]}
)yaml",
      R"yaml(
op: where
aten: aten.where.default
doc: a test
params:
  c: {tensor: P, shape: [C...]}
  a: {tensor: T, shape: [A...]}
  b: {tensor: T, shape: [B...]}
dtypes: {P: [bool], T: [f32]}
result: {dtype: T, shape: shape(c)}
value: {V1: "out[i...] = where(c[i...] != 0, a[i...], b[i...])"}
accuracy:
  A1: {bound: exact}
cases:
  C1: {shapes: [{C: [3], A: [3], B: [3]}]}
)yaml",
  });
  return specs;
}

// Throws where there is none, so that a test fails without looking into it.
inline Golden golden_of(const Program& program,
                        const std::vector<Tensor>& inputs,
                        const OracleOptions& options = {}) {
  Result<Golden> g = Oracle(test_specs()).golden(program, inputs, options);
  if (!g) throw std::runtime_error(g.error().message);
  return *g;
}

// The golden of a program that is not refused.
inline Golden golden_of(const std::string& text,
                        const std::vector<Tensor>& inputs,
                        const OracleOptions& options = {}) {
  Golden g = golden_of(program_of(text), inputs, options);
  if (g.error) throw std::runtime_error("refused by " + g.error->clause);
  return g;
}

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_TESTING_TEST_SPECS_H_
