#include "harness/history/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace assay::harness {
namespace {

std::vector<int> numbers_of(const std::string& release) {
  std::vector<int> out;
  const char* at = release.data();
  const char* end = at + release.size();
  while (at < end) {
    int n = 0;
    at = std::from_chars(at, end, n).ptr + 1;  // past the dot
    out.push_back(n);
  }
  return out;
}

// Is there no release between them, as far as their numbers say? 2.12.0 comes
// after 2.11.0 and 2.11.1, and 2.13.0 is the next one.
bool is_next(const std::string& before, const std::string& after) {
  std::vector<int> a = numbers_of(before), b = numbers_of(after);
  a.resize(3);
  b.resize(3);
  if (a[0] != b[0]) return false;
  if (a[1] == b[1]) return b[2] == a[2] + 1;
  return b[1] == a[1] + 1 && b[2] == 0;
}

std::string cell(const CaseResult& r) {
  return r.status == CellStatus::fail ? failure_name(r.failure)
                                      : status_name(r.status);
}

std::vector<Standing> standings(const Timeline& t) {
  std::vector<Standing> out;
  for (const CaseResult& r : t.results) out.push_back(standing_of(r));
  return out;
}

// One line for each release that could not be asked.
std::string absences(const History& h, const char* before) {
  std::string out;
  for (std::size_t k = 0; k < h.releases.size(); ++k) {
    if (h.absent[k].empty()) continue;
    out += fmt::format("{}{} was not run: {}\n", before, h.releases[k],
                       h.absent[k]);
  }
  return out;
}

}  // namespace

Standing standing_of(const CaseResult& r) {
  switch (r.status) {
    case CellStatus::pass:
    case CellStatus::quality_warning:
      return Standing::conforms;
    case CellStatus::fail:
    case CellStatus::crash:
    case CellStatus::timeout:
    case CellStatus::device_lost:
      return Standing::broken;
    default:
      return Standing::unknown;
  }
}

bool is_earlier(const std::string& a, const std::string& b) {
  return numbers_of(a) < numbers_of(b);
}

bool is_release(const std::string& text) {
  bool digit = false;  // before this character
  for (const char c : text) {
    if (c == '.' ? !digit : c < '0' || c > '9') return false;
    digit = c != '.';
  }
  return digit;
}

std::string story_of(const std::vector<std::string>& releases,
                     const std::vector<Standing>& standings) {
  std::vector<std::string> parts;
  std::size_t last = releases.size();  // the last release that was judged
  bool all = true;
  for (std::size_t k = 0; k < releases.size(); ++k) {
    if (standings[k] == Standing::unknown) {
      all = false;
      continue;
    }
    const bool broken = standings[k] == Standing::broken;
    if (last == releases.size()) {
      if (broken) {
        parts.push_back(
            fmt::format("broken in {}, if not before", releases[k]));
      }
    } else if (standings[k] != standings[last]) {
      const std::string after =
          is_next(releases[last], releases[k])
              ? " "
              : fmt::format(" after {}, ", releases[last]);
      parts.push_back(fmt::format("{}{}by {}", broken ? "broken" : "mended",
                                  after, releases[k]));
    }
    last = k;
  }
  if (last == releases.size()) return "not judged in any release";
  if (parts.empty()) {
    return all ? "conforms in all" : "conforms where it was judged";
  }
  const bool always =
      std::none_of(standings.begin(), standings.end(),
                   [](Standing s) { return s == Standing::conforms; });
  if (always) return all ? "broken in all" : "broken where it was judged";
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string history_text(const History& h) {
  std::size_t width = h.subject.size();
  for (const Timeline& t : h.cases) {
    width = std::max(width, t.case_path.size());
  }
  std::vector<std::size_t> widths;
  for (std::size_t k = 0; k < h.releases.size(); ++k) {
    std::size_t w = h.releases[k].size();
    for (const Timeline& t : h.cases) {
      w = std::max(w, cell(t.results[k]).size());
    }
    widths.push_back(w);
  }
  std::string out = fmt::format("{:<{}}", h.subject, width);
  for (std::size_t k = 0; k < h.releases.size(); ++k) {
    out += fmt::format("  {:<{}}", h.releases[k], widths[k]);
  }
  out += "\n";
  for (const Timeline& t : h.cases) {
    out += fmt::format("{:<{}}", t.case_path, width);
    for (std::size_t k = 0; k < h.releases.size(); ++k) {
      out += fmt::format("  {:<{}}", cell(t.results[k]), widths[k]);
    }
    out += fmt::format("  {}\n", story_of(h.releases, standings(t)));
  }
  return out + absences(h, "");
}

std::string history_markdown(const History& h) {
  std::string out = fmt::format("| {} | {} | |\n|---|", h.subject,
                                fmt::join(h.releases, " | "));
  for (std::size_t k = 0; k < h.releases.size(); ++k) out += "---|";
  out += "---|\n";
  for (const Timeline& t : h.cases) {
    out += fmt::format("| `{}` |", t.case_path);
    for (const CaseResult& r : t.results) out += fmt::format(" {} |", cell(r));
    out += fmt::format(" {} |\n", story_of(h.releases, standings(t)));
  }
  const std::string gone = absences(h, "- ");
  return gone.empty() ? out : out + "\n" + gone;
}

}  // namespace assay::harness
