// Result<T>: a value, or an error that says what to do. Crosses every module
// border; exceptions do not.
#ifndef ASSAY_CORE_RESULT_H_
#define ASSAY_CORE_RESULT_H_

#include <string>
#include <utility>
#include <variant>

namespace assay {

struct Error {
  std::string message;  // what was given, what was required, where
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  // Require ok().
  const T& value() const& { return std::get<T>(state_); }
  T& value() & { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  // Requires !ok().
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

// For operations that return nothing but may fail.
using Status = Result<std::monostate>;
inline Status success() { return std::monostate{}; }

}  // namespace assay

#endif  // ASSAY_CORE_RESULT_H_
