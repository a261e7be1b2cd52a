#include "suite/language/sugar/type_lists.h"

#include "suite/language/sugar/yaml_edit.h"

namespace assay::language {
namespace {

// The types of one entry, which stand where the entry stands.
void append(const YamlNode& entry, const NamedNodes& lists,
            std::vector<YamlNode>* to) {
  const auto it = entry.is_scalar() ? lists.find(entry.text.text) : lists.end();
  if (it == lists.end()) {
    to->push_back(entry);
    return;
  }
  for (const YamlNode& type : it->second.items) {
    to->push_back(make_scalar(type.text.text, entry.pos));
  }
}

// `name` of each entry of a section of clauses.
void write_out_in_clauses(YamlNode* section, const char* name,
                          const NamedNodes& lists) {
  if (section == nullptr) return;
  for (auto& [key, clause] : section->fields) {
    if (YamlNode* types = field(&clause, name)) write_out_types(types, lists);
  }
}

// In what an operation, a form or an output promises.
void write_out_in_meaning(YamlNode* n, const NamedNodes& lists) {
  write_out_in_clauses(field(n, "accuracy"), "for", lists);
  for (const char* several : {"outputs", "forms"}) {
    YamlNode* inner = field(n, several);
    if (inner == nullptr) continue;
    for (auto& [key, body] : inner->fields) write_out_in_meaning(&body, lists);
  }
}

}  // namespace

void write_out_types(YamlNode* n, const NamedNodes& lists) {
  std::vector<YamlNode> out;
  if (n->is_scalar()) {
    if (!lists.contains(n->text.text) && !parse_dtype(n->text.text)) return;
    append(*n, lists, &out);
  } else {
    for (const YamlNode& entry : n->items) append(entry, lists, &out);
  }
  if (n->is_scalar() || n->is_sequence()) *n = make_list(out, n->pos);
}

void write_out_types_by_symbol(YamlNode* n, const NamedNodes& lists) {
  for (auto& [symbol, types] : n->fields) write_out_types(&types, lists);
}

void write_out_types_of_operation(YamlNode* op, const NamedNodes& lists) {
  if (YamlNode* dtypes = field(op, "dtypes")) {
    write_out_types_by_symbol(dtypes, lists);
  }
  write_out_in_meaning(op, lists);
  write_out_in_clauses(field(op, "boundaries"), "dtypes", lists);
}

}  // namespace assay::language
