#include "harness/reduce/failure.h"

#include <fmt/format.h>

namespace assay::harness {
namespace {

// "A" of "exp/A1": what the clause promises.
std::string kind_of(const std::string& clause) {
  const std::size_t slash = clause.rfind('/');
  const std::string id =
      slash == std::string::npos ? clause : clause.substr(slash + 1);
  return id.substr(0, id.find_first_of("0123456789"));
}

bool of_an_error(const Failure& f) {
  return f.failure != FailureClass::none && kind_of(f.clause) == "E";
}

}  // namespace

Failure failure_of(const CaseResult& r, const Observation& o) {
  Failure f;
  f.status = r.status;
  f.failure = r.failure;
  f.clause = r.clause;
  if (o.kind == Observation::Kind::raised) f.exception = o.error.exception;
  return f;
}

bool is_reducible(const Failure& f) {
  return f.status == CellStatus::fail || f.status == CellStatus::crash ||
         f.status == CellStatus::timeout;
}

bool is_same(const Failure& a, const Failure& b) {
  if (a.status != b.status || a.failure != b.failure ||
      a.exception != b.exception) {
    return false;
  }
  if (a.status != CellStatus::fail) return true;
  if (of_an_error(a) || of_an_error(b)) return a.clause == b.clause;
  // What was raised where a value was due breaks no clause of an element.
  if (!a.exception.empty()) return true;
  return kind_of(a.clause) == kind_of(b.clause);
}

std::string to_text(const Failure& f) {
  return fmt::format(
      "{}{}{}, {}", status_name(f.status),
      f.failure == FailureClass::none ? "" : ", ",
      f.failure == FailureClass::none ? "" : failure_name(f.failure), f.clause);
}

}  // namespace assay::harness
