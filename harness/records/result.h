// Results: one per case and column, what results.jsonl holds.
#ifndef ASSAY_HARNESS_RECORDS_RESULT_H_
#define ASSAY_HARNESS_RECORDS_RESULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/subject/evidence.h"
#include "harness/subject/lowering.h"

namespace assay::harness {

// In order of badness: the worst wins in roll-ups.
enum class CellStatus {
  pass,
  unsupported,
  not_run,
  waived,  // reserved: accepted by a certification body
  quality_warning,
  hardware,  // decided only by hardware
  flaky,
  mistrusted,  // the case cannot tell right from wrong
  fail,
  timeout,
  crash,
  device_lost,
  internal_error,  // no golden, or the harness's own fault
};

// What kind of failure it is, the plainest first.
enum class FailureClass {
  none,
  wrong_value,
  lost_error,   // returned where an error was due
  wrong_error,  // another error than the one due, or one where a value was
  metadata,     // number, dtypes, sizes or strides of the outputs
  protocol,     // broke a promise of the subject protocol
  // The outputs would be right if explicit casts might keep more precision
  // than the type that they name.
  elided,
  // Each output is right by itself, but contradicts another that it is
  // computed from. Some compilers intend it (docs/results.md).
  incoherent,
};

enum class Verdict {
  undetermined,  // fewer than two columns could be judged
  all_conform,
  compiled_wrong,
  eager_wrong,
  both_wrong_same,
  both_wrong_differently,
  conform_but_disagree,
};

// Where an output first goes wrong, in bits and in hex floats.
struct Witness {
  int output = 0;
  std::int64_t element = 0;
  std::string inputs;  // operands of that element, where they are plain
  std::string got;
  std::string admissible;  // "[0x3f800000 (0x1p+0), ...]"
  std::string exact;
};

struct CaseResult {
  std::string case_path;
  std::string column;
  CellStatus status = CellStatus::not_run;
  FailureClass failure = FailureClass::none;  // of a fail
  Verdict verdict = Verdict::undetermined;
  std::string clause;  // "exp/A1" or "bmm/E4", "P1", "M2"
  Evidence evidence = Evidence::none;
  Lowering lowering = Lowering::untold;
  double error_over_bound = 0;  // largest over elements; 0 where exact
  std::int64_t wrong_elements = 0;
  std::int64_t elements = 0;
  std::string reason;  // one line, empty for pass
  std::optional<Witness> witness;
  bool known = false;
  std::string known_link;
  double seconds = 0;  // of the subject
  // Bits of all outputs, hashed, to tell conform_but_disagree: computed by
  // the judge, not a judgement.
  std::uint64_t output_hash = 0;
};

const char* status_name(CellStatus s);
const char* failure_name(FailureClass f);
const char* verdict_name(Verdict v);
std::optional<CellStatus> parse_status(const std::string& name);
std::optional<FailureClass> parse_failure(const std::string& name);
std::optional<Verdict> parse_verdict(const std::string& name);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDS_RESULT_H_
