#include "harness/judge/error_contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "harness/judge/show.h"

namespace assay::harness {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool class_matches(const reference::GoldenError& due,
                   const RaisedError& raised) {
  if (contains(due.raises, raised.exception)) return true;
  return std::any_of(
      raised.classes.begin(), raised.classes.end(),
      [&](const std::string& name) { return contains(due.raises, name); });
}

Result<bool> message_matches(const std::string& pattern,
                             const std::string& message) {
  if (pattern.empty()) return true;
  try {
    return std::regex_search(message, std::regex(pattern));
  } catch (const std::regex_error& e) {
    return Error{
        fmt::format("message pattern '{}' is no regular expression "
                    "(ECMAScript): {}",
                    pattern, e.what())};
  }
}

std::string described(const RaisedError& raised) {
  return fmt::format("raised {} ({})", raised.exception,
                     one_line(raised.message, 160));
}

}  // namespace

Result<ErrorMatch> match_error(const reference::GoldenError& due,
                               const RaisedError& raised) {
  const std::string wanted = fmt::format("{}", fmt::join(due.raises, " or "));
  if (!class_matches(due, raised)) {
    return ErrorMatch{
        false, false,
        fmt::format("{} where {} was due", described(raised), wanted)};
  }
  const Result<bool> message = message_matches(due.message, raised.message);
  if (!message) return message.error();
  if (!*message) {
    return ErrorMatch{false, false,
                      fmt::format("{}, whose message does not match '{}'",
                                  described(raised), due.message)};
  }
  if (!due.phase.empty() && raised.phase != due.phase) {
    return ErrorMatch{false, false,
                      fmt::format("{} in phase {} where phase {} was due",
                                  described(raised), raised.phase, due.phase)};
  }
  if (!raised.clause.empty() && raised.clause != due.clause) {
    return ErrorMatch{true, true,
                      fmt::format("refused, but names {} where {} is broken",
                                  raised.clause, due.clause)};
  }
  return ErrorMatch{true, false, {}};
}

}  // namespace assay::harness
