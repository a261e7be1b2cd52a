#include "reference/sweep/engine.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace assay::reference {
namespace {

template <double (*f)(double, double)>
void each2(const double* x, const double* y, double* r, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) r[i] = f(x[i], y[i]);
}

// Exact for numbers of at most 24 bits, except for one rounding to double.
double python_remainder(double x, double y) {
  const double r = std::fmod(x, y);
  if (r == 0) return std::copysign(0.0, y);
  return (r < 0) == (y < 0) ? r : r + y;
}

constexpr Loops::Function2 kLibm2[] = {each2<std::pow>, each2<std::atan2>,
                                       each2<std::hypot>, each2<std::fmod>,
                                       each2<python_remainder>};
static_assert(std::size(kLibm2) == kBinaryFunctions);

Engine libm(const Loops& loops) {
  Engine e;
  e.name = std::string("libm-") + loops.isa;
  e.loops = &loops;
  std::copy(std::begin(kLibm2), std::end(kLibm2), e.functions2.begin());
  return e;
}

// What SLEEF lacks is the C library's.
Engine sleef(const Loops& loops) {
  Engine e = libm(loops);
  e.name = std::string("sleef-") + loops.isa;
  for (const Loops::Named* n = loops.sleef; n->name != nullptr; ++n) {
    const auto f = find_elementary(n->name);
    if (f) e.functions[static_cast<std::size_t>(*f)] = n->function;
  }
  for (const Loops::Named2* n = loops.sleef2; n->name != nullptr; ++n) {
    const auto f = find_binary(n->name);
    if (f) e.functions2[static_cast<std::size_t>(*f)] = n->function;
  }
  return e;
}

std::vector<Engine> make_engines() {
  std::vector<Engine> all;
  const auto add = [&all](const Loops& loops) {
    if (loops.sleef->name != nullptr) all.push_back(sleef(loops));
    all.push_back(libm(loops));
  };
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma")) {
    add(loops_avx512);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    add(loops_avx2);
  }
#endif
  add(loops_baseline);
  return all;
}

}  // namespace

void Engine::evaluate(Elementary f, const double* x, double* y,
                      std::size_t n) const {
  if (const Loops::Function loop = functions[static_cast<std::size_t>(f)]) {
    loop(x, y, n);
    return;
  }
  const DoubleFunction each = double_function(f);
  for (std::size_t i = 0; i < n; ++i) y[i] = each(x[i]);
}

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all = make_engines();
  return all;
}

const Engine* find_engine(std::string_view name) {
  for (const Engine& e : engines()) {
    if (e.name == name) return &e;
  }
  return nullptr;
}

}  // namespace assay::reference
