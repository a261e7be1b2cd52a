#include "harness/certify/level.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/records/files.h"
#include "suite/language/read/read_fields.h"
#include "suite/language/syntax/suggest.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using language::Faults;
using language::Fields;
using language::YamlNode;

constexpr std::int64_t kMostChallengeCases = 10'000;

std::vector<LevelText> read_patterns(const YamlNode& n, const char* what,
                                     Faults* faults) {
  std::vector<LevelText> out;
  for (const YamlNode& item : language::read_list(n, what, faults)) {
    const auto text = language::read_text(item, what, faults);
    if (text) out.push_back({*text, item.pos});
  }
  return out;
}

FamilyRows read_family(const YamlNode& key, const YamlNode& body,
                       Faults* faults) {
  FamilyRows out;
  out.family = {key.text.text, key.pos};
  out.all = body.is_scalar() && body.text.text == "all";
  if (!out.all) {
    out.patterns =
        read_patterns(body, "`all`, or a list of patterns of rows", faults);
  }
  return out;
}

void read_part(const Fields& fields, LevelPart* out, Faults* faults) {
  if (const YamlNode* n = fields.required("profile")) {
    const auto name = language::read_choice(
        *n, "profile", {"quick", "standard", "full"}, faults);
    if (name) out->profile = *cases::parse_profile(*name);
  }
  if (const YamlNode* n = fields.required("operations")) {
    if (!n->is_map() || n->fields.empty()) {
      faults->push_back({n->pos,
                         "expected rows by family, 'pointwise: all', "
                         "found " +
                             n->describe()});
    }
    for (const auto& [key, body] : n->fields) {
      out->operations.push_back(read_family(key, body, faults));
    }
  }
  if (const YamlNode* n = fields.required("dtypes")) {
    out->dtypes = language::read_dtypes(*n, faults);
  }
  if (const YamlNode* n = fields.required("clauses")) {
    out->clauses = read_patterns(*n, "a list of patterns of clauses", faults);
  }
  if (const YamlNode* n = fields.find("unsupported")) {
    out->unsupported = read_patterns(*n, "a list of patterns of cases", faults);
  }
  if (const YamlNode* n = fields.find("waivers")) {
    out->waivers = read_patterns(*n, "a list of patterns of clauses", faults);
  }
}

void read_own(const Fields& fields, Level* out, Faults* faults) {
  if (const YamlNode* n = fields.required("doc")) {
    out->doc = language::read_text(*n, "a text", faults).value_or("");
  }
  if (const YamlNode* n = fields.required("numerics")) {
    out->numerics =
        language::read_choice(*n, "numerics", {"fused", "strict"}, faults)
            .value_or("fused");
  }
  if (const YamlNode* n = fields.required("devices")) {
    out->devices = language::read_texts(*n, "a family of devices", faults);
  }
  if (const YamlNode* n = fields.required("evidence")) {
    const auto name = language::read_choice(
        *n, "evidence", {"compiled", "compiled_linted", "emulated", "ran"},
        faults);
    if (name) out->evidence = *parse_evidence(*name);
  }
  if (const YamlNode* n = fields.required("flush_subnormals")) {
    out->may_flush = language::read_choice(*n, "rule for subnormal numbers",
                                           {"never", "may_be_declared"},
                                           faults) == "may_be_declared";
  }
  if (const YamlNode* n = fields.required("challenge")) {
    constexpr const char* kWhat = "a number of cases, 1 to 10000";
    const auto count = language::read_integer(*n, kWhat, faults);
    if (count && (*count < 1 || *count > kMostChallengeCases)) {
      faults->push_back(
          {n->pos, fmt::format("expected {}, found {}", kWhat, *count)});
    }
    out->challenge_cases = static_cast<int>(count.value_or(1));
  }
}

class LevelReader {
 public:
  explicit LevelReader(fs::path specs_dir) : dir_(std::move(specs_dir)) {}

  Result<Level> run(const std::string& name) {
    const Result<std::string> text = text_of(name);
    if (!text) return text.error();
    Level out;
    read(name, *text, &out);
    if (!faults_.empty()) {
      return Error{fmt::format("{}", fmt::join(faults_, "\n"))};
    }
    return out;
  }

 private:
  Result<std::string> text_of(const std::string& name) const {
    const auto names = level_names(dir_);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return Error{fmt::format("there is no level '{}' in {}{}", name,
                               (dir_ / "levels").string(),
                               language::did_you_mean(name, names))};
    }
    return read_file(level_file(dir_, name));
  }

  void read(const std::string& name, const std::string& text, Level* out) {
    reading_.insert(name);
    const std::string file = level_file(dir_, name).string();
    Faults faults;
    const auto root = language::parse_yaml(text, &faults);
    if (root) read_root(name, file, *root, out, &faults);
    for (const language::Fault& f : faults) {
      faults_.push_back(language::to_string({file, f.pos, f.message}));
    }
  }

  void read_root(const std::string& name, const std::string& file,
                 const YamlNode& root, Level* out, Faults* faults) {
    const Fields fields(
        root, "a level",
        {"level", "doc", "includes", "profile", "numerics", "devices",
         "evidence", "flush_subnormals", "challenge", "operations", "dtypes",
         "clauses", "unsupported", "waivers"},
        faults);
    if (!fields.is_map()) return;
    fields.check_order();
    if (const YamlNode* n = fields.required("level")) {
      if (n->text.text != name) {
        faults->push_back(
            {n->pos, fmt::format("the file is called '{}.yaml': rename it, or "
                                 "the level",
                                 name)});
      }
    }
    // An included level is asked for as it stands; its own rules beside that
    // (devices, evidence) are replaced by ours.
    Level own;
    read_own(fields, &own, faults);
    if (out->name.empty()) {
      out->name = name;
      out->doc = own.doc;
      out->numerics = own.numerics;
      out->devices = own.devices;
      out->evidence = own.evidence;
      out->may_flush = own.may_flush;
      out->challenge_cases = own.challenge_cases;
    }
    LevelPart part;
    part.file = file;
    read_part(fields, &part, faults);
    out->parts.push_back(std::move(part));
    if (const YamlNode* n = fields.find("includes")) include(*n, out, faults);
  }

  void include(const YamlNode& n, Level* out, Faults* faults) {
    const auto name = language::read_text(n, "the name of a level", faults);
    if (!name) return;
    if (reading_.contains(*name)) {
      faults->push_back({n.pos, "a level cannot include itself"});
      return;
    }
    const Result<std::string> text = text_of(*name);
    if (!text) {
      faults->push_back({n.pos, text.error().message});
      return;
    }
    read(*name, *text, out);
  }

  fs::path dir_;
  std::set<std::string> reading_;
  std::vector<std::string> faults_;
};

}  // namespace

fs::path level_file(const fs::path& specs_dir, const std::string& name) {
  return specs_dir / "levels" / (name + ".yaml");
}

std::vector<std::string> level_names(const fs::path& specs_dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(specs_dir / "levels", error)) {
    const fs::path& file = entry.path();
    if (file.extension() == ".yaml") names.push_back(file.stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Level> load_level(const fs::path& specs_dir, const std::string& name) {
  return LevelReader(specs_dir).run(name);
}

}  // namespace assay::harness
