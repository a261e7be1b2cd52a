#include "kit/failure.h"

#include <cstddef>

namespace assay::kit {

AssayCode report(AssayError* error, AssayCode code, Raised text) {
  static thread_local Raised kept;
  kept = std::move(text);
  if (error == nullptr) return code;
  const auto set = [error](std::size_t offset, const char** field,
                           const std::string& value) {
    if (error->struct_size < offset + sizeof(const char*)) return;
    *field = value.empty() ? nullptr : value.c_str();
  };
  set(offsetof(AssayError, exception), &error->exception, kept.exception);
  set(offsetof(AssayError, clause), &error->clause, kept.clause);
  set(offsetof(AssayError, message), &error->message, kept.message);
  return code;
}

}  // namespace assay::kit
