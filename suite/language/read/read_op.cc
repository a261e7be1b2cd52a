#include "suite/language/read/read_op.h"

#include <algorithm>
#include <set>
#include <utility>

#include "suite/language/read/read_cases.h"
#include "suite/language/read/read_params.h"
#include "suite/language/read/read_promises.h"
#include "suite/language/read/read_relations.h"
#include "suite/language/syntax/parse_expr.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

void read_dtype_symbols(const YamlNode& n, OpSpec* op, Faults* faults) {
  if (!n.is_map()) {
    faults->push_back({n.pos,
                       "expected element types by symbol, "
                       "{T: [f32, f16]}, found " +
                           n.describe()});
    return;
  }
  for (const auto& [key, body] : n.fields) {
    const std::string& symbol = key.text.text;
    if (!is_identifier(symbol) || parse_dtype(symbol)) {
      faults->push_back({key.pos, "'" + symbol +
                                      "' cannot name a dtype "
                                      "symbol; use a name such as T"});
    }
    DTypeSymbol d;
    d.pos = key.pos;
    if (body.is_scalar() && !parse_dtype(body.text.text)) {
      if (auto s = read_identifier(body, "a dtype symbol or a list of dtypes",
                                   faults)) {
        d.follows = *s;
      }
    } else {
      d.types = read_dtypes(body, faults);
    }
    op->dtypes[symbol] = d;
  }
  for (const auto& [key, body] : n.fields) {
    const std::string& follows = op->dtypes[key.text.text].follows;
    if (follows.empty()) continue;
    const auto root = op->dtypes.find(follows);
    std::vector<std::string> symbols;
    for (const auto& s : op->dtypes) {
      if (s.first != key.text.text) symbols.push_back(s.first);
    }
    if (root == op->dtypes.end() || follows == key.text.text) {
      faults->push_back({body.pos, "unknown dtype symbol '" + follows + "'" +
                                       did_you_mean(follows, symbols)});
    } else if (!root->second.follows.empty()) {
      faults->push_back({body.pos, "'" + follows + "' follows '" +
                                       root->second.follows +
                                       "' itself; name that one"});
    }
  }
}

void read_value(const YamlNode& n, OutputSpec* out, Faults* faults) {
  read_clauses(
      n, 'V', "value", faults,
      [&](const std::string& id, const YamlNode& key, const YamlNode& body) {
        if (!out->value_id.empty()) {
          faults->push_back({key.pos, "a second value, " + id +
                                          "; one value holds all definitions, "
                                          "separated by ';'"});
          return;
        }
        out->value_id = id;
        if (!body.is_scalar()) {
          faults->push_back({body.pos,
                             "expected definitions, \"out[i...] = "
                             "...\", found " +
                                 body.describe()});
          return;
        }
        out->value = parse_definitions(body.text, faults);
      });
}

void read_result(const YamlNode& n, OutputSpec* out, Faults* faults) {
  const Fields f(n, "result", {"dtype", "shape", "layout"}, faults);
  if (const YamlNode* d = f.required("dtype")) {
    out->result_dtype = read_expr(*d, faults);
  }
  if (const YamlNode* s = f.required("shape")) {
    out->result_shape = read_expr(*s, faults);
  }
  if (const YamlNode* l = f.find("layout")) {
    out->layout = read_expr(*l, faults);
  }
}

void read_special(const YamlNode& n, OutputSpec* out, Faults* faults) {
  read_clauses(
      n, 'S', "special", faults,
      [&](const std::string& id, const YamlNode& key, const YamlNode& body) {
        Special s;
        s.id = id;
        s.pos = key.pos;
        const Fields f(body, "special " + id, {"when", "then", "source"},
                       faults);
        if (const YamlNode* w = f.required("when"))
          s.when = read_expr(*w, faults);
        if (const YamlNode* t = f.required("then"))
          s.then = read_expr(*t, faults);
        if (s.when && s.then) out->special.push_back(s);
      });
}

void read_undefined(const YamlNode& n, OutputSpec* out, Faults* faults) {
  read_clauses(
      n, 'U', "undefined", faults,
      [&](const std::string& id, const YamlNode& key, const YamlNode& body) {
        Undefined u;
        u.id = id;
        u.pos = key.pos;
        const Fields f(body, "undefined " + id, {"when", "why", "source"},
                       faults);
        if (const YamlNode* w = f.required("when"))
          u.when = read_expr(*w, faults);
        if (const YamlNode* w = f.required("why")) {
          u.why = read_text(*w, "a reason", faults).value_or("");
        }
        if (u.when) out->undefined.push_back(u);
      });
}

// Entries of accuracy, and the lets before them.
std::vector<Definition> read_accuracy_section(const YamlNode& n,
                                              OutputSpec* out, Lets* lets,
                                              Faults* faults) {
  YamlNode entries = n;
  std::vector<Definition> own;
  if (n.is_map() && !n.fields.empty() && n.fields[0].first.text.text == "let") {
    own = lets->read_own(n.fields[0].second, faults);
    entries.fields.erase(entries.fields.begin());
  }
  read_clauses(
      entries, 'A', "accuracy", faults,
      [&](const std::string& id, const YamlNode& key, const YamlNode& body) {
        out->accuracy.push_back(read_accuracy(id, key, body, faults));
      });
  return own;
}

// The sections of one output. `relations`, if any, may stand in for its value.
void read_meaning(const Fields& f, const YamlNode* relations, OutputSpec* out,
                  Lets* lets, Faults* faults) {
  if (const YamlNode* n = f.required("result")) {
    read_result(*n, out, faults);
  }
  if (relations != nullptr && !f.has("value") && !f.has("accuracy")) {
    leave_open(*relations, out);
    return lets->place(out, {}, faults);
  }
  if (const YamlNode* n = f.required("value")) read_value(*n, out, faults);
  std::vector<Definition> own;
  if (const YamlNode* n = f.required("accuracy")) {
    own = read_accuracy_section(*n, out, lets, faults);
  }
  if (const YamlNode* n = f.find("special")) read_special(*n, out, faults);
  if (const YamlNode* n = f.find("undefined")) {
    read_undefined(*n, out, faults);
  }
  lets->place(out, own, faults);
}

const std::vector<std::string> kMeaning = {"result", "value", "accuracy",
                                           "special", "undefined"};

std::vector<std::string> clause_ids(const OutputSpec& o) {
  std::vector<std::string> ids = {o.value_id};
  for (const Accuracy& a : o.accuracy) ids.push_back(a.id);
  for (const Special& s : o.special) ids.push_back(s.id);
  for (const Undefined& u : o.undefined) ids.push_back(u.id);
  return ids;
}

// `piece[p < count]: {result: ...}`: all members of a list.
void read_members(const YamlNode& key, const YamlNode& body, Form* form,
                  Lets* lets, Faults* faults) {
  const std::optional<LetHead> head = parse_let_head(key.text, faults);
  if (!head) return;
  const bool plain = head->indices && head->indices->size() == 1 &&
                     !head->indices->front().pack &&
                     !head->indices->front().from && head->indices->front().to;
  if (!plain) {
    faults->push_back({key.pos,
                       "expected the members of a list with their number, "
                       "piece[p < count], found '" +
                           key.text.text + "'"});
    return;
  }
  form->member = head->indices->front().name;
  form->length = head->indices->front().to;
  lets->write_out(&form->length, faults);
  const Fields f(body, "output " + head->name, kMeaning, faults);
  f.check_order();
  OutputSpec* out = form;
  const SourcePos pos = form->pos;
  read_meaning(f, nullptr, out, lets, faults);
  form->pos = pos.line != 0 ? pos : key.pos;
}

void read_outputs(const YamlNode& n, const YamlNode* relations, Form* form,
                  Lets* lets, Faults* faults) {
  if (n.is_map() && n.fields.size() == 1 &&
      n.fields[0].first.text.text.find('[') != std::string::npos) {
    if (relations != nullptr) {
      faults->push_back({relations->pos,
                         "relations are of outputs that have names, not of "
                         "the members of a list"});
    }
    const auto& [key, body] = n.fields[0];
    return read_members(key, body, form, lets, faults);
  }
  if (!n.is_map() || n.fields.size() < 2) {
    faults->push_back({n.pos,
                       "expected two or more outputs by name, {values: "
                       "{result: ...}, indices: {result: ...}}, or the "
                       "members of a list, {\"piece[p < count]\": {result: "
                       "...}}, found " +
                           n.describe()});
  }
  std::set<std::string> ids;
  bool first = true;
  for (const auto& [key, body] : n.fields) {
    OutputSpec out;
    out.name = key.text.text;
    out.pos = key.pos;
    if (!is_identifier(out.name) || out.name == "out") {
      faults->push_back({key.pos, "'" + out.name +
                                      "' cannot name an output; 'out' is each "
                                      "one's own value"});
    }
    if (lets->has(out.name)) {
      faults->push_back({key.pos, "output '" + out.name +
                                      "' has the name of a let; rename one of "
                                      "them"});
    }
    const Fields f(body, "output " + out.name, kMeaning, faults);
    f.check_order();
    read_meaning(f, relations, &out, lets, faults);
    for (const std::string& id : clause_ids(out)) {
      if (id.empty() || out.open || ids.insert(id).second) continue;
      faults->push_back({key.pos, "clause " + id + " of output '" + out.name +
                                      "' is another output's too; number the "
                                      "clauses of all outputs in one series"});
    }
    if (first) {
      const SourcePos pos = form->pos;
      static_cast<OutputSpec&>(*form) = std::move(out);
      if (pos.line != 0) form->pos = pos;
    } else {
      form->further.push_back(std::move(out));
    }
    first = false;
  }
}

// One output as it stands, or several by name.
void read_all_outputs(const Fields& f, Form* form, Lets* lets, Faults* faults) {
  const YamlNode* relations = f.find("relations");
  if (const YamlNode* n = f.find("outputs")) {
    read_outputs(*n, relations, form, lets, faults);
  } else {
    read_meaning(f, relations, form, lets, faults);
  }
  if (relations != nullptr) read_relations(*relations, form, lets, faults);
}

bool has_field(const YamlNode& n, const char* name) {
  return std::any_of(n.fields.begin(), n.fields.end(), [name](const auto& f) {
    return f.first.text.text == name;
  });
}

void read_forms(const YamlNode& n, OpSpec* op, Lets* lets, Faults* faults) {
  read_clauses(
      n, 'F', "forms", faults,
      [&](const std::string& id, const YamlNode& key, const YamlNode& body) {
        Form form;
        form.id = id;
        form.pos = key.pos;
        std::vector<std::string> known = {"when", "shapes"};
        if (has_field(body, "outputs")) {
          known.emplace_back("outputs");
        } else {
          known.insert(known.end(), kMeaning.begin(), kMeaning.end());
        }
        known.emplace_back("relations");
        const Fields f(body, "form " + id, known, faults);
        if (const YamlNode* w = f.find("when"))
          form.when = read_expr(*w, faults);
        lets->write_out(&form.when, faults);
        if (const YamlNode* s = f.find("shapes")) {
          if (!s->is_map()) {
            faults->push_back({s->pos,
                               "expected shapes by parameter, {a: [K]}, "
                               "found " +
                                   s->describe()});
          }
          for (const auto& [name, shape] : s->fields) {
            const Param* p = op->param(name.text.text);
            if (p == nullptr || (p->kind != Param::Kind::tensor &&
                                 p->kind != Param::Kind::tensors)) {
              std::vector<std::string> names;
              for (const Param& q : op->params) names.push_back(q.name);
              faults->push_back(
                  {name.pos, "'" + name.text.text + "' is no tensor parameter" +
                                 did_you_mean(name.text.text, names)});
            }
            form.shapes[name.text.text] = read_shape_pattern(shape, faults);
          }
        }
        read_all_outputs(f, &form, lets, faults);
        op->forms.push_back(std::move(form));
      });
}

void read_aten(const YamlNode& n, OpSpec* op, Faults* faults) {
  op->aten = read_text(n, "an ATen overload", faults).value_or("");
  const std::string& s = op->aten;
  const std::size_t dot = s.rfind('.');
  if (!s.empty() && (!s.starts_with("aten.") || dot <= 5 ||
                     !is_identifier(s.substr(5, dot - 5)) ||
                     !is_identifier(s.substr(dot + 1)))) {
    faults->push_back({n.pos,
                       "expected the full name of one overload, such "
                       "as aten.bmm.default, found " +
                           n.describe()});
  }
}

void read_omits(const YamlNode& n, OpSpec* op, Faults* faults) {
  if (!n.is_map()) {
    faults->push_back({n.pos,
                       "expected ATen's arguments that the spec leaves out, "
                       "each with a reason, {layout: no promise}, found " +
                           n.describe()});
  }
  for (const auto& [key, body] : n.fields) {
    const auto name = read_identifier(key, "the name of an argument", faults);
    const auto why = read_text(body, "why it is left out", faults);
    if (name && why) op->omits[*name] = *why;
  }
}

void read_writes(const YamlNode& n, OpSpec* op, Faults* faults) {
  const auto name = read_identifier(n, "the first parameter, or out", faults);
  if (!name) return;
  const Param* p = op->param(*name);
  const bool is_out = *name == "out" && p != nullptr && p->keyword;
  if (p != nullptr && p->kind == Param::Kind::tensor && !p->scalar &&
      (p == &op->params.front() || is_out)) {
    op->writes = *name;
    return;
  }
  faults->push_back({n.pos,
                     "what is written is the first parameter, a tensor, or one "
                     "that is passed by the name out"});
}

}  // namespace

const std::vector<std::string>& operation_sections() {
  static const std::vector<std::string> kSections = {
      "op",        "aten",         "inplace",    "out",      "doc",
      "source",    "params",       "omits",      "writes",   "dtypes",
      "let",       "let_accuracy", "only",       "result",   "requires",
      "forms",     "outputs",      "value",      "accuracy", "special",
      "undefined", "relations",    "boundaries", "cases"};
  return kSections;
}

OpReading read_op(const YamlNode& root, const Shared& shared, Faults* faults) {
  OpSpec op;
  Lets lets = shared.lets;
  const bool has_forms = has_field(root, "forms");
  const bool has_outputs = has_field(root, "outputs");
  std::vector<std::string> known = operation_sections();
  std::erase_if(known, [&](const std::string& section) {
    const bool several = has_forms || has_outputs;
    const bool meaning =
        std::find(kMeaning.begin(), kMeaning.end(), section) != kMeaning.end();
    return meaning                  ? several
           : section == "relations" ? has_forms
           : section == "forms"
               ? !has_forms
               : section == "outputs" && (has_forms || !has_outputs);
  });
  const Fields f(root,
                 has_forms     ? "an operation with forms"
                 : has_outputs ? "an operation with several outputs"
                               : "an operation",
                 known, faults);
  f.check_order();
  if (const YamlNode* n = f.required("op")) {
    op.name = read_identifier(*n, "the operation's name", faults).value_or("");
  }
  if (const YamlNode* n = f.required("aten")) read_aten(*n, &op, faults);
  if (const YamlNode* n = f.required("doc")) {
    op.doc = read_text(*n, "one line of text", faults).value_or("");
  }
  if (const YamlNode* n = f.find("source")) {
    op.source = read_text(*n, "a link", faults).value_or("");
  }
  if (const YamlNode* n = f.required("params")) {
    op.params = read_params(*n, faults);
  }
  if (const YamlNode* n = f.find("omits")) read_omits(*n, &op, faults);
  if (const YamlNode* n = f.find("writes")) read_writes(*n, &op, faults);
  if (const YamlNode* n = f.required("dtypes")) {
    read_dtype_symbols(*n, &op, faults);
  }
  lets.enter(op);
  if (const YamlNode* n = f.find("let")) {
    lets.read(*n, Lets::Readers::all, faults);
  }
  if (const YamlNode* n = f.find("let_accuracy")) {
    lets.read(*n, Lets::Readers::accuracy, faults);
  }
  lets.settle(faults);
  if (const YamlNode* n = f.find("only")) {
    op.only = read_expr(*n, faults);
    lets.write_out(&op.only, faults);
  }
  if (const YamlNode* n = f.find("requires")) {
    read_clauses(
        *n, 'E', "requires", faults,
        [&](const std::string& id, const YamlNode& key, const YamlNode& body) {
          op.requires_.push_back(read_requirement(id, key, body, faults));
          lets.write_out(&op.requires_.back().that, faults);
        });
  }
  if (has_forms) {
    if (const YamlNode* n = f.required("forms"))
      read_forms(*n, &op, &lets, faults);
  } else {
    op.forms.emplace_back();
    read_all_outputs(f, &op.forms.back(), &lets, faults);
  }
  if (const YamlNode* n = f.find("boundaries")) {
    read_clauses(
        *n, 'B', "boundaries", faults,
        [&](const std::string& id, const YamlNode& key, const YamlNode& body) {
          op.boundaries.push_back(
              read_boundary(id, key, body, op, shared.solved, faults));
        });
  }
  if (const YamlNode* n = f.required("cases")) {
    read_clauses(
        *n, 'C', "cases", faults,
        [&](const std::string& id, const YamlNode& key, const YamlNode& body) {
          op.cases.push_back(
              read_case_group(id, key, body, op, shared, faults));
        });
  }
  return {std::move(op), lets.unused()};
}

}  // namespace assay::language
