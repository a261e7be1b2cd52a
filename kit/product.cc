#include "kit/product.h"

#include <exception>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "core/operands.h"
#include "core/program_text.h"
#include "core/sanitizer.h"
#include "core/text.h"

// What compile makes: the program, and a plan per node, none for a getitem.
struct AssayArtifact {
  assay::Program program;
  std::vector<assay::kit::Plan> plans;
};

namespace assay::kit {
namespace {

const Product* current = nullptr;

bool has_target(const std::string& wanted) {
  std::istringstream targets(current->targets);
  for (std::string one; targets >> one;) {
    if (one == wanted) return true;
  }
  return false;
}

const Operation& operation(const std::string& name) {
  const auto found = current->operations.find(name);
  if (found == current->operations.end()) {
    throw Unsupported{"there is no " + name};
  }
  return found->second;
}

// The types of a program's values by id, as its nodes are planned.
class Planner {
 public:
  explicit Planner(Program program) : made_{std::move(program), {}} {
    const Program& p = made_.program;
    if (p.device != 0) throw Unsupported{"there is one device only"};
    // What is not supported is so whatever is wrong with a call before it.
    for (const Node& node : p.nodes) {
      if (node.op != kGetitem) operation(node.op);
    }
    types_ = p.inputs;
    for (const Tensor& t : p.constants) types_.push_back(t.type);
    for (const Node& node : p.nodes) plan(node);
  }
  AssayArtifact take() { return std::move(made_); }

 private:
  void plan(const Node& node) {
    if (const auto further = further_output(node)) {
      const auto call = static_cast<std::size_t>(further->call.id -
                                                 made_.program.first_node_id());
      const auto& results = made_.plans[call].results;
      if (further->output >= results.size()) {
        throw Unsupported{made_.program.nodes[call].op + ": output " +
                          std::to_string(further->output)};
      }
      types_.push_back(results[further->output]);
      made_.plans.emplace_back();
      return;
    }
    std::vector<TensorType> operand_types;
    for (const ValueRef v : operands(node)) {
      operand_types.push_back(types_[static_cast<std::size_t>(v.id)]);
    }
    Plan made = operation(node.op)(Call(node, std::move(operand_types)));
    types_.push_back(made.results.at(0));
    made_.plans.push_back(std::move(made));
  }

  AssayArtifact made_;
  std::vector<TensorType> types_;
};

// One launch: what the values are, and the memory of those in between.
class Launch {
 public:
  Launch(const AssayArtifact& made, std::vector<View> inputs)
      : program_(made.program), values_(std::move(inputs)) {
    for (const Tensor& t : program_.constants) values_.push_back(view_of(t));
    for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
      const Node& node = program_.nodes[i];
      results_.emplace_back();
      if (const auto further = further_output(node)) {
        const auto call = static_cast<std::size_t>(further->call.id -
                                                   program_.first_node_id());
        values_.push_back(results_[call][further->output]);
      } else {
        values_.push_back(run(node, made.plans[i]));
      }
    }
  }

  const View& value(ValueRef v) const {
    return values_[static_cast<std::size_t>(v.id)];
  }

 private:
  View run(const Node& node, const Plan& plan) {
    std::vector<View> operand_views;
    for (const ValueRef v : operands(node)) operand_views.push_back(value(v));
    for (const TensorType& t : plan.results) {
      memory_.push_back(Tensor::strided(t));
      results_.back().push_back(view_of(memory_.back()));
    }
    plan.run(operand_views, results_.back());
    return results_.back().front();
  }

  const Program& program_;
  std::vector<View> values_;                // by id
  std::vector<std::vector<View>> results_;  // of each node
  std::vector<Tensor> memory_;
};

std::string type_difference(const TensorType& given, const TensorType& wanted) {
  if (given.dtype == wanted.dtype && given.sizes == wanted.sizes) return "";
  return type_text(given.dtype, given.sizes) + " where the program has " +
         type_text(wanted.dtype, wanted.sizes);
}

// The host's tensors; an error if they are not the program's.
Result<std::vector<View>> views(const AssayTensor* tensors, std::size_t count,
                                const std::vector<TensorType>& wanted) {
  if (count != wanted.size()) {
    return Error{std::to_string(count) + " tensors where the program has " +
                 std::to_string(wanted.size())};
  }
  std::vector<View> out;
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<View> view = view_of(tensors[i]);
    if (!view) return Error{"a tensor of an element type that is not known"};
    const std::string fault = type_difference(view->type, wanted[i]);
    if (!fault.empty()) return Error{fault};
    out.push_back(std::move(*view));
  }
  return out;
}

AssayCode launch(const AssayArtifact& made, const AssayTensor* inputs,
                 std::size_t input_count, AssayTensor* outputs,
                 std::size_t output_count, AssayError* error) {
  Result<std::vector<View>> in =
      views(inputs, input_count, made.program.inputs);
  if (!in) return report_internal(error, in.error().message);
  const Launch ran(made, std::move(in.value()));
  // No outputs although the program has some: it was run for its checks.
  if (output_count == 0) return ASSAY_OK;
  std::vector<TensorType> wanted;
  for (const ValueRef v : made.program.outputs) {
    wanted.push_back(ran.value(v).type);
  }
  const Result<std::vector<View>> out = views(outputs, output_count, wanted);
  if (!out) return report_internal(error, out.error().message);
  for (std::size_t i = 0; i < output_count; ++i) {
    copy(ran.value(made.program.outputs[i]), (*out)[i]);
  }
  return ASSAY_OK;
}

// The program, planned. Throws Raised and Unsupported.
AssayArtifact plan(const char* program, const char* target) {
  if (!has_target(target)) {
    throw Unsupported{"there is no target " + std::string(target) + " among " +
                      current->targets};
  }
  Result<Program> parsed = parse_program(program);
  if (!parsed) throw std::runtime_error(parsed.error().message);
  return Planner(std::move(parsed.value())).take();
}

// Calls f, which returns a code; no exception crosses the interface.
template <class F>
AssayCode guarded(AssayError* error, F f) {
  try {
    return f();
  } catch (Raised& r) {
    return report(error, ASSAY_REFUSED, std::move(r));
  } catch (Unsupported& u) {
    return report_unsupported(error, std::move(u.reason));
  } catch (const std::exception& e) {
    return report_internal(error, e.what());
  }
}

AssayCode query(const char* program, const char* target, AssayError* error) {
  return guarded(error, [&] {
    try {
      plan(program, target);
    } catch (const Raised&) {
      // Supported: compile refuses it.
    }
    return ASSAY_OK;
  });
}

AssayCode compile(const char* program, const char* target,
                  const AssayOption* options, std::size_t option_count,
                  AssayArtifact** artifact, AssayError* error) {
  return guarded(error, [&] {
    if (option_count != 0) {
      return report_internal(error, std::string("unknown option ") +
                                        options[0].name + ": there are none");
    }
    *artifact = new AssayArtifact(plan(program, target));
    return ASSAY_OK;
  });
}

AssayCode guarded_launch(AssayArtifact* artifact, const AssayTensor* inputs,
                         std::size_t input_count, AssayTensor* outputs,
                         std::size_t output_count, AssayError* error) {
  return guarded(error, [&] {
    return launch(*artifact, inputs, input_count, outputs, output_count, error);
  });
}

void destroy(AssayArtifact* artifact) { delete artifact; }

}  // namespace

const AssayPlugin* plugin_of(const Product& product,
                             std::uint32_t host_abi_major) {
  if (host_abi_major != ASSAY_PLUGIN_ABI_MAJOR) return nullptr;
  current = &product;
  static AssayPlugin table;
  table = {sizeof(AssayPlugin),
           ASSAY_PLUGIN_ABI_MAJOR,
           ASSAY_PLUGIN_ABI_MINOR,
           product.name.c_str(),
           product.version.c_str(),
           product.targets.c_str(),
           kSanitizer.empty() ? nullptr : kSanitizer.data(),
           query,
           compile,
           guarded_launch,
           destroy,
           nullptr,
           nullptr,
           nullptr,
           nullptr};
  return &table;
}

}  // namespace assay::kit
