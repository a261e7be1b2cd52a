#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "harness/report/matrix.h"
#include "harness/report/page.h"

namespace assay::harness {
namespace {

using nlohmann::ordered_json;

// Longer lines of programs are cut: constants of thousands of elements.
constexpr std::size_t kLongestLine = 400;
constexpr std::size_t kMostReasons = 200;

class Strings {
 public:
  Strings() { (*this)(""); }

  std::size_t operator()(const std::string& text) {
    const auto [at, fresh] = numbers_.emplace(text, numbers_.size());
    if (fresh) table_.push_back(text);
    return at->second;
  }
  const ordered_json& table() const { return table_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  ordered_json table_ = ordered_json::array();
};

// Six digits are more than a page shows, and a third of the bytes of all. -1
// stands for infinity, which JSON lacks.
ordered_json number(double value) {
  if (!std::isfinite(value)) return -1;
  const double rounded = std::stod(fmt::format("{:.6g}", value));
  if (rounded == std::floor(rounded) && std::abs(rounded) < 1e15) {
    return static_cast<std::int64_t>(rounded);
  }
  return rounded;
}

// The first part of a path after the row that names dtypes: "f16-f32".
std::string dtypes_in(const std::string& path) {
  const auto is_dtypes = [](std::string_view part) {
    while (!part.empty()) {
      const std::size_t end = std::min(part.find('-'), part.size());
      if (!parse_dtype(part.substr(0, end))) return false;
      if (end + 1 == part.size()) return false;
      part.remove_prefix(std::min(end + 1, part.size()));
    }
    return true;
  };
  for (std::size_t at = path.find('/'); at != std::string::npos;) {
    const std::size_t end = path.find('/', at + 1);
    const std::string part = path.substr(at + 1, end - at - 1);
    if (!part.empty() && is_dtypes(part)) return part;
    at = end;
  }
  return {};
}

// Names by number, up to the last enumerator.
template <class E>
ordered_json names_to(E last, const char* (*name)(E)) {
  ordered_json out = ordered_json::array();
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    out.push_back(name(static_cast<E>(i)));
  }
  return out;
}

// Programs as lists of lines: most lines are those of many cases.
class Programs {
 public:
  explicit Programs(Strings* strings) : strings_(strings) {}

  std::size_t operator()(const std::string& text) {
    std::vector<std::size_t> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      if (line.size() > kLongestLine) line = line.substr(0, kLongestLine) + "…";
      lines.push_back((*strings_)(line));
      at = end + 1;
    }
    const auto [at, fresh] = numbers_.emplace(lines, numbers_.size());
    if (fresh) table_.push_back(lines);
    return at->second;
  }
  const ordered_json& table() const { return table_; }

 private:
  Strings* strings_;
  std::map<std::vector<std::size_t>, std::size_t> numbers_;
  ordered_json table_ = ordered_json::array();
};

class Table {
 public:
  Table(std::initializer_list<const char*> fields) {
    for (const char* f : fields) columns_[f] = ordered_json::array();
  }
  void add(std::initializer_list<ordered_json> values) {
    auto column = columns_.begin();
    for (const ordered_json& v : values) (column++)->push_back(v);
  }
  ordered_json take() { return std::move(columns_); }

 private:
  ordered_json columns_ = ordered_json::object();
};

ordered_json sweep_json(const PageSweep& s) {
  Table parts({"part", "inputs", "error", "not_rounded", "broken"});
  for (const PageSweepPart& p : s.parts) {
    parts.add({p.part, p.inputs, number(p.max_error), p.not_rounded, p.broken});
  }
  return {{"name", s.name},         {"column", s.column},
          {"clause", s.clause},     {"dtype", s.dtype},
          {"operands", s.operands}, {"inputs", s.inputs},
          {"parts", parts.take()},  {"worst_at", s.worst_at},
          {"got", s.worst_got},     {"right", s.worst_right}};
}

ordered_json columns_json(const Report& report) {
  ordered_json out = ordered_json::array();
  for (const ColumnInfo& c : report.columns) {
    out.push_back({{"name", c.name}, {"subject", c.spelling}});
  }
  return out;
}

// A run that knows no failures has a reason for each cell that is red.
std::vector<std::string> first_of(std::vector<std::string> lines) {
  lines.resize(std::min(lines.size(), kMostReasons));
  return lines;
}

ordered_json runs_json(const PageInput& in) {
  ordered_json out = ordered_json::array();
  for (const auto& [label, header] : in.runs) {
    out.push_back({{"label", label}, {"header", header}});
  }
  return out;
}

}  // namespace

ordered_json page_data(const PageInput& in) {
  const Report& report = *in.report;
  Strings strings;
  Programs programs(&strings);
  programs("");  // number 0: not known

  ordered_json rows = ordered_json::array();
  std::map<std::string, std::size_t> row_numbers;
  Table cases({"row", "rest", "kind", "dtype", "program"});
  std::unordered_map<std::string, std::size_t> case_numbers;
  for (const CaseInfo& c : report.cases) {
    const auto [row, fresh] = row_numbers.emplace(c.row, rows.size());
    if (fresh) {
      const auto family = in.families.find(c.row);
      rows.push_back(
          {{"name", c.row},
           {"family", family == in.families.end() ? "" : family->second}});
    }
    const std::string rest = c.path.starts_with(c.row + "/")
                                 ? c.path.substr(c.row.size() + 1)
                                 : "/" + c.path;
    case_numbers.emplace(c.path, case_numbers.size());
    cases.add({row->second, strings(c.path == c.row ? "" : rest),
               static_cast<int>(c.kind), strings(dtypes_in(c.path)),
               in.program_of ? programs(in.program_of(c.path)) : 0});
  }

  std::map<std::string, std::size_t> columns;
  for (const ColumnInfo& c : report.columns) {
    columns.emplace(c.name, columns.size());
  }
  Table records({"case", "column", "status", "class", "verdict", "clause",
                 "evidence", "lowering", "error", "wrong", "elements", "reason",
                 "witness", "known", "link"});
  Table witnesses(
      {"output", "element", "inputs", "got", "admissible", "exact"});
  std::size_t witness_count = 0;
  for (const CaseResult& r : report.results) {
    const auto c = case_numbers.find(r.case_path);
    const auto column = columns.find(r.column);
    if (c == case_numbers.end() || column == columns.end()) continue;
    if (r.witness) {
      const Witness& w = *r.witness;
      ++witness_count;  // the first is number 1
      witnesses.add({w.output, w.element, strings(w.inputs), strings(w.got),
                     strings(w.admissible), strings(w.exact)});
    }
    records.add({c->second, column->second, static_cast<int>(r.status),
                 static_cast<int>(r.failure), static_cast<int>(r.verdict),
                 strings(r.clause), static_cast<int>(r.evidence),
                 static_cast<int>(r.lowering), number(r.error_over_bound),
                 r.wrong_elements, r.elements, strings(r.reason),
                 r.witness ? witness_count : 0, r.known ? 1 : 0,
                 strings(r.known_link)});
  }

  ordered_json sweeps = ordered_json::array();
  for (const PageSweep& s : in.sweeps) sweeps.push_back(sweep_json(s));
  ordered_json kinds = ordered_json::array();
  for (const CaseKind k : kCaseKinds) kinds.push_back(kind_name(k));
  return {{"assay_page", 1},
          {"title", title(report)},
          {"strict", report.numerics == "strict"},
          {"other_specs", in.other_specs},
          {"runs", runs_json(in)},
          {"exit",
           {{"code", in.decision->exit_code},
            {"meaning", in.decision->meaning},
            {"because", first_of(in.decision->because)},
            {"reasons", in.decision->because.size()},
            {"notes", first_of(in.decision->notes)}}},
          {"names",
           {{"status", names_to(CellStatus::internal_error, status_name)},
            {"class", names_to(FailureClass::incoherent, failure_name)},
            {"verdict", names_to(Verdict::conform_but_disagree, verdict_name)},
            {"evidence", names_to(Evidence::ran, evidence_name)},
            {"lowering", names_to(Lowering::derived, lowering_name)},
            {"kind", kinds}}},
          {"derived", {{"mark", kDerivedMark}, {"note", kDerivedNote}}},
          {"columns", columns_json(report)},
          {"rows", rows},
          {"cases", cases.take()},
          {"records", records.take()},
          {"witnesses", witnesses.take()},
          {"programs", programs.table()},
          {"sweeps", sweeps},
          {"strings", strings.table()}};
}

}  // namespace assay::harness
