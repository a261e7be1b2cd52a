#include "suite/language/schema/coverage.h"

#include <fmt/format.h>

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

void count_entry(const OpInfoEntry& entry, const SpecsByOverload& specs,
                 Coverage* c) {
  std::vector<std::vector<const OpSpec*>> called;
  for (const std::string& overload : entry.calls) {
    const auto found = specs.find(overload);
    if (found != specs.end()) called.push_back(found->second);
  }
  if (called.empty()) return;
  if (called.size() < entry.calls.size()) {
    ++c->entries_in_part;
    return;
  }
  ++c->entries_specified;
  for (const std::string& name : entry.dtypes) {
    const auto t = parse_dtype(name);
    if (!t) continue;
    const bool all =
        std::all_of(called.begin(), called.end(), [&](const auto& specs_of) {
          return std::any_of(specs_of.begin(), specs_of.end(),
                             [&](const OpSpec* op) { return takes(*op, *t); });
        });
    Coverage::Dtypes& counted = is_complex(*t) ? c->complex : c->real;
    ++counted.taken;
    counted.specified += all ? 1 : 0;
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
  for (const auto& [name, entry] : opinfo) count_entry(entry, known, &c);
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

}  // namespace assay::language
