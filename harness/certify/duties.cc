// Which cases a level asks for.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "harness/certify/level.h"
#include "suite/cases/filter.h"
#include "suite/language/syntax/suggest.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrograms = "programs";

// specs/ops/FAMILY/...; programs are a family of their own.
std::map<std::string, std::string> families_of(const language::SpecSet& specs) {
  std::map<std::string, std::string> families;
  for (const language::OpSpec& op : specs.ops) {
    std::string family;
    bool below = false;
    for (const fs::path& part : fs::path(op.file).parent_path()) {
      if (below) family = part.string();
      if (below) break;
      below = part == "ops";
    }
    families[op.name] = family.empty() ? "ops" : family;
  }
  for (const language::ProgramSpec& p : specs.programs) {
    families[p.name] = kPrograms;
  }
  return families;
}

bool matches_any(const std::string& text,
                 const std::vector<LevelText>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const LevelText& p) {
    return cases::matches(text, {p.text});
  });
}

bool names_row(const FamilyRows& rows, const std::string& family,
               const std::string& row) {
  return rows.family.text == family &&
         (rows.all || matches_any(row, rows.patterns));
}

// Every type that a program names: of inputs, constants and casts.
bool has_types(const Program& program, const std::vector<DType>& types) {
  const auto among = [&types](DType t) {
    return std::find(types.begin(), types.end(), t) != types.end();
  };
  const auto fits = [&among](const Arg& arg) {
    const auto* t = std::get_if<DType>(&arg);
    return t == nullptr || among(*t);
  };
  return std::all_of(program.inputs.begin(), program.inputs.end(),
                     [&](const TensorType& t) { return among(t.dtype); }) &&
         std::all_of(program.constants.begin(), program.constants.end(),
                     [&](const Tensor& t) { return among(t.dtype()); }) &&
         std::all_of(
             program.nodes.begin(), program.nodes.end(), [&](const Node& node) {
               return std::all_of(node.args.begin(), node.args.end(), fits) &&
                      std::all_of(node.kwargs.begin(), node.kwargs.end(),
                                  [&](const auto& kwarg) {
                                    return fits(kwarg.second);
                                  });
             });
}

// What a part asks for, asked of rows and clauses once instead of of every
// case again.
class PartRows {
 public:
  PartRows(const LevelPart& part,
           const std::map<std::string, std::string>& families)
      : part_(part) {
    for (const auto& [row, family] : families) {
      const bool named =
          std::any_of(part.operations.begin(), part.operations.end(),
                      [&, &r = row, &f = family](const FamilyRows& rows) {
                        return names_row(rows, f, r);
                      });
      if (named) whole_[row] = family == kPrograms;
    }
  }

  bool ask_for(const std::string& row) const { return whole_.contains(row); }

  bool ask_for(const cases::Case& c) {
    if (!c.is_in(part_.profile)) return false;
    const auto row = whole_.find(c.spec);
    return row != whole_.end() && (row->second || names_clause(c.clause)) &&
           has_types(c.program, part_.dtypes);
  }

 private:
  bool names_clause(const std::string& clause) {
    const auto [at, fresh] = clauses_.emplace(clause, false);
    if (fresh) at->second = matches_any(clause, part_.clauses);
    return at->second;
  }

  const LevelPart& part_;
  std::map<std::string, bool> whole_;  // rows: with all of their clauses
  std::map<std::string, bool> clauses_;
};

// Patterns of `texts` that fit none of `candidates`.
void report_idle(const std::vector<LevelText>& texts,
                 const std::vector<std::string>& candidates,
                 const std::string& file, const std::string& of,
                 std::vector<std::string>* out) {
  for (const LevelText& t : texts) {
    const bool used = std::any_of(
        candidates.begin(), candidates.end(),
        [&](const std::string& c) { return cases::matches(c, {t.text}); });
    if (used) continue;
    out->push_back(language::to_string(
        {file, t.pos,
         fmt::format("'{}' fits no {}{}", t.text, of,
                     language::did_you_mean(t.text, candidates))}));
  }
}

std::vector<PartRows> rows_of(const Level& level,
                              const language::SpecSet& specs) {
  const auto families = families_of(specs);
  std::vector<PartRows> rows;
  for (const LevelPart& part : level.parts) rows.emplace_back(part, families);
  return rows;
}

}  // namespace

Result<std::unique_ptr<Session>> open_level_session(const fs::path& specs_dir,
                                                    const std::string& level) {
  Result<std::unique_ptr<Session>> session = load_session(specs_dir);
  if (!session) return session;
  const Result<Level> loaded = load_level(specs_dir, level);
  if (!loaded) return session;
  const std::vector<PartRows> parts = rows_of(*loaded, (*session)->specs);
  const Status expanded =
      expand_rows(session->get(), [&](const std::string& row) {
        return std::any_of(
            parts.begin(), parts.end(),
            [&row](const PartRows& part) { return part.ask_for(row); });
      });
  if (!expanded) return expanded.error();
  return session;
}

std::vector<Duty> duties_of(const Level& level, const Session& session) {
  std::vector<PartRows> rows = rows_of(level, session.specs);
  std::vector<Duty> out;
  for (const cases::Case& c : session.expansion.cases) {
    Duty duty{&c, {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].ask_for(c)) duty.parts.push_back(&level.parts[i]);
    }
    if (!duty.parts.empty()) out.push_back(std::move(duty));
  }
  return out;
}

bool may_be_unsupported(const Duty& duty) {
  return std::all_of(duty.parts.begin(), duty.parts.end(),
                     [&](const LevelPart* part) {
                       return matches_any(duty.source->path, part->unsupported);
                     });
}

bool may_be_waived(const Duty& duty, const std::string& clause) {
  return std::all_of(duty.parts.begin(), duty.parts.end(),
                     [&](const LevelPart* part) {
                       return matches_any(clause, part->waivers);
                     });
}

std::vector<std::string> level_faults(const Level& level,
                                      const Session& session) {
  const auto families = families_of(session.specs);
  std::map<std::string, std::vector<std::string>> rows;
  for (const auto& [row, family] : families) rows[family].push_back(row);
  std::vector<std::string> known;
  for (const auto& [family, of] : rows) known.push_back(family);
  const std::vector<Duty> duties = duties_of(level, session);
  std::vector<std::string> out;
  for (const LevelPart& part : level.parts) {
    for (const FamilyRows& f : part.operations) {
      const auto at = rows.find(f.family.text);
      if (at == rows.end()) {
        out.push_back(language::to_string(
            {part.file, f.family.pos,
             fmt::format("'{}' is no family of operations{}", f.family.text,
                         language::did_you_mean(f.family.text, known))}));
        continue;
      }
      report_idle(f.patterns, at->second, part.file,
                  "row of the family " + f.family.text, &out);
    }
    std::vector<std::string> paths;
    std::set<std::string> clauses;
    for (const Duty& d : duties) {
      if (std::count(d.parts.begin(), d.parts.end(), &part) == 0) continue;
      paths.push_back(d.source->path);
      clauses.insert(d.source->clause);
    }
    report_idle(part.clauses, {clauses.begin(), clauses.end()}, part.file,
                "clause of its cases", &out);
    report_idle(part.unsupported, paths, part.file, "case of the level", &out);
    if (paths.empty()) {
      out.push_back(
          fmt::format("{}:1:1: the level asks for no case", part.file));
    }
  }
  return out;
}

std::vector<std::string> check_levels(const fs::path& specs_dir,
                                      const Session& session) {
  std::set<std::string> out;  // what is included is said once
  for (const std::string& name : level_names(specs_dir)) {
    const Result<Level> level = load_level(specs_dir, name);
    if (!level) {
      out.insert(level.error().message);
      continue;
    }
    for (std::string& fault : level_faults(*level, session)) {
      out.insert(std::move(fault));
    }
  }
  return {out.begin(), out.end()};
}

}  // namespace assay::harness
