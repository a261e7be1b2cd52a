#include "harness/certify/objections.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/judge/show.h"

namespace assay::harness {
namespace {

constexpr std::size_t kMostGroups = 20'000;
constexpr std::size_t kMostExamples = 1000;  // of a group
constexpr std::size_t kScreen = 36;          // lines
constexpr std::size_t kLineLength = 300;     // of what others wrote

std::string shortened(std::string text) {
  text = one_line(text);
  if (text.size() > kLineLength) text = text.substr(0, kLineLength) + " ...";
  return text;
}

}  // namespace

const char* objection_name(Objection kind) {
  switch (kind) {
    case Objection::content:
      return "content";
    case Objection::signature:
      return "signature";
    case Objection::identity:
      return "identity";
    case Objection::statement:
      return "statement";
    case Objection::missing:
      return "missing";
    case Objection::doubled:
      return "doubled";
    case Objection::foreign:
      return "foreign";
    case Objection::disagrees:
      return "record is not what was recorded";
    case Objection::fails:
      return "does not conform";
    case Objection::unsupported:
      return "unsupported";
    case Objection::evidence:
      return "evidence";
    case Objection::waiver:
      return "waiver";
    case Objection::flush:
      return "flushed subnormals";
    case Objection::challenge:
      return "challenge";
    case Objection::ours:
      return "fault of the suite";
  }
  return "?";
}

void Objections::add(Objection kind, const std::string& text,
                     const std::string& example) {
  const std::pair key(kind, shortened(text));
  if (groups_.size() >= kMostGroups && !groups_.contains(key)) {
    ++dropped_;
    return;
  }
  Group& group = groups_[key];
  ++group.count;
  if (!example.empty() && group.examples.size() < kMostExamples) {
    group.examples.push_back(shortened(example));
  }
}

bool Objections::has(Objection kind) const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [kind](const auto& g) { return g.first.first == kind; });
}

bool Objections::only_ours() const {
  return !groups_.empty() &&
         std::all_of(groups_.begin(), groups_.end(), [](const auto& g) {
           return g.first.first == Objection::ours;
         });
}

std::string Objections::text(bool all) const {
  std::vector<const std::pair<const std::pair<Objection, std::string>, Group>*>
      order;
  for (const auto& g : groups_) order.push_back(&g);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) {
                     if (a->first.first != b->first.first)
                       return a->first.first < b->first.first;
                     return a->second.count > b->second.count;
                   });
  // Of many groups, some of each kind.
  std::map<Objection, std::size_t> groups_of;
  for (const auto* g : order) ++groups_of[g->first.first];
  const std::size_t kinds = std::max<std::size_t>(groups_of.size(), 1);
  const std::size_t of_each =
      all ? groups_.size() : std::max<std::size_t>(kScreen / kinds, 1);
  std::string out;
  std::map<Objection, std::size_t> shown;
  for (const auto* g : order) {
    const Objection kind = g->first.first;
    const Group& group = g->second;
    if (++shown[kind] > of_each) continue;
    std::string line =
        fmt::format("  {}: {}", objection_name(kind), g->first.second);
    if (group.count > 1) line += fmt::format(" ({} times)", group.count);
    if (!all && !group.examples.empty()) {
      line += fmt::format("{}{}", group.count > 1 ? ", e.g. " : ": ",
                          group.examples.front());
    }
    out += line + "\n";
    for (std::size_t i = 0; all && i < group.examples.size(); ++i) {
      out += fmt::format("    {}\n", group.examples[i]);
    }
    if (shown[kind] == of_each && groups_of[kind] > of_each) {
      out += fmt::format("  {}: {} more; --all prints them\n",
                         objection_name(kind), groups_of[kind] - of_each);
    }
  }
  if (dropped_ > 0) out += fmt::format("  and {} more\n", dropped_);
  return out;
}

}  // namespace assay::harness
