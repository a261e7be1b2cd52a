#include "harness/workers/eager/eager_program.h"

#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "core/program_text.h"
#include "harness/workers/eager/eager_args.h"
#include "harness/workers/eager/eager_errors.h"

namespace assay::harness::worker {
namespace {

Failure unsupported(std::string message) {
  return {"unsupported", std::move(message)};
}

// "aten.add.Tensor" -> {"aten::add", "Tensor"}
std::optional<c10::OperatorName> operator_name(const std::string& op) {
  const std::size_t first = op.find('.');
  const std::size_t last = op.rfind('.');
  if (first == std::string::npos || first == last) return std::nullopt;
  std::string overload = op.substr(last + 1);
  if (overload == "default") overload.clear();
  return c10::OperatorName(
      op.substr(0, first) + "::" + op.substr(first + 1, last - first - 1),
      overload);
}

// With which each run begins, so that it draws the same numbers again
// (docs/subject-protocol.md, D1).
constexpr std::uint64_t kSeed = 0;

// A view of memory that is not LibTorch's, with the storage that a user's
// tensor of this layout would have.
at::Tensor view_of(const TensorType& type, std::byte* first,
                   std::int64_t storage_offset) {
  const auto options =
      at::TensorOptions().dtype(scalar_type(type.dtype)).device(at::kCPU);
  return at::for_blob(first - storage_offset * size_bytes(type.dtype),
                      type.sizes)
      .strides(type.strides)
      .storage_offset(storage_offset)
      .options(options)
      .make_tensor();
}

// The first of a program's values that lies in the storage of one of them: of
// its inputs, the one whose storage that is (ReturnedLayout).
std::int64_t storage_number(const std::vector<at::Tensor>& values,
                            const at::Tensor& value) {
  if (!value.has_storage()) return kStorageUntold;
  const auto holder =
      std::find_if(values.begin(), values.end(), [&](const at::Tensor& t) {
        return t.has_storage() && t.is_alias_of(value);
      });
  return holder - values.begin();
}

Outcome<Produced> produced(const at::Tensor& result, std::int64_t storage) {
  const auto dtype = dtype_of(result.scalar_type());
  if (!dtype) {
    return unsupported(c10::str("a result of dtype ",
                                c10::toString(result.scalar_type()),
                                ", which the protocol does not carry"));
  }
  const at::Tensor plain = result.resolve_conj().resolve_neg().contiguous();
  return Produced{
      TensorType::contiguous(*dtype, plain.sizes().vec()),
      [plain](std::byte* to) {
        if (plain.nbytes() > 0) {
          std::memcpy(to, plain.const_data_ptr(), plain.nbytes());
        }
      },
      ReturnedLayout{result.strides().vec(), result.storage_offset(), storage}};
}

// One list of tensors, whose length the operands tell.
bool returns_list(const c10::FunctionSchema& schema) {
  const auto& returns = schema.returns();
  return returns.size() == 1 &&
         *returns.front().type() == *c10::ListType::ofTensors();
}

// Where the program names several, these are all: Python's unpacking says the
// same, in the same class of error. One alone may be that of a call which must
// be refused, of whose length nothing is known.
torch::jit::Stack members(const c10::IValue& list, const std::string& op,
                          std::size_t named) {
  const auto tensors = list.toTensorVector();
  TORCH_CHECK_VALUE(named == 1 ? !tensors.empty() : tensors.size() == named, op,
                    " returned ", tensors.size(),
                    " tensors where the program takes ", named);
  return {tensors.begin(), tensors.end()};
}

class EagerProgram : public Executable {
 public:
  EagerProgram(Program program,
               std::vector<std::optional<c10::OperatorHandle>> operators)
      : program_(std::move(program)), operators_(std::move(operators)) {}

  Outcome<std::vector<Produced>> run(
      const std::vector<Region>& inputs,
      const std::vector<Region>& /*outputs*/) override {
    if (inputs.size() != program_.inputs.size()) {
      return Failure{"internal",
                     c10::str(inputs.size(), " inputs for a program of ",
                              program_.inputs.size())};
    }
    try {
      const at::NoGradGuard no_grad;
      at::manual_seed(kSeed);
      return collect(execute(inputs));
    } catch (...) {
      return failure_of_current_exception();
    }
  }

 private:
  std::vector<at::Tensor> execute(const std::vector<Region>& inputs) const {
    std::vector<at::Tensor> values;
    for (const Region& r : inputs) {
      values.push_back(view_of(r.type, r.data, r.storage_offset));
    }
    // Each run has its own copy: a program may write to its constants.
    for (const Tensor& c : program_.constants) {
      values.push_back(view_of(c.type, c.storage->data(), 0).clone());
    }
    std::map<int, torch::jit::Stack> returned;  // by value id of the call
    for (std::size_t n = 0; n < program_.nodes.size(); ++n) {
      if (const auto further = further_output(program_.nodes[n])) {
        const torch::jit::Stack& all = returned.at(further->call.id);
        values.push_back(all.at(further->output).toTensor());
        continue;
      }
      const c10::OperatorHandle& op = *operators_[n];
      torch::jit::Stack stack =
          bind_arguments(op.schema(), program_.nodes[n], values);
      op.callBoxed(stack);
      if (returns_list(op.schema())) {
        const ValueRef call{static_cast<int>(values.size())};
        stack = members(stack.at(0), program_.nodes[n].op,
                        output_count(program_, call));
      }
      values.push_back(stack.at(0).toTensor());
      returned.emplace(static_cast<int>(values.size()) - 1, std::move(stack));
    }
    return values;
  }

  Outcome<std::vector<Produced>> collect(
      const std::vector<at::Tensor>& values) const {
    std::vector<Produced> out;
    for (const ValueRef v : program_.outputs) {
      const at::Tensor& value = values.at(static_cast<std::size_t>(v.id));
      auto one = produced(value, storage_number(values, value));
      if (auto* f = std::get_if<Failure>(&one)) return std::move(*f);
      out.push_back(std::move(std::get<Produced>(one)));
    }
    return out;
  }

  Program program_;
  std::vector<std::optional<c10::OperatorHandle>> operators_;  // by node
};

// Tensors alone, and as many of them as the program takes: one, or several of
// which getitem names at least one more than the first. How many a list has
// shows when it is there.
bool returns_what_is_taken(const c10::FunctionSchema& schema,
                           std::size_t taken) {
  if (returns_list(schema)) return true;
  const auto& returns = schema.returns();
  for (const c10::Argument& r : returns) {
    if (r.type()->kind() != c10::TypeKind::TensorType) return false;
  }
  return taken == 1 ? returns.size() == 1 : taken <= returns.size();
}

}  // namespace

Outcome<std::unique_ptr<Executable>> eager_compile(const std::string& text) {
  Result<Program> program = parse_program(text);
  if (!program) return Failure{"internal", program.error().message};
  std::vector<std::optional<c10::OperatorHandle>> operators;
  for (const Node& node : program->nodes) {
    const ValueRef value{program->first_node_id() +
                         static_cast<int>(operators.size())};
    if (further_output(node)) {
      operators.emplace_back();
      continue;
    }
    const auto name = operator_name(node.op);
    if (!name) {
      return Failure{"internal", c10::str("'", node.op,
                                          "' is not of the form "
                                          "namespace.name.overload")};
    }
    const auto op = c10::Dispatcher::singleton().findSchema(*name);
    if (!op) {
      return unsupported("this LibTorch has no operation " + node.op);
    }
    const std::size_t taken = output_count(*program, value);
    if (!returns_what_is_taken(op->schema(), taken)) {
      return unsupported(c10::str(node.op, " does not return ", taken,
                                  taken == 1 ? " tensor" : " tensors"));
    }
    operators.emplace_back(*op);
  }
  return std::unique_ptr<Executable>(std::make_unique<EagerProgram>(
      std::move(*program), std::move(operators)));
}

}  // namespace assay::harness::worker
