#include "suite/language/read/read_program.h"

#include <algorithm>
#include <limits>
#include <set>

#include "suite/language/read/read_literal.h"
#include "suite/language/syntax/lexer.h"
#include "suite/language/syntax/parse_expr.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

using Axes = std::vector<std::pair<std::string, std::vector<YamlNode>>>;
using Choice = std::map<std::string, const YamlNode*>;  // a value per axis

bool is_word(char c) { return is_identifier("a" + std::string(1, c)); }

// Replaces `${name}`; characters that come from an axis stand where the
// reference stands.
void substitute(LocatedText* text, const Choice& choice, Faults* faults) {
  LocatedText out;
  const std::string& s = text->text;
  for (std::size_t i = 0; i < s.size();) {
    std::size_t end = i + 2;
    if (s.compare(i, 2, "${") != 0) {
      out.text += s[i];
      out.at.push_back(text->pos(i));
      ++i;
      continue;
    }
    while (end < s.size() && is_word(s[end])) ++end;
    const std::string name = s.substr(i + 2, end - i - 2);
    const auto it = choice.find(name);
    if (end >= s.size() || s[end] != '}' || name.empty()) {
      faults->push_back({text->pos(i), "expected ${axis}"});
      return;
    }
    if (it == choice.end()) {
      std::vector<std::string> names;
      for (const auto& c : choice) names.push_back(c.first);
      faults->push_back({text->pos(i), "unknown axis '" + name + "'" +
                                           did_you_mean(name, names)});
      return;
    }
    for (const char c : it->second->text.text) {
      out.text += c;
      out.at.push_back(text->pos(i));
    }
    i = end + 1;
  }
  out.at.push_back(text->pos(s.size()));
  *text = std::move(out);
}

void substitute(YamlNode* n, const Choice& choice, Faults* faults) {
  if (n->is_scalar()) {
    if (n->text.text.find("${") == std::string::npos) return;
    substitute(&n->text, choice, faults);
    n->quoted = false;  // quotes only keep YAML from reading the braces
  }
  for (YamlNode& item : n->items) substitute(&item, choice, faults);
  for (auto& [key, body] : n->fields) {
    substitute(&key, choice, faults);
    substitute(&body, choice, faults);
  }
}

Axes read_axes(const YamlNode& n, Faults* faults) {
  Axes axes;
  if (!n.is_map()) {
    faults->push_back(
        {n.pos, "expected axes, name: [value, value], found " + n.describe()});
    return axes;
  }
  for (const auto& [key, body] : n.fields) {
    if (!is_identifier(key.text.text)) {
      faults->push_back(
          {key.pos, "'" + key.text.text + "' cannot name an axis"});
      continue;
    }
    std::vector<YamlNode> values;
    std::set<std::string> seen;
    for (const YamlNode& item : read_list(body, "a list of values", faults)) {
      if (!read_text(item, "a value of an axis", faults)) continue;
      if (!seen.insert(item.text.text).second) {
        faults->push_back({item.pos, "value " + item.describe() +
                                         " stands twice on axis '" +
                                         key.text.text + "'; remove one"});
        continue;
      }
      values.push_back(item);
    }
    if (body.is_sequence() && body.items.empty()) {
      faults->push_back(
          {body.pos, "axis '" + key.text.text + "' has no values"});
    }
    if (!values.empty()) axes.emplace_back(key.text.text, std::move(values));
  }
  return axes;
}

struct Stop {};  // thrown after a fault was recorded, caught in this file

class CallParser {
 public:
  CallParser(const LocatedText& text, Faults* faults)
      : text_(text), faults_(faults) {}

  bool run(Step* step) {
    const std::size_t open = text_.text.find('(');
    if (open == std::string::npos) {
      faults_->push_back({text_.pos(0),
                          "expected a call, "
                          "aten.add.Tensor(x, y), found '" +
                              text_.text + "'"});
      return false;
    }
    step->op = text_.text.substr(0, open);
    step->pos = text_.pos(0);
    const std::size_t before = faults_->size();
    tokens_ = tokenize(text_.part(open, text_.text.size()), faults_);
    if (faults_->size() != before) return false;
    try {
      take();  // "("
      if (!is(")")) {
        do argument(step);
        while (accept(","));
      }
      expect(")");
      if (peek().kind != Token::Kind::end) fail("the end");
      return true;
    } catch (const Stop&) {
      return false;
    }
  }

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  Token take() {
    Token t = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return t;
  }
  bool is(const char* symbol, std::size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::symbol &&
           peek(ahead).text == symbol;
  }
  bool accept(const char* symbol) {
    if (!is(symbol)) return false;
    take();
    return true;
  }
  [[noreturn]] void fail(const std::string& expected) {
    faults_->push_back(
        {peek().pos, "expected " + expected + ", found " + spell(peek())});
    throw Stop{};
  }
  void expect(const char* symbol) {
    if (!accept(symbol)) fail("',' or '" + std::string(symbol) + "'");
  }

  void argument(Step* step) {
    if (peek().kind == Token::Kind::name && is("=", 1)) {
      const Token name = take();
      take();
      const bool twice =
          std::any_of(step->kwargs.begin(), step->kwargs.end(),
                      [&name](const auto& k) { return k.first == name.text; });
      if (twice) {
        faults_->push_back({name.pos, "argument '" + name.text +
                                          "' stands twice; remove one"});
        throw Stop{};
      }
      step->kwargs.emplace_back(name.text, value(0));
      return;
    }
    if (!step->kwargs.empty()) {
      fail("name=value, because an argument before is passed by name");
    }
    step->args.push_back(value(0));
  }

  StepArg value(int depth) {
    if (depth > 8) fail("a list that is not nested so deeply");
    const Token t = peek();
    switch (t.kind) {
      case Token::Kind::name:
        take();
        return name(t.text);
      case Token::Kind::pack:
        take();
        return {t.text + "..."};
      case Token::Kind::string:
        take();
        return {Arg(t.text)};
      case Token::Kind::integer:
        take();
        return {Arg(t.integer)};
      case Token::Kind::real:
        take();
        return {Arg(t.number)};
      case Token::Kind::symbol:
        if (t.text == "-") return negative();
        if (t.text == "[") return list(depth);
        break;
      case Token::Kind::end:
        break;
    }
    fail("an argument: a name, a literal or a list");
  }

  static StepArg name(const std::string& text) {
    if (text == "none") return {Arg(None{})};
    if (text == "true") return {Arg(true)};
    if (text == "false") return {Arg(false)};
    if (text == "inf") return {Arg(std::numeric_limits<double>::infinity())};
    if (text == "nan") return {Arg(std::numeric_limits<double>::quiet_NaN())};
    if (const auto t = parse_dtype(text)) return {Arg(*t)};
    return {text};
  }

  StepArg negative() {
    take();
    const Token t = take();
    if (t.kind == Token::Kind::integer) return {Arg(-t.integer)};
    if (t.kind == Token::Kind::real) return {Arg(-t.number)};
    if (t.kind == Token::Kind::name && t.text == "inf") {
      return {Arg(-std::numeric_limits<double>::infinity())};
    }
    --next_;
    fail("a number after '-'");
  }

  // A list of integers alone is an Arg, of numbers with fractions among them,
  // and the empty list.
  StepArg list(int depth) {
    take();
    StepArgList items;
    if (!is("]")) {
      do items.push_back(value(depth + 1));
      while (accept(","));
    }
    expect("]");
    std::vector<std::int64_t> ints;
    Numbers numbers;
    for (const StepArg& item : items) {
      const auto* arg = std::get_if<Arg>(&item.value);
      const auto* i = arg ? std::get_if<std::int64_t>(arg) : nullptr;
      const auto* x = arg ? std::get_if<double>(arg) : nullptr;
      if (i == nullptr && x == nullptr) return {std::move(items)};
      if (i != nullptr) ints.push_back(*i);
      numbers.push_back(i != nullptr ? static_cast<double>(*i) : *x);
    }
    if (ints.size() == numbers.size()) return {Arg(std::move(ints))};
    return {Arg(std::move(numbers))};
  }

  const LocatedText& text_;
  Faults* faults_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

std::vector<Step> read_steps(const YamlNode& n, Faults* faults) {
  std::vector<Step> out;
  if (!n.is_map() || n.fields.empty()) {
    faults->push_back({n.pos,
                       "expected steps, name: aten.neg.default(x), "
                       "found " +
                           n.describe()});
    return out;
  }
  for (const auto& [key, body] : n.fields) {
    Step s;
    s.name = key.text.text;
    if (!is_identifier(s.name) || parse_dtype(s.name)) {
      faults->push_back({key.pos, "'" + s.name + "' cannot name a step"});
    }
    if (!body.is_scalar()) {
      faults->push_back({body.pos,
                         "expected a call, aten.neg.default(x), "
                         "found " +
                             body.describe()});
      continue;
    }
    // A call that cannot be read still defines its name; it has no op.
    if (!CallParser(body.text, faults).run(&s)) s.op.clear();
    out.push_back(std::move(s));
  }
  return out;
}

constexpr std::size_t kMaxVariants = 1000;

// [4, 5], or the text "[4, 5]" where axes made it one.
Shape read_shape(const YamlNode& n, Faults* faults) {
  Shape out;
  if (n.is_scalar()) {
    const ExprPtr e = parse_expr(n.text, faults);
    if (!e) return out;
    if (e->kind != Expr::Kind::list) {
      faults->push_back(
          {n.pos, "expected a shape, [2, 3], found " + n.describe()});
      return out;
    }
    for (const ExprPtr& item : e->args) {
      if (item->kind != Expr::Kind::integer) {
        faults->push_back(
            {item->pos, "expected a size, found '" + to_string(*item) + "'"});
        continue;
      }
      out.push_back(item->integer);
    }
  } else {
    for (const YamlNode& item : read_list(n, "a shape, [2, 3]", faults)) {
      if (auto v = read_integer(item, "a size", faults)) out.push_back(*v);
    }
  }
  std::int64_t count = 1;
  for (const std::int64_t v : out) {
    if (v < 0) {
      faults->push_back(
          {n.pos, "a size cannot be negative, found " + std::to_string(v)});
      return {};
    }
    if (v > 0 && __builtin_mul_overflow(count, v, &count)) count = -1;
    if (count < 0 || count > 1'000'000'000) {
      faults->push_back({n.pos, "the tensor has more than 10^9 elements"});
      return {};
    }
  }
  return out;
}

std::vector<TensorDecl> read_tensors(const YamlNode& n, const char* section,
                                     Faults* faults) {
  std::vector<TensorDecl> out;
  if (!n.is_map()) {
    faults->push_back({n.pos, std::string("expected tensors by name in '") +
                                  section + "', found " + n.describe()});
    return out;
  }
  for (const auto& [key, body] : n.fields) {
    TensorDecl t;
    t.name = key.text.text;
    t.pos = key.pos;
    if (!is_identifier(t.name) || parse_dtype(t.name) || is_reserved(t.name)) {
      faults->push_back({key.pos, "'" + t.name + "' cannot name a tensor"});
    }
    const Fields f(body, "tensor '" + t.name + "'",
                   {"dtype", "shape", "layout", "data"}, faults);
    if (const YamlNode* d = f.required("dtype")) {
      t.dtype = read_dtype(*d, faults).value_or(DType::f32);
    }
    if (const YamlNode* s = f.required("shape")) {
      t.sizes = read_shape(*s, faults);
    }
    if (const YamlNode* l = f.find("layout")) {
      t.layout = read_layout(*l, faults).value_or(Layout::contiguous);
    }
    if (const YamlNode* d = f.required("data")) {
      t.data = read_generator(*d, faults).value_or(Generator{});
      if (t.data.kind == Generator::Kind::formula &&
          t.data.formula_index.size() != t.sizes.size()) {
        faults->push_back(
            {d->pos, "the formula has " +
                         std::to_string(t.data.formula_index.size()) +
                         " indices for a tensor of rank " +
                         std::to_string(t.sizes.size())});
      }
    }
    out.push_back(std::move(t));
  }
  return out;
}

int read_device(const YamlNode& n, Faults* faults) {
  constexpr std::int64_t kDevices = 16;
  const char* what = "the number of a device, 0 to 15";
  const std::int64_t device = read_integer(n, what, faults).value_or(0);
  if (device >= 0 && device < kDevices) return static_cast<int>(device);
  faults->push_back(
      {n.pos, std::string("expected ") + what + ", found " + n.describe()});
  return 0;
}

ProgramVariant read_variant(const YamlNode& root, Faults* faults) {
  ProgramVariant v;
  const Fields f(root, "a program",
                 {"program", "doc", "source", "axes", "device", "inputs",
                  "consts", "steps", "returns", "raises", "profile"},
                 faults);
  if (const YamlNode* n = f.find("device")) {
    v.device = read_device(*n, faults);
  }
  if (const YamlNode* n = f.find("inputs")) {
    v.inputs = read_tensors(*n, "inputs", faults);
  }
  if (const YamlNode* n = f.find("consts")) {
    v.consts = read_tensors(*n, "consts", faults);
  }
  if (const YamlNode* n = f.required("steps")) {
    v.steps = read_steps(*n, faults);
  }
  if (const YamlNode* n = f.required("returns")) {
    for (const YamlNode& item :
         read_list(*n, "a list of values, [y, s]", faults)) {
      if (auto s = read_text(item, "the name of a value", faults)) {
        v.returns.push_back(*s);
      }
    }
    if (n->is_sequence() && n->items.empty()) {
      faults->push_back({n->pos, "a program returns at least one value"});
    }
  }
  if (const YamlNode* n = f.find("raises")) {
    v.raises = read_text(*n, "a clause, such as bmm/E4", faults).value_or("");
  }
  return v;
}

// A fault in every variant is one fault.
void add_new(const Faults& from, Faults* to) {
  for (const Fault& fault : from) {
    const bool known =
        std::any_of(to->begin(), to->end(), [&fault](const Fault& other) {
          return other.pos.line == fault.pos.line &&
                 other.pos.column == fault.pos.column &&
                 other.message == fault.message;
        });
    if (!known) to->push_back(fault);
  }
}

}  // namespace

const std::vector<std::string>& program_sections() {
  static const std::vector<std::string> kSections = {
      "program", "doc",   "source",  "axes",   "device", "inputs",
      "consts",  "steps", "returns", "raises", "profile"};
  return kSections;
}

ProgramSpec read_program(const YamlNode& root, Faults* faults) {
  ProgramSpec program;
  Faults outer;
  const Fields f(root, "a program", program_sections(), &outer);
  f.check_order();
  if (const YamlNode* n = f.required("program")) {
    program.name =
        read_identifier(*n, "the program's name", &outer).value_or("");
  }
  if (const YamlNode* n = f.required("doc")) {
    program.doc = read_text(*n, "one line of text", &outer).value_or("");
  }
  if (const YamlNode* n = f.find("source")) {
    program.source = read_text(*n, "a link", &outer).value_or("");
  }
  if (const YamlNode* n = f.find("profile")) {
    program.standard =
        read_choice(*n, "profile", {"standard", "full"}, &outer) != "full";
  }
  Axes axes;
  if (const YamlNode* n = f.find("axes")) axes = read_axes(*n, &outer);
  std::size_t variants = 1;
  for (const auto& axis : axes) variants *= axis.second.size();
  if (variants > kMaxVariants) {
    outer.push_back({root.pos, "the axes give " + std::to_string(variants) +
                                   " programs; at most " +
                                   std::to_string(kMaxVariants) +
                                   " are allowed"});
    variants = 1;
  }
  add_new(outer, faults);
  for (std::size_t n = 0; n < variants && root.is_map(); ++n) {
    Choice choice;
    std::vector<std::pair<std::string, std::string>> names;
    std::size_t rest = n;
    for (std::size_t a = axes.size(); a-- > 0;) {
      const std::vector<YamlNode>& values = axes[a].second;
      choice[axes[a].first] = &values[rest % values.size()];
      rest /= values.size();
    }
    for (const auto& axis : axes) {
      names.emplace_back(axis.first, choice[axis.first]->text.text);
    }
    Faults inner;
    YamlNode tree = root;
    substitute(&tree, choice, &inner);
    // What stands at an axis that could not be replaced is no news.
    Faults later;
    ProgramVariant v = read_variant(tree, &later);
    for (Fault& fault : later) {
      const bool known =
          std::any_of(inner.begin(), inner.end(), [&fault](const Fault& f2) {
            return f2.pos.line == fault.pos.line &&
                   f2.pos.column == fault.pos.column;
          });
      if (!known) inner.push_back(std::move(fault));
    }
    v.axes = std::move(names);
    add_new(inner, faults);
    program.variants.push_back(std::move(v));
  }
  return program;
}

std::vector<ContextSpec> read_contexts(const YamlNode& root, Faults* faults) {
  std::vector<ContextSpec> out;
  if (!root.is_map()) {
    faults->push_back(
        {root.pos, "expected contexts by name, found " + root.describe()});
    return out;
  }
  for (const auto& [key, body] : root.fields) {
    ContextSpec c;
    c.name = key.text.text;
    if (!is_identifier(c.name)) {
      faults->push_back({key.pos, "'" + c.name + "' cannot name a context"});
    }
    const Fields f(body, "context '" + c.name + "'",
                   {"doc", "for", "named", "writes", "resizes", "views",
                    "everywhere", "steps", "returns"},
                   faults);
    if (const YamlNode* n = f.required("doc")) {
      c.doc = read_text(*n, "one line of text", faults).value_or("");
    }
    if (const YamlNode* n = f.required("for")) {
      c.applies_to = read_choice(*n, "result category",
                                 {"any", "float", "int", "bool"}, faults)
                         .value_or("any");
    }
    if (const YamlNode* n = f.find("named")) {
      c.named = read_bool(*n, faults).value_or(false);
    }
    if (const YamlNode* n = f.find("writes")) {
      c.writes = read_bool(*n, faults).value_or(false);
    }
    if (const YamlNode* n = f.find("resizes")) {
      c.resizes = read_bool(*n, faults).value_or(false);
    }
    if (const YamlNode* n = f.find("views")) {
      c.views = read_bool(*n, faults);
    }
    if (const YamlNode* n = f.find("everywhere")) {
      c.everywhere = read_bool(*n, faults).value_or(false);
    }
    if (const YamlNode* n = f.required("steps")) {
      c.steps = read_steps(*n, faults);
    }
    if (const YamlNode* n = f.required("returns")) {
      for (const YamlNode& item :
           read_list(*n, "a list of values, [out]", faults)) {
        if (auto s = read_text(item, "the name of a value", faults)) {
          c.returns.push_back(*s);
        }
      }
      if (n->is_sequence() && n->items.empty()) {
        faults->push_back({n->pos, "a context returns at least one value"});
      }
    }
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace assay::language
