// A fault: one thing that a subject does wrong, as a change to what a perfect
// subject computes at one call. Most stand in specs/faults (catalogue.h); what
// index notation cannot say stands in the tables of this folder, and
// faults_test.cc runs the derived cases of the specs against each of these.
#ifndef ASSAY_HARNESS_FAULTS_FAULT_H_
#define ASSAY_HARNESS_FAULTS_FAULT_H_

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/tensor.h"
#include "harness/records/result.h"
#include "harness/subject/observation.h"
#include "reference/oracle/oracle.h"
#include "suite/language/model/fault_spec.h"

namespace assay::harness::faults {

// A call in flight: what came before it and what it is given.
struct Call {
  const Program& program;
  const Node& node;
  const std::vector<Tensor>& values;  // by id, up to this call
  const std::vector<Tensor>& operands;
};

using Outputs = std::vector<Tensor>;

class RightAnswers;

struct Fault {
  std::string name = {};  // a word for test names
  std::string spec = {};  // whose cases show it
  std::string op = {};    // whose calls go wrong; "" is the spec's own
  std::vector<std::string> cases = {};    // globs within the spec; empty: all
  std::vector<std::string> clauses = {};  // each must fail, and no other may
  bool contexts = false;                  // cases in contexts too
  TorchVersion torch = kDefaultTorch;     // the release that it follows
  // What the failures are called; none: not asked.
  FailureClass failure = FailureClass::none;

  // What goes wrong; all but one are empty.
  std::function<void(const Call&, Outputs*)> outputs = {};  // right ones given
  std::function<void(const Node&, std::vector<Tensor>*)> operands = {};
  // How all that a program returns lies; the promised strides given.
  std::function<void(const Outputs&, std::vector<ReturnedLayout>*)> layouts =
      {};
  RightAnswers* definition = nullptr;  // answers by another definition
  language::WrongWrite writes = language::WrongWrite::none;
  language::WrongMemory memory = language::WrongMemory::none;
  language::WrongStrides strides = language::WrongStrides::none;
  std::function<Observation(const Call&, const reference::GoldenError&)>
      refusal = {};
};

// The elements of every operand in the order of memory, without its strides;
// one whose storage holds too few stays.
void read_in_storage_order(std::vector<Tensor>* operands);

inline void PrintTo(const Fault& f, std::ostream* os) { *os << f.name; }

std::vector<Fault> elementary_faults();
std::vector<Fault> rounding_faults();
std::vector<Fault> special_value_faults();
std::vector<Fault> comparison_faults();
std::vector<Fault> reduction_faults();
std::vector<Fault> integer_faults();
std::vector<Fault> call_faults();
std::vector<Fault> layout_faults();

}  // namespace assay::harness::faults

#endif  // ASSAY_HARNESS_FAULTS_FAULT_H_
