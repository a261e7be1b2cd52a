#include "harness/report/clause_origin.h"

#include <fmt/format.h>

#include <vector>

namespace assay::harness {
namespace {

std::string at(const language::OpSpec& spec, language::SourcePos pos) {
  return pos.line == 0
             ? spec.file
             : fmt::format("{}:{}:{}", spec.file, pos.line, pos.column);
}

std::string wording(const language::Accuracy& a) {
  std::vector<std::string> parts;
  switch (a.bound) {
    case language::Accuracy::Bound::exact:
      parts.emplace_back("exact");
      break;
    case language::Accuracy::Bound::correctly_rounded:
      parts.emplace_back("correctly rounded");
      break;
    case language::Accuracy::Bound::cast:
      parts.emplace_back("an explicit cast");
      break;
    case language::Accuracy::Bound::tolerance:
      if (a.ulp) parts.push_back("ulp: " + language::to_string(*a.ulp));
      if (a.abs) parts.push_back("abs: " + language::to_string(*a.abs));
      if (a.subnormal_ulp) {
        parts.push_back("subnormal_ulp: " +
                        language::to_string(*a.subnormal_ulp));
      }
      parts.push_back(fmt::format("in {}", a.measured_in));
      break;
    case language::Accuracy::Bound::dot:
      parts.push_back(fmt::format("dot, accumulated in {}", a.measured_in));
      if (a.height)
        parts.push_back("height: " + language::to_string(*a.height));
      break;
  }
  if (a.range) {
    parts.push_back(
        fmt::format("within [{}, {}]", a.range->first, a.range->second));
  }
  if (a.when) parts.push_back("when " + language::to_string(*a.when));
  if (!a.for_dtypes.empty()) {
    std::vector<std::string> names;
    for (const DType t : a.for_dtypes) names.emplace_back(dtype_name(t));
    parts.push_back(fmt::format("for {}", fmt::join(names, ", ")));
  }
  if (a.any_zero_sign) parts.emplace_back("either zero");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string wording(const std::vector<language::Definition>& value) {
  std::vector<std::string> parts;
  for (const language::Definition& d : value) {
    std::vector<std::string> indices;
    for (const language::Binder& b : d.indices) {
      indices.push_back(b.name + (b.pack ? "..." : ""));
    }
    parts.push_back(fmt::format("{}[{}] = {}", d.name, fmt::join(indices, ", "),
                                language::to_string(*d.body)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::optional<ClauseOrigin> find_in_output(const language::OpSpec& spec,
                                           const language::OutputSpec& out,
                                           const std::string& id) {
  for (const language::Accuracy& a : out.accuracy) {
    if (a.id == id) return ClauseOrigin{at(spec, a.pos), wording(a), {}};
  }
  for (const language::Special& s : out.special) {
    if (s.id != id) continue;
    return ClauseOrigin{
        at(spec, s.pos),
        fmt::format("when {}, then {}", language::to_string(*s.when),
                    language::to_string(*s.then)),
        {}};
  }
  for (const language::Undefined& u : out.undefined) {
    if (u.id != id) continue;
    return ClauseOrigin{at(spec, u.pos),
                        fmt::format("undefined when {} ({})",
                                    language::to_string(*u.when), u.why),
                        {}};
  }
  if (out.value_id == id && !out.value.empty()) {
    return ClauseOrigin{at(spec, out.value.back().pos), wording(out.value), {}};
  }
  return std::nullopt;
}

std::optional<ClauseOrigin> find_in(const language::OpSpec& spec,
                                    const std::string& id) {
  for (const language::Requirement& r : spec.requires_) {
    if (r.id != id) continue;
    return ClauseOrigin{
        at(spec, r.pos),
        fmt::format("requires {}, else raises {}", language::to_string(*r.that),
                    fmt::join(r.raises, " or ")),
        r.source};
  }
  for (const language::Form& form : spec.forms) {
    for (const language::OutputSpec& r : form.relations) {
      if (r.value_id != id) continue;
      std::vector<language::Definition> named = r.value;
      named.back().name = r.name;
      return ClauseOrigin{at(spec, r.pos), wording(named), {}};
    }
    for (std::size_t k = 0; k < form.output_count(); ++k) {
      if (auto found = find_in_output(spec, form.output(k), id)) return found;
    }
  }
  for (const language::Boundary& b : spec.boundaries) {
    if (b.id == id) return ClauseOrigin{at(spec, b.pos), b.why, {}};
  }
  for (const language::CaseGroup& g : spec.cases) {
    if (g.id == id) {
      return ClauseOrigin{at(spec, g.pos), "a group of valid cases", {}};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ClauseOrigin> find_clause(const language::SpecSet& specs,
                                        const std::string& clause) {
  const std::size_t slash = clause.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string name = clause.substr(0, slash);
  const language::OpSpec* spec = specs.find_op(name);
  if (spec != nullptr) {
    std::optional<ClauseOrigin> found =
        find_in(*spec, clause.substr(slash + 1));
    if (found && found->source.empty()) found->source = spec->source;
    return found;
  }
  for (const language::ProgramSpec& p : specs.programs) {
    if (p.name == name) return ClauseOrigin{p.file, p.doc, p.source};
  }
  return std::nullopt;
}

}  // namespace assay::harness
