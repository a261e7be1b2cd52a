// What a subject did with one program.
#ifndef ASSAY_HARNESS_SUBJECT_OBSERVATION_H_
#define ASSAY_HARNESS_SUBJECT_OBSERVATION_H_

#include <map>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "core/torch_version.h"
#include "harness/subject/evidence.h"
#include "harness/subject/lowering.h"
#include "harness/wire/returned_layout.h"

namespace assay::harness {

struct RaisedError {
  std::string exception;
  std::vector<std::string> classes;
  std::string clause;  // where the subject names the promise itself
  std::string message;
  std::string phase;  // "compile" or "run"
};

// What a subject declares to do with subnormal numbers.
struct Flush {
  bool results = false;   // become zero of the same sign
  bool operands = false;  // are read as zero of the same sign

  bool any() const { return results || operands; }
};

struct Observation {
  enum class Kind {
    returned,     // outputs
    linted,       // nothing ran; remarks
    raised,       // error
    unsupported,  // detail
    crashed,      // detail: signal or exit code and last words
    timed_out,    // detail: phase and deadline
    out_of_memory,
    malformed,    // detail: the subject broke the protocol
    not_run,      // detail: what we lacked to ask it; says nothing about it
    device_lost,  // detail: what the program did to the device, or it to itself
  };
  Kind kind = Kind::returned;
  std::vector<Tensor> outputs;
  // How each of them lay; empty where the subject does not say, as one that
  // only fills what the harness allocates.
  std::vector<ReturnedLayout> layouts;
  RaisedError error;
  std::string detail;
  // What a lint of the compiled code says, the most important first.
  std::vector<std::string> remarks;
  // Breaches of the protocol seen although the call returned: "P1: ...".
  std::vector<std::string> breaches;
  double seconds = 0;
  // What it may have returned on other hardware of the same kind, since the
  // bits of these instructions are not documented; outputs each.
  std::vector<std::string> depends_on;
  std::vector<std::vector<Tensor>> alternatives;
  Evidence evidence = Evidence::ran;     // that what came back is
  TorchVersion torch = kDefaultTorch;    // the release that the subject follows
  Flush flush;                           // as the subject's column declares
  Lowering lowering = Lowering::untold;  // of what returned or was refused
};

// The release that a column's fact "torch" names; the pinned one if it has no
// such fact.
TorchVersion followed_release(const std::map<std::string, std::string>& facts);
// What its fact "declares" says of subnormal numbers.
Flush declared_flush(const std::map<std::string, std::string>& facts);
// Does it promise to refuse what PyTorch refuses? One that does not is never
// asked for it; its fact "promises" does not name errors.
bool promises_errors(const std::map<std::string, std::string>& facts);
// Does it promise that a row's bits do not hang on what is beside it? Only then
// is it asked.
bool promises_rows(const std::map<std::string, std::string>& facts);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_OBSERVATION_H_
