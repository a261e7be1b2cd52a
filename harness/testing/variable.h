// A variable of the environment, set for a test and put back after it.
#ifndef ASSAY_HARNESS_TESTING_VARIABLE_H_
#define ASSAY_HARNESS_TESTING_VARIABLE_H_

#include <cstdlib>
#include <optional>
#include <string>

namespace assay::harness {

// Unset while `value` is nullopt.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value)
      : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    if (value) {
      setenv(name_, value->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_TESTING_VARIABLE_H_
