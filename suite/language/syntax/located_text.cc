#include "suite/language/syntax/located_text.h"

#include <algorithm>

namespace assay::language {

SourcePos LocatedText::pos(std::size_t offset) const {
  if (at.empty()) return {};
  if (offset < at.size()) return at[offset];
  SourcePos last = at.back();
  last.column += static_cast<int>(offset - (at.size() - 1));
  return last;
}

LocatedText LocatedText::part(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, text.size());
  end = std::clamp(end, begin, text.size());
  LocatedText out;
  out.text = text.substr(begin, end - begin);
  if (at.empty()) return out;
  out.at.push_back(pos(begin));
  for (std::size_t i = begin + 1; i <= end && i < at.size(); ++i) {
    out.at.push_back(at[i]);
  }
  return out;
}

void LocatedText::shorten() {
  while (at.size() > 1) {
    SourcePos next = at[at.size() - 2];
    ++next.column;
    if (at.back() != next) break;
    at.pop_back();
  }
  at.shrink_to_fit();
}

LocatedText LocatedText::plain(std::string_view text, SourcePos start) {
  return {std::string(text), {start}};
}

std::string to_string(const Diagnostic& d) {
  return d.file + ":" + std::to_string(d.pos.line) + ":" +
         std::to_string(d.pos.column) + ": " + d.message;
}

}  // namespace assay::language
