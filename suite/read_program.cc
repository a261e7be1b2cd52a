// Programs and contexts. A program is read once for every combination of its
// axes, after `${axis}` has been replaced in its tree.
#include <algorithm>

#include "suite/parse_expr.h"
#include "suite/read_axes.h"
#include "suite/read_literal.h"
#include "suite/read_op.h"

namespace assay {
namespace {

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

ProgramVariant read_variant(const YamlNode& root, Faults* faults) {
  ProgramVariant v;
  const Fields f(root, "a program",
                 {"program", "doc", "source", "axes", "inputs", "consts",
                  "steps", "returns", "raises", "profile"},
                 faults);
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

ProgramSpec read_program(const YamlNode& root, Faults* faults) {
  ProgramSpec program;
  Faults outer;
  const Fields f(root, "a program",
                 {"program", "doc", "source", "axes", "inputs", "consts",
                  "steps", "returns", "raises", "profile"},
                 &outer);
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
    program.quick =
        read_choice(*n, "profile", {"quick", "full"}, &outer) != "full";
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
                   {"doc", "for", "named", "steps", "returns"}, faults);
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

}  // namespace assay
