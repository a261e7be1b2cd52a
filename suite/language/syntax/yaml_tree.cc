#include "suite/language/syntax/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include "suite/language/syntax/yaml_align.h"

namespace assay::language {
namespace {

using Faults = std::vector<Fault>;

constexpr std::size_t kMaxBytes = 1 << 20;
// Nodes of a tree with its aliases written out: a few lines can stand for
// billions.
constexpr std::size_t kMaxNodes = 200'000;

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

SourcePos from_mark(const YAML::Mark& m) { return {m.line + 1, m.column + 1}; }

// Length of the UTF-8 sequence at `i`, 0 where there is none.
std::size_t utf8_length(const std::string& s, std::size_t i) {
  const auto byte = [&s](std::size_t k) {
    return k < s.size() ? static_cast<unsigned char>(s[k]) : 0u;
  };
  const unsigned c = byte(i);
  const std::size_t n = c < 0x80   ? 1
                        : c < 0xc2 ? 0
                        : c < 0xe0 ? 2
                        : c < 0xf0 ? 3
                        : c < 0xf5 ? 4
                                   : 0;
  for (std::size_t k = 1; k < n; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  }
  return n;
}

// yaml-cpp repairs or guesses at broken encodings; positions would be lost.
bool check_characters(const std::string& s, std::vector<Fault>* faults) {
  if (s.size() > kMaxBytes) {
    faults->push_back({{1, 1}, "the file is larger than 1 MiB; split it"});
    return false;
  }
  SourcePos pos{1, 1};
  bool indenting = true;
  for (std::size_t i = 0; i < s.size();) {
    const std::size_t n = utf8_length(s, i);
    const char c = s[i];
    std::string what;
    if (n == 0) what = "a byte that is not UTF-8; save the file as UTF-8";
    if (c == '\r') what = "a carriage return; save the file with LF line ends";
    if (n == 1 && ((c >= 0 && c < ' ' && c != '\n' && c != '\r' && c != '\t') ||
                   c == 127)) {
      what = "a control character; remove it";
    }
    if (s.compare(i, 3, "\xef\xbb\xbf") == 0) {
      what = "a byte order mark; save the file without one";
    }
    if (c == '\t' && indenting) what = "a tab in the indentation; use spaces";
    if (c != ' ') indenting = c == '\n';
    if (!what.empty()) {
      faults->push_back({pos, "found " + what});
      return false;
    }
    pos = c == '\n' ? SourcePos{pos.line + 1, 1}
                    : SourcePos{pos.line, pos.column + static_cast<int>(n)};
    i += n;
  }
  return true;
}

// Stand-ins for the braces of `${name}`, for which flow collections have no
// room. As long as what they replace, so that no position moves, and refused
// in files themselves.
constexpr char kOpenBrace = '\x01';
constexpr char kCloseBrace = '\x02';

std::string hide_braces(std::string s) {
  for (std::size_t i = 0; i + 2 < s.size(); ++i) {
    if (s[i] != '$' || s[i + 1] != '{') continue;
    std::size_t end = i + 2;
    while (end < s.size() && is_name(s[end])) ++end;
    if (end == i + 2 || end == s.size() || s[end] != '}') continue;
    s[i + 1] = kOpenBrace;
    s[end] = kCloseBrace;
  }
  return s;
}

void show_braces(std::string* s) {
  std::replace(s->begin(), s->end(), kOpenBrace, '{');
  std::replace(s->begin(), s->end(), kCloseBrace, '}');
}

class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& source, std::vector<Fault>* faults)
      : aligner_(source), faults_(faults) {}

  std::optional<YamlNode> take() { return std::move(root_); }
  SourcePos start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    start_ = from_mark(mark);
  }
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchored_.find(anchor);
    if (it == anchored_.end()) {
      fault(mark,
            "the alias stands inside of what it names; write the value "
            "out");
      return add(make(mark, YamlNode::Kind::null), 0);
    }
    nodes_ += it->second.size;
    if (nodes_ > kMaxNodes) {
      if (!too_large_) fault(mark, "the aliases make the file too large");
      too_large_ = true;
      return add(make(mark, YamlNode::Kind::null), 0);
    }
    add(it->second.node, 0);
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(mark, YamlNode::Kind::null), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor, const std::string& value) override {
    YamlNode n = make(mark, YamlNode::Kind::scalar);
    check_tag(mark, tag);
    n.quoted = tag == "!";
    n.text.text = value;
    n.text.at = aligner_.align(value, n.pos, n.quoted);
    n.text.shorten();
    show_braces(&n.text.text);
    add(std::move(n), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open_.push_back({make(mark, YamlNode::Kind::sequence), anchor, nodes_});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag,
                  YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open_.push_back({make(mark, YamlNode::Kind::map), anchor, nodes_});
  }
  void OnMapEnd() override { close(); }

 private:
  static YamlNode make(const YAML::Mark& mark, YamlNode::Kind kind) {
    YamlNode n;
    n.kind = kind;
    n.pos = from_mark(mark);
    return n;
  }

  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    std::size_t nodes_before;
  };
  struct Anchored {
    YamlNode node;
    std::size_t size;
  };

  void fault(const YAML::Mark& mark, std::string message) {
    faults_->push_back({from_mark(mark), std::move(message)});
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "!" && tag != "?") {
      fault(mark, "found the tag '" + tag +
                      "', which specs do not use; "
                      "remove it");
    }
  }

  void close() {
    Open o = std::move(open_.back());
    open_.pop_back();
    if (o.node.is_map()) check_keys(&o.node);
    add(std::move(o.node), o.anchor, nodes_ - o.nodes_before);
  }

  // A map's events come as key, value, key, value.
  void add(YamlNode n, YAML::anchor_t anchor, std::size_t size = 0) {
    ++nodes_;
    if (anchor != 0) anchored_[anchor] = {n, size + 1};
    if (open_.empty()) {
      root_ = std::move(n);
    } else {
      open_.back().node.items.push_back(std::move(n));
    }
  }

  void check_keys(YamlNode* map) {
    std::map<std::string, SourcePos> seen;
    for (std::size_t i = 0; i + 1 < map->items.size(); i += 2) {
      YamlNode& key = map->items[i];
      if (!key.is_scalar()) {
        faults_->push_back({key.pos, "found " + key.describe() +
                                         " as a key, expected a name"});
        continue;
      }
      const auto [it, fresh] = seen.emplace(key.text.text, key.pos);
      if (!fresh) {
        faults_->push_back({key.pos, "duplicate key '" + key.text.text +
                                         "', first given at line " +
                                         std::to_string(it->second.line) +
                                         "; remove one of them"});
        continue;
      }
      map->fields.emplace_back(std::move(key), std::move(map->items[i + 1]));
    }
    map->items.clear();
  }

  Aligner aligner_;
  SourcePos start_{1, 1};
  std::vector<Fault>* faults_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchored_;
  std::size_t nodes_ = 0;
  bool too_large_ = false;
  std::optional<YamlNode> root_;
};

}  // namespace

std::string YamlNode::describe() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar: {
      std::string shown = text.text.substr(0, 40);
      if (shown.size() < text.text.size()) shown += "...";
      return "'" + shown + "'";
    }
    case Kind::sequence:
      return "a list";
    case Kind::map:
      return "a mapping";
  }
  return "?";
}

std::optional<YamlNode> parse_yaml(const std::string& text,
                                   std::vector<Fault>* faults) {
  if (!check_characters(text, faults)) return std::nullopt;
  const std::string source = hide_braces(text);
  Builder builder(source, faults);
  try {
    std::istringstream in(source);
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder)) {
      faults->push_back({{1, 1}, "the file is empty"});
      return std::nullopt;
    }
    std::optional<YamlNode> root = builder.take();
    Faults ignored;
    Builder second(source, &ignored);
    if (parser.HandleNextDocument(second)) {
      faults->push_back({second.start(),
                         "a second YAML document begins here; "
                         "a file holds one"});
    }
    return root;
  } catch (const YAML::Exception& e) {
    faults->push_back({e.mark.is_null() ? SourcePos{1, 1} : from_mark(e.mark),
                       "not valid YAML: " + e.msg +
                           "; a text that holds ', ', ': ' or brackets needs "
                           "quotes"});
    return std::nullopt;
  }
}

}  // namespace assay::language
