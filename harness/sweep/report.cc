#include "harness/sweep/report.h"

#include <fmt/format.h>

#include "harness/judge/show.h"
#include "reference/numbers/element_order.h"

namespace assay::harness {
namespace {

using reference::Sweep;
using reference::Tally;
using reference::Witness;

std::string pattern(DType t, std::uint64_t bits) {
  return fmt::format("0x{:0{}x}", bits, 2 * size_bytes(t));
}

std::string element(DType t, std::uint64_t bits) {
  return fmt::format("{} ({})", pattern(t, bits),
                     show_number(reference::number_of_bits(t, bits)));
}

std::string patterns(const Sweep& s, std::uint64_t input) {
  std::string out;
  for (int k = 0; k < s.operands(); ++k) {
    if (k > 0) out += ", ";
    out += pattern(s.dtype(), s.operand(input, k));
  }
  return out;
}

std::string witness(const Sweep& s, const std::optional<Witness>& w) {
  if (!w) return {};
  return fmt::format(" at {}: {} for {}", show_input(s, w->input),
                     element(s.result(), w->got),
                     element(s.result(), w->right));
}

double per_cent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0
             ? 0
             : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string show_input(const Sweep& s, std::uint64_t input) {
  std::string out;
  for (int k = 0; k < s.operands(); ++k) {
    if (k > 0) out += ", ";
    out += element(s.dtype(), s.operand(input, k));
  }
  return out;
}

std::string sweep_text(const SweepRow& row) {
  const Tally& t = row.tally;
  const Sweep& s = *row.sweep;
  std::string out =
      fmt::format("{}  {}\n  {} of {} inputs{}\n", s.name(), row.column,
                  t.inputs, s.inputs(), row.complete ? "" : ", incomplete");
  const auto line = [&out](const char* what, std::uint64_t n,
                           const std::string& more) {
    if (n > 0) out += fmt::format("  {:<24}{:>12}{}\n", what, n, more);
  };
  if (t.not_rounded == 0) {
    out += "  all correctly rounded\n";
  } else {
    out += fmt::format("  largest E {:.4f}{}\n", t.max_error,
                       witness(s, t.error_at));
    out += fmt::format("  largest D {}{}\n", t.max_distance,
                       witness(s, t.distance_at));
  }
  line("not correctly rounded", t.not_rounded,
       fmt::format("  {:.4g} %", per_cent(t.not_rounded, t.inputs)));
  for (std::size_t i = 0; i < Tally::kBounds.size(); ++i) {
    line(fmt::format("over {} ulp", Tally::kBounds[i]).c_str(), t.over[i], "");
  }
  line("wrong NaN", t.wrong_nan, "");
  line("wrong infinity", t.wrong_infinity, "");
  line("wrong sign of zero", t.wrong_zero_sign, "");
  line("flushed subnormals", t.flushed, "");
  line("not specified", t.unspecified, "");
  line(fmt::format("outside of {}", row.clause).c_str(), t.broken,
       witness(s, t.broken_at));
  if (t.broken == 0 && row.complete) {
    out += fmt::format("  conforms to {}\n", row.clause);
  }
  if (!row.fault.empty()) out += fmt::format("  {}\n", row.fault);
  return out;
}

std::string sweep_markdown(const std::vector<SweepRow>& rows) {
  std::string out =
      "| sweep | column | inputs | largest E | at | largest D | not correctly "
      "rounded | > 0.5 | > 1 | > 2 | > 4 | wrong NaN | wrong infinity | wrong "
      "zero sign | flushed | outside of the clause |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const SweepRow& row : rows) {
    const Tally& t = row.tally;
    if (!row.fault.empty()) {
      out += fmt::format("| {} | {} | {} | {} |||||||||||||\n",
                         row.sweep->name(), row.column, t.inputs, row.fault);
      continue;
    }
    out += fmt::format(
        "| {} | {} | {}{} | {:.4f} | {} | {} | {} | {} | {} | {} | {} | {} | "
        "{} | {} | {} | {} {} |\n",
        row.sweep->name(), row.column, t.inputs,
        row.complete ? "" : " (incomplete)", t.max_error,
        t.error_at ? patterns(*row.sweep, t.error_at->input) : "",
        t.max_distance, t.not_rounded, t.over[0], t.over[1], t.over[2],
        t.over[3], t.wrong_nan, t.wrong_infinity, t.wrong_zero_sign, t.flushed,
        t.broken, row.clause);
  }
  return out;
}

}  // namespace assay::harness
