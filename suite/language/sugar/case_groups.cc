#include "suite/language/sugar/case_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "suite/language/sugar/fill.h"
#include "suite/language/sugar/type_lists.h"
#include "suite/language/sugar/yaml_edit.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

constexpr int kMaxDepth = 10;  // of groups in groups

// One group, and what entries call it: element types, values, members, its id.
struct Group {
  std::set<std::string> names;
  YamlNode body;
};
using Groups = std::vector<Group>;

// What is said of all groups of an entry that makes several.
struct Outer {
  YamlNode defaults;
  std::set<std::string> dropped;
  int depth = 0;
};

const std::vector<std::string>& own_fields() {
  static const std::vector<std::string> kOwn = {
      "shapes",  "dtypes",   "attrs",   "inputs",  "layouts",
      "scalars", "contexts", "profile", "vacuous", "unbiased",
      "each",    "but",      "without"};
  return kOwn;
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> texts_of(const YamlNode& n, Faults* faults) {
  std::vector<std::string> out;
  for (const YamlNode& item : read_list(n, "a list of names", faults)) {
    if (auto s = read_text(item, "a name", faults)) out.push_back(*s);
  }
  return out;
}

void add_members(const YamlNode& groups, int depth,
                 std::vector<std::string>* names) {
  if (depth > kMaxDepth) return;
  for (const auto& [key, body] : groups.fields) {
    names->push_back(key.text.text);
    if (const YamlNode* inner = field(body, "groups")) {
      add_members(*inner, depth + 1, names);
    }
  }
}

class CaseWriter {
 public:
  CaseWriter(const CaseContext& context, const Shared& shared, Faults* faults)
      : context_(context), shared_(shared), faults_(faults) {}

  YamlNode run(YamlNode cases, const YamlNode* more_defaults) {
    Outer outer;
    outer.defaults = more_defaults ? *more_defaults : make_map(cases.pos);
    if (const auto own = take(&cases, "defaults")) {
      if (!own->is_map()) {
        fault(own->pos,
              "expected fields of case groups, found " + own->describe());
      }
      overlay(&outer.defaults, *own);
    }
    YamlNode out = make_map(cases.pos);
    for (const auto& [key, body] : cases.fields) entry(key, body, outer, &out);
    if (out.fields.empty() && !cases.fields.empty()) fault(out.pos, "");
    return out;
  }

 private:
  void fault(SourcePos pos, std::string message) {
    faults_->push_back({pos, std::move(message)});
  }

  void entry(const YamlNode& key, const YamlNode& body, const Outer& outer,
             YamlNode* out) {
    std::vector<std::string> ids = ids_of(key.text.text);
    if (ids.empty()) ids = {key.text.text};  // which the reader refuses
    if (!body.is_map()) {
      put(out, key, body);
      return;
    }
    const std::size_t before = faults_->size();
    Groups groups = many(body, ids, outer);
    if (faults_->size() != before && groups.size() != ids.size()) return;
    if (groups.size() != ids.size()) {
      return fault(
          key.pos,
          fmt::format("{} {} for {} group{}; correct the range "
                      "of ids",
                      key.text.text,
                      ids.size() == 1 ? "is one id"
                                      : fmt::format("are {} ids", ids.size()),
                      groups.size(), groups.size() == 1 ? "" : "s"));
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      YamlNode id = key;
      if (ids.size() > 1) id = make_scalar(ids[i], key.pos);
      if (field(*out, ids[i]) != nullptr) {
        fault(key.pos,
              fmt::format("a second case group {}; number it anew", ids[i]));
      }
      put(out, id, std::move(groups[i].body));
    }
  }

  // All groups of one entry, in order.
  Groups many(YamlNode body, const std::vector<std::string>& ids,
              const Outer& outer) {
    const auto but = take(&body, "but");
    std::optional<YamlNode> contexts;
    if (const YamlNode* c = field(body, "contexts"); c && c->is_map()) {
      contexts = take(&body, "contexts");
    }
    const SourcePos at = body.pos;
    Groups groups = kinds(std::move(body), outer);
    if (groups.size() > kMaxGroups) {
      fault(at, fmt::format("the entry makes {} case groups; at most {} "
                            "are allowed",
                            groups.size(), kMaxGroups));
      groups.resize(kMaxGroups);
    }
    for (std::size_t i = 0; i < groups.size() && i < ids.size(); ++i) {
      groups[i].names.insert(ids[i]);
    }
    if (contexts) choose_contexts(*contexts, &groups);
    if (but) replace_in(*but, &groups);
    return groups;
  }

  Groups kinds(YamlNode body, const Outer& outer) {
    if (outer.depth > kMaxDepth) {
      fault(body.pos, "groups and families stand too deeply in one another");
      return {};
    }
    const YamlNode* each = field(body, "each");
    const bool values = each && (each->is_map() ||
                                 (each->is_sequence() && !each->items.empty() &&
                                  each->items[0].is_map()));
    if (values) {
      const YamlNode all = *take(&body, "each");
      return each_value(all, body, outer);
    }
    if (field(body, "family") || field(body, "groups")) {
      return members(std::move(body), outer);
    }
    return leaf(std::move(body), outer);
  }

  // `each: {n: [1, 3]}`, all combinations, or `each: [{n: 1}, {n: 3}]`.
  Groups each_value(const YamlNode& each, const YamlNode& body,
                    const Outer& outer) {
    std::vector<Filling> fillings(each.is_map() ? 1 : 0);
    for (const YamlNode& one : each.items) {
      fillings.emplace_back();
      for (const auto& [name, value] : one.fields) {
        fillings.back()[name.text.text] = value;
      }
    }
    for (const auto& [name, values] : each.fields) {
      std::vector<Filling> next;
      for (const Filling& f : fillings) {
        for (const YamlNode& value :
             read_list(values, "a list of values", faults_)) {
          next.push_back(f);
          next.back()[name.text.text] = value;
        }
      }
      if (next.size() > kMaxGroups) {
        fault(each.pos, fmt::format("'each' gives {} groups; at most {} are "
                                    "allowed",
                                    next.size(), kMaxGroups));
        return {};
      }
      fillings = std::move(next);
    }
    Groups out;
    Outer inner = outer;
    ++inner.depth;
    for (const Filling& f : fillings) {
      YamlNode filled = body;
      fill(&filled, f, faults_);
      for (Group& g : many(std::move(filled), {}, inner)) {
        for (const auto& [name, value] : f) {
          if (value.is_scalar()) g.names.insert(value.text.text);
        }
        out.push_back(std::move(g));
      }
      if (out.size() > kMaxGroups) break;
    }
    return out;
  }

  // The members of `family` or `groups`, the fields beside it as defaults.
  Groups members(YamlNode body, const Outer& outer) {
    std::optional<YamlNode> groups =
        field(body, "family") ? family(&body) : take(&body, "groups");
    if (!groups) return {};
    if (!groups->is_map()) {
      fault(groups->pos,
            "expected case groups by name, found " + groups->describe());
      return {};
    }
    Outer inner = outer;
    ++inner.depth;
    drop(&body, *groups, &inner.dropped);
    for (const auto& [key, value] : body.fields) {
      if (is_one_of(key.text.text, own_fields())) continue;
      fault(key.pos,
            fmt::format("unknown field '{}' beside groups{}", key.text.text,
                        did_you_mean(key.text.text, own_fields())));
    }
    std::erase_if(body.fields, [](const auto& f) {
      return !is_one_of(f.first.text.text, own_fields());
    });
    inner.defaults = with_defaults(std::move(body), outer.defaults);
    Groups out;
    for (const auto& [key, member] : groups->fields) {
      if (inner.dropped.contains(key.text.text)) continue;
      if (!member.is_map()) {
        fault(member.pos,
              "expected a case group, a mapping, found " + member.describe());
        continue;
      }
      for (Group& g : many(member, {}, inner)) {
        g.names.insert(key.text.text);
        out.push_back(std::move(g));
      }
      if (out.size() > kMaxGroups) break;
    }
    return out;
  }

  // The groups of a family, its parameters filled in from beside it.
  std::optional<YamlNode> family(YamlNode* body) {
    const YamlNode name = *take(body, "family");
    const auto it = shared_.families.find(name.text.text);
    if (it == shared_.families.end()) {
      fault(name.pos, fmt::format("unknown case family {}{}; families stand in "
                                  "specs/shared/cases.yaml",
                                  name.describe(),
                                  did_you_mean(name.text.text,
                                               names_of(shared_.families))));
      return std::nullopt;
    }
    Filling by;
    if (const YamlNode* params = field(it->second, "params")) {
      for (const auto& [param, value] : params->fields) {
        auto given = take(body, param.text.text);
        if (!given && is_text(value, "required")) {
          fault(name.pos, fmt::format("case family '{}' needs '{}'",
                                      name.text.text, param.text.text));
          return std::nullopt;
        }
        by[param.text.text] = given ? *given : value;
      }
    }
    const Filling given = by;
    for (auto& [param, value] : by) fill(&value, given, faults_);
    YamlNode groups = *field(it->second, "groups");
    fill(&groups, by, faults_);
    return groups;
  }

  // `except` and `only`.
  void drop(YamlNode* body, const YamlNode& groups,
            std::set<std::string>* dropped) {
    std::vector<std::string> known;
    add_members(groups, 0, &known);
    const auto check = [&](const YamlNode& list) {
      std::vector<std::string> names = texts_of(list, faults_);
      for (const std::string& name : names) {
        if (is_one_of(name, known)) continue;
        fault(list.pos, fmt::format("no group is called '{}'{}", name,
                                    did_you_mean(name, known)));
      }
      return names;
    };
    if (const auto except = take(body, "except")) {
      for (const std::string& name : check(*except)) dropped->insert(name);
    }
    if (const auto only = take(body, "only")) {
      const std::vector<std::string> kept = check(*only);
      for (const auto& [key, member] : groups.fields) {
        if (!is_one_of(key.text.text, kept)) dropped->insert(key.text.text);
      }
    }
  }

  bool is_by_operand(const YamlNode& n) const {
    return n.is_map() &&
           std::all_of(n.fields.begin(), n.fields.end(), [this](const auto& f) {
             return f.first.text.text == "*" ||
                    context_.tensors.contains(f.first.text.text);
           });
  }

  // Fields that a group does not have itself; inputs operand by operand and
  // types symbol by symbol.
  YamlNode with_defaults(YamlNode group, const YamlNode& defaults) {
    std::vector<std::string> refused;
    if (const auto without = take(&group, "without")) {
      refused = texts_of(*without, faults_);
      for (const std::string& name : refused) {
        if (field(defaults, name) != nullptr) continue;
        fault(without->pos,
              fmt::format("there is no default of '{}' to leave out", name));
      }
    }
    for (const auto& [key, value] : defaults.fields) {
      const std::string& name = key.text.text;
      if (is_one_of(name, refused)) continue;
      YamlNode* own = field(&group, name);
      if (own == nullptr) {
        put(&group, key, value);
      } else if ((name == "dtypes" && own->is_map()) ||
                 (name == "inputs" && is_by_operand(*own) &&
                  is_by_operand(value))) {
        YamlNode both = value;
        overlay(&both, *own);
        both.pos = own->pos;
        *own = std::move(both);
      }
    }
    return group;
  }

  Groups leaf(YamlNode body, const Outer& outer) {
    YamlNode group = with_defaults(std::move(body), outer.defaults);
    combine_attrs(&group, context_, faults_);
    const auto each = take(&group, "each");
    if (!each) return {{{}, std::move(group)}};
    if (each->is_scalar()) {
      const std::string& what = each->text.text;
      if (context_.dtypes.contains(what)) return each_type(*each, group);
      for (const char* name : {"shapes", "attrs", "dtypes", "inputs"}) {
        if (what == name) return each_entry(*each, group);
      }
    }
    fault(each->pos, fmt::format("expected a dtype symbol, shapes, attrs, "
                                 "dtypes, inputs or {{n: [1, 3]}}, found {}",
                                 each->describe()));
    return {};
  }

  // One group per element type that the group lists, or the operation.
  Groups each_type(const YamlNode& each, const YamlNode& group) {
    const std::string& symbol = each.text.text;
    YamlNode dtypes = make_map(each.pos);
    if (const YamlNode* own = field(group, "dtypes")) dtypes = *own;
    write_out_types_by_symbol(&dtypes, shared_.dtypes);
    const YamlNode* types = field(dtypes, symbol);
    if (types == nullptr || !types->is_sequence()) {
      types = context_.types_of(symbol);
    }
    if (types == nullptr) {
      fault(each.pos,
            fmt::format("no element types are known of '{}'", symbol));
      return {};
    }
    Groups out;
    for (const YamlNode& type : types->items) {
      YamlNode own = make_map(dtypes.pos);
      put(&own, symbol, make_list({type}, type.pos));
      for (const auto& [key, value] : dtypes.fields) {
        if (key.text.text == symbol) continue;
        put(&own, key,
            is_text(value, symbol.c_str()) ? make_list({type}, value.pos)
                                           : value);
      }
      Group g{{type.text.text}, group};
      put(&g.body, "dtypes", std::move(own));
      out.push_back(std::move(g));
    }
    return out;
  }

  // One group per entry of a field that is a list.
  Groups each_entry(const YamlNode& each, const YamlNode& group) {
    const std::string& name = each.text.text;
    const YamlNode* list = field(group, name);
    if (list != nullptr && list->is_scalar() && name == "shapes") {
      const auto it = shared_.shapes.find(list->text.text);
      if (it != shared_.shapes.end()) list = &it->second;
    }
    if (list == nullptr || !list->is_sequence()) {
      fault(each.pos, fmt::format("'each: {0}' needs a list '{0}'", name));
      return {};
    }
    const bool single = name == "dtypes" || name == "inputs";
    Groups out;
    for (const YamlNode& entry : list->items) {
      Group g{{}, group};
      *field(&g.body, name) = single ? entry : make_list({entry}, entry.pos);
      out.push_back(std::move(g));
    }
    return out;
  }

  // The groups that a name means, or a fault.
  template <class Apply>
  void for_each_named(const YamlNode& name, Groups* groups,
                      const Apply& apply) {
    std::vector<std::string> wanted = ids_of(name.text.text);
    if (wanted.empty()) wanted = {name.text.text};
    std::vector<std::string> known;
    bool found = false;
    for (Group& g : *groups) {
      known.insert(known.end(), g.names.begin(), g.names.end());
      if (std::none_of(
              wanted.begin(), wanted.end(),
              [&g](const std::string& w) { return g.names.contains(w); })) {
        continue;
      }
      found = true;
      apply(&g.body);
    }
    if (found) return;
    fault(name.pos,
          fmt::format("no group of this entry is called '{}'{}", name.text.text,
                      did_you_mean(name.text.text, known)));
  }

  // `contexts: {all: [f32, C7]}`.
  void choose_contexts(const YamlNode& contexts, Groups* groups) {
    const Fields f(contexts, "contexts of several groups", {"all"}, faults_);
    const YamlNode* all = f.required("all");
    if (all == nullptr) return;
    for (Group& g : *groups) take(&g.body, "contexts");
    for (const YamlNode& name :
         read_list(*all, "a list of groups, [f32, C7]", faults_)) {
      for_each_named(name, groups, [&name](YamlNode* body) {
        put(body, "contexts", make_scalar("all", name.pos));
      });
    }
  }

  void replace_in(const YamlNode& but, Groups* groups) {
    if (!but.is_map()) {
      fault(but.pos, "expected fields by group, {C3: {vacuous: 0.1}}, found " +
                         but.describe());
    }
    for (const auto& [name, fields] : but.fields) {
      for_each_named(name, groups, [&, f = &fields](YamlNode* body) {
        replace_fields(body, *f, faults_);
      });
    }
  }

  const CaseContext& context_;
  const Shared& shared_;
  Faults* faults_;
};

}  // namespace

YamlNode write_out_cases(const YamlNode& cases, const YamlNode* defaults,
                         const CaseContext& context, const Shared& shared,
                         Faults* faults) {
  if (!cases.is_map()) return cases;
  return CaseWriter(context, shared, faults).run(cases, defaults);
}

}  // namespace assay::language
