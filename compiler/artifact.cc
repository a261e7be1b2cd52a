#include "compiler/artifact.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "compiler/cuda/launch_plan.h"
#include "compiler/cuda/toolchain.h"
#include "compiler/graph/interpret.h"
#include "compiler/graph/passes.h"
#include "compiler/library/loaded.h"
#include "compiler/nest/arena.h"
#include "compiler/nest/build.h"
#include "compiler/nest/defects.h"
#include "compiler/nest/forward.h"
#include "compiler/nest/interpret.h"
#include "compiler/nest/part.h"
#include "compiler/nest/print.h"
#include "compiler/nest/split.h"
#include "compiler/nest/verify.h"
#include "compiler/nest/work.h"
#include "compiler/text/cpp/stale_defects.h"
#include "compiler/text/cuda/cuda_defects.h"
#include "compiler/text/cuda/product_rounding.h"

namespace assay::compiler {
namespace {

using Engine = CompileOptions::Engine;

using Size = ToolchainOptions::Program;

// So many elements over all kernels that a program is no longer small, and that
// it is large: g++ takes some 40 ms more to optimise one kernel, and clang that
// again.
constexpr std::int64_t kMediumProgram = 1 << 12;
constexpr std::int64_t kLargeProgram = 1 << 24;

Size size_of(std::int64_t work) {
  if (work < kMediumProgram) return Size::small;
  return work < kLargeProgram ? Size::medium : Size::large;
}

// A launch by blocks may take about as long as a compiler of C++.
constexpr std::int64_t kLongestByBlocks = 100'000'000;  // nanoseconds

Failure internal(std::string message) {
  return {Failure::Kind::internal, {"", "", std::move(message)}};
}

Failure unsupported(std::string reason) {
  return {Failure::Kind::unsupported, {"", "", std::move(reason)}};
}

Failure refused(Refusal r) { return {Failure::Kind::refused, std::move(r)}; }

// Room that nobody holds any more is taken again, so that what each call copies
// costs no page faults.
std::shared_ptr<std::vector<std::byte>> room(std::size_t bytes) {
  constexpr std::size_t kMostKept = 8, kLargest = std::size_t{1} << 22;
  using Room = std::shared_ptr<std::vector<std::byte>>;
  thread_local std::vector<Room> kept;
  const auto of_size = std::find_if(
      kept.begin(), kept.end(),
      [&](const Room& r) { return r.use_count() == 1 && r->size() == bytes; });
  if (of_size != kept.end()) return *of_size;
  Room fresh = std::make_shared<std::vector<std::byte>>(bytes);
  if (bytes > kLargest) return fresh;
  if (kept.size() == kMostKept) kept.erase(kept.begin());
  kept.push_back(fresh);
  return fresh;
}

// A tensor over memory that is not ours, copied for one call.
Tensor copied(const TensorRef& t) {
  const std::size_t size = size_bytes(t.type.dtype);
  Tensor out{t.type, 0, room(static_cast<std::size_t>(t.type.span()) * size)};
  if (t.type.span() > 0) {
    std::memcpy(out.storage->data(), t.data, out.storage->size());
  }
  return out;
}

// The inputs that `body` reads; the others have no elements.
std::vector<Tensor> read_by(const Body& body,
                            const std::vector<TensorRef>& inputs) {
  std::vector<Tensor> out(inputs.size());
  for (const GraphNode& n : body.nodes) {
    if (n.op != Op::input) continue;
    const auto place = static_cast<std::size_t>(n.attr[0]);
    out[place] = copied(inputs[place]);
  }
  return out;
}

std::vector<Tensor> evaluate(const Body& body,
                             const std::vector<TensorRef>& inputs) {
  return interpret(body, read_by(body, inputs));
}

// Where the system's compiler makes nothing at all, nothing is shown of ours.
Failure no_library(const std::string& message, const ToolchainOptions& tools) {
  const std::string fault = toolchain_fault(tools);
  if (fault.empty()) return internal(message);
  return unsupported("this machine compiles no C++ (g++ or clang++ is due): " +
                     fault);
}

}  // namespace

Artifact::Made Artifact::compile(const Program& program,
                                 const CompileOptions& options) {
  if (options.defect == Defect::unstable_order) {
    CompileOptions sound = options;
    sound.defect.reset();
    Made made = compile_once(program, sound);
    if (auto* a = std::get_if<std::unique_ptr<Artifact>>(&made)) {
      Made other = compile_once(program, options);
      if (std::holds_alternative<Failure>(other)) return other;
      (*a)->every_second_ =
          std::move(std::get<std::unique_ptr<Artifact>>(other));
    }
    return made;
  }
  return compile_once(program, options);
}

Artifact::Made Artifact::compile_once(const Program& program,
                                      const CompileOptions& options) {
  Result<Imported> imported =
      import_program(program, options.defect, options.lowering);
  if (!imported.ok()) return internal(imported.error().message);
  if (!imported->unsupported.empty()) {
    return unsupported("not supported: " + imported->unsupported);
  }
  if (imported->refusal && imported->guards.empty() && !imported->contract) {
    Failure failure = refused(*imported->refusal);
    failure.lowering = imported->lowering;
    return failure;
  }
  std::unique_ptr<Artifact> a(new Artifact);
  Body whole = std::move(imported->body);
  a->ledger_ = std::move(imported->ledger);
  a->outputs_ = std::move(imported->outputs);
  a->complex_outputs_ = std::move(imported->complex_outputs);
  a->guards_ = std::move(imported->guards);
  a->contract_ = std::move(imported->contract);
  a->refusal_ = std::move(imported->refusal);
  a->lowering_ = imported->lowering;
  a->engine_ = options.engine;
  a->imported_ = whole;
  a->imported_ledger_ = a->ledger_;
  const Status passed = run_passes(&whole, &a->ledger_);
  if (!passed.ok()) return internal(passed.error().message);
  if (options.defect) whole = inject(whole, *options.defect);
  const std::size_t results = a->outputs_.size();
  a->body_ = outputs_alone(whole, 0, results);
  const std::size_t looked_at =
      whole.outputs.size() - (imported->is_screened ? 1 : 0);
  a->guarded_ = outputs_alone(whole, results, looked_at);
  if (imported->is_screened && options.cuda.empty()) {
    Body screen = outputs_alone(whole, looked_at, whole.outputs.size());
    a->screen_.emplace(options.launches_before_screen,
                       [body = std::move(screen), options] {
                         return compile_screen(body, options);
                       });
  }
  return finish(std::move(a), options);
}

// The screen of import.h, which is a program of its own without guards.
Screen::Check Artifact::compile_screen(const Body& body,
                                       const CompileOptions& options) {
  std::unique_ptr<Artifact> a(new Artifact);
  a->body_ = body;
  a->outputs_ = {{DType::boolean, {}}};
  a->complex_outputs_ = {false};
  a->engine_ = options.engine;
  Made made = finish(std::move(a), options);
  auto* code = std::get_if<std::unique_ptr<Artifact>>(&made);
  if (code == nullptr) return nullptr;
  return [code = std::shared_ptr<Artifact>(std::move(*code))](
             const std::vector<TensorRef>& inputs) {
    bool kept = false;
    const TensorRef result{TensorType::contiguous(DType::boolean, {}), &kept};
    return !code->launch(inputs, {result}) && kept;
  };
}

// From the body to what runs it.
Artifact::Made Artifact::finish(std::unique_ptr<Artifact> a,
                                const CompileOptions& options) {
  // What only refuses has a plan that launches nothing.
  if (a->refusal_) a->cuda_ = options.cuda;
  if (a->refusal_ || a->engine_ == Engine::graph) return a;
  a->nest_ = options.defect
                 ? build_nest(inject_layout(a->body_, *options.defect))
                 : build_nest(a->body_);
  const Status nested = verify(a->nest_);
  if (!nested.ok()) return internal(nested.error().message);
  if (a->engine_ == Engine::nest) return a;
  if (options.defect) a->nest_ = inject(std::move(a->nest_), *options.defect);
  if (a->engine_ == Engine::blocks) {
    a->prepare_blocks(options);
    if (a->blocks_ != nullptr) return a;
    return unsupported("not supported: no block functions for all of it");
  }
  if (auto failure = options.cuda.empty() ? a->compile_cpp(options)
                                          : a->compile_cuda(options)) {
    return *failure;
  }
  return a;
}

std::optional<Failure> Artifact::compile_cpp(const CompileOptions& options) {
  tools_.compiler = options.compiler;
  tools_.cache = options.cache;
  tools_.march = options.target.march;
  tools_.program = options.program.value_or(size_of(work_of(nest_)));
  tools_.converts_halves =
      std::any_of(nest_.buffers.begin(), nest_.buffers.end(),
                  [](const Buffer& b) { return b.type.dtype == DType::f16; });
  const FixedSizes fixed = options.fixed_sizes ? FixedSizes::all
                           : tools_.program == Size::small
                               ? FixedSizes::ones
                               : FixedSizes::short_loops;
  CppText made = render(nest_, fixed, options.defect);
  if (options.defect) made = stale(std::move(made), nest_, *options.defect);
  text_ = std::move(made.text);
  parameters_ = std::move(made.sizes);
  for (const SizeParameter& p : parameters_) sizes_.push_back(p.value);
  ranges_ = std::move(made.kernels);
  int threads = options.threads;
  if (options.defect == Defect::race_on_output) {
    threads = std::max(threads, 2);
    least_shared_ = 0;
  }
  if (threads > 1) pool_ = ThreadPool::shared(threads);
  if (options.program) return take_library(shared_kernels(text_, tools_));
  library_ = loaded_kernels(text_, tools_);
  if (library_ != nullptr) {
    place_buffers();
    return std::nullopt;
  }
  if (options.start == CompileOptions::Start::blocks && !options.defect) {
    prepare_blocks(options);
  }
  if (blocks_ == nullptr || blocks_->nanoseconds() > kLongestByBlocks) {
    blocks_.reset();
    return take_library(shared_kernels(text_, tools_));
  }
  coming_ = std::async(std::launch::async, shared_kernels, text_, tools_);
  return std::nullopt;
}

void Artifact::prepare_blocks(const CompileOptions& options) {
  if (const auto* functions = block_functions(options.target.march)) {
    blocks_ = Blocks::make(nest_, *functions);
  }
  place_buffers();
}

std::optional<Failure> Artifact::take_library(
    Result<std::shared_ptr<const Library>> l) {
  if (!l.ok()) return no_library(l.error().message, tools_);
  library_ = std::move(*l);
  if (addresses_.empty()) place_buffers();
  return std::nullopt;
}

bool Artifact::runs_by_blocks() const {
  return engine_ == Engine::blocks ||
         (coming_.valid() && coming_.wait_for(std::chrono::seconds(0)) !=
                                 std::future_status::ready);
}

std::optional<Failure> Artifact::finish_compiling() {
  if (coming_.valid()) {
    broken_ = take_library(coming_.get());
    blocks_.reset();
  }
  return broken_;
}

std::optional<Failure> Artifact::compile_cuda(const CompileOptions& options) {
  const auto& tools = cuda_toolchain();
  if (!tools.ok()) return unsupported(tools.error().message);
  forward_stores(&nest_);
  split_reductions(&nest_, kSplitForGpu);
  part_loops(&nest_);
  const Status sound = verify(nest_);
  if (!sound.ok()) return internal(sound.error().message);
  // The text of that defect stands where a kernel of loops rounds.
  if (options.tensor_cores == TensorCores::on &&
      options.defect != Defect::flush_subnormal) {
    round_in_products(&nest_, options.cuda);
  }
  CudaText made =
      render_cuda(nest_, options.cuda, options.tensor_cores, options.defect);
  text_ = std::move(made.text);
  launches_ = std::move(made.launches);
  cuda_ = options.cuda;
  if (options.defect) {
    text_ = inject_text(text_, *options.defect);
    cuda_flags_ = flags_of(*options.defect);
  }
  Result<std::string> ptx =
      (*tools)->compile(text_, cuda_, Nvrtc::Form::ptx, cuda_flags_);
  if (!ptx.ok()) {
    // An NVRTC that compiles nothing at all shows nothing of our text.
    const bool works = !(*tools)->targets().empty();
    return works ? internal(ptx.error().message)
                 : unsupported(ptx.error().message);
  }
  ptx_ = std::move(*ptx);
  return std::nullopt;
}

std::string Artifact::plan(bool with_cubin) const {
  std::optional<Result<std::string>> cubin;
  if (with_cubin && !refusal_) {
    cubin = (*cuda_toolchain())
                ->compile(text_, cuda_, Nvrtc::Form::cubin, cuda_flags_);
  }
  return launch_plan(nest_, complex_outputs_, body_.constants, launches_, cuda_,
                     ptx_, cubin);
}

std::string Artifact::sizes_text() const {
  std::string text;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const SizeParameter& p = parameters_[i];
    const auto kernel = static_cast<std::size_t>(p.kernel);
    text += fmt::format("k{} n{} = {}: {}\n", p.kernel,
                        i - ranges_[kernel].first_size, p.value, p.meaning);
  }
  return text;
}

std::optional<Failure> Artifact::check_types(
    const std::vector<TensorRef>& inputs,
    const std::vector<TensorRef>& outputs) {
  if (inputs.size() != body_.inputs.size()) {
    return internal(fmt::format("{} inputs were given, the program has {}",
                                inputs.size(), body_.inputs.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorType& want = body_.inputs[i];
    const TensorType& have = inputs[i].type;
    bool same = have.dtype == want.dtype && have.sizes == want.sizes &&
                have.strides.size() == want.strides.size();
    for (std::size_t d = 0; same && d < want.sizes.size(); ++d) {
      same = want.sizes[d] < 2 || have.strides[d] == want.strides[d];
    }
    if (!same && element_count(want.sizes) > 0) {
      return internal(fmt::format(
          "input {} is not of the type that the program states", i));
    }
  }
  // What only refuses does so whatever results are expected of it.
  if (outputs.empty() || refusal_) return std::nullopt;
  if (outputs.size() != outputs_.size()) {
    return internal(fmt::format("{} outputs were given, the program has {}",
                                outputs.size(), outputs_.size()));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].type.dtype != outputs_[i].dtype ||
        outputs[i].type.sizes != outputs_[i].sizes) {
      return internal(fmt::format(
          "output {} is {}[{}], but the caller made room for {}[{}]", i,
          dtype_name(outputs_[i].dtype), fmt::join(outputs_[i].sizes, ", "),
          dtype_name(outputs[i].type.dtype),
          fmt::join(outputs[i].type.sizes, ", ")));
    }
    if (!outputs[i].type.is_contiguous()) {
      return internal(fmt::format("output {} must be row-major", i));
    }
  }
  return std::nullopt;
}

std::optional<Failure> Artifact::check_guards(
    const std::vector<TensorRef>& inputs) {
  const bool passed = screen_ && screen_->passes(inputs);
  const auto looks_at_input = [&](std::size_t g) {
    return guarded_.at(guarded_.outputs[g]).op == Op::input;
  };
  std::vector<Tensor> looked_at;
  bool evaluated = false;
  const auto values = [&]() -> std::vector<Tensor>& {
    if (!evaluated) looked_at = evaluate(guarded_, inputs);
    evaluated = true;
    return looked_at;
  };
  // First: it passes the calls in their order, and ends without a word at one
  // lowered by hand whose requirement is broken.
  if (contract_ && !passed) {
    std::vector<Tensor> given;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      given.push_back(contract_->reads_input(i)
                          ? copied(inputs[i])
                          : Tensor{inputs[i].type, 0, {}});
    }
    const std::vector<Tensor> read(
        values().begin() + static_cast<std::ptrdiff_t>(guards_.size()),
        values().end());
    if (auto r = contract_->check(given, read)) {
      return refused(std::move(*r));
    }
  }
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    std::optional<Failure> failure;
    if (looks_at_input(g)) {
      const GraphNode& n = guarded_.at(guarded_.outputs[g]);
      failure =
          check_range(guards_[g], inputs[static_cast<std::size_t>(n.attr[0])]);
    } else if (!passed) {
      Tensor& t = values()[g];
      failure = check_range(guards_[g], {t.type, t.storage->data()});
    }
    if (failure) return failure;
  }
  if (refusal_) return refused(*refusal_);
  return std::nullopt;
}

std::optional<Failure> Artifact::check_range(const RangeGuard& guard,
                                             const TensorRef& index) const {
  const std::int64_t bad =
      first_out_of_range(index.type, index.data, guard.limit);
  if (bad < 0) return std::nullopt;
  const Tensor all = copied(index);
  Refusal r = guard.refusal;
  r.message += fmt::format(" (element {} is {}, the limit is {})", bad,
                           all.integer(bad), guard.limit);
  return refused(std::move(r));
}

void Artifact::Free::operator()(void* p) const { std::free(p); }

void Artifact::place_buffers() {
  const ArenaPlan plan = plan_arena(nest_);
  if (plan.bytes > 0) {
    // Not touched before it is used: large ones may never be.
    arena_.reset(std::aligned_alloc(kArenaAlignment,
                                    static_cast<std::size_t>(plan.bytes)));
    if (arena_ == nullptr) throw std::bad_alloc();
  }
  for (std::size_t i = 0; i < nest_.buffers.size(); ++i) {
    const Buffer& b = nest_.buffers[i];
    void* address = nullptr;
    if (b.kind == Buffer::Kind::constant) {
      address =
          body_.constants[static_cast<std::size_t>(b.position)].storage->data();
    } else if (b.kind == Buffer::Kind::temporary) {
      address = static_cast<std::byte*>(arena_.get()) + plan.offsets[i];
    }
    addresses_.push_back(address);
  }
}

std::optional<Failure> Artifact::run_compiled(
    const std::vector<TensorRef>& inputs,
    const std::vector<TensorRef>& outputs) {
  for (std::size_t i = 0; i < nest_.buffers.size(); ++i) {
    const Buffer& b = nest_.buffers[i];
    const auto place = static_cast<std::size_t>(b.position);
    if (b.kind == Buffer::Kind::input) addresses_[i] = inputs[place].data;
    if (b.kind == Buffer::Kind::output) addresses_[i] = outputs[place].data;
  }
  if (runs_by_blocks()) {
    blocks_->run(addresses_.data());
    return std::nullopt;
  }
  if (auto failure = finish_compiling()) return failure;
  run_library();
  return std::nullopt;
}

void Artifact::run_library() {
  const KernelFunction* kernel = library_->kernels();
  for (const KernelRange& r : ranges_) {
    const std::int64_t* const sizes = sizes_.data() + r.first_size;
    if (pool_ != nullptr && r.parts > 1 && r.work >= least_shared_) {
      pool_->run(*kernel++, addresses_.data(), sizes, r.parts);
    } else {
      (*kernel++)(addresses_.data(), sizes, 0, r.parts);
    }
  }
}

std::optional<Failure> Artifact::launch(const std::vector<TensorRef>& inputs,
                                        const std::vector<TensorRef>& outputs) {
  if (every_second_ && ++launches_so_far_ % 2 == 0) {
    return every_second_->launch(inputs, outputs);
  }
  if (auto failure = check_types(inputs, outputs)) return failure;
  if (auto failure = check_guards(inputs)) return failure;
  if (outputs.empty()) return std::nullopt;
  if (!cuda_.empty()) {
    return unsupported(fmt::format(
        "code for {} needs a GPU or the PTX machine: ask for its launches",
        cuda_));
  }
  if (engine_ == Engine::compiled || engine_ == Engine::blocks) {
    return run_compiled(inputs, outputs);
  }
  const std::vector<Tensor> results =
      engine_ == Engine::graph
          ? evaluate(body_, inputs)
          : interpret(nest_, body_.constants, read_by(body_, inputs));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& bytes = *results[i].storage;
    if (!bytes.empty()) {
      std::memcpy(outputs[i].data, bytes.data(), bytes.size());
    }
  }
  return std::nullopt;
}

std::string Artifact::kinds() const {
  std::string all = "graph ledger guards";
  if (!nest_.outputs.empty()) all += " nest";
  if (library_ != nullptr) all += " c++ sizes asm";
  if (!cuda_.empty()) all += " cuda ptx launches launches+cubin";
  return all;
}

std::string Artifact::guards_text() const {
  std::string text;
  for (const RangeGuard& g : guards_) {
    text += fmt::format("{} {}: elements in [0, {}): {}\n", g.refusal.clause,
                        g.refusal.exception, g.limit, g.refusal.message);
  }
  return text;
}

std::string Artifact::graph_after(std::string_view pass) const {
  std::string text;
  Body body = imported_;
  Ledger ledger = imported_ledger_;
  // It has passed all checks when it was compiled.
  (void)run_passes(&body, &ledger, [&](std::string_view name, const Body& now) {
    if (name != pass) return;
    text += (text.empty() ? "" : "\n") + to_text(now);
  });
  return text;
}

const std::string& Artifact::explain(const std::string& kind) {
  constexpr std::string_view kAfter = "graph after ";
  explanation_.clear();
  if (kind != "running" && finish_compiling()) return explanation_;
  if (kind == "running") explanation_ = runs_by_blocks() ? "blocks" : "code";
  if (kind == "kinds") explanation_ = kinds();
  if (kind == "passes") {
    explanation_ = fmt::format("{}", fmt::join(pass_names(), " "));
  }
  if (kind.starts_with(kAfter)) {
    explanation_ = graph_after(std::string_view(kind).substr(kAfter.size()));
  }
  if (kind == "graph") explanation_ = to_text(body_);
  if (kind == "ledger") explanation_ = to_text(ledger_);
  if (kind == "nest" && !nest_.outputs.empty()) explanation_ = to_text(nest_);
  if (kind == (cuda_.empty() ? "c++" : "cuda")) explanation_ = text_;
  if (kind == "sizes") explanation_ = sizes_text();
  if (kind == "asm" && library_ != nullptr) {
    const Result<std::string> made = assembly(text_, tools_);
    explanation_ = made.ok() ? *made : "";
  }
  if (kind == "ptx") explanation_ = ptx_;
  if (!cuda_.empty() && kind == "launches") explanation_ = plan(false);
  if (!cuda_.empty() && kind == "launches+cubin") explanation_ = plan(true);
  if (kind == "guards") explanation_ = guards_text();
  return explanation_;
}

}  // namespace assay::compiler
