#include "harness/known.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "suite/case.h"

namespace assay {
namespace {

bool can_be_known(CellStatus s) {
  return s == CellStatus::fail || s == CellStatus::flaky ||
         s == CellStatus::quality_warning || s == CellStatus::crash;
}

bool expired(const KnownFailure& entry, const std::string& today) {
  return !entry.expires.empty() && today >= entry.expires;
}

bool describes(const KnownFailure& entry, const CaseResult& r) {
  return entry.status == r.status && entry.clause == r.clause &&
         (!entry.max_error || r.error_over_bound <= *entry.max_error);
}

std::string place(const KnownList& list, const KnownFailure& entry) {
  return fmt::format("{}:{}", list.file, entry.line);
}

}  // namespace

void apply_known(const KnownList& list, const std::string& today,
                 CaseResult* r) {
  bool listed = false;
  for (const KnownFailure& entry : list.entries) {
    if (expired(entry, today) || !matches(r->case_path, entry.cases)) continue;
    listed = true;
    if (!can_be_known(r->status) || !describes(entry, *r)) continue;
    r->known = true;
    r->known_link = entry.link;
    return;
  }
  if (listed && r->status == CellStatus::pass) {
    r->status = CellStatus::xpass;
    r->reason = "listed as a known failure, but passes";
  }
}

void forget_known(CaseResult* r) {
  r->known = false;
  r->known_link.clear();
  if (r->status != CellStatus::xpass) return;
  r->status = CellStatus::pass;
  r->reason.clear();
}

std::vector<StaleEntry> stale_entries(
    const KnownList& list, const std::vector<const CaseResult*>& results,
    const std::vector<std::string>& all_cases, const std::string& today) {
  std::vector<StaleEntry> stale;
  for (const KnownFailure& entry : list.entries) {
    const std::string where = place(list, entry);
    if (expired(entry, today)) {
      stale.push_back({where, "expired on " + entry.expires});
      continue;
    }
    // Each pattern of an entry must hold on its own, or one that has gone
    // stale could hide behind the others.
    for (const std::string& pattern : entry.cases) {
      std::vector<std::string> passing;
      for (const CaseResult* r : results) {
        if (!matches(r->case_path, {pattern})) continue;
        if (r->status == CellStatus::xpass || r->status == CellStatus::pass ||
            r->status == CellStatus::unsupported) {
          passing.push_back(
              fmt::format("{} ({})", r->case_path, status_name(r->status)));
        }
      }
      if (!passing.empty()) {
        stale.push_back(
            {where,
             fmt::format(
                 "'{}' no longer fails: {}{}", pattern, passing.front(),
                 passing.size() == 1
                     ? ""
                     : fmt::format(" and {} more", passing.size() - 1))});
      } else if (!all_cases.empty() &&
                 std::none_of(all_cases.begin(), all_cases.end(),
                              [&](const std::string& path) {
                                return matches(path, {pattern});
                              })) {
        stale.push_back({where, fmt::format("'{}' matches no case", pattern)});
      }
    }
  }
  return stale;
}

std::string today_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

}  // namespace assay
