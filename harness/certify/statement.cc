#include "harness/certify/statement.h"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "suite/language/read/read_fields.h"

namespace assay::harness {
namespace {

using language::Faults;
using language::Fields;
using language::YamlNode;

// What a person has yet to write.
constexpr const char* kBlank = "FILL-IN";
// On one line of a report.
constexpr std::size_t kLongest = 200;

std::string read_line(const Fields& fields, const char* name, Faults* faults) {
  const YamlNode* n = fields.required(name);
  if (n == nullptr) return {};
  const auto text = language::read_text(*n, "a text", faults);
  if (!text) return {};
  const bool controls = text->find_first_of("\n\r\t\x1b") != std::string::npos;
  if (text->size() > kLongest || controls) {
    faults->push_back({n->pos, fmt::format("'{}' must be one line of at most "
                                           "{} characters",
                                           name, kLongest)});
  } else if (*text == kBlank) {
    faults->push_back(
        {n->pos, fmt::format("'{}' is still to be filled in", name)});
  }
  return *text;
}

void read_declarations(const YamlNode& n, Statement* out, Faults* faults) {
  const Fields fields(n, "declarations",
                      {"flush_subnormals", "subnormals_are_zero"}, faults);
  if (const YamlNode* f = fields.find("flush_subnormals")) {
    out->flush_subnormals = language::read_bool(*f, faults).value_or(false);
  }
  if (const YamlNode* f = fields.find("subnormals_are_zero")) {
    out->subnormals_are_zero = language::read_bool(*f, faults).value_or(false);
  }
}

void read_root(const YamlNode& root, Statement* out, Faults* faults) {
  const Fields fields(root, "a statement",
                      {"vendor", "product", "version", "device", "level",
                       "date", "declarations", "notes"},
                      faults);
  if (!fields.is_map()) return;
  out->vendor = read_line(fields, "vendor", faults);
  out->product = read_line(fields, "product", faults);
  out->version = read_line(fields, "version", faults);
  out->device = read_line(fields, "device", faults);
  out->level = read_line(fields, "level", faults);
  out->date = read_line(fields, "date", faults);
  if (!out->date.empty() && out->date != kBlank && !is_day(out->date)) {
    faults->push_back(
        {fields.find("date")->pos, "'date' must be a day, YYYY-MM-DD"});
  }
  if (const YamlNode* n = fields.find("declarations")) {
    read_declarations(*n, out, faults);
  }
  if (const YamlNode* n = fields.find("notes")) {
    out->notes = language::read_text(*n, "a text", faults).value_or("");
  }
}

}  // namespace

bool is_day(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  int numbers[3] = {0, 0, 0};
  int part = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 4 || i == 7) {
      ++part;
    } else if (text[i] < '0' || text[i] > '9') {
      return false;
    } else {
      numbers[part] = 10 * numbers[part] + (text[i] - '0');
    }
  }
  return std::chrono::year_month_day(
             std::chrono::year(numbers[0]),
             std::chrono::month(static_cast<unsigned>(numbers[1])),
             std::chrono::day(static_cast<unsigned>(numbers[2])))
      .ok();
}

Result<Statement> parse_statement(const std::string& file,
                                  const std::string& text) {
  Statement out;
  Faults faults;
  const auto root = language::parse_yaml(text, &faults);
  if (root) read_root(*root, &out, &faults);
  if (faults.empty()) return out;
  std::vector<std::string> lines;
  for (const language::Fault& f : faults) {
    lines.push_back(language::to_string({file, f.pos, f.message}));
  }
  return Error{fmt::format("{}", fmt::join(lines, "\n"))};
}

std::string statement_template(const std::string& device,
                               const std::string& level,
                               const std::string& date) {
  const auto or_blank = [](const std::string& text) {
    return text.empty() ? std::string(kBlank) : text;
  };
  return fmt::format(
      "# What is certified, and who says so. docs/certification.md explains "
      "the fields.\n"
      "vendor: {0}\n"
      "product: {0}\n"
      "version: {0}\n"
      "# The end of the column's name: cpu-avx512, cuda-sm_90.\n"
      "device: {1}\n"
      "level: {2}\n"
      "date: {3}\n"
      "# Only where the level allows it, and only if it is true.\n"
      "declarations:\n"
      "  flush_subnormals: false     # results become zero of the same sign\n"
      "  subnormals_are_zero: false  # and operands are read so, too\n",
      kBlank, or_blank(device), or_blank(level), or_blank(date));
}

}  // namespace assay::harness
