#include "suite/language/sugar/shared_clauses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "suite/language/functions/functions.h"
#include "suite/language/sugar/fill.h"
#include "suite/language/sugar/yaml_edit.h"
#include "suite/language/syntax/parse_expr.h"
#include "suite/language/syntax/substitute.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

constexpr std::array<std::string_view, 8> kExpressions = {
    "that", "when", "then", "ulp", "abs", "subnormal_ulp", "height", "tree"};

bool is_expression(const std::string& name) {
  return std::find(kExpressions.begin(), kExpressions.end(), name) !=
         kExpressions.end();
}

class Writer {
 public:
  Writer(std::string section, const Shared& shared, Faults* faults)
      : section_(std::move(section)), shared_(shared), faults_(faults) {}

  void run(YamlNode* clauses) {
    for (auto& [id, clause] : clauses->fields) {
      if (id.text.text != "let") write_out(&clause);
    }
  }

 private:
  void fault(SourcePos pos, std::string message) {
    faults_->push_back({pos, std::move(message)});
  }

  void write_out(YamlNode* clause) {
    std::optional<YamlNode> use;
    if (!clause->is_scalar()) {
      use = take(clause, "use");
    } else if (section_ == "requires" && !means_clause(*clause)) {
      YamlNode condition = make_map(clause->pos);
      put(&condition, "that", std::move(*clause));
      *clause = std::move(condition);
    } else {
      use = std::move(*clause);
      *clause = make_map(use->pos);
    }
    if (!use) return;
    const SourcePos pos = clause->pos;
    YamlNode own = std::move(*clause);
    *clause = shared_fields(*use);
    if (clause->fields.empty()) fault(pos, "");
    clause->pos = pos;
    overlay(clause, own);
  }

  // Is the text a use of a shared clause, or meant to be one, and not the
  // condition itself?
  bool means_clause(const YamlNode& text) const {
    Faults ignored;
    const ExprPtr e = parse_expr(text.text, &ignored);
    const bool named =
        e && (e->kind == Expr::Kind::call || e->kind == Expr::Kind::name);
    if (!named) return false;
    if (shared_.clauses.contains({section_, e->text})) return true;
    return find_function(e->text) == FunctionId::unknown &&
           !nearest(e->text, names()).empty();
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& c : shared_.clauses) {
      if (c.first.first == section_) out.push_back(c.first.second);
    }
    return out;
  }

  // The fields of the clause that is called.
  YamlNode shared_fields(const YamlNode& use) {
    if (!use.is_scalar()) {
      fault(use.pos, "expected the use of a shared clause, name(x), found " +
                         use.describe());
      return make_map(use.pos);
    }
    const ExprPtr e = parse_expr(use.text, faults_);
    if (!e) return make_map(use.pos);
    const bool called = e->kind == Expr::Kind::call;
    if (!called && e->kind != Expr::Kind::name) {
      fault(use.pos, fmt::format("expected the use of a shared clause of '{}', "
                                 "name(x), or a mapping, found {}",
                                 section_, use.describe()));
      return make_map(use.pos);
    }
    const auto it = shared_.clauses.find({section_, e->text});
    if (it == shared_.clauses.end()) {
      unknown(*e);
      return make_map(use.pos);
    }
    const SharedClause& clause = it->second;
    if (clause.params.size() != e->args.size()) {
      fault(
          e->pos,
          fmt::format("shared clause '{0}' is written {0}{1}", e->text,
                      clause.params.empty() ? std::string()
                                            : "(" + join(clause.params) + ")"));
      return make_map(use.pos);
    }
    return filled(clause, *e);
  }

  void unknown(const Expr& e) {
    fault(e.pos, fmt::format("no shared clause of '{}' is called '{}'{}; they "
                             "stand in specs/shared/clauses.yaml",
                             section_, e.text, did_you_mean(e.text, names())));
  }

  YamlNode filled(const SharedClause& clause, const Expr& use) {
    Substitution by;
    Filling texts;
    for (std::size_t i = 0; i < use.args.size(); ++i) {
      by[clause.params[i]] = use.args[i];
      texts[clause.params[i]] =
          make_scalar(to_string(*use.args[i]), use.args[i]->pos);
    }
    YamlNode out = clause.body;
    for (auto& [name, body] : out.fields) {
      // The reader reports one that cannot be parsed.
      if (body.is_scalar() && is_expression(name.text.text)) {
        body.expr = substituted(body, use, by);
      }
    }
    if (section_ == "boundaries") fill(&out, texts, faults_);
    return out;
  }

  ExprPtr substituted(const YamlNode& body, const Expr& use,
                      const Substitution& by) {
    const ExprPtr e = parse_expr(body.text, faults_);
    if (!e) return nullptr;
    const std::string captured = captured_name(*e, by);
    if (!captured.empty()) {
      fault(use.pos, fmt::format("index '{}' is named by an argument of '{}', "
                                 "which has an index of that name itself; "
                                 "rename one of them",
                                 captured, use.text));
    }
    return substitute(e, by);
  }

  std::string section_;
  const Shared& shared_;
  Faults* faults_;
};

void write_out_section(YamlNode* n, const char* section, const Shared& shared,
                       Faults* faults) {
  YamlNode* clauses = field(n, section);
  if (clauses == nullptr || !clauses->is_map()) return;
  Writer(section, shared, faults).run(clauses);
}

void write_out_meaning(YamlNode* n, const Shared& shared, Faults* faults) {
  for (const char* section : {"accuracy", "special", "undefined"}) {
    write_out_section(n, section, shared, faults);
  }
  for (const char* several : {"outputs", "forms"}) {
    YamlNode* inner = field(n, several);
    if (inner == nullptr) continue;
    for (auto& [key, body] : inner->fields) {
      write_out_meaning(&body, shared, faults);
    }
  }
}

}  // namespace

void write_out_clauses(YamlNode* op, const Shared& shared, Faults* faults) {
  write_out_section(op, "requires", shared, faults);
  write_out_meaning(op, shared, faults);
  write_out_section(op, "boundaries", shared, faults);
}

}  // namespace assay::language
