#include "compiler/artifact.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "compiler/interpret.h"
#include "compiler/passes.h"
#include "compiler/render.h"

namespace assay::compiler {
namespace {

using Engine = CompileOptions::Engine;

// Above this many elements over all kernels, running costs more than
// optimising.
constexpr std::int64_t kSmallProgram = 1 << 19;

Failure internal(std::string message) {
  return {Failure::Kind::internal, {"", "", std::move(message)}};
}

Failure refused(Refusal r) { return {Failure::Kind::refused, std::move(r)}; }

std::int64_t work(const Nest& nest) {
  std::int64_t sum = 0;
  for (const Kernel& k : nest.kernels) {
    if (const auto* loops = std::get_if<LoopKernel>(&k)) {
      sum += element_count(loops->extents()) *
             static_cast<std::int64_t>(loops->stages.size());
      continue;
    }
    const auto& c = std::get<ContractionKernel>(k);
    std::int64_t terms = 1;
    if (c.node.op == Op::matmul) terms = c.operand_sizes[0][2];
    if (c.node.op == Op::convolve) {
      terms = element_count(c.operand_sizes[1]) / c.operand_sizes[1][0];
    }
    sum += element_count(c.node.type.sizes) * terms;
  }
  return sum;
}

// A tensor over memory that is not ours, copied.
Tensor copied(const TensorRef& t) {
  Tensor out = Tensor::strided(t.type);
  if (t.type.span() > 0) {
    std::memcpy(out.storage->data(), t.data, out.storage->size());
  }
  return out;
}

}  // namespace

Artifact::Made Artifact::compile(const Program& program,
                                 const CompileOptions& options) {
  Result<Imported> imported = import_program(program, options.defect);
  if (!imported.ok()) return internal(imported.error().message);
  if (!imported->unsupported.empty()) {
    return Failure{Failure::Kind::unsupported,
                   {"", "", "not supported: " + imported->unsupported}};
  }
  if (imported->refusal && imported->guards.empty()) {
    return refused(*imported->refusal);
  }
  std::unique_ptr<Artifact> a(new Artifact);
  a->body_ = std::move(imported->body);
  a->ledger_ = std::move(imported->ledger);
  a->outputs_ = std::move(imported->outputs);
  a->guards_ = std::move(imported->guards);
  a->refusal_ = std::move(imported->refusal);
  a->engine_ = options.engine;
  const Status passed = run_passes(&a->body_, &a->ledger_);
  if (!passed.ok()) return internal(passed.error().message);
  if (options.defect) a->body_ = inject(a->body_, *options.defect);
  if (a->engine_ == Engine::graph) return a;
  a->nest_ = build_nest(a->body_, a->outputs_.size());
  const Status nested = verify(a->nest_);
  if (!nested.ok()) return internal(nested.error().message);
  if (a->engine_ == Engine::nest) return a;
  a->text_ = render(a->nest_, options.defect);
  ToolchainOptions tools;
  tools.compiler = options.compiler;
  tools.cache = options.cache;
  tools.march = options.target.march;
  tools.small = options.small.value_or(work(a->nest_) < kSmallProgram);
  Result<std::unique_ptr<Library>> library = load_kernels(a->text_, tools);
  if (!library.ok()) return internal(library.error().message);
  a->library_ = std::move(*library);
  return a;
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
  if (outputs.empty()) return std::nullopt;
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

void Artifact::run_compiled(const std::vector<TensorRef>& inputs,
                            const std::vector<TensorRef>& outputs) {
  own_.resize(nest_.buffers.size());
  pointers_.assign(nest_.buffers.size(), nullptr);
  for (std::size_t i = 0; i < nest_.buffers.size(); ++i) {
    const Buffer& b = nest_.buffers[i];
    const auto place = static_cast<std::size_t>(b.position);
    if (b.kind == Buffer::Kind::input) {
      pointers_[i] = inputs[place].data;
    } else if (b.kind == Buffer::Kind::constant) {
      pointers_[i] = body_.constants[place].storage->data();
    } else if (b.kind == Buffer::Kind::output && !outputs.empty()) {
      pointers_[i] = outputs[place].data;
    } else {
      own_[i].resize(static_cast<std::size_t>(b.type.span()) *
                     static_cast<std::size_t>(size_bytes(b.type.dtype)));
      pointers_[i] = own_[i].data();
    }
  }
  library_->run(pointers_.data());
}

// The value that guard `guard` looks at, after the run.
Tensor Artifact::guarded_value(std::size_t guard,
                               const std::vector<TensorRef>& inputs) const {
  const std::size_t output = outputs_.size() + guard;
  if (engine_ != Engine::compiled) return interpreted_[output];
  const auto buffer = static_cast<std::size_t>(nest_.outputs[output]);
  const Buffer& b = nest_.buffers[buffer];
  if (b.kind == Buffer::Kind::input) {
    return copied(inputs[static_cast<std::size_t>(b.position)]);
  }
  return copied({b.type, pointers_[buffer]});
}

std::optional<Failure> Artifact::check_guards(
    const std::vector<TensorRef>& inputs) {
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    const Tensor index = guarded_value(g, inputs);
    const std::int64_t bad = first_out_of_range(index, guards_[g].limit);
    if (bad < 0) continue;
    Refusal r = guards_[g].refusal;
    r.message += fmt::format(" (element {} is {}, the limit is {})", bad,
                             index.integer(bad), guards_[g].limit);
    return refused(std::move(r));
  }
  if (refusal_) return refused(*refusal_);
  return std::nullopt;
}

std::optional<Failure> Artifact::launch(const std::vector<TensorRef>& inputs,
                                        const std::vector<TensorRef>& outputs) {
  if (auto failure = check_types(inputs, outputs)) return failure;
  if (engine_ == Engine::compiled) {
    run_compiled(inputs, outputs);
    return check_guards(inputs);
  }
  std::vector<Tensor> values;
  for (const TensorRef& t : inputs) values.push_back(copied(t));
  interpreted_ = engine_ == Engine::graph
                     ? interpret(body_, values)
                     : interpret(nest_, body_.constants, values);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& bytes = *interpreted_[i].storage;
    if (!bytes.empty()) {
      std::memcpy(outputs[i].data, bytes.data(), bytes.size());
    }
  }
  return check_guards(inputs);
}

const std::string& Artifact::explain(const std::string& kind) {
  explanation_.clear();
  if (kind == "graph") explanation_ = to_text(body_);
  if (kind == "ledger") explanation_ = to_text(ledger_);
  if (kind == "c++") explanation_ = text_;
  if (kind == "guards") {
    for (const RangeGuard& g : guards_) {
      explanation_ +=
          fmt::format("{} {}: elements in [0, {}): {}\n", g.refusal.clause,
                      g.refusal.exception, g.limit, g.refusal.message);
    }
  }
  return explanation_;
}

}  // namespace assay::compiler
