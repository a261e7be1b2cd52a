// The scalars of YAML as they are written, and how they are written anew.
#ifndef ASSAY_SUITE_LANGUAGE_FORMAT_SCALAR_H_
#define ASSAY_SUITE_LANGUAGE_FORMAT_SCALAR_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::language {

inline constexpr std::size_t kMaxColumns = 120;

// How many columns UTF-8 text takes.
std::size_t columns_of(std::string_view text);

std::string spaces(int n);
std::string trimmed(std::string text);  // no spaces at its end

// Past the closing quote of the scalar that begins at `at`.
std::size_t quoted_end(const std::string& text, std::size_t at);

// In one line, as far as its line breaks mean spaces.
std::string joined(const std::string& scalar);

// Its further lines at `column`: their indentation means nothing. Not for
// block scalars.
std::string indented(const std::string& scalar, int column);

// As a block scalar, `>-`, whose lines begin at `column`; the scalar itself
// where that would not say the same.
std::string folded(const std::string& scalar, int column);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_FORMAT_SCALAR_H_
