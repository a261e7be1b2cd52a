#include "suite/language/format/scalar.h"

#include <algorithm>

namespace assay::language {
namespace {

constexpr auto npos = std::string::npos;

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & '\xc0') != '\x80'; }));
}

std::string spaces(int n) {
  return std::string(static_cast<std::size_t>(std::max(n, 0)), ' ');
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \t") + 1);
  return text;
}

std::size_t quoted_end(const std::string& text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || text.compare(i, 2, "''") != 0) return i + 1;
      ++i;
    }
  }
  return text.size();
}

std::string joined(const std::string& scalar) {
  std::string out;
  for (std::size_t at = 0; at < scalar.size();) {
    const std::size_t end = scalar.find('\n', at);
    out += scalar.substr(at, end - at);
    if (end == npos) break;
    out = trimmed(std::move(out));
    at = scalar.find_first_not_of(" \t", end + 1);
    // An empty line means a line break, an escaped line break nothing.
    if (at == npos || scalar[at] == '\n' || out.ends_with('\\')) return scalar;
    out += ' ';
  }
  return out;
}

std::string indented(const std::string& scalar, int column) {
  const std::size_t first = scalar.find('\n');
  std::string out = trimmed(scalar.substr(0, first));
  for (std::size_t at = first; at < scalar.size();) {
    const std::size_t end = std::min(scalar.find('\n', at + 1), scalar.size());
    const std::size_t begin =
        std::min(scalar.find_first_not_of(" \t", at + 1), end);
    out += '\n';
    if (begin < end) out += spaces(column);
    out += trimmed(scalar.substr(begin, end - begin));
    at = end;
  }
  return out;
}

std::string folded(const std::string& scalar, int column) {
  std::string words = scalar;
  const char quote = scalar[0];
  if (quote == '"' || quote == '\'') {
    words = scalar.substr(1, scalar.size() - 2);
    if (words.find(quote == '"' ? '\\' : '\'') != npos) return scalar;
  }
  // A line breaks at a single space, and only there.
  if (words.find(' ') == npos || words.find("  ") != npos ||
      words.find('\t') != npos || words.starts_with(' ') ||
      words.ends_with(' ')) {
    return scalar;
  }
  std::string out = ">-";
  std::size_t columns = kMaxColumns;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, end - at);
    columns += 1 + columns_of(word);
    const bool fits = columns <= kMaxColumns;
    if (!fits) columns = static_cast<std::size_t>(column) + columns_of(word);
    out += (fits ? " " : "\n" + spaces(column)) + word;
    at = end + 1;
  }
  return out;
}

}  // namespace assay::language
