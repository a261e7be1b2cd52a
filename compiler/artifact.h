// A compiled program: signature, guards, body; and how it is made and run.
#ifndef ASSAY_COMPILER_ARTIFACT_H_
#define ASSAY_COMPILER_ARTIFACT_H_

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/blocks/blocks.h"
#include "compiler/import.h"
#include "compiler/library/target.h"
#include "compiler/library/toolchain.h"
#include "compiler/nest/nest.h"
#include "compiler/screen.h"
#include "compiler/text/cpp/render.h"
#include "compiler/text/cuda/cuda_text.h"
#include "compiler/thread_pool.h"

namespace assay::compiler {

struct CompileOptions {
  Target target = machine_targets().front();
  // Not empty: compile to PTX for this CUDA target instead, "sm_90a" say.
  std::string cuda;
  // In CUDA code: products of f16 and bf16 where the target has them.
  TensorCores tensor_cores = TensorCores::on;
  std::optional<Defect> defect;
  std::string compiler;  // see ToolchainOptions
  std::string cache;
  Lowering lowering = Lowering::hand;
  // Not given: by the number of elements.
  std::optional<ToolchainOptions::Program> program;
  bool fixed_sizes = false;  // code for this shape alone
  int threads = 1;  // that large kernels share; the results are the same
  // Evaluate the contract graph or the nest instead of compiling it, or run
  // the nest by blocks.
  enum class Engine { compiled, graph, nest, blocks } engine = Engine::compiled;
  // blocks: do not wait for the system's compiler where the nest can be run by
  // blocks sooner. Launches do so until the code is there.
  enum class Start { compiled, blocks } start = Start::compiled;
  // Requirements on elements are looked at one by one in so many launches;
  // then a screen is compiled, beside the launches that still do so.
  int launches_before_screen = 4;
};

// Why there is no artifact, or no result.
struct Failure {
  enum class Kind { unsupported, refused, internal } kind = Kind::internal;
  Refusal refusal;  // its message is the reason, whatever the kind
  // Of what was refused when it was compiled.
  std::optional<Lowering> lowering = {};
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
  // guards are checked: all that CUDA code can be asked for here, whose
  // outputs are unsupported. Not reentrant.
  std::optional<Failure> launch(const std::vector<TensorRef>& inputs,
                                const std::vector<TensorRef>& outputs);

  const std::vector<TensorType>& inputs() const { return body_.inputs; }
  const std::vector<Type>& outputs() const { return outputs_; }
  Lowering lowering() const { return lowering_; }
  // Texts of one kind, empty where there is none. "kinds" lists them: "graph",
  // "nest", "ledger", "guards"; "c++", "sizes" (the numbers that it leaves to
  // the launch) and "asm", the system compiler's own text of it; of CUDA code
  // "cuda", "ptx", "launches" (docs/launch-plan.md) and "launches+cubin".
  // Those wait for a compiler that is at work; "running" says what the next
  // launch would run, "blocks" or "code". "graph after PASS" is the graph as
  // the pass left it, at each time that it ran; "passes" lists those.
  const std::string& explain(const std::string& kind);

 private:
  Artifact() = default;
  static Made compile_once(const Program& program,
                           const CompileOptions& options);
  static Made finish(std::unique_ptr<Artifact> a,
                     const CompileOptions& options);
  static Screen::Check compile_screen(const Body& body,
                                      const CompileOptions& options);
  std::optional<Failure> check_types(const std::vector<TensorRef>& inputs,
                                     const std::vector<TensorRef>& outputs);
  std::optional<Failure> check_guards(const std::vector<TensorRef>& inputs);
  std::optional<Failure> check_range(const RangeGuard& guard,
                                     const TensorRef& index) const;
  std::optional<Failure> compile_cpp(const CompileOptions& options);
  std::optional<Failure> compile_cuda(const CompileOptions& options);
  void prepare_blocks(const CompileOptions& options);
  std::optional<Failure> take_library(Result<std::shared_ptr<const Library>> l);
  std::optional<Failure> finish_compiling();
  bool runs_by_blocks() const;
  std::string plan(bool with_cubin) const;
  std::string kinds() const;
  std::string guards_text() const;
  std::string sizes_text() const;
  std::string graph_after(std::string_view pass) const;
  void place_buffers();
  std::optional<Failure> run_compiled(const std::vector<TensorRef>& inputs,
                                      const std::vector<TensorRef>& outputs);
  void run_library();

  Body imported_;  // as it came, with its ledger, for explain()
  Ledger imported_ledger_;
  Body body_;
  Body guarded_;  // one output for each value that guards look at
  std::vector<Type> outputs_;
  std::vector<bool> complex_outputs_;
  std::vector<RangeGuard> guards_;
  std::shared_ptr<const ValueContract> contract_;
  std::optional<Screen> screen_;
  std::optional<Refusal> refusal_;
  Lowering lowering_ = Lowering::hand;
  Ledger ledger_;
  Nest nest_;
  std::string text_;        // C++, or CUDA where cuda_ names a target
  ToolchainOptions tools_;  // of C++
  std::vector<SizeParameter> parameters_;
  std::vector<std::int64_t> sizes_;  // their values
  std::vector<KernelRange> ranges_;
  std::string cuda_;
  std::string ptx_;
  std::vector<std::string> cuda_flags_;
  std::vector<CudaLaunch> launches_;
  std::string explanation_;
  CompileOptions::Engine engine_ = CompileOptions::Engine::compiled;
  // Until the library is there, that of a compiler which is at work.
  std::future<Result<std::shared_ptr<const Library>>> coming_;
  std::shared_ptr<const Library> library_;
  std::optional<Failure> broken_;         // why it did not come
  std::unique_ptr<const Blocks> blocks_;  // null: they cannot, or need not
  std::shared_ptr<ThreadPool> pool_;      // null of one thread
  // A kernel of fewer elements is done before other threads have woken up.
  long least_shared_ = 1 << 15;
  // Per buffer of the nest: its address, or null where launch() has it.
  std::vector<void*> addresses_;
  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Free> arena_;       // temporaries
  std::unique_ptr<Artifact> every_second_;  // call goes there: unstable-order
  int launches_so_far_ = 0;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_ARTIFACT_H_
