// The vectors of the instruction set that this file is compiled for, SLEEF's
// functions on them, and loops over lanes. Part of loops.cc.
#ifndef ASSAY_REFERENCE_SWEEP_VECTORS_INL_H_
#define ASSAY_REFERENCE_SWEEP_VECTORS_INL_H_

#include "reference/sweep/loops.h"

#ifdef __AVX2__
#include <immintrin.h>
#include <sleef.h>
#endif

namespace assay::reference {
namespace {

#ifdef __AVX512F__
inline constexpr const char* kIsa = "avx512";
#elif defined(__AVX2__)
inline constexpr const char* kIsa = "avx2";
#else
inline constexpr const char* kIsa = "baseline";
#endif

#ifdef __AVX2__
#ifdef __AVX512F__
using Vector = __m512d;
#define ASSAY_SLEEF(function, bound) Sleef_##function##d8_##bound##avx512f
inline Vector load(const double* p) { return _mm512_loadu_pd(p); }
inline void store(double* p, Vector v) { _mm512_storeu_pd(p, v); }
#else
using Vector = __m256d;
#define ASSAY_SLEEF(function, bound) Sleef_##function##d4_##bound##avx2
inline Vector load(const double* p) { return _mm256_loadu_pd(p); }
inline void store(double* p, Vector v) { _mm256_storeu_pd(p, v); }
#endif

inline constexpr std::size_t kWidth = sizeof(Vector) / sizeof(double);

template <auto f>
void each(const double* x, double* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store(y + i, f(load(x + i)));
  if (i == n) return;
  double tail[kWidth] = {};
  for (std::size_t k = i; k < n; ++k) tail[k - i] = x[k];
  store(tail, f(load(tail)));
  for (std::size_t k = i; k < n; ++k) y[k] = tail[k - i];
}

template <auto f>
void each2(const double* x, const double* y, double* r, std::size_t n) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    store(r + i, f(load(x + i), load(y + i)));
  }
  if (i == n) return;
  double a[kWidth] = {}, b[kWidth] = {};
  for (std::size_t k = i; k < n; ++k) {
    a[k - i] = x[k];
    b[k - i] = y[k];
  }
  store(a, f(load(a), load(b)));
  for (std::size_t k = i; k < n; ++k) r[k] = a[k - i];
}
#endif

}  // namespace
}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SWEEP_VECTORS_INL_H_
