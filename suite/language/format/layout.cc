#include "suite/language/format/layout.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "suite/language/format/flow.h"
#include "suite/language/format/scalar.h"

namespace assay::language {
namespace {

constexpr auto npos = std::string::npos;

int indentation(std::string_view line) {
  return static_cast<int>(std::min(line.find_first_not_of(' '), line.size()));
}

// Goes through the text from entry to entry: a key, dashes or both, with the
// value that begins in the same line.
class Layout {
 public:
  explicit Layout(const std::string& text) : text_(text) {}

  std::string run(const std::vector<std::string>& order) {
    while (at_ < text_.size()) {
      skip_spaces();
      if (at_line_end() || text_[at_] == '#') {
        const int from = column(at_);
        comments_.push_back({from, trimmed(std::string(take_line()))});
      } else {
        entry();
      }
    }
    flush(levels_, 0, "", true);
    std::vector<std::string>& end = sections_.back().lines;
    if (!end.empty() && end.back().empty()) end.pop_back();
    sort(order);
    return text();
  }

 private:
  // Entries of one mapping or list: their column in the text, and the new one.
  struct Level {
    int from;
    int to;
    bool sequence;
  };
  struct Comment {
    int from;
    std::string text;  // of an empty line: nothing
  };
  // A field of the whole file, with the comments above it. The first section
  // is what an empty line separates from the first field, the last one what
  // stands below all fields.
  struct Section {
    std::string key;
    std::vector<std::string> lines;
    std::size_t rank = 0;
  };

  void entry() {
    const std::vector<Level> before = levels_;
    enter(column(at_), at_dash());
    const int to = levels_.back().to;
    // Whose indentation the value's further lines count from.
    Level parent = before_top();
    std::string head = spaces(to);
    while (at_dash()) {
      enter(column(at_), true);
      parent = levels_.back();
      head += "- ";
      ++at_;
      skip_spaces();
    }
    if (!at_line_end() && text_[at_] != '#') enter(column(at_), false);
    head += take_anchor();
    const std::string key = take_key();
    const bool keyed = !key.empty();
    if (keyed) parent = levels_.back();
    if (keyed) head += key + ": " + take_anchor();
    flush(before, to, key, keyed && levels_.size() == 1);
    sections_.back().lines.push_back(with_value(std::move(head), parent));
    if (!keyed && !levels_.back().sequence) levels_.pop_back();
  }

  void enter(int from, bool sequence) {
    // A list may stand in the column of its key.
    while (!levels_.empty() && (levels_.back().from > from ||
                                (levels_.back().from == from &&
                                 levels_.back().sequence && !sequence))) {
      levels_.pop_back();
    }
    if (levels_.empty()) return levels_.push_back({from, 0, sequence});
    const Level& top = levels_.back();
    if (top.from == from && top.sequence == sequence) return;
    levels_.push_back({from, top.to + 2, sequence});
  }

  Level before_top() const {
    return levels_.size() > 1 ? levels_.end()[-2] : Level{-1, -2, false};
  }

  // Writes the comments above an entry whose new column is `next`.
  void flush(const std::vector<Level>& before, int next, const std::string& key,
             bool section) {
    std::vector<std::string> lines;
    std::size_t above = 0;  // how many belong to the section before
    for (const Comment& c : comments_) {
      const bool empty = c.text.empty();
      int to = next;
      for (const Level& l : before) {
        if (l.from <= c.from) to = std::max(to, l.to);
      }
      if (!empty) {
        lines.push_back(spaces(to) + c.text);
      } else if (lines.empty() || !lines.back().empty()) {
        lines.emplace_back();
      }
      const bool header = empty && sections_.size() == 1;
      if (header || (!empty && to > next)) above = lines.size();
    }
    comments_.clear();
    if (!section) above = lines.size();
    const auto split = lines.begin() + static_cast<std::ptrdiff_t>(above);
    std::vector<std::string>& old = sections_.back().lines;
    old.insert(old.end(), lines.begin(), split);
    if (section) sections_.push_back({key, {split, lines.end()}});
  }

  std::string with_value(std::string line, const Level& parent) {
    const char c = at_line_end() ? '#' : text_[at_];
    if (c == '|' || c == '>') return line + take_block(parent);
    if (c == '[' || c == '{') {
      const int indent = parent.to + 4;
      line += set_flow(text_, &at_, columns_of(line),
                       static_cast<std::size_t>(indent));
    } else if (c != '#') {
      line += take_scalar(columns_of(line), parent);
    }
    return trimmed(line) + take_comment();
  }

  // A block scalar: its lines move with their key and stay as they are.
  std::string take_block(const Level& parent) {
    const std::string_view line = this_line();
    const std::string header(line.substr(0, line.find_first_of(" \t")));
    at_ += header.size();
    std::string out = header + take_comment();
    // Where its lines begin, if the header says so.
    const std::size_t digit = header.find_first_of("123456789");
    int from = digit == npos ? -1 : parent.from + (header[digit] - '0');
    const std::size_t end = block_end(parent, header.find('+') != npos, &from);
    const int to =
        digit == npos ? parent.to + 2 : from + parent.to - parent.from;
    while (at_ < end) {
      const std::string_view text = take_line();
      out += '\n';
      if (from < 0 || static_cast<int>(text.size()) <= from) continue;
      out += spaces(to);
      out += text.substr(static_cast<std::size_t>(from));
    }
    return out;
  }

  // A negative *from becomes the first line's. Empty lines at the end belong
  // to the scalar only if it says `+`.
  std::size_t block_end(const Level& parent, bool keep, int* from) {
    const std::size_t begin = at_;
    std::size_t end = at_;
    while (at_ < text_.size()) {
      const std::string_view line = take_line();
      const int n = indentation(line);
      const bool blank =
          n == static_cast<int>(line.size()) && (*from < 0 || n <= *from);
      if (!blank && (n <= parent.from || n < *from)) break;
      if (!blank && *from < 0) *from = n;
      if (!blank || keep) end = at_;
    }
    at_ = begin;
    return end;
  }

  std::string take_scalar(std::size_t column, const Level& parent) {
    const std::size_t begin = at_;
    const bool quoted = text_[at_] == '"' || text_[at_] == '\'';
    at_ = quoted ? quoted_end(text_, at_) : plain_end(parent);
    const std::string scalar = text_.substr(begin, at_ - begin);
    if (scalar.find('\n') != npos) return indented(scalar, parent.to + 4);
    skip_spaces();
    const bool fits = column + columns_of(scalar) <= kMaxColumns;
    return fits || !at_line_end() ? scalar : folded(scalar, parent.to + 2);
  }

  // Lines below that are deeper go on with a plain scalar.
  std::size_t plain_end(const Level& parent) const {
    std::size_t end = at_;
    std::size_t next = at_;
    do {
      const std::size_t line = std::min(text_.find('\n', next), text_.size());
      end = next + text_before_comment({text_.data() + next, line - next});
      next = text_.find_first_not_of(" \t\n", end);
    } while (next != npos && text_[next] != '#' && column(next) > parent.from);
    return end;
  }

  static std::size_t text_before_comment(std::string_view line) {
    const std::size_t comment = std::min(line.find(" #"), line.find("\t#"));
    return line.substr(0, comment).find_last_not_of(" \t") + 1;
  }

  // What stands behind a value: a comment or nothing. Comments may be aligned
  // with one another, so their distance stays.
  std::string take_comment() {
    skip_spaces();
    const std::size_t before = text_.find_last_not_of(' ', at_ - 1) + 1;
    const int distance = std::max(static_cast<int>(at_ - before), 2);
    const std::string rest = trimmed(std::string(take_line()));
    return rest.empty() ? "" : spaces(distance) + rest;
  }

  std::string take_anchor() {
    skip_spaces();
    if (at_line_end() || text_[at_] != '&') return "";
    const std::size_t end =
        std::min(text_.find_first_of(" \t\n", at_), text_.size());
    const std::string anchor = text_.substr(at_, end - at_) + ' ';
    at_ = end;
    skip_spaces();
    return anchor;
  }

  // Empty, and nothing is taken, where no key stands.
  std::string take_key() {
    if (at_line_end() || std::string_view("[{|>#").find(text_[at_]) != npos) {
      return "";
    }
    const bool quoted = text_[at_] == '"' || text_[at_] == '\'';
    std::size_t i = quoted ? quoted_end(text_, at_) : at_;
    while (i < text_.size() && text_[i] != '\n') {
      if (text_[i] == ':' && !in_word(i + 1)) break;
      if (quoted ? in_word(i) : text_[i] == '#' && !in_word(i - 1)) return "";
      ++i;
    }
    if (i == text_.size() || text_[i] == '\n') return "";
    const std::string key = trimmed(text_.substr(at_, i - at_));
    at_ = i + 1;
    return key;
  }

  // Sections that stand in no order go with the one before them.
  void sort(const std::vector<std::string>& order) {
    std::size_t rank = 0;
    for (Section& s : sections_) {
      const auto place = static_cast<std::size_t>(
          std::find(order.begin(), order.end(), s.key) - order.begin());
      if (place < order.size()) rank = place;
      s.rank = rank;
    }
    sections_.back().rank = npos;
    std::stable_sort(
        sections_.begin(), sections_.end(),
        [](const Section& a, const Section& b) { return a.rank < b.rank; });
  }

  std::string text() const {
    std::string out;
    for (const Section& s : sections_) {
      for (const std::string& line : s.lines) {
        const bool twice = out.empty() || out.ends_with("\n\n");
        if (!twice || !line.empty()) out += line + '\n';
      }
    }
    return out;
  }

  bool at_line_end() const { return at_ == text_.size() || text_[at_] == '\n'; }
  bool in_word(std::size_t at) const {
    return at < text_.size() &&
           std::string_view(" \t\n").find(text_[at]) == npos;
  }
  bool at_dash() const {
    return !at_line_end() && text_[at_] == '-' && !in_word(at_ + 1);
  }
  void skip_spaces() {
    at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size());
  }
  int column(std::size_t at) const {
    const std::size_t line = at == 0 ? npos : text_.rfind('\n', at - 1);
    return static_cast<int>(at - (line + 1));
  }
  std::string_view this_line() const {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    return {text_.data() + at_, end - at_};
  }
  std::string_view take_line() {
    const std::string_view line = this_line();
    at_ = std::min(at_ + line.size() + 1, text_.size());
    return line;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<Level> levels_;
  std::vector<Comment> comments_;  // since the last entry
  std::vector<Section> sections_{1};
};

}  // namespace

std::string lay_out(const std::string& text,
                    const std::vector<std::string>& order) {
  return Layout(text).run(order);
}

}  // namespace assay::language
