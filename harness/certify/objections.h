// What keeps a submission from being certified, by kind and in groups, so that
// a thousand cases that fail alike are one line.
#ifndef ASSAY_HARNESS_CERTIFY_OBJECTIONS_H_
#define ASSAY_HARNESS_CERTIFY_OBJECTIONS_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::harness {

// In the order in which they are told.
enum class Objection {
  content,      // what the manifest says of the members does not hold
  signature,    // none where one is due, or not of this text and signer
  identity,     // parts of it name different suites, programs, devices
  statement,    // it states what the level or the rest contradicts
  missing,      // a case that the level asks for was not executed
  doubled,      // a case that is there twice
  foreign,      // a case that the level does not ask for
  disagrees,    // a record is not what its recording gives
  fails,        // a case does not conform
  unsupported,  // said of a case that the level wants executed
  evidence,     // shown by less than the level asks for
  waiver,       // a failure was waived that must not be
  flush,        // subnormal numbers are flushed otherwise than declared
  challenge,    // it was not answered, not by this, or before it was issued
  ours,         // no golden: a fault of the suite, not of the submission
};

class Objections {
 public:
  // Objections of one kind with the same text are a group, which keeps some
  // of its examples. Groups beyond a limit are only counted.
  void add(Objection kind, const std::string& text,
           const std::string& example = {});

  bool empty() const { return groups_.empty(); }
  bool has(Objection kind) const;
  // Nothing but faults of the suite.
  bool only_ours() const;

  // Lines: the kind, then its groups, the largest first. `all`: every group
  // and example that was kept; else at most a screen.
  std::string text(bool all) const;

 private:
  struct Group {
    std::size_t count = 0;
    std::vector<std::string> examples;
  };
  std::map<std::pair<Objection, std::string>, Group> groups_;
  std::size_t dropped_ = 0;
};

const char* objection_name(Objection kind);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_OBJECTIONS_H_
