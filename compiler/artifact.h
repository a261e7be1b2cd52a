// A compiled program: signature, guards, body; and how it is made and run.
#ifndef ASSAY_COMPILER_ARTIFACT_H_
#define ASSAY_COMPILER_ARTIFACT_H_

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/import.h"
#include "compiler/nest/nest.h"
#include "compiler/text/target.h"
#include "compiler/text/toolchain.h"

namespace assay::compiler {

struct CompileOptions {
  Target target = machine_targets().front();
  std::optional<Defect> defect;
  std::string compiler;  // see ToolchainOptions
  std::string cache;
  std::optional<bool> small;  // not given: by the number of elements
  // Evaluate the contract graph or the nest instead of compiling it.
  enum class Engine { compiled, graph, nest } engine = Engine::compiled;
};

// Why there is no artifact, or no result.
struct Failure {
  enum class Kind { unsupported, refused, internal } kind = Kind::internal;
  Refusal refusal;  // its message is the reason, whatever the kind
};

// Elements at a place in memory.
struct TensorRef {
  TensorType type;
  void* data = nullptr;
};

class Artifact {
 public:
  using Made = std::variant<std::unique_ptr<Artifact>, Failure>;
  static Made compile(const Program& program, const CompileOptions& options);

  // Writes the outputs, which are row-major. Returns nothing if it succeeds.
  // The guards are checked before any kernel runs, so that a refusal writes
  // nothing. With no outputs given although the program has some, only the
  // guards are checked. Not reentrant.
  std::optional<Failure> launch(const std::vector<TensorRef>& inputs,
                                const std::vector<TensorRef>& outputs);

  const std::vector<TensorType>& inputs() const { return body_.inputs; }
  const std::vector<Type>& outputs() const { return outputs_; }
  // Texts of one kind: "graph", "ledger", "guards", "c++"; empty where there
  // is none.
  const std::string& explain(const std::string& kind);

 private:
  Artifact() = default;
  std::optional<Failure> check_types(const std::vector<TensorRef>& inputs,
                                     const std::vector<TensorRef>& outputs);
  std::optional<Failure> check_guards(
      const std::vector<TensorRef>& inputs) const;
  void run_compiled(const std::vector<TensorRef>& inputs,
                    const std::vector<TensorRef>& outputs);

  Body body_;
  Body guarded_;  // one output for each value that a guard looks at
  std::vector<Type> outputs_;
  std::vector<RangeGuard> guards_;
  std::optional<Refusal> refusal_;
  Ledger ledger_;
  Nest nest_;
  std::string text_;
  std::string explanation_;
  CompileOptions::Engine engine_ = CompileOptions::Engine::compiled;
  std::unique_ptr<Library> library_;
  std::vector<std::vector<std::byte>> temporaries_;  // per buffer of the nest
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_ARTIFACT_H_
