// Which sanitizer this build has: some memory limits and signal handlers mean
// something else then.
#ifndef ASSAY_CORE_SANITIZER_H_
#define ASSAY_CORE_SANITIZER_H_

#include <string_view>

#if !defined(__has_feature)
#define ASSAY_HAS_FEATURE(feature) 0
#else
#define ASSAY_HAS_FEATURE(feature) __has_feature(feature)
#endif

namespace assay {

// "address", "thread" or empty, as plugin.h spells them.
#if defined(__SANITIZE_ADDRESS__) || ASSAY_HAS_FEATURE(address_sanitizer)
inline constexpr std::string_view kSanitizer = "address";
#elif defined(__SANITIZE_THREAD__) || ASSAY_HAS_FEATURE(thread_sanitizer)
inline constexpr std::string_view kSanitizer = "thread";
#else
inline constexpr std::string_view kSanitizer = "";
#endif

}  // namespace assay

#endif  // ASSAY_CORE_SANITIZER_H_
