#include "harness/records/known.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/records/files.h"
#include "harness/records/identity.h"
#include "harness/subject/places.h"
#include "suite/cases/filter.h"
#include "suite/language/read/read_fields.h"
#include "suite/language/syntax/yaml_tree.h"

namespace assay::harness {
namespace {

using language::Faults;
using language::Fields;
using language::YamlNode;
using Facts = std::map<std::string, std::string>;

std::string required_text(const Fields& fields, const char* name,
                          Faults* faults) {
  const YamlNode* field = fields.required(name);
  if (field == nullptr) return {};
  return language::read_text(*field, "a text", faults).value_or("");
}

bool is_day(const std::string& text) {
  bool good = text.size() == 10 && text[4] == '-' && text[7] == '-';
  for (std::size_t i = 0; good && i < text.size(); ++i) {
    good = i == 4 || i == 7 || (text[i] >= '0' && text[i] <= '9');
  }
  return good;
}

void read_max_error(const YamlNode& n, KnownFailure* out, Faults* faults) {
  constexpr const char* kWhat = "a number of bounds, at least 0";
  out->max_error = language::read_number(n, kWhat, faults);
  if (!out->max_error) return;
  if (std::isfinite(*out->max_error) && *out->max_error >= 0) return;
  faults->push_back(
      {n.pos, fmt::format("expected {}, found {}", kWhat, n.describe())});
}

// A list is a column's own, or that of another column, which need not have the
// same facts.
enum class Whose { own, other };

Facts read_facts(const YamlNode& n, const Facts& facts, Whose whose,
                 Faults* faults) {
  std::vector<std::string> names;
  for (const auto& [name, value] : facts) names.push_back(name);
  if (whose == Whose::other) {
    for (const auto& [key, value] : n.fields) {
      if (!facts.contains(key.text.text)) names.push_back(key.text.text);
    }
  }
  const Fields fields(n, "facts of the column", names, faults);
  Facts out;
  for (const std::string& name : names) {
    const YamlNode* field = fields.find(name);
    if (field == nullptr) continue;
    out[name] = language::read_text(*field, "a text", faults).value_or("");
  }
  return out;
}

void read_statuses(const YamlNode& n, KnownFailure* out, Faults* faults) {
  const std::vector<YamlNode> one = {n};
  for (const YamlNode& item :
       n.is_scalar() ? one : language::read_list(n, "a status", faults)) {
    const auto status = language::read_choice(
        item, "status of a known failure",
        {"fail", "crash", "flaky", "quality_warning"}, faults);
    if (status) out->statuses.push_back(*parse_status(*status));
  }
}

void read_classes(const YamlNode& n, KnownFailure* out, Faults* faults) {
  const std::vector<YamlNode> one = {n};
  for (const YamlNode& item :
       n.is_scalar() ? one : language::read_list(n, "a class", faults)) {
    const auto name =
        language::read_choice(item, "class of a failure",
                              {"wrong_value", "lost_error", "wrong_error",
                               "metadata", "protocol", "elided", "incoherent"},
                              faults);
    if (name) out->classes.push_back(*parse_failure(*name));
  }
}

KnownFailure read_entry(const YamlNode& n, const Facts& facts, Whose whose,
                        Faults* faults) {
  const Fields fields(n, "an entry",
                      {"op", "clause", "status", "reason", "link", "class",
                       "cases", "max_error", "where", "expires"},
                      faults);
  KnownFailure out;
  out.line = n.pos.line;
  if (!fields.is_map()) return out;
  if (const YamlNode* field = fields.required("op")) {
    out.ops = language::read_texts(*field, "a pattern of rows", faults);
  }
  if (const YamlNode* field = fields.find("cases")) {
    out.cases = language::read_texts(*field, "a pattern of cases", faults);
  }
  out.clause = required_text(fields, "clause", faults);
  if (const YamlNode* field = fields.required("status")) {
    read_statuses(*field, &out, faults);
  }
  out.reason = required_text(fields, "reason", faults);
  out.link = required_text(fields, "link", faults);
  if (const YamlNode* field = fields.find("class")) {
    read_classes(*field, &out, faults);
  }
  if (const YamlNode* field = fields.find("max_error")) {
    read_max_error(*field, &out, faults);
  }
  if (const YamlNode* field = fields.find("where")) {
    out.where = read_facts(*field, facts, whose, faults);
  }
  if (const YamlNode* field = fields.find("expires")) {
    out.expires =
        language::read_text(*field, "a day, YYYY-MM-DD", faults).value_or("");
    if (!out.expires.empty() && !is_day(out.expires)) {
      faults->push_back({field->pos, "'expires' must be a day, YYYY-MM-DD"});
    }
  }
  return out;
}

// Is this machine as `where` says? Of a fact that a column does not have,
// nothing holds.
bool holds_here(const std::map<std::string, std::string>& where,
                const Facts& facts) {
  return std::all_of(where.begin(), where.end(), [&](const auto& item) {
    const auto fact = facts.find(item.first);
    return fact != facts.end() && cases::matches(fact->second, {item.second});
  });
}

bool can_be_known(CellStatus s) {
  return s == CellStatus::fail || s == CellStatus::flaky ||
         s == CellStatus::quality_warning || s == CellStatus::crash;
}

bool expired(const KnownFailure& entry, const std::string& today) {
  return !entry.expires.empty() && today >= entry.expires;
}

std::string row_of(const CaseResult& r) {
  return r.case_path.substr(0, r.case_path.find('/'));
}

// What the result would be called if the operation did not write into its
// operand: of add_/E2 add/E2. Empty where it does not.
struct Spoken {
  std::string row, clause, path;
};
std::optional<Spoken> without_writing(const CaseResult& r) {
  const std::string row = row_of(r);
  const std::size_t end = row.ends_with("_")      ? 1
                          : row.ends_with("_out") ? 4
                                                  : 0;
  if (end == 0 || row.size() <= end) return std::nullopt;
  const std::size_t at = row.size() - end;
  Spoken out{row.substr(0, at), r.clause, r.case_path};
  out.path.erase(at, end);
  if (r.clause.starts_with(row + "/")) out.clause.erase(at, end);
  return out;
}

bool speaks_of(const KnownFailure& entry, const Spoken& r) {
  // "K1" is each row's own.
  const bool is_clause =
      entry.clause == r.clause || r.row + "/" + entry.clause == r.clause;
  return is_clause && cases::matches(r.row, entry.ops) &&
         (entry.cases.empty() || cases::matches(r.path, entry.cases));
}

// What holds of an operation holds of the same one that writes its result into
// an operand: one kernel and one lowering make both.
bool describes(const KnownFailure& entry, const CaseResult& r) {
  const auto is_meant = [&] {
    if (speaks_of(entry, {row_of(r), r.clause, r.case_path})) return true;
    const std::optional<Spoken> other = without_writing(r);
    return other && speaks_of(entry, *other);
  };
  return std::count(entry.statuses.begin(), entry.statuses.end(), r.status) !=
             0 &&
         (entry.classes.empty() || r.status != CellStatus::fail ||
          std::count(entry.classes.begin(), entry.classes.end(), r.failure) !=
              0) &&
         (!entry.max_error || r.error_over_bound <= *entry.max_error) &&
         is_meant();
}

// The lists being read, each named by the one before it. Empty: a text that can
// name none.
using Chain = std::vector<std::filesystem::path>;

Result<KnownList> load_list(const std::filesystem::path& file,
                            const Facts& facts, Whose whose, Chain chain);

constexpr char kOther[] = "the name of a list beside, or of another column's";

// The entries of the list that `n` names: one beside `out` ("cpu"), or another
// column's ("inductor@2.11.0/cpu").
void read_other(const YamlNode& n, const Facts& facts, const Chain& chain,
                KnownList* out, Faults* faults) {
  const auto name = language::read_text(n, kOther, faults);
  if (!name) return;
  const std::filesystem::path own = out->file;
  const bool is_beside = name->find('/') == std::string::npos;
  const std::filesystem::path dir = own.parent_path();
  const std::filesystem::path file =
      known_path(is_beside ? dir : dir.parent_path(), *name);
  std::error_code error;
  if (file == own || !std::filesystem::exists(file, error)) {
    faults->push_back(
        {n.pos, fmt::format("there is no other list {}", file.string())});
    return;
  }
  if (std::find(chain.begin(), chain.end(), file) != chain.end()) {
    faults->push_back(
        {n.pos, fmt::format("{} leads back here", file.string())});
    return;
  }
  Result<KnownList> other = load_list(file, facts, Whose::other, chain);
  if (!other) {
    faults->push_back({n.pos, other.error().message});
    return;
  }
  for (KnownFailure& entry : other->entries) {
    entry.from_other = true;
    out->entries.push_back(std::move(entry));
  }
}

void read_root(const YamlNode& root, const Facts& facts, Whose whose,
               const Chain& chain, KnownList* out, Faults* faults) {
  std::vector<std::string> names = {"recorded", "entries"};
  if (!chain.empty()) names.push_back("also");
  const Fields fields(root, "a list of known failures", names, faults);
  if (!fields.is_map()) return;
  if (const YamlNode* n = fields.find("recorded")) {
    out->recorded_here =
        holds_here(read_facts(*n, facts, whose, faults), facts);
  }
  const YamlNode* entries = fields.required("entries");
  if (entries == nullptr) return;
  for (const YamlNode& n : language::read_list(
           *entries, "a list of entries, each '- op: PATTERN'", faults)) {
    KnownFailure entry = read_entry(n, facts, whose, faults);
    if (holds_here(entry.where, facts)) {
      out->entries.push_back(std::move(entry));
    }
  }
  const YamlNode* also = chain.empty() ? nullptr : fields.find("also");
  if (also == nullptr) return;
  const std::vector<YamlNode> one = {*also};
  for (const YamlNode& n :
       also->is_scalar() ? one : language::read_list(*also, kOther, faults)) {
    read_other(n, facts, chain, out, faults);
  }
}

Result<KnownList> parse_list(const std::string& file, const std::string& text,
                             const Facts& facts, Whose whose,
                             const Chain& chain) {
  KnownList out;
  out.file = file;
  Faults faults;
  const auto root = language::parse_yaml(text, &faults);
  if (root && root->kind != YamlNode::Kind::null) {
    read_root(*root, facts, whose, chain, &out, &faults);
  }
  if (faults.empty()) return out;
  std::vector<std::string> lines;
  for (const language::Fault& f : faults) {
    lines.push_back(language::to_string({out.file, f.pos, f.message}));
  }
  return Error{fmt::format("{}", fmt::join(lines, "\n"))};
}

Result<KnownList> load_list(const std::filesystem::path& file,
                            const Facts& facts, Whose whose, Chain chain) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    KnownList none;
    none.file = file.string();
    return none;
  }
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  chain.push_back(file);
  return parse_list(file.string(), *text, facts, whose, chain);
}

// Reports are read on other machines: what lies in the project is named from
// its root.
std::string place(const KnownList& list, const KnownFailure& entry) {
  const std::filesystem::path inside =
      std::filesystem::path(list.file).lexically_relative(home());
  const bool is_ours = !inside.empty() && *inside.begin() != "..";
  return fmt::format("{}:{}", is_ours ? inside.string() : list.file,
                     entry.line);
}

}  // namespace

std::filesystem::path known_path(const std::filesystem::path& dir,
                                 const std::string& column) {
  std::string name = column;
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9');
    if (!plain && std::string_view("@._+=-/").find(c) == std::string::npos) {
      c = '_';
    }
  }
  // A column cannot lead out of the folder.
  for (std::size_t at = 0; (at = name.find("..", at)) != std::string::npos;) {
    name.replace(at, 2, "__");
  }
  while (!name.empty() && name.front() == '/') name.front() = '_';
  return dir / (name + ".yaml");
}

Result<KnownList> load_known(const std::filesystem::path& file,
                             const std::map<std::string, std::string>& facts) {
  return load_list(file, facts, Whose::own, {});
}

Result<KnownList> parse_known(const std::string& file, const std::string& text,
                              const std::map<std::string, std::string>& facts) {
  return parse_list(file, text, facts, Whose::other, {});
}

Result<KnownList> load_known_of(const std::filesystem::path& dir,
                                const std::string& column,
                                std::map<std::string, std::string> facts,
                                const std::string& cpu) {
  const std::size_t device = column.rfind('/') + 1;
  facts["cpu"] = cpu;
  facts["device"] = column.substr(device);
  std::filesystem::path file = known_path(dir, column);
  std::error_code error;
  if (const std::size_t family = column.find('-', device);
      family != std::string::npos && !std::filesystem::exists(file, error)) {
    file = known_path(dir, column.substr(0, family));
  }
  return load_known(file, facts);
}

void apply_known(const KnownList& list, const std::string& today,
                 CaseResult* r) {
  if (!can_be_known(r->status)) return;
  for (const KnownFailure& entry : list.entries) {
    if (expired(entry, today) || !describes(entry, *r)) continue;
    r->known = true;
    r->known_link = entry.link;
    return;
  }
}

void forget_known(CaseResult* r) {
  r->known = false;
  r->known_link.clear();
}

std::vector<StaleEntry> stale_entries(
    const KnownList& list, const std::vector<const CaseResult*>& results,
    const RunExtent& extent, const std::string& today) {
  std::vector<StaleEntry> stale;
  for (const KnownFailure& entry : list.entries) {
    if (entry.from_other) continue;
    const std::string where = place(list, entry);
    if (expired(entry, today)) {
      stale.push_back({where, fmt::format("expired on {}", entry.expires)});
      continue;
    }
    for (const std::string& op : entry.ops) {
      const auto is_meant = [&op](const std::string& row) {
        return cases::matches(row, {op});
      };
      if (!extent.rows.empty() &&
          std::none_of(extent.rows.begin(), extent.rows.end(), is_meant)) {
        stale.push_back({where, fmt::format("no operation is '{}'", op)});
        continue;
      }
      // Each must hold on its own, or one could hide behind the others.
      const bool fails =
          std::any_of(results.begin(), results.end(), [&](const CaseResult* r) {
            return is_meant(row_of(*r)) && describes(entry, *r);
          });
      if (fails || !extent.whole) continue;
      stale.push_back(
          {where, fmt::format("{} no longer fails by {}", op, entry.clause),
           !list.recorded_here});
    }
  }
  return stale;
}

std::string today_utc() { return now_utc().substr(0, 10); }

}  // namespace assay::harness
