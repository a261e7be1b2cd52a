#include "harness/shard/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/records/files.h"
#include "harness/subject/places.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kFormat = "assay_costs";
constexpr int kVersion = 1;
// Of a case of which nothing at all is recorded.
constexpr double kUnknown = 0.01;

double seconds_in(const ordered_json& j) {
  const double s = j.get<double>();
  if (!(s >= 0) || std::isinf(s)) {
    throw std::invalid_argument("seconds are finite and not negative");
  }
  return s;
}

CostTable table_from(const ordered_json& j) {
  CostTable out;
  const auto kinds = j.at("kinds").get<std::vector<std::string>>();
  for (const auto& [row, costs] : j.at("rows").items()) {
    if (costs.size() != kinds.size()) {
      throw std::invalid_argument(
          fmt::format("row {} has {} numbers for {} kinds", row, costs.size(),
                      kinds.size()));
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (costs[i].is_null()) continue;
      out.rows[row][kinds[i]] = seconds_in(costs[i]);
    }
  }
  for (const auto& [path, seconds] : j.at("goldens").items()) {
    out.goldens[path] = seconds_in(seconds);
  }
  return out;
}

std::string number(double seconds) { return fmt::format("{:.2g}", seconds); }

// Of each kind the mean over all rows.
std::map<std::string, double> means_of(const CostTable& table) {
  std::map<std::string, std::pair<double, int>> sums;
  for (const auto& [row, costs] : table.rows) {
    for (const auto& [kind, seconds] : costs) {
      sums[kind].first += seconds;
      ++sums[kind].second;
    }
  }
  std::map<std::string, double> out;
  for (const auto& [kind, sum] : sums) out[kind] = sum.first / sum.second;
  return out;
}

}  // namespace

std::string cost_kind(const std::string& column) {
  const std::size_t slash = column.find('/');
  const std::string subject = column.substr(0, slash);
  if (slash == std::string::npos) return subject;
  const std::string device = column.substr(slash);
  return subject.substr(0, subject.find('@')) +
         device.substr(0, device.find('-'));
}

fs::path costs_file() { return home() / "results" / "costs.json"; }

Result<CostTable> load_costs(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return CostTable{};
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  try {
    const auto j = ordered_json::parse(*text);
    if (j.at(kFormat) != kVersion) throw std::invalid_argument("its format");
    return table_from(j);
  } catch (const std::exception& e) {
    return Error{fmt::format(
        "{} is no table of costs that is understood here ({}): `assay costs` "
        "writes one",
        file.string(), e.what())};
  }
}

std::string to_text(const CostTable& table) {
  std::vector<std::string> kinds = {kGoldenKind};
  for (const auto& [row, costs] : table.rows) {
    for (const auto& [kind, seconds] : costs) {
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
        kinds.push_back(kind);
      }
    }
  }
  std::sort(kinds.begin() + 1, kinds.end());
  std::string out = fmt::format("{{\"{}\": {},\n\"kinds\": {},\n\"rows\": {{",
                                kFormat, kVersion, ordered_json(kinds).dump());
  const char* comma = "\n";
  for (const auto& [row, costs] : table.rows) {
    std::vector<std::string> cells;
    for (const std::string& kind : kinds) {
      const auto at = costs.find(kind);
      cells.push_back(at == costs.end() ? "null" : number(at->second));
    }
    out += fmt::format("{}{}: [{}]", comma, ordered_json(row).dump(),
                       fmt::join(cells, ", "));
    comma = ",\n";
  }
  out += "\n},\n\"goldens\": {";
  comma = "\n";
  for (const auto& [path, seconds] : table.goldens) {
    out += fmt::format("{}{}: {}", comma, ordered_json(path).dump(),
                       number(seconds));
    comma = ",\n";
  }
  return out + "\n}}\n";
}

std::vector<std::int64_t> costs_of(const std::vector<const cases::Case*>& cases,
                                   const std::vector<std::string>& columns,
                                   const CostTable& table) {
  std::vector<std::string> kinds = {kGoldenKind};
  for (const std::string& column : columns) kinds.push_back(cost_kind(column));
  const std::map<std::string, double> means = means_of(table);
  const auto find = [](const std::map<std::string, double>& in,
                       const std::string& name) -> const double* {
    const auto at = in.find(name);
    return at == in.end() ? nullptr : &at->second;
  };
  // By row, once.
  std::map<std::string, std::pair<double, double>> rows;  // golden, the rest
  const auto row_of = [&](const std::string& row) {
    const auto [at, fresh] = rows.emplace(row, std::pair(0.0, 0.0));
    if (!fresh) return at->second;
    static const std::map<std::string, double> kNone;
    const auto known = table.rows.find(row);
    const auto& costs = known == table.rows.end() ? kNone : known->second;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const double* seconds = find(costs, kinds[k]);
      if (seconds == nullptr) seconds = find(means, kinds[k]);
      (k == 0 ? at->second.first : at->second.second) +=
          seconds == nullptr ? kUnknown : *seconds;
    }
    return at->second;
  };
  std::vector<std::int64_t> out;
  for (const cases::Case* c : cases) {
    const auto [golden, rest] = row_of(c->spec);
    const double* dear = find(table.goldens, c->path);
    const double seconds = (dear == nullptr ? golden : *dear) + rest;
    out.push_back(std::max<std::int64_t>(1, std::llround(seconds * 1e6)));
  }
  return out;
}

}  // namespace assay::harness
