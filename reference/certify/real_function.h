// The real functions of the spec language by name: those of the table of
// elementary functions, and rsqrt.
#ifndef ASSAY_REFERENCE_CERTIFY_REAL_FUNCTION_H_
#define ASSAY_REFERENCE_CERTIFY_REAL_FUNCTION_H_

#include <optional>
#include <string_view>
#include <vector>

#include "reference/numbers/elementary.h"
#include "reference/sets/set_ops.h"

namespace assay::reference {

class RealFunction {
 public:
  // Implicit: each elementary function is one.
  RealFunction(Elementary f)  // NOLINT(google-explicit-constructor)
      : elementary_(f) {}
  static RealFunction rsqrt() { return {}; }

  static std::optional<RealFunction> find(std::string_view name);
  static std::vector<RealFunction> all();

  std::string_view name() const;
  Set<Mp> operator()(const Set<Mp>& x) const;
  // f(-x) is f(x) or -f(x), wherever either is defined.
  bool is_symmetric() const;

 private:
  RealFunction() = default;
  std::optional<Elementary> elementary_;
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_CERTIFY_REAL_FUNCTION_H_
