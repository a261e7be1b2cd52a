// Sweeps: every input of an operation. An input's number is the bit patterns
// of its operands one after another, the first operand's highest.
#ifndef ASSAY_REFERENCE_SWEEP_SWEEP_H_
#define ASSAY_REFERENCE_SWEEP_SWEEP_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "reference/plan/planner.h"
#include "reference/sweep/block_program.h"
#include "suite/language/model/spec.h"

namespace assay::reference {

struct SweepRequest {
  std::string op;  // a spec's name
  DType dtype = DType::f32;
  std::map<std::string, Arg> attrs;  // where they differ from the defaults
  std::string label = {};            // how the name of the sweep shows them
};

// What is swept: the call, for any number of elements at once.
class Sweep {
 public:
  // An error says why there is no sweep: no such operation, operands of too
  // many bits, parameters without a default.
  static Result<Sweep> open(const language::SpecSet& specs,
                            const SweepRequest& request);

  const std::string& name() const {
    return name_;
  }  // "div/f16", "gelu{approximate=tanh}/f32"
  DType dtype() const { return dtype_; }
  DType result() const { return result_; }
  int operands() const { return operands_; }
  std::uint64_t inputs() const;  // how many there are

  // The call on one-dimensional operands of n elements.
  Program program(std::int64_t n) const;
  TensorType result_type(std::int64_t n) const;
  // The nest of such a program; the inputs must make a valid call.
  Status plan(const Program& program, const std::vector<Tensor>& inputs,
              PlannedProgram* out) const;
  // The operands of `n` inputs from number `first` on.
  std::vector<Tensor> tensors(std::uint64_t first, std::int64_t n) const;
  // The bit pattern of an operand of one input.
  std::uint64_t operand(std::uint64_t input, int k) const;

  // What results are judged by: "exp/A1".
  const std::string& accuracy_clause() const { return clause_; }

  const language::SpecSet& specs() const { return *specs_; }
  // The one elementary function that the operation is, if it is one.
  std::optional<Elementary> function() const { return function_; }

 private:
  Sweep() = default;
  template <class T>
  void fill(std::uint64_t first, int k, Tensor* out) const;

  const language::SpecSet* specs_ = nullptr;
  SweepRequest request_;
  std::string name_, clause_;
  DType dtype_ = DType::f32, result_ = DType::f32;
  int operands_ = 1;
  std::optional<Elementary> function_;
};

// Works out what is right, block by block. One thread each.
class SweepOracle {
 public:
  // A null engine: MPFR for every element.
  static Result<std::unique_ptr<SweepOracle>> make(const Sweep& sweep,
                                                   const Engine* engine);
  ~SweepOracle();

  // The goldens of inputs first ... first + n - 1, n <= kBlock. Afterwards hard
  // is 0 or kUnspecified. An error: MPFR could not decide either.
  Status golden(std::uint64_t first, std::size_t n, BlockResult* out);
  // As golden. But where the inputs lie among many neighbours that all have the
  // same right element, `out` holds that element alone, and `out->common` is
  // set.
  Status elements(std::uint64_t first, std::size_t n, BlockResult* out);

  // Why the loops are not used; empty if they are.
  const std::string& slow() const { return slow_; }
  // Elements that MPFR decided so far.
  std::uint64_t decided_by_mpfr() const { return hard_; }
  // How errors are measured and judged.
  const NestAccuracy& accuracy() const;

 private:
  explicit SweepOracle(const Sweep& sweep) : sweep_(sweep) {}
  Status prepare(const Engine* engine);
  void run_loops(std::uint64_t first, std::size_t n, BlockResult* out);
  double* operand_lanes(std::uint64_t first, std::size_t n, std::size_t source);
  std::optional<double> common_element(std::uint64_t span);
  template <class N>
  Status decide(const std::vector<Tensor>& inputs, std::size_t n,
                BlockResult* out);

  Sweep sweep_;
  Program program_;  // on kBlock elements
  PlannedProgram planned_;
  std::optional<BlockProgram> loops_;
  std::string slow_;
  const Engine* engine_ = nullptr;
  std::uint64_t hard_ = 0;
  // Numbers by bit pattern, for 16- and 8-bit operands; the first kBlock again
  // at the end.
  std::vector<double> values_;
  std::vector<double> operands_;  // of the block

  // Spans of consecutive inputs, by the loops on ranges.
  std::optional<BlockProgram> ranges_;
  std::uint64_t span_ = 0;  // the last one asked for
  std::optional<double> common_;
  std::unique_ptr<BlockResult> range_;
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SWEEP_SWEEP_H_
