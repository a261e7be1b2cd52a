// A level: what must have run, on what, and how it must have ended, for a
// product to be certified. specs/levels/NAME.yaml:
//
//   level: core
//   doc: The operations that every model is made of.
//   includes: base           # optional: all of that level is asked for, too
//   profile: standard        # whose cases must have run
//   numerics: fused          # or strict
//   devices: [cpu, cuda]     # families: what columns' devices begin with
//   evidence: ran            # at least (docs/results.md)
//   flush_subnormals: may_be_declared  # or never
//   challenge: 64            # cases of a challenge
//   operations:              # by family: rows, patterns, or all of it
//     pointwise: all
//     reduction: [sum, 'a*']
//   dtypes: [f32, f16]       # cases of which all tensors have these
//   clauses: ['C*', 'E*']    # of operations; programs are wanted whole
//   unsupported: ['*/f64/*'] # optional: cases that may be declared so
//   waivers: ['exp/A*']      # optional: clauses whose failures may be waived
//
// What stands from `operations` on is said of the cases that the level itself
// asks for. A case that two levels ask for is judged by both: it may be
// unsupported, or waived, only where each of them allows it.
#ifndef ASSAY_HARNESS_CERTIFY_LEVEL_H_
#define ASSAY_HARNESS_CERTIFY_LEVEL_H_

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/result.h"
#include "harness/run/session.h"
#include "harness/subject/evidence.h"
#include "suite/cases/case.h"
#include "suite/language/syntax/located_text.h"

namespace assay::harness {

struct LevelText {
  std::string text;
  language::SourcePos pos;
};

// Whose rows: all of a family, or those that the patterns name.
struct FamilyRows {
  LevelText family;
  bool all = false;
  std::vector<LevelText> patterns;
};

// What one file of levels asks for.
struct LevelPart {
  std::string file;
  cases::Profile profile = cases::Profile::standard;
  std::vector<FamilyRows> operations;
  std::vector<DType> dtypes;
  std::vector<LevelText> clauses;
  std::vector<LevelText> unsupported;
  std::vector<LevelText> waivers;
};

struct Level {
  std::string name, doc;
  std::string numerics = "fused";
  std::vector<std::string> devices;
  Evidence evidence = Evidence::ran;
  bool may_flush = false;
  int challenge_cases = 0;
  std::vector<LevelPart> parts;  // its own first, then those it includes
};

// The levels of a folder of specs, by name.
std::filesystem::path level_file(const std::filesystem::path& specs_dir,
                                 const std::string& name);
std::vector<std::string> level_names(const std::filesystem::path& specs_dir);

// Reads a level and those that it includes. An error holds every fault as
// file:line:column, or says which levels there are.
Result<Level> load_level(const std::filesystem::path& specs_dir,
                         const std::string& name);

// Loads the specs and expands the rows that the level asks for; none where
// load_level has an error to tell.
Result<std::unique_ptr<Session>> open_level_session(
    const std::filesystem::path& specs_dir, const std::string& level);

// A case that the level asks for, and the parts that do.
struct Duty {
  const cases::Case* source = nullptr;
  std::vector<const LevelPart*> parts;
};

// In path order. `level` must outlive it.
std::vector<Duty> duties_of(const Level& level, const Session& session);

bool may_be_unsupported(const Duty& duty);
bool may_be_waived(const Duty& duty, const std::string& clause);

// What a level says of operations, rows and cases that there are none of:
// file:line:column, with what to do.
std::vector<std::string> level_faults(const Level& level,
                                      const Session& session);

// Over all levels of the folder: those that cannot be read, and level_faults.
std::vector<std::string> check_levels(const std::filesystem::path& specs_dir,
                                      const Session& session);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_LEVEL_H_
