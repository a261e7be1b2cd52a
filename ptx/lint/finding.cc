#include "ptx/lint/finding.h"

#include <map>
#include <utility>

namespace assay::ptx {

std::string_view rule_name(Rule rule) {
  switch (rule) {
    case Rule::no_machine_code:
      return "no_machine_code";
    case Rule::wrong_target:
      return "wrong_target";
    case Rule::lost_cast:
      return "lost_cast";
    case Rule::contracted:
      return "contracted";
    case Rule::flushes:
      return "flushes";
    case Rule::approximates:
      return "approximates";
    case Rule::implicit_tf32:
      return "implicit_tf32";
    case Rule::unordered:
      return "unordered";
    case Rule::packed_f32x2:
      return "packed_f32x2";
    case Rule::fused:
      return "fused";
    case Rule::may_contract:
      return "may_contract";
    case Rule::varies:
      return "varies";
  }
  return "";
}

std::vector<std::string> summary(const std::vector<Finding>& findings,
                                 std::size_t limit) {
  struct Group {
    const Finding* first;
    std::size_t count;
  };
  std::map<std::pair<Rule, std::string>, std::size_t> places;
  std::map<Rule, std::vector<Group>> by_weight;
  for (const Finding& f : findings) {
    std::vector<Group>& groups = by_weight[f.rule];
    const auto [at, is_new] =
        places.try_emplace({f.rule, f.instruction}, groups.size());
    if (is_new) groups.push_back({&f, 0});
    ++groups[at->second].count;
  }
  std::vector<std::string> lines;
  for (const auto& [rule, groups] : by_weight) {
    for (const auto& [first, count] : groups) {
      if (lines.size() == limit) return lines;
      std::string line = std::string(rule_name(rule)) + ": ";
      line += first->instruction;
      if (!first->message.empty()) {
        line += (first->instruction.empty() ? "" : ", ") + first->message;
      }
      if (first->line > 0) {
        line += " (PTX line " + std::to_string(first->line);
        if (count > 1) line += ", " + std::to_string(count) + " times";
        line += ")";
      }
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace assay::ptx
