// Helpers of this room's tests.
#ifndef ASSAY_REFERENCE_TESTING_TEST_SUPPORT_H_
#define ASSAY_REFERENCE_TESTING_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/program_text.h"
#include "reference/numbers/number_mpfr.h"
#include "reference/oracle/oracle.h"
#include "suite/language/load.h"

namespace assay::reference {

// The specs of these YAML texts, which must be right.
inline language::SpecSet specs_of(const std::vector<std::string>& texts) {
  std::vector<language::SourceFile> files;
  for (const std::string& text : texts) {
    files.push_back({"test" + std::to_string(files.size()) + ".yaml", text,
                     language::SourceFile::Role::operation});
  }
  language::LoadResult r = language::load_sources(std::move(files));
  for (const language::Diagnostic& d : r.errors)
    ADD_FAILURE() << language::to_string(d);
  return std::move(r.specs);
}

inline Program program_of(const std::string& body) {
  Result<Program> p = parse_program("assay-program 1\n" + body);
  if (!p) {
    ADD_FAILURE() << p.error().message;
    return {};
  }
  return *p;
}

// Of a program that the oracle must be able to judge.
inline Golden golden_of(const language::SpecSet& specs, const std::string& body,
                        const std::vector<Tensor>& inputs,
                        const OracleOptions& options = {}) {
  Result<Golden> g = Oracle(specs).golden(program_of(body), inputs, options);
  if (g) return *g;
  ADD_FAILURE() << g.error().message;
  return {};
}

inline Tensor tensor_of(DType t, Shape sizes,
                        const std::vector<double>& values) {
  Tensor x = Tensor::zeros(t, std::move(sizes));
  for (std::size_t i = 0; i < values.size(); ++i) {
    x.set_number(static_cast<std::int64_t>(i), values[i]);
  }
  return x;
}

inline Tensor bits_of(DType t, const std::vector<std::uint64_t>& bits) {
  Tensor x = Tensor::zeros(t, {static_cast<std::int64_t>(bits.size())});
  for (std::size_t i = 0; i < bits.size(); ++i) {
    x.set_bits(static_cast<std::int64_t>(i), bits[i]);
  }
  return x;
}

// Doubles of all kinds: ordinary, extreme, subnormal, zeros, small integers.
class RandomNumbers {
 public:
  explicit RandomNumbers(unsigned seed) : engine_(seed) {}

  int integer(int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(engine_);
  }
  double finite() {
    switch (integer(0, 7)) {
      case 0:
        return integer(-4, 4);
      case 1:
        return integer(0, 1) ? 0.0 : -0.0;
      case 2:
        return scaled(-1074, -1000);
      case 3:
        return scaled(1000, 1023);
      case 4:
        return std::ldexp(integer(-3, 3), integer(-20, 20));
      default:
        return scaled(-40, 40);
    }
  }
  double any() {
    return integer(0, 9) ? finite() : integer(0, 1) ? kInfinity : -kInfinity;
  }
  double scaled(int low, int high) {
    const double s = std::uniform_real_distribution<double>(1, 2)(engine_);
    return std::ldexp(integer(0, 1) ? s : -s, integer(low, high));
  }
  double uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(engine_);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_TESTING_TEST_SUPPORT_H_
