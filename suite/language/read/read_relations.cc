#include "suite/language/read/read_relations.h"

#include <set>
#include <utility>

#include "suite/language/syntax/parse_expr.h"

namespace assay::language {
namespace {

ExprPtr parsed(const std::string& text) { return *parse_expr(text); }

// [n, m..., k] of the ranges of a relation's indices: a list spreads the lists
// that stand in it.
ExprPtr shape_of(const std::vector<Binder>& indices, SourcePos pos) {
  Expr shape;
  shape.kind = Expr::Kind::list;
  shape.pos = pos;
  for (const Binder& b : indices) shape.args.push_back(b.to);
  return std::make_shared<const Expr>(std::move(shape));
}

Accuracy exactly(const std::string& id, SourcePos pos) {
  Accuracy a;
  a.id = id;
  a.pos = pos;
  return a;
}

bool has_plain_ranges(const Definition& d, Faults* faults) {
  for (const Binder& b : d.indices) {
    if (b.to && !b.from) continue;
    faults->push_back({d.pos, "index '" + b.name + "' of relation '" + d.name +
                                  "' needs a range from zero, as in " + d.name +
                                  "[" + b.name +
                                  (b.pack ? "... < SHAPE]" : " < n]")});
    return false;
  }
  return true;
}

}  // namespace

void read_relations(const YamlNode& n, Form* form, Lets* lets, Faults* faults) {
  std::set<std::string> names;
  read_clauses(
      n, 'R', "relations", faults,
      [&](const std::string& id, const YamlNode& key, const YamlNode& body) {
        if (!body.is_scalar()) {
          faults->push_back({body.pos,
                             "expected definitions, \"name[i < n] = "
                             "condition\", found " +
                                 body.describe()});
          return;
        }
        OutputSpec r;
        r.pos = key.pos;
        r.value_id = id;
        r.value = parse_definitions(body.text, faults);
        if (r.value.empty()) return;
        Definition& last = r.value.back();
        r.name = last.name;
        if (r.name == "out" || !names.insert(r.name).second) {
          faults->push_back(
              {last.pos, "'" + r.name +
                             "' cannot name a relation: 'out' is what the "
                             "operation returns, and each has a name of its "
                             "own"});
        }
        for (Binder& b : last.indices) lets->write_out(&b.to, faults);
        if (!has_plain_ranges(last, faults)) return;
        r.result_dtype = parsed("bool");
        r.result_shape = shape_of(last.indices, last.pos);
        r.accuracy = {exactly(id, key.pos)};
        last.name = "out";
        for (Binder& b : last.indices) b.to = nullptr;
        lets->place(&r, {}, faults);
        form->relations.push_back(std::move(r));
      });
}

void leave_open(const YamlNode& relations, OutputSpec* out) {
  const std::string id = relations.fields.empty()
                             ? "R1"
                             : relations.fields.front().first.text.text;
  out->open = true;
  if (out->pos.line == 0) out->pos = relations.pos;
  out->value_id = id;
  out->value = *parse_definitions("out[i...] = 0");
  out->accuracy = {exactly(id, relations.pos)};
  out->undefined = {{id, parsed("true"), "relations decide", relations.pos}};
}

}  // namespace assay::language
