// Calls and tensors for tests of the kit.
#ifndef ASSAY_KIT_TESTING_CALLS_H_
#define ASSAY_KIT_TESTING_CALLS_H_

#include <string>
#include <vector>

#include "core/operands.h"
#include "core/program_text.h"
#include "core/tensor.h"
#include "kit/call.h"
#include "kit/dlpack.h"

namespace assay::kit::testing {

inline Tensor tensor(const TensorType& type, const std::vector<double>& values,
                     std::int64_t offset = 0) {
  Tensor t = Tensor::strided(type, offset);
  for (std::size_t i = 0; i < values.size(); ++i) {
    t.set_number(static_cast<std::int64_t>(i), values[i]);
  }
  return t;
}
inline Tensor tensor(DType dtype, Shape sizes,
                     const std::vector<double>& values) {
  return tensor(TensorType::contiguous(dtype, std::move(sizes)), values);
}

inline std::vector<double> numbers(const Tensor& t) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < t.numel(); ++i) out.push_back(t.number(i));
  return out;
}

// What `operation` makes of arguments, "%0, 2, alpha=3", %n being `inputs`[n].
inline Tensor apply(const Operation& operation, const std::string& arguments,
                    const std::vector<Tensor>& inputs) {
  Program inputs_only;
  for (const Tensor& t : inputs) inputs_only.inputs.push_back(t.type);
  std::string text = to_text(inputs_only);
  text = text.substr(0, text.find("return"));
  const std::string id = "%" + std::to_string(inputs.size());
  const Result<Program> program =
      parse_program(text + id + " = aten.tested.default(" + arguments +
                    ")\nreturn " + id + "\n");
  const Node& node = program->nodes.at(0);
  std::vector<TensorType> types;
  std::vector<View> views;
  for (const ValueRef v : operands(node)) {
    const Tensor& t = inputs[static_cast<std::size_t>(v.id)];
    types.push_back(t.type);
    views.push_back(view_of(t));
  }
  const Plan plan = operation(Call(node, types));
  const Tensor out = Tensor::strided(plan.results.at(0));
  plan.run(views, {view_of(out)});
  return out;
}

// As the host of plugins hands it over. `t` must outlive it.
inline AssayTensor handed(const Tensor& t) {
  return {sizeof(AssayTensor),
          t.storage->data() + t.offset * size_bytes(t.dtype()),
          to_dlpack(t.dtype()),
          static_cast<std::int32_t>(t.rank()),
          t.type.sizes.data(),
          t.type.strides.data()};
}

}  // namespace assay::kit::testing

#endif  // ASSAY_KIT_TESTING_CALLS_H_
