#include "suite/language/read/read_params.h"

#include <algorithm>

#include "suite/language/read/read_literal.h"
#include "suite/language/syntax/parse_expr.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

const std::vector<std::pair<std::string, Param::Kind>> kKinds = {
    {"number", Param::Kind::number}, {"int", Param::Kind::integer},
    {"ints", Param::Kind::integers}, {"numbers", Param::Kind::numbers},
    {"bool", Param::Kind::boolean},  {"dtype", Param::Kind::dtype},
    {"string", Param::Kind::string},
};

bool read_kind(const Fields& f, Param* p, Faults* faults) {
  const YamlNode* tensor = f.find("tensor");
  const YamlNode* tensors = f.find("tensors");
  const YamlNode* kind = f.find("kind");
  const int given =
      (tensor != nullptr) + (tensors != nullptr) + (kind != nullptr);
  if (given != 1) {
    if (f.is_map()) {
      faults->push_back({f.pos(), "parameter '" + p->name +
                                      "' needs exactly one of tensor, "
                                      "tensors, kind"});
    }
    return false;
  }
  if (kind != nullptr) {
    std::vector<std::string> names;
    for (const auto& k : kKinds) names.push_back(k.first);
    const auto name = read_choice(*kind, "kind of parameter", names, faults);
    if (!name) return false;
    for (const auto& k : kKinds) {
      if (k.first == *name) p->kind = k.second;
    }
    return true;
  }
  p->kind = tensor ? Param::Kind::tensor : Param::Kind::tensors;
  const auto symbol =
      read_identifier(tensor ? *tensor : *tensors, "a dtype symbol", faults);
  if (!symbol) return false;
  p->dtype_symbol = *symbol;
  return true;
}

void only_for(const Fields& f, const char* field, bool allowed,
              const char* kinds, Faults* faults) {
  const YamlNode* n = f.find(field);
  if (n == nullptr || allowed) return;
  faults->push_back({n->pos, std::string("'") + field + "' belongs to " +
                                 kinds + "; remove it"});
}

Param read_param(const std::string& name, const YamlNode& key,
                 const YamlNode& body, Faults* faults) {
  Param p;
  p.name = name;
  p.pos = key.pos;
  const Fields f(body, "parameter '" + name + "'",
                 {"tensor", "tensors", "kind", "shape", "scalar", "optional",
                  "default", "keyword", "one_of", "schema", "memory_from"},
                 faults);
  if (!read_kind(f, &p, faults)) return p;
  const bool tensor = p.kind == Param::Kind::tensor;
  const bool any_tensor = tensor || p.kind == Param::Kind::tensors;
  only_for(f, "shape", any_tensor, "tensors", faults);
  only_for(f, "scalar", tensor, "a tensor", faults);
  only_for(f, "memory_from", tensor, "a tensor", faults);
  only_for(f, "one_of", p.kind == Param::Kind::string, "strings", faults);
  if (const YamlNode* n = f.find("shape"); n && any_tensor) {
    p.shape = read_shape_pattern(*n, faults);
  }
  const auto flag = [&](const char* field, bool* target) {
    if (const YamlNode* n = f.find(field)) {
      *target = read_bool(*n, faults).value_or(false);
    }
  };
  flag("scalar", &p.scalar);
  flag("optional", &p.optional);
  if (const YamlNode* n = f.find("schema")) {
    p.schema_name =
        read_identifier(*n, "the schema's name of it", faults).value_or("");
  }
  if (const YamlNode* n = f.find("memory_from")) {
    p.memory_from = read_identifier(*n, "the parameter that says where", faults)
                        .value_or("");
  }
  flag("keyword", &p.keyword);
  if (const YamlNode* n = f.find("one_of")) {
    for (const YamlNode& item : read_list(*n, "a list of strings", faults)) {
      if (auto s = read_text(item, "a string", faults)) {
        p.one_of.push_back(*s);
      }
    }
  }
  if (const YamlNode* n = f.find("default")) {
    p.default_value = read_arg(*n, p, faults);
  }
  return p;
}

// What a result is written into may be called as the result is.
bool is_passed_by_name(const YamlNode& body) {
  if (!body.is_map()) return false;
  return std::any_of(body.fields.begin(), body.fields.end(), [](const auto& f) {
    return f.first.text.text == "keyword" && f.second.is_scalar() &&
           f.second.text.text == "true";
  });
}

}  // namespace

bool is_tensor(const Param& p) {
  return p.kind == Param::Kind::tensor || p.kind == Param::Kind::tensors;
}

ShapePattern read_shape_pattern(const YamlNode& n, Faults* faults) {
  ShapePattern pattern;
  bool has_pack = false;
  for (const YamlNode& item :
       read_list(n, "a list of dimensions, [B, M, 3, A...]", faults)) {
    DimPattern d;
    std::string s = item.is_scalar() ? item.text.text : "";
    if (!s.empty() && (s[0] == '-' || (s[0] >= '0' && s[0] <= '9'))) {
      d.fixed = read_integer(item, "a size", faults);
      if (d.fixed && *d.fixed < 0) {
        faults->push_back({item.pos, "a size cannot be negative"});
        d.fixed.reset();
      }
      if (d.fixed) pattern.push_back(d);
      continue;
    }
    if (s.ends_with("...")) {
      s.resize(s.size() - 3);
      if (has_pack) {
        faults->push_back({item.pos,
                           "a shape has at most one pack, found a "
                           "second one, " +
                               item.describe()});
      }
      has_pack = true;
      d.pack = true;
    }
    if (!is_identifier(s)) {
      faults->push_back({item.pos,
                         "expected a dimension symbol, a size or a pack A..."
                         ", found " +
                             item.describe()});
      continue;
    }
    d.symbol = s;
    pattern.push_back(d);
  }
  return pattern;
}

std::vector<Param> read_params(const YamlNode& n, Faults* faults) {
  std::vector<Param> out;
  if (!n.is_map()) {
    faults->push_back({n.pos, "expected parameters, {a: {tensor: T}}, found " +
                                  n.describe()});
    return out;
  }
  bool keyword = false;
  for (const auto& [key, body] : n.fields) {
    const std::string& name = key.text.text;
    if (!is_identifier(name) || is_reserved(name) ||
        (name == "out" && !is_passed_by_name(body))) {
      faults->push_back({key.pos, "'" + name +
                                      "' cannot name a parameter; choose a "
                                      "name that the language does not use"});
    }
    if (parse_dtype(name)) {
      faults->push_back({key.pos, "'" + name +
                                      "' is a dtype and cannot name "
                                      "a parameter"});
    }
    out.push_back(read_param(name, key, body, faults));
    if (keyword && !out.back().keyword) {
      faults->push_back({key.pos, "parameter '" + name +
                                      "' follows one that is passed by name; "
                                      "add 'keyword: true'"});
    }
    keyword = keyword || out.back().keyword;
  }
  return out;
}

}  // namespace assay::language
