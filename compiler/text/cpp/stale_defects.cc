#include "compiler/text/cpp/stale_defects.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace assay::compiler {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         c == '.';
}

// `text` without its literals: those of numbers are hexadecimal
// (text/scalar.h), those of sizes, strides and indices decimal.
std::string without(const std::string& text, bool numbers) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const std::string word = text.substr(i, end - i);
    i = end;
    const bool is_number = word.starts_with("0x");
    const bool is_size =
        !is_number && word.find_first_not_of("0123456789") == std::string::npos;
    if (numbers ? is_number : is_size) {
      // The exponent's sign and digits belong to it.
      while (is_number && i + 1 < text.size() && text[i - 1] == 'p' &&
             (text[i] == '+' || text[i] == '-')) {
        ++i;
        while (i < text.size() && is_word(text[i])) ++i;
      }
      out += '#';
    } else {
      out += word;
    }
  }
  return out;
}

std::vector<std::int64_t> spans_of(const Nest& nest) {
  std::vector<std::int64_t> out;
  for (const Buffer& b : nest.buffers) out.push_back(b.type.span());
  return out;
}

bool all_at_most(const std::vector<std::int64_t>& a,
                 const std::vector<std::int64_t>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i >= b.size() || a[i] > b[i]) return false;
  }
  return a.size() == b.size();
}

}  // namespace

CppText stale(CppText made, const Nest& nest, Defect defect) {
  if (defect != Defect::stale_cache &&
      defect != Defect::wrong_shape_specialisation) {
    return made;
  }
  struct Known {
    CppText made;
    std::vector<std::int64_t> spans;
  };
  static std::mutex mutex;
  static std::map<std::string, Known> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const std::vector<std::int64_t> spans = spans_of(nest);
  const bool numbers = defect == Defect::stale_cache;
  std::string key = without(made.text, numbers);
  // Sizes that the text leaves to the launch are sizes all the same.
  for (const SizeParameter& p : made.sizes) {
    if (numbers) key += fmt::format("{} ", p.value);
  }
  Known& k = known.try_emplace(key, Known{made, spans}).first->second;
  if (all_at_most(k.spans, spans)) return k.made;
  if (all_at_most(spans, k.spans)) k = {made, spans};
  return made;
}

}  // namespace assay::compiler
