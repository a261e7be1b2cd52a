#include "harness/live.h"

namespace assay {
namespace {

class WorkerExecutor : public Executor {
 public:
  explicit WorkerExecutor(const SubjectConfig& config) : worker_(config) {}
  Result<Identity> identify() override { return worker_.identify(); }
  Observation run(const Program& program, const std::vector<Tensor>& inputs,
                  const std::vector<TensorType>& expected,
                  std::chrono::milliseconds deadline) override {
    return worker_.run(program, inputs, expected, deadline);
  }
  Observation rerun(const Program& program, const std::vector<Tensor>& inputs,
                    const std::vector<TensorType>& expected,
                    std::chrono::milliseconds deadline) override {
    return worker_.rerun(program, inputs, expected, deadline);
  }

 private:
  Worker worker_;
};

class OracleSource : public GoldenSource {
 public:
  explicit OracleSource(const SpecSet& specs) : oracle_(specs) {}
  Result<Golden> golden(const Program& program,
                        const std::vector<Tensor>& inputs,
                        const OracleOptions& options) const override {
    return oracle_.golden(program, inputs, options);
  }
  std::string vacuity(const Golden& golden, const Program& program,
                      const std::vector<Tensor>& inputs,
                      double share) const override {
    return assay::vacuity(golden, program, inputs, share);
  }

 private:
  Oracle oracle_;
};

}  // namespace

std::unique_ptr<Executor> live_executor(const SubjectConfig& config) {
  return std::make_unique<WorkerExecutor>(config);
}

std::unique_ptr<GoldenSource> live_oracle(const SpecSet& specs) {
  return std::make_unique<OracleSource>(specs);
}

}  // namespace assay
