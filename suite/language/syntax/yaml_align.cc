#include "suite/language/syntax/yaml_align.h"

#include <algorithm>

namespace assay::language {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

}  // namespace

Aligner::Aligner(const std::string& source) : source_(source) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\n') starts_.push_back(i + 1);
  }
}

std::vector<SourcePos> Aligner::align(const std::string& value, SourcePos start,
                                      bool quoted) const {
  std::size_t p = offset(start);
  const char style = quoted && p < source_.size() ? source_[p] : ' ';
  if (style == '"' || style == '\'') ++p;
  if (style == '|' || style == '>') p = source_.find('\n', p);
  p = std::min(p, source_.size());
  std::vector<SourcePos> at;
  at.reserve(value.size() + 1);
  for (const char c : value) at.push_back(one(c, style, &p));
  at.push_back(position(p));
  return at;
}

std::size_t Aligner::offset(SourcePos pos) const {
  const auto line = static_cast<std::size_t>(std::max(pos.line, 1) - 1);
  if (line >= starts_.size()) return source_.size();
  return std::min(starts_[line] + static_cast<std::size_t>(pos.column - 1),
                  source_.size());
}

SourcePos Aligner::position(std::size_t p) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), p);
  const std::size_t line =
      static_cast<std::size_t>(after - starts_.begin()) - 1;
  return {static_cast<int>(line) + 1, static_cast<int>(p - starts_[line]) + 1};
}

char Aligner::source(std::size_t p) const {
  return p < source_.size() ? source_[p] : '\0';
}

SourcePos Aligner::one(char c, char style, std::size_t* p) const {
  if (style == '"' && source(*p) == '\\' && source(*p + 1) != '\n') {
    const SourcePos pos = position(*p);
    const char kind = source(*p + 1);
    *p += kind == 'x' ? 4 : kind == 'u' ? 6 : kind == 'U' ? 10 : 2;
    return pos;
  }
  if (is_space(c)) {
    const SourcePos pos = position(*p);
    if (source(*p) == c) ++*p;
    return pos;
  }
  std::size_t q = *p;
  while (is_space(source(q)) ||
         (style == '"' && source(q) == '\\' && source(q + 1) == '\n')) {
    ++q;
  }
  if (source(q) == c) {
    *p = q + (style == '\'' && c == '\'' ? 2 : 1);
    return position(q);
  }
  return position(*p);
}

}  // namespace assay::language
