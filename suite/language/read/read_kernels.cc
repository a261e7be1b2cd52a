#include "suite/language/read/read_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "suite/language/read/read_promises.h"
#include "suite/language/syntax/parse_expr.h"

namespace assay::language {
namespace {

// Indices and truth values are looked at by themselves.
bool holds_numbers(const Param& p, const OpSpec& op) {
  const auto symbol = op.dtypes.find(p.dtype_symbol);
  if (symbol == op.dtypes.end()) return false;
  if (!symbol->second.follows.empty()) return true;
  const std::vector<DType>& types = symbol->second.types;
  return std::any_of(types.begin(), types.end(), [](DType t) {
    return t != DType::i32 && t != DType::i64 && t != DType::boolean;
  });
}

// That not all operands which hold numbers have one of the types: what comes of
// one beside another type is a matter of promotion. With no elements no kernel
// is looked for. Null if there are no such operands.
ExprPtr none_of_types(const std::vector<DType>& types, const OpSpec& op) {
  std::vector<std::string_view> names;
  for (const DType t : types) names.push_back(dtype_name(t));
  const auto is_one = [&](const std::string& operand) {
    return fmt::format("dtype({}) in [{}]", operand, fmt::join(names, ", "));
  };
  std::vector<std::string> terms;
  std::string empty;
  for (const Param& p : op.params) {
    if (!holds_numbers(p, op)) continue;
    if (p.kind == Param::Kind::tensors) {
      terms.push_back(fmt::format("all(tensor < length({0}): {1})", p.name,
                                  is_one(p.name + "[tensor]")));
    } else if (p.kind == Param::Kind::tensor) {
      const std::string term = is_one(p.name);
      if (p.optional) {
        terms.push_back(fmt::format("(not given({}) or {})", p.name, term));
      } else {
        terms.push_back(term);
        empty += fmt::format(" or numel({}) == 0", p.name);
      }
    }
  }
  if (terms.empty()) return nullptr;
  return *parse_expr(
      fmt::format("not ({}){}", fmt::join(terms, " and "), empty));
}

KernelClause read_clause(const std::string& id, const YamlNode& key,
                         const YamlNode& body, Faults* faults) {
  KernelClause out;
  const Fields f(body, "clause " + id, {"types", "raises", "source", "of"},
                 faults);
  out.requirement = read_refusal(id, key, f, faults);
  if (const YamlNode* n = f.required("types")) {
    out.requirement.types = read_dtypes(*n, faults);
  }
  if (const YamlNode* of = f.required("of")) {
    for (const YamlNode& n :
         read_list(*of, "a list of operations, [add, mul]", faults)) {
      const auto name = read_identifier(n, "the name of an operation", faults);
      if (name && !out.ops.emplace(*name, n.pos).second) {
        faults->push_back({n.pos, fmt::format("'{}' is named twice", *name)});
      }
    }
  }
  return out;
}

}  // namespace

std::vector<KernelClause> read_kernels(const YamlNode& root, Faults* faults) {
  std::vector<KernelClause> out;
  read_clauses(
      root, 'K', "kernels", faults,
      [&](const std::string& id, const YamlNode& key, const YamlNode& body) {
        out.push_back(read_clause(id, key, body, faults));
      });
  return out;
}

void require_kernels(const std::vector<KernelClause>& clauses, OpSpec* op) {
  std::vector<Requirement> all;
  for (const KernelClause& clause : clauses) {
    if (!clause.ops.contains(op->name)) continue;
    Requirement r = clause.requirement;
    r.that = none_of_types(r.types, *op);
    if (r.that != nullptr) all.push_back(std::move(r));
  }
  op->requires_.insert(op->requires_.begin(), all.begin(), all.end());
}

}  // namespace assay::language
