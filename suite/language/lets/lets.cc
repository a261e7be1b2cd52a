#include "suite/language/lets/lets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "suite/language/functions/functions.h"
#include "suite/language/syntax/lexer.h"
#include "suite/language/syntax/parse_expr.h"
#include "suite/language/syntax/substitute.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

using Faults = std::vector<Fault>;

constexpr std::size_t kMaxLets = 500;  // of a section

bool is_word_of_the_language(const std::string& name) {
  return find_function(name) != FunctionId::unknown || find_reduction(name) ||
         name == "fold" || is_reserved(name) || parse_dtype(name) ||
         name == "out";
}

bool is_symbol(const std::string& name, const OpSpec& op) {
  if (op.dtypes.contains(name)) return true;
  for (const Param& p : op.params) {
    if (!p.shape) continue;
    for (const DimPattern& d : *p.shape) {
      if (d.symbol == name) return true;
    }
  }
  return false;
}

// `(p, q...)` behind a name; nothing after a fault.
std::optional<std::vector<std::string>> parse_params(
    const std::vector<Token>& tokens, Faults* faults) {
  std::vector<std::string> params;
  std::size_t i = 2;
  for (;; i += 2) {
    const Token& t = tokens[std::min(i, tokens.size() - 1)];
    if (t.kind != Token::Kind::name && t.kind != Token::Kind::pack) {
      faults->push_back({t.pos, fmt::format("expected the name of a let's "
                                            "parameter, found {}",
                                            spell(t))});
      return std::nullopt;
    }
    if (std::find(params.begin(), params.end(), t.text) != params.end()) {
      faults->push_back(
          {t.pos, fmt::format("parameter '{}' stands twice", t.text)});
      return std::nullopt;
    }
    params.push_back(t.text);
    if (tokens[i + 1].text != ",") break;
  }
  const Token& close = tokens[i + 1];
  if (close.text == ")" && tokens[i + 2].kind == Token::Kind::end) {
    return params;
  }
  faults->push_back(
      {close.pos,
       fmt::format("expected ',' or ')' at the end of a let's "
                   "parameters, found {}",
                   spell(close.text == ")" ? tokens[i + 2] : close))});
  return std::nullopt;
}

// `name[...]`, read as a definition of 0.
std::optional<LetHead> parse_indices(LocatedText text, Faults* faults) {
  // What is added stands nowhere: all of it is at the end.
  const std::size_t size = text.text.size();
  const SourcePos end = text.pos(size);
  for (std::size_t i = text.at.size(); i != 0 && i < size; ++i) {
    text.at.push_back(text.pos(i));
  }
  text.text += " = 0";
  text.at.resize(text.text.size() + 1, end);
  const std::vector<Definition> d = parse_definitions(text, faults);
  if (d.empty()) return std::nullopt;
  return LetHead{d[0].name, d[0].pos, {}, d[0].indices};
}

template <class Visit>
void each_expr(OutputSpec* out, const Visit& visit) {
  visit(&out->result_dtype);
  visit(&out->result_shape);
  visit(&out->layout);
  for (Accuracy& a : out->accuracy) {
    for (ExprPtr* e :
         {&a.when, &a.ulp, &a.abs, &a.subnormal_ulp, &a.height, &a.tree}) {
      visit(e);
    }
  }
  for (Special& s : out->special) {
    visit(&s.when);
    visit(&s.then);
  }
  for (Undefined& u : out->undefined) visit(&u.when);
}

void add_names(const Expr& e, std::set<std::string>* names) {
  each_part(e, [names](const Expr& part) {
    if (part.kind == Expr::Kind::name) names->insert(part.text);
  });
}

// Names, packs and functions.
void add_words(const Expr& e, std::set<std::string>* words) {
  each_part(e, [words](const Expr& part) {
    if (part.kind == Expr::Kind::name || part.kind == Expr::Kind::pack ||
        part.kind == Expr::Kind::call) {
      words->insert(part.text);
    }
  });
}

void add_names(const Definition& d, std::set<std::string>* names) {
  if (d.body) add_names(*d.body, names);
  for (const Binder& b : d.indices) {
    if (b.from) add_names(*b.from, names);
    if (b.to) add_names(*b.to, names);
  }
}

// Says it, and that of this place nothing more needs to be said.
void tell(SourcePos pos, std::string message, Faults* faults) {
  if (!message.empty()) faults->push_back({pos, std::move(message)});
  faults->push_back({pos, ""});
}

}  // namespace

std::optional<LetHead> parse_let_head(const LocatedText& text, Faults* faults) {
  const std::size_t before = faults->size();
  std::vector<Token> tokens = tokenize(text, faults);
  if (faults->size() != before) return std::nullopt;
  const Token name = tokens[0];
  if (name.kind != Token::Kind::name || is_reserved(name.text)) {
    faults->push_back({name.pos, fmt::format("expected the name of a let, "
                                             "found {}",
                                             spell(name))});
    return std::nullopt;
  }
  if (tokens[1].kind == Token::Kind::end) {
    return LetHead{name.text, name.pos, {}, {}};
  }
  if (tokens[1].text == "[") return parse_indices(text, faults);
  if (tokens[1].text == "(") {
    // As many ends as the longest look ahead.
    tokens.insert(tokens.end(), 2, tokens.back());
    auto params = parse_params(tokens, faults);
    if (!params) return std::nullopt;
    return LetHead{name.text, name.pos, std::move(params), {}};
  }
  faults->push_back({tokens[1].pos,
                     fmt::format("expected '(' or '[' after the name of a let, "
                                 "or nothing, found {}",
                                 spell(tokens[1]))});
  return std::nullopt;
}

bool Lets::is_parameter(const std::string& name) const {
  return op_ != nullptr && op_->param(name) != nullptr;
}

void Lets::check_name(const LetHead& head, Faults* faults) const {
  const auto taken = [&](const std::string& name, const char* what,
                         const std::string& by) {
    faults->push_back({head.pos, fmt::format("{} '{}' has the name of {}; "
                                             "choose another one",
                                             what, name, by)});
  };
  if (is_word_of_the_language(head.name)) {
    taken(head.name, "let", "a function or another word of the language");
  } else if (is_parameter(head.name) ||
             (op_ != nullptr && is_symbol(head.name, *op_))) {
    taken(head.name, "let", "a parameter or symbol of the operation");
  } else if (shared_.contains(head.name)) {
    taken(head.name, "let", "a shared let (specs/shared/lets.yaml)");
  } else if (names_.contains(head.name)) {
    taken(head.name, "let", "another let");
  }
  if (!head.params) return;
  for (const std::string& p : *head.params) {
    if (is_word_of_the_language(p) || is_parameter(p) || names_.contains(p)) {
      taken(p, ("parameter of let '" + head.name + "',").c_str(),
            "a function, a parameter or a let");
    }
  }
}

void Lets::check_index(const std::string& name, SourcePos pos,
                       Faults* faults) const {
  if (!statics_.contains(name)) return;
  faults->push_back({pos, fmt::format("index '{}' has the name of a let; "
                                      "rename one of them",
                                      name)});
}

ExprPtr Lets::call(const Expr& e, const Let& let, Faults* faults) {
  Substitution by;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    ExprPtr arg = e.args[i];
    write_out(&arg, faults);
    by[(*let.params)[i]] = std::move(arg);
  }
  const std::string captured = captured_name(*let.body, by);
  if (!captured.empty()) {
    faults->push_back({e.pos, fmt::format("index '{}' is named by an argument "
                                          "of '{}', which has an index of that "
                                          "name itself; rename one of them",
                                          captured, e.text)});
  }
  ExprPtr out = substitute(let.body, by);
  if (is_manageable(*out)) return out;
  faults->push_back({e.pos, fmt::format("'{}' is too long when its lets are "
                                        "written out; split it with value "
                                        "definitions",
                                        e.text)});
  return let.body;
}

// What stands for a let, or for an indexed number; null for anything else.
ExprPtr Lets::replacement(const Expr& e, Faults* faults) {
  for (const Binder& b : e.binders) check_index(b.name, e.pos, faults);
  if (e.kind == Expr::Kind::access) {
    const Expr& base = *e.args[0];
    const bool number =
        base.kind == Expr::Kind::name && numbers_.contains(base.text);
    return number ? e.args[0] : nullptr;
  }
  const bool is_call = e.kind == Expr::Kind::call;
  if (!is_call && e.kind != Expr::Kind::name && e.kind != Expr::Kind::pack) {
    return nullptr;
  }
  const auto it = statics_.find(e.text);
  if (it == statics_.end()) return nullptr;
  const Let& let = it->second;
  const std::size_t wanted = let.params ? let.params->size() : 0;
  if (is_call ? !let.params || e.args.size() != wanted
              : let.params.has_value()) {
    tell(e.pos,
         let.params
             ? fmt::format("let '{0}' is written {0}({1})", e.text,
                           join(*let.params))
             : fmt::format("let '{0}' has no parameters; it is written {0}",
                           e.text),
         faults);
    return nullptr;
  }
  unused_.erase(e.text);
  if (!let.body) {
    tell(e.pos, "", faults);
    return nullptr;
  }
  return is_call ? call(e, let, faults) : let.body;
}

void Lets::write_out(ExprPtr* e, Faults* faults) {
  *e = rewritten(*e,
                 [&](const Expr& part) { return replacement(part, faults); });
  if (!*e || is_manageable(**e)) return;
  faults->push_back({(*e)->pos,
                     "the expression is too long when its lets are written "
                     "out; split it with value definitions"});
  e->reset();
}

void Lets::write_out(Definition* d, Faults* faults) {
  for (Binder& b : d->indices) {
    check_index(b.name, d->pos, faults);
    write_out(&b.from, faults);
    write_out(&b.to, faults);
  }
  write_out(&d->body, faults);
}

void Lets::add_static(const LetHead& head, ExprPtr body, Faults* faults) {
  if (body && head.params) {
    const std::set<std::string> bound = bound_names(*body);
    for (const std::string& p : *head.params) {
      if (!bound.contains(p)) continue;
      faults->push_back({head.pos, fmt::format("index '{}' of let '{}' has "
                                               "the name of its parameter; "
                                               "rename one of them",
                                               p, head.name)});
      body.reset();
      break;
    }
  }
  statics_[head.name] = {head.params, std::move(body), head.pos};
  unsettled_.insert(head.name);
}

// Writes out the lets that one names, and then those in it.
void Lets::settle(const std::string& name, std::set<std::string>* open,
                  Faults* faults) {
  Let& let = statics_[name];
  std::set<std::string> named;
  if (let.body) add_words(*let.body, &named);
  open->insert(name);
  for (const std::string& other : named) {
    if (open->contains(other)) {
      faults->push_back(
          {let.pos,
           fmt::format("let '{}' names itself{}", name,
                       other == name ? "" : ", by way of '" + other + "'")});
      let.body.reset();
      break;
    }
    if (unsettled_.contains(other)) settle(other, open, faults);
  }
  open->erase(name);
  unsettled_.erase(name);
  write_out(&let.body, faults);
}

void Lets::settle(Faults* faults) {
  std::set<std::string> open;
  while (!unsettled_.empty()) settle(*unsettled_.begin(), &open, faults);
  for (; settled_values_ < values_.size(); ++settled_values_) {
    write_out(&values_[settled_values_], faults);
  }
}

std::vector<Definition> Lets::read_section(const YamlNode& section,
                                           Faults* faults) {
  std::vector<Definition> values;
  if (!section.is_map() || section.fields.empty()) {
    faults->push_back({section.pos, fmt::format("expected lets, name: "
                                                "expression, found {}",
                                                section.describe())});
    return values;
  }
  if (section.fields.size() > kMaxLets) {
    faults->push_back(
        {section.pos, fmt::format("more than {} lets", kMaxLets)});
    return values;
  }
  std::vector<std::pair<LetHead, const YamlNode*>> heads;
  for (const auto& [key, body] : section.fields) {
    auto head = parse_let_head(key.text, faults);
    if (!head) continue;
    check_name(*head, faults);
    names_.insert(head->name);
    heads.emplace_back(std::move(*head), &body);
  }
  for (const auto& [head, body] : heads) {
    ExprPtr e = body->is_scalar() ? parse_expr(body->text, faults) : nullptr;
    if (!body->is_scalar()) {
      faults->push_back({body->pos, fmt::format("expected an expression, "
                                                "found {}",
                                                body->describe())});
    }
    if (op_ != nullptr) unused_[head.name] = head.pos;
    if (!head.indices) {
      add_static(head, std::move(e), faults);
    } else if (e) {
      values.push_back({head.name, *head.indices, std::move(e), head.pos});
    }
  }
  return values;
}

void Lets::read_shared(const YamlNode& section, Faults* faults) {
  for (const Definition& d : read_section(section, faults)) {
    faults->push_back({d.pos, fmt::format("a shared let has parameters, as in "
                                          "{}(x)",
                                          d.name)});
  }
  settle(faults);
  for (auto& [name, let] : statics_) {
    shared_.insert(name);
    if (!let.body) continue;
    for (const std::string& free : free_names(*let.body)) {
      if (let.params && std::find(let.params->begin(), let.params->end(),
                                  free) != let.params->end()) {
        continue;
      }
      if (is_word_of_the_language(free) || free == "int" || free == "float") {
        continue;
      }
      faults->push_back(
          {let.body->pos, fmt::format("shared let '{}' names '{}', which is no "
                                      "parameter of it",
                                      name, free)});
    }
  }
}

void Lets::enter(const OpSpec& op) {
  op_ = &op;
  for (const Param& p : op.params) {
    if (p.kind == Param::Kind::number) numbers_.insert(p.name);
  }
}

void Lets::read(const YamlNode& section, Readers readers, Faults* faults) {
  for (Definition& d : read_section(section, faults)) {
    values_.push_back(std::move(d));
  }
  if (readers == Readers::all) for_all_ = values_.size();
}

std::vector<Definition> Lets::read_own(const YamlNode& section,
                                       Faults* faults) {
  std::vector<Definition> own = read_section(section, faults);
  settle(faults);
  for (Definition& d : own) write_out(&d, faults);
  return own;
}

namespace {

// Value definitions as they are needed, each before its first use.
class Order {
 public:
  Order(const std::vector<Definition>& values,
        const std::vector<Definition>& own) {
    for (const Definition& d : values) all_[d.name] = &d;
    for (const Definition& d : own) all_[d.name] = &d;
  }

  // All that definitions with these names name, directly or not.
  std::set<std::string> closure(std::set<std::string> named) const {
    std::vector<std::string> left(named.begin(), named.end());
    while (!left.empty()) {
      const auto it = all_.find(left.back());
      left.pop_back();
      if (it == all_.end()) continue;
      std::set<std::string> more;
      add_names(*it->second, &more);
      for (const std::string& name : more) {
        if (named.insert(name).second) left.push_back(name);
      }
    }
    return named;
  }

  void place(const std::string& name, std::vector<Definition>* to) {
    const auto it = all_.find(name);
    if (it == all_.end() || !placed_.insert(name).second) return;
    std::set<std::string> first;
    add_names(*it->second, &first);
    for (const std::string& other : first) place(other, to);
    to->push_back(*it->second);
  }

 private:
  std::map<std::string, const Definition*> all_;
  std::set<std::string> placed_;
};

}  // namespace

void Lets::place(OutputSpec* out, const std::vector<Definition>& own,
                 Faults* faults) {
  std::set<std::string> named;
  each_expr(out, [&](ExprPtr* e) {
    write_out(e, faults);
    if (*e) add_names(**e, &named);
  });
  for (Definition& d : out->value) {
    write_out(&d, faults);
    add_names(d, &named);
  }
  Order order(values_, own);
  named = order.closure(std::move(named));
  std::vector<Definition> before;
  std::vector<Definition> after;
  const auto take = [&](const Definition& d, std::vector<Definition>* to) {
    if (!named.contains(d.name)) return;
    unused_.erase(d.name);
    order.place(d.name, to);
  };
  for (std::size_t i = 0; i < values_.size(); ++i) {
    take(values_[i], i < for_all_ ? &before : &after);
  }
  for (const Definition& d : own) take(d, &after);
  if (out->value.empty()) return;
  after.push_back(std::move(out->value.back()));
  out->value.pop_back();
  std::vector<Definition>& all = out->value;
  all.insert(all.begin(), before.begin(), before.end());
  all.insert(all.end(), after.begin(), after.end());
}

}  // namespace assay::language
