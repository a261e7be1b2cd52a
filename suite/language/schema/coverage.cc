#include "suite/language/schema/coverage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "suite/language/schema/data_file.h"

namespace assay::language {
namespace {

// One, or two where complex operands have their own.
using SpecsByOverload = std::map<std::string, std::vector<const OpSpec*>>;

SpecsByOverload by_overload(const SpecSet& specs) {
  SpecsByOverload out;
  for (const OpSpec& op : specs.ops) out[op.aten].push_back(&op);
  return out;
}

// Has the spec an operand of that type, or none at all?
bool takes(const OpSpec& op, DType t) {
  if (op.dtypes.empty()) return true;
  return std::any_of(op.dtypes.begin(), op.dtypes.end(), [&](const auto& s) {
    const std::vector<DType>& types = s.second.types;
    return std::find(types.begin(), types.end(), t) != types.end();
  });
}

std::vector<std::string> texts(const YamlNode& list) {
  std::vector<std::string> out;
  for (const YamlNode& item : list.items) out.push_back(item.text.text);
  return out;
}

void count_entry(const std::string& name, const OpInfoEntry& entry,
                 const SpecsByOverload& specs, Coverage* c) {
  Uncovered lacks{name, {}, {}};
  for (const std::string& overload : entry.calls) {
    if (!specs.contains(overload)) lacks.overloads.push_back(overload);
  }
  if (lacks.overloads.empty() && !entry.calls.empty()) {
    ++c->entries_specified;
    for (const std::string& dtype : entry.dtypes) {
      const auto t = parse_dtype(dtype);
      if (!t) continue;
      for (const std::string& overload : entry.calls) {
        const auto& of = specs.at(overload);
        if (std::none_of(of.begin(), of.end(),
                         [&](const OpSpec* op) { return takes(*op, *t); })) {
          lacks.dtypes[dtype].push_back(overload);
        }
      }
      Coverage::Dtypes& counted = is_complex(*t) ? c->complex : c->real;
      ++counted.taken;
      counted.specified += lacks.dtypes.contains(dtype) ? 0 : 1;
    }
  } else if (lacks.overloads.size() < entry.calls.size()) {
    ++c->entries_in_part;
  }
  if (!lacks.overloads.empty() || !lacks.dtypes.empty()) {
    c->uncovered.push_back(std::move(lacks));
  }
}

}  // namespace

std::filesystem::path opinfo_file(const std::filesystem::path& specs_dir,
                                  TorchVersion torch) {
  return specs_dir / "schemas" /
         fmt::format("opinfo-{}.yaml", to_string(torch));
}

OpInfoSet load_opinfo(const std::filesystem::path& file,
                      std::vector<Diagnostic>* faults) {
  OpInfoSet out;
  const std::optional<YamlNode> root = read_data(file, faults);
  if (!root) return out;
  for (const auto& [name, body] : root->fields) {
    OpInfoEntry entry;
    for (const auto& [key, list] : body.fields) {
      (key.text.text == "dtypes" ? entry.dtypes : entry.calls) = texts(list);
    }
    out.emplace(name.text.text, std::move(entry));
  }
  return out;
}

Unspecified load_unspecified(const std::filesystem::path& file,
                             std::vector<Diagnostic>* faults) {
  Unspecified out;
  const std::optional<YamlNode> root = read_data(file, faults);
  if (!root) return out;
  for (const auto& [name, reason] : root->fields) {
    if (reason.text.text.empty()) {
      faults->push_back({file.string(), name.pos,
                         fmt::format("{}: a reason is due", name.text.text)});
    }
    out.emplace(name.text.text, name.text);
  }
  return out;
}

Coverage coverage_of(const SpecSet& specs, const SchemaSet& schemas,
                     const Unspecified& unspecified, const OpInfoSet& opinfo) {
  Coverage c;
  const SpecsByOverload known = by_overload(specs);
  c.overloads = static_cast<int>(known.size());
  for (const auto& [overload, schema] : schemas) {
    if (!schema.core) continue;
    ++c.core;
    if (known.contains(overload)) {
      ++c.core_specified;
    } else if (unspecified.contains(overload)) {
      ++c.core_explained;
    }
  }
  c.entries = static_cast<int>(opinfo.size());
  for (const auto& [name, entry] : opinfo) {
    count_entry(name, entry, known, &c);
  }
  return c;
}

std::vector<Diagnostic> check_unspecified(const SpecSet& specs,
                                          const SchemaSet& schemas,
                                          const Unspecified& unspecified,
                                          const std::string& file) {
  std::vector<Diagnostic> out;
  const SpecsByOverload known = by_overload(specs);
  for (const auto& [overload, schema] : schemas) {
    if (!schema.core || known.contains(overload)) continue;
    if (unspecified.contains(overload)) continue;
    out.push_back({file,
                   {},
                   fmt::format("{} is a core overload without a spec: write "
                               "one, or say here why there is none",
                               overload)});
  }
  for (const auto& [overload, name] : unspecified) {
    const auto schema = schemas.find(overload);
    const bool core = schema != schemas.end() && schema->second.core;
    if (core && !known.contains(overload)) continue;
    out.push_back({file, name.pos(0),
                   fmt::format("{} {}: remove it", overload,
                               core ? "has a spec" : "is no core overload")});
  }
  return out;
}

std::string coverage_table(const Coverage& c, TorchVersion torch) {
  return fmt::format(
      "| of PyTorch {} | specified |\n"
      "|---|---|\n"
      "| overloads tagged as core | {} of {}; why not the other {}, "
      "`specs/schemas/unspecified.yaml` says |\n"
      "| overloads | {} |\n"
      "| OpInfo entries, all of whose calls are specified | {} of {}; {} more "
      "in part |\n"
      "| real dtypes that these take on the CPU | {} of {} |\n"
      "| complex dtypes that these take on the CPU | {} of {} |\n",
      to_string(torch), c.core_specified, c.core, c.core_explained, c.overloads,
      c.entries_specified, c.entries, c.entries_in_part, c.real.specified,
      c.real.taken, c.complex.specified, c.complex.taken);
}

std::string uncovered_list(const Coverage& c) {
  std::string out;
  for (const Uncovered& u : c.uncovered) {
    if (!u.overloads.empty()) {
      out += fmt::format("{}: no spec of {}\n", u.entry,
                         fmt::join(u.overloads, ", "));
    }
    for (const auto& [dtype, overloads] : u.dtypes) {
      out += fmt::format("{}: no {} in {}\n", u.entry, dtype,
                         fmt::join(overloads, ", "));
    }
  }
  return out;
}

}  // namespace assay::language
