#include "harness/clause_origin.h"

#include <fmt/format.h>

#include <vector>

namespace assay {
namespace {

std::string at(const OpSpec& spec, SourcePos pos) {
  return pos.line == 0
             ? spec.file
             : fmt::format("{}:{}:{}", spec.file, pos.line, pos.column);
}

std::string wording(const Accuracy& a) {
  std::vector<std::string> parts;
  switch (a.bound) {
    case Accuracy::Bound::exact:
      parts.emplace_back("exact");
      break;
    case Accuracy::Bound::correctly_rounded:
      parts.emplace_back("correctly rounded");
      break;
    case Accuracy::Bound::cast:
      parts.emplace_back("an explicit cast");
      break;
    case Accuracy::Bound::tolerance:
      if (a.ulp) parts.push_back("ulp: " + to_string(*a.ulp));
      if (a.abs) parts.push_back("abs: " + to_string(*a.abs));
      if (a.subnormal_ulp) {
        parts.push_back("subnormal_ulp: " + to_string(*a.subnormal_ulp));
      }
      parts.push_back("in " + a.measured_in);
      break;
    case Accuracy::Bound::dot:
      parts.push_back("dot, accumulated in " + a.measured_in);
      if (a.height) parts.push_back("height: " + to_string(*a.height));
      break;
  }
  if (a.when) parts.push_back("when " + to_string(*a.when));
  if (!a.for_dtypes.empty()) {
    std::vector<std::string> names;
    for (const DType t : a.for_dtypes) names.emplace_back(dtype_name(t));
    parts.push_back(fmt::format("for {}", fmt::join(names, ", ")));
  }
  if (a.any_zero_sign) parts.emplace_back("either zero");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string wording(const std::vector<Definition>& value) {
  std::vector<std::string> parts;
  for (const Definition& d : value) {
    std::vector<std::string> indices;
    for (const Binder& b : d.indices) {
      indices.push_back(b.name + (b.pack ? "..." : ""));
    }
    parts.push_back(fmt::format("{}[{}] = {}", d.name, fmt::join(indices, ", "),
                                to_string(*d.body)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::optional<ClauseOrigin> find_in_output(const OpSpec& spec,
                                           const OutputSpec& out,
                                           const std::string& id) {
  for (const Accuracy& a : out.accuracy) {
    if (a.id == id) return ClauseOrigin{at(spec, a.pos), wording(a), {}};
  }
  for (const Special& s : out.special) {
    if (s.id != id) continue;
    return ClauseOrigin{
        at(spec, s.pos),
        fmt::format("when {}, then {}", to_string(*s.when), to_string(*s.then)),
        {}};
  }
  for (const Undefined& u : out.undefined) {
    if (u.id != id) continue;
    return ClauseOrigin{
        at(spec, u.pos),
        fmt::format("undefined when {} ({})", to_string(*u.when), u.why),
        {}};
  }
  if (out.value_id == id && !out.value.empty()) {
    return ClauseOrigin{at(spec, out.value.back().pos), wording(out.value), {}};
  }
  return std::nullopt;
}

std::optional<ClauseOrigin> find_in(const OpSpec& spec, const std::string& id) {
  for (const Requirement& r : spec.requires_) {
    if (r.id != id) continue;
    return ClauseOrigin{
        at(spec, r.pos),
        fmt::format("requires {}, else raises {}", to_string(*r.that),
                    fmt::join(r.raises, " or ")),
        r.source};
  }
  for (const Form& form : spec.forms) {
    for (std::size_t k = 0; k < form.output_count(); ++k) {
      if (auto found = find_in_output(spec, form.output(k), id)) return found;
    }
  }
  for (const Boundary& b : spec.boundaries) {
    if (b.id == id) return ClauseOrigin{at(spec, b.pos), b.why, {}};
  }
  for (const CaseGroup& g : spec.cases) {
    if (g.id == id) {
      return ClauseOrigin{at(spec, g.pos), "a group of valid cases", {}};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ClauseOrigin> find_clause(const SpecSet& specs,
                                        const std::string& clause) {
  const std::size_t slash = clause.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string name = clause.substr(0, slash);
  const OpSpec* spec = specs.find_op(name);
  if (spec != nullptr) {
    std::optional<ClauseOrigin> found =
        find_in(*spec, clause.substr(slash + 1));
    if (found && found->source.empty()) found->source = spec->source;
    return found;
  }
  for (const ProgramSpec& p : specs.programs) {
    if (p.name == name) return ClauseOrigin{p.file, p.doc, p.source};
  }
  return std::nullopt;
}

}  // namespace assay
