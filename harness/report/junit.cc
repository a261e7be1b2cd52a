#include "harness/report/junit.h"

#include <fmt/format.h>

#include <map>

namespace assay::harness {
namespace {

enum class Outcome { passed, skipped, failed, broken };

Outcome outcome_of(const CaseResult& r) {
  switch (r.status) {
    case CellStatus::pass:
    case CellStatus::quality_warning:
      return Outcome::passed;
    case CellStatus::unsupported:
    case CellStatus::not_run:
    case CellStatus::waived:
    case CellStatus::hardware:
      return Outcome::skipped;
    case CellStatus::fail:
    case CellStatus::flaky:
    case CellStatus::crash:
      if (r.status == CellStatus::crash && !r.known) break;
      return r.known ? Outcome::skipped : Outcome::failed;
    case CellStatus::mistrusted:
    case CellStatus::timeout:
    case CellStatus::device_lost:
    case CellStatus::internal_error:
      break;
  }
  return Outcome::broken;
}

// The suites of a column. Systems that show JUnit count what is skipped, and
// few show why: suites tell failures that are known from what nobody ran.
enum class Part { judged, known, not_claimed };

Part part_of(const CaseResult* r) {
  if (r == nullptr) return Part::not_claimed;
  if (outcome_of(*r) != Outcome::skipped) return Part::judged;
  return r->known ? Part::known : Part::not_claimed;
}

const char* suffix_of(Part part) {
  switch (part) {
    case Part::judged:
      return "";
    case Part::known:
      return " known failures";
    case Part::not_claimed:
      break;
  }
  return " not judged";
}

struct Suite {
  std::string body;
  std::map<Outcome, std::size_t> counts;
  std::size_t tests = 0;
  double seconds = 0;
};

// Length of the UTF-8 sequence at `at`, 0 if it is not well-formed.
std::size_t utf8_length(const std::string& s, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u;
  };
  const unsigned lead = byte(at);
  const std::size_t n = lead < 0x80                   ? 1
                        : lead >= 0xc2 && lead < 0xe0 ? 2
                        : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xf0 && lead < 0xf5 ? 4
                                                      : 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(at + i) & 0xc0u) != 0x80u) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF, and U+FFFE and U+FFFF.
  const unsigned second = byte(at + 1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
      (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f) ||
      (lead == 0xef && second == 0xbf && byte(at + 2) >= 0xbe)) {
    return 0;
  }
  return n;
}

std::string test_case(const CaseInfo& info, const std::string& suite,
                      const CaseResult* r) {
  std::string out =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"",
                  xml_escaped(suite + "." + info.row), xml_escaped(info.path),
                  r == nullptr ? 0 : r->seconds);
  if (r == nullptr) return out + "><skipped message=\"not_run\"/></testcase>\n";
  const Outcome outcome = outcome_of(*r);
  if (outcome == Outcome::passed) return out + "/>\n";
  const std::string message = xml_escaped(fmt::format(
      "{}{} {}: {}{}", r->known ? "known " : "", kind_of(r->status, r->failure),
      r->clause, r->reason,
      r->known_link.empty() ? "" : fmt::format(" ({})", r->known_link)));
  if (outcome == Outcome::skipped) {
    return out +
           fmt::format("><skipped message=\"{}\"/></testcase>\n", message);
  }
  const char* kind = outcome == Outcome::failed ? "failure" : "error";
  std::string detail;
  if (r->witness) {
    detail = fmt::format("inputs: {}\ngot: {}\nadmissible: {}\nexact: {}",
                         r->witness->inputs, r->witness->got,
                         r->witness->admissible, r->witness->exact);
  }
  return out + fmt::format(
                   "><{0} type=\"{1}\" message=\"{2}\">{3}</{0}>"
                   "</testcase>\n",
                   kind, kind_of(r->status, r->failure), message,
                   xml_escaped(detail));
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = utf8_length(text, i);
    const char c = text[i];
    if (n == 0) {
      out += "\xef\xbf\xbd";
      ++i;
      continue;
    }
    if (n > 1) {
      out.append(text, i, n);
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\n' || c == '\t') {
      out += fmt::format("&#{};", static_cast<int>(c));
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += ' ';
    } else {
      out += c;
    }
    i += n;
  }
  return out;
}

std::string junit_report(const Report& report) {
  std::map<std::pair<std::string, std::string>, const CaseResult*> results;
  for (const CaseResult& r : report.results) {
    results[{r.column, r.case_path}] = &r;
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"{}\">\n", xml_escaped(title(report)));
  for (const ColumnInfo& column : report.columns) {
    std::map<Part, Suite> suites;
    suites[Part::judged];  // there even where all is known or unsupported
    for (const CaseInfo& c : report.cases) {
      const auto at = results.find({column.name, c.path});
      const CaseResult* r = at == results.end() ? nullptr : at->second;
      const Part part = part_of(r);
      Suite& suite = suites[part];
      ++suite.counts[r == nullptr ? Outcome::skipped : outcome_of(*r)];
      ++suite.tests;
      suite.seconds += r == nullptr ? 0 : r->seconds;
      suite.body += test_case(c, column.name + suffix_of(part), r);
    }
    for (auto& [part, s] : suites) {
      out += fmt::format(
          "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" "
          "errors=\"{}\" skipped=\"{}\" time=\"{:.6f}\">\n{}"
          "  </testsuite>\n",
          xml_escaped(column.name + suffix_of(part)), s.tests,
          s.counts[Outcome::failed], s.counts[Outcome::broken],
          s.counts[Outcome::skipped], s.seconds, s.body);
    }
  }
  return out + "</testsuites>\n";
}

}  // namespace assay::harness
