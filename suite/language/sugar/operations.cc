#include "suite/language/sugar/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "suite/language/read/read_op.h"
#include "suite/language/sugar/case_groups.h"
#include "suite/language/sugar/fill.h"
#include "suite/language/sugar/shared_clauses.h"
#include "suite/language/sugar/short_params.h"
#include "suite/language/sugar/short_result.h"
#include "suite/language/sugar/type_lists.h"
#include "suite/language/sugar/writing_forms.h"
#include "suite/language/sugar/yaml_edit.h"

namespace assay::language {
namespace {

// "E12": 12; 0 for what is no clause id.
int clause_number(const std::string& id) {
  int n = 0;
  const char* end = id.data() + id.size();
  const bool good = id.size() > 1 && id[0] >= 'A' && id[0] <= 'Z' &&
                    std::from_chars(id.data() + 1, end, n).ptr == end;
  return good ? n : 0;
}

// Clauses in rising order; anything else stays as it stands.
void sort_clauses(YamlNode* map) {
  if (std::any_of(map->fields.begin(), map->fields.end(), [](const auto& f) {
        return clause_number(f.first.text.text) == 0;
      })) {
    return;
  }
  std::stable_sort(map->fields.begin(), map->fields.end(),
                   [](const auto& a, const auto& b) {
                     return clause_number(a.first.text.text) <
                            clause_number(b.first.text.text);
                   });
}

// Entries of one section replace or follow those of the common one; parameters
// passed by name are such a section themselves.
void merge_section(YamlNode* base, const YamlNode& own) {
  for (const auto& [key, value] : own.fields) {
    YamlNode* old = field(base, key.text.text);
    if (old && key.text.text == "keyword" && old->is_map() && value.is_map()) {
      overlay(old, value);
    } else {
      put(base, key, value);
    }
  }
  sort_clauses(base);
}

// Sections of an operation, an output or a form.
void merge(YamlNode* base, const YamlNode& own) {
  for (const auto& [key, value] : own.fields) {
    const std::string& name = key.text.text;
    YamlNode* old = field(base, name);
    if (old == nullptr || !old->is_map() || !value.is_map()) {
      put(base, key, value);
    } else if (name == "outputs" || name == "forms") {
      for (const auto& [part, body] : value.fields) {
        YamlNode* inner = field(old, part.text.text);
        if (inner != nullptr && inner->is_map() && body.is_map()) {
          merge(inner, body);
        } else {
          put(old, part, body);
        }
      }
      sort_clauses(old);
    } else {
      merge_section(old, value);
    }
  }
}

// `without`: names of what goes, by section or as a list.
void take_away(YamlNode* node, const YamlNode& without, Faults* faults) {
  const auto missing = [faults](const YamlNode& name) {
    faults->push_back({name.pos, fmt::format("there is no '{}' to leave out",
                                             name.text.text)});
  };
  for (const YamlNode& name : without.items) {
    if (!take(node, name.text.text)) missing(name);
  }
  for (const auto& [name, inner] : without.fields) {
    YamlNode* section = field(node, name.text.text);
    if (section == nullptr) {
      missing(name);
      continue;
    }
    take_away(section, inner, faults);
    if (section->fields.empty()) take(node, name.text.text);
  }
}

// Sections as an operation has them; what is unknown stands last.
YamlNode ordered_operation(YamlNode op) {
  const std::vector<std::string>& sections = operation_sections();
  const auto place = [&sections](const auto& field) {
    return std::find(sections.begin(), sections.end(), field.first.text.text) -
           sections.begin();
  };
  std::stable_sort(
      op.fields.begin(), op.fields.end(),
      [&place](const auto& a, const auto& b) { return place(a) < place(b); });
  return op;
}

class FamilyMember {
 public:
  FamilyMember(const Shared& shared, Faults* faults)
      : shared_(shared), faults_(faults) {}

  // `common` and what the entry says of it, as one operation.
  YamlNode run(const YamlNode& name, YamlNode common, YamlNode entry) {
    const Filling by = filling(name, common, &entry);
    fill(&common, by, faults_);
    fill(&entry, by, faults_);
    const auto attrs = take(&entry, "attrs");
    const auto but = take(&entry, "but");
    const auto gone = leave_out(&entry, &common);
    const auto own_cases = take(&entry, "cases");
    const auto cases = take(&common, "cases");
    merge(&common, entry);
    put(&common, "op", name);
    write_out(&common);
    merge_cases(&common, cases, own_cases, gone);
    if (but) replace(&common, *but);
    settle(&common);
    if (attrs) add_attrs(&common, *attrs);
    refuse_unfilled(common, faults_);
    return ordered_operation(std::move(common));
  }

  YamlNode run_over(YamlNode operation, YamlNode entry) {
    (void)leave_out(&entry, &operation);
    merge(&operation, entry);
    write_out(&operation);
    return ordered_operation(std::move(operation));
  }

  // A file of one operation.
  YamlNode run_alone(YamlNode root) {
    if (const YamlNode* name = field(root, "op"); name && name->is_scalar()) {
      fill(&root, {{"op", *name}}, faults_);
    }
    write_out(&root);
    if (const auto cases = take(&root, "cases")) {
      merge_cases(&root, cases, std::nullopt, std::nullopt);
    }
    settle(&root);
    refuse_unfilled(root, faults_);
    return root;
  }

 private:
  void fault(SourcePos pos, std::string message) {
    faults_->push_back({pos, std::move(message)});
  }

  // `${op}` and what `with` names, of which a later one may use those before.
  Filling filling(const YamlNode& name, const YamlNode& common,
                  YamlNode* entry) {
    Filling by = {{"op", name}};
    const auto with = take(entry, "with");
    if (!with) return by;
    if (!with->is_map()) {
      fault(with->pos,
            "expected texts by name, {f: cos}, found " + with->describe());
    }
    for (const auto& [key, value] : with->fields) {
      const std::string& own = key.text.text;
      if (own == "op" || !is_identifier(own)) {
        fault(key.pos, fmt::format("'{}' cannot be a name of 'with'", own));
      } else if (!mentions(common, own) && !mentions(*entry, own) &&
                 !mentions(*with, own)) {
        fault(key.pos, fmt::format("'{0}' is never used; write ${{{0}}} where "
                                   "it belongs, or remove it",
                                   own));
      }
      YamlNode filled = value;
      fill(&filled, by, faults_);
      by[own] = std::move(filled);
    }
    return by;
  }

  // Takes `without` from the entry and removes what it names from the common
  // part, except case groups: they are not written out yet, and are returned.
  std::optional<YamlNode> leave_out(YamlNode* entry, YamlNode* common) {
    auto without = take(entry, "without");
    if (!without) return std::nullopt;
    if (!without->is_map() && !without->is_sequence()) {
      fault(without->pos,
            "expected what is left out, {requires: [E2]} or "
            "[special], found " +
                without->describe());
      return std::nullopt;
    }
    auto groups = take(&*without, "cases");
    take_away(common, *without, faults_);
    return groups;
  }

  void write_out(YamlNode* op) {
    if (YamlNode* params = field(op, "params")) {
      write_out_params(params, faults_);
    }
    write_out_results(op);
    write_out_clauses(op, shared_, faults_);
    write_out_types_of_operation(op, shared_.dtypes);
    name_overload(op);
    if (YamlNode* source = field(op, "source")) write_out_source(source);
  }

  // `aten.NAME.default`, where no overload is given.
  static void name_overload(YamlNode* op) {
    const YamlNode* name = field(*op, "op");
    if (name == nullptr || field(*op, "aten")) return;
    const YamlNode aten =
        make_scalar("aten." + name->text.text + ".default", name->pos);
    const auto at =
        std::find_if(op->fields.begin(), op->fields.end(),
                     [](const auto& f) { return f.first.text.text == "op"; });
    op->fields.emplace(at + 1, make_scalar("aten", name->pos), aten);
  }

  // `torch.nn.functional.softmax`: a page of the documentation.
  static void write_out_source(YamlNode* source) {
    const std::string& s = source->text.text;
    const bool dotted =
        s.starts_with("torch.") && std::all_of(s.begin(), s.end(), [](char c) {
          return c == '.' || is_identifier("_" + std::string(1, c));
        });
    if (!dotted) return;
    *source = make_scalar(
        fmt::format("https://docs.pytorch.org/docs/2.11/generated/{}.html", s),
        source->pos);
  }

  void merge_cases(YamlNode* op, const std::optional<YamlNode>& common,
                   const std::optional<YamlNode>& own,
                   const std::optional<YamlNode>& gone) {
    if (!common && !own) return;
    const CaseContext context = case_context(*op);
    const SourcePos pos = (common ? common : own)->pos;
    YamlNode defaults = make_map(pos);
    for (const auto* cases : {&common, &own}) {
      const YamlNode* d = *cases ? field(**cases, "defaults") : nullptr;
      if (d != nullptr) overlay(&defaults, *d);
    }
    YamlNode groups = make_map(pos);
    if (common) {
      groups = write_out_cases(without_defaults(*common), &defaults, context,
                               shared_, faults_);
    }
    if (gone) take_groups(&groups, *gone);
    if (own) {
      const YamlNode others = write_out_cases(without_defaults(*own), &defaults,
                                              context, shared_, faults_);
      if (groups.is_map()) overlay(&groups, others);
      if (!common) groups = others;
      sort_clauses(&groups);
    }
    put(op, make_scalar("cases", pos), std::move(groups));
  }

  void settle(YamlNode* op) {
    if (YamlNode* cases = field(op, "cases")) {
      settle_cases(cases, case_context(*op), shared_, faults_);
    }
  }

  static YamlNode without_defaults(YamlNode cases) {
    take(&cases, "defaults");
    return cases;
  }

  void take_groups(YamlNode* groups, const YamlNode& gone) {
    for (const YamlNode& range :
         read_list(gone, "a list of case groups, [C3, C5-C8]", faults_)) {
      std::vector<std::string> ids = ids_of(range.text.text);
      if (ids.empty()) ids = {range.text.text};
      for (const std::string& id : ids) {
        if (take(groups, id)) continue;
        fault(range.pos,
              fmt::format("there is no case group '{}' to leave out", id));
      }
    }
  }

  // Fields of single groups and boundaries.
  void replace(YamlNode* op, const YamlNode& but) {
    if (!but.is_map()) {
      fault(but.pos, "expected fields by clause, {C3: {vacuous: 0.1}}, found " +
                         but.describe());
    }
    for (const auto& [key, fields] : but.fields) {
      std::vector<std::string> ids = ids_of(key.text.text);
      const bool boundary = ids.empty();
      if (boundary) ids = {key.text.text};
      YamlNode* section = field(op, boundary ? "boundaries" : "cases");
      for (const std::string& id : ids) {
        YamlNode* clause = section ? field(section, id) : nullptr;
        if (clause != nullptr) {
          replace_fields(clause, fields, faults_);
        } else {
          fault(key.pos,
                fmt::format("there is no case group or boundary '{}'", id));
        }
      }
    }
    write_out_types_of_operation(op, shared_.dtypes);
  }

  // Attributes that every group and boundary has, before its own.
  void add_attrs(YamlNode* op, const YamlNode& attrs) {
    const auto with_common = [&attrs](const YamlNode& own) {
      YamlNode all = attrs;
      overlay(&all, own);
      return all;
    };
    const YamlNode key = make_scalar("attrs", attrs.pos);
    if (YamlNode* cases = field(op, "cases")) {
      for (auto& [id, group] : cases->fields) {
        if (!group.is_map()) continue;
        YamlNode* own = field(&group, "attrs");
        if (own == nullptr) {
          put(&group, key, make_list({attrs}, attrs.pos));
          continue;
        }
        for (YamlNode& entry : own->items) entry = with_common(entry);
      }
    }
    YamlNode* boundaries = field(op, "boundaries");
    if (boundaries == nullptr) return;
    for (auto& [id, body] : boundaries->fields) {
      if (!body.is_map()) continue;
      const YamlNode* own = field(body, "attrs");
      put(&body, key, own ? with_common(*own) : attrs);
    }
  }

  const Shared& shared_;
  Faults* faults_;
};

std::vector<YamlNode> write_out_family(const YamlNode& root,
                                       const Shared& shared, Faults* faults) {
  std::vector<std::string> known = {"ops"};
  const std::vector<std::string>& sections = operation_sections();
  known.insert(known.end(), sections.begin() + 1, sections.end());
  const Fields f(root, "a family of operations", known, faults);
  f.check_order();
  std::vector<YamlNode> out;
  const YamlNode* ops = f.find("ops");
  if (ops == nullptr) return out;
  if (!ops->is_map()) {
    faults->push_back({ops->pos,
                       "expected operations by name, {eq: {doc: "
                       "...}}, found " +
                           ops->describe()});
    return out;
  }
  known.insert(known.end(), {"with", "without", "but", "attrs"});
  known.erase(known.begin());
  YamlNode common = make_map(root.pos);
  for (const auto& [key, body] : root.fields) {
    if (&body != ops) common.fields.emplace_back(key, body);
  }
  for (const auto& [key, entry] : ops->fields) {
    const std::size_t before = faults->size();
    (void)Fields(entry, fmt::format("operation '{}'", key.text.text), known,
                 faults);
    if (faults->size() != before) continue;
    out.push_back(FamilyMember(shared, faults).run(key, common, entry));
  }
  return out;
}

}  // namespace

std::vector<YamlNode> write_out_operations(const YamlNode& root,
                                           const Shared& shared,
                                           Faults* faults) {
  if (!root.is_map()) return {root};
  std::vector<YamlNode> all =
      field(root, "ops")
          ? write_out_family(root, shared, faults)
          : std::vector<YamlNode>{FamilyMember(shared, faults).run_alone(root)};
  std::vector<YamlNode> out;
  for (YamlNode& op : all) {
    std::vector<YamlNode> writing = take_writing_forms(&op, faults);
    out.push_back(std::move(op));
    for (YamlNode& form : writing) {
      out.push_back(ordered_operation(std::move(form)));
    }
  }
  return out;
}

YamlNode overlaid(YamlNode operation, YamlNode entry, const Shared& shared,
                  Faults* faults) {
  return FamilyMember(shared, faults)
      .run_over(std::move(operation), std::move(entry));
}

}  // namespace assay::language
