#include "suite/language/read/read_shared.h"

#include <fmt/format.h>

#include <algorithm>

#include "suite/language/read/read_literal.h"
#include "suite/language/read/read_shapes.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

// Calls `each` for every entry of a file that gives names to things.
template <class Each>
void read_named(const YamlNode& root, const char* what, Faults* faults,
                const Each& each) {
  if (!root.is_map()) {
    faults->push_back({root.pos, fmt::format("expected {} by name, found {}",
                                             what, root.describe())});
    return;
  }
  for (const auto& [key, body] : root.fields) {
    if (is_identifier(key.text.text)) {
      each(key, body);
    } else {
      faults->push_back({key.pos, fmt::format("'{}' is no name; expected {} "
                                              "by name",
                                              key.text.text, what)});
    }
  }
}

void read_clause(const std::string& section, const YamlNode& key,
                 const YamlNode& body, Shared* shared, Faults* faults) {
  const auto head = parse_let_head(key.text, faults);
  if (!head) return;
  if (head->indices) {
    faults->push_back({key.pos, fmt::format("a shared clause has parameters, "
                                            "as in {}(x)",
                                            head->name)});
    return;
  }
  if (!body.is_map()) {
    faults->push_back({body.pos, fmt::format("expected a clause, a mapping, "
                                             "found {}",
                                             body.describe())});
    return;
  }
  shared->clauses[{section, head->name}] = {
      head->params.value_or(std::vector<std::string>{}), body};
}

void read_input(const YamlNode& n, Faults* faults) {
  if (!is_by_type(n)) {
    (void)read_generator(n, faults);
    return;
  }
  for (const auto& f : n.fields) (void)read_generator(f.second, faults);
}

void check_set(const YamlNode& body, Faults* faults) {
  for (const YamlNode& item :
       read_list(body, "a list of bindings and of sizes, [[3, 4], {S: [5]}]",
                 faults)) {
    if (item.is_sequence()) {
      (void)read_sizes(item, faults);
    } else {
      (void)read_binding(item, faults);
    }
  }
  if (body.is_sequence() && body.items.empty()) {
    faults->push_back({body.pos, "the set is empty"});
  }
}

}  // namespace

std::vector<std::string> names_of(const NamedNodes& nodes) {
  std::vector<std::string> names;
  for (const auto& n : nodes) names.push_back(n.first);
  return names;
}

bool is_by_type(const YamlNode& n) {
  return n.is_map() && !n.fields.empty() &&
         std::all_of(n.fields.begin(), n.fields.end(), [](const auto& f) {
           const std::string& key = f.first.text.text;
           return parse_dtype(key) || key == "float" || key == "int" ||
                  key == "bool";
         });
}

void read_shared_clauses(const YamlNode& root, Shared* shared, Faults* faults) {
  const Fields f(root, "shared clauses",
                 {"requires", "accuracy", "special", "undefined", "boundaries"},
                 faults);
  if (!root.is_map()) return;
  for (const auto& [section, clauses] : root.fields) {
    if (!clauses.is_map()) {
      faults->push_back({clauses.pos, fmt::format("expected clauses, "
                                                  "name(x): ..., found {}",
                                                  clauses.describe())});
      continue;
    }
    for (const auto& [key, body] : clauses.fields) {
      read_clause(section.text.text, key, body, shared, faults);
    }
  }
}

void read_shared_dtypes(const YamlNode& root, Shared* shared, Faults* faults) {
  const auto read = [&](const YamlNode& key, const YamlNode& body) {
    if (parse_dtype(key.text.text)) {
      faults->push_back({key.pos, fmt::format("'{}' is an element type itself",
                                              key.text.text)});
    }
    (void)read_dtypes(body, faults);
    shared->dtypes[key.text.text] = body;
  };
  read_named(root, "lists of element types", faults, read);
}

void read_shared_shapes(const YamlNode& root, Shared* shared, Faults* faults) {
  const auto read = [&](const YamlNode& key, const YamlNode& body) {
    check_set(body, faults);
    shared->shapes[key.text.text] = body;
  };
  read_named(root, "sets of shapes", faults, read);
}

void read_shared_inputs(const YamlNode& root, Shared* shared, Faults* faults) {
  const auto read = [&](const YamlNode& key, const YamlNode& body) {
    read_input(body, faults);
    shared->inputs[key.text.text] = body;
  };
  read_named(root, "inputs", faults, read);
}

void read_shared_cases(const YamlNode& root, Shared* shared, Faults* faults) {
  const auto read = [&](const YamlNode& key, const YamlNode& body) {
    const Fields f(body, fmt::format("case family '{}'", key.text.text),
                   {"params", "groups"}, faults);
    const YamlNode* params = f.find("params");
    if (params != nullptr && !params->is_map()) {
      faults->push_back({params->pos, fmt::format("expected parameters with "
                                                  "defaults, found {}",
                                                  params->describe())});
      return;
    }
    const YamlNode* groups = f.required("groups");
    if (groups == nullptr) return;
    if (!groups->is_map() || groups->fields.empty()) {
      faults->push_back(
          {groups->pos,
           fmt::format("expected one case group or "
                       "more by name, found {}",
                       groups->is_map() ? "none" : groups->describe())});
      return;
    }
    shared->families[key.text.text] = body;
  };
  read_named(root, "case families", faults, read);
}

}  // namespace assay::language
