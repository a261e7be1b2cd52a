#include "compiler/cuda/launch_plan.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace assay::compiler {
namespace {

using Json = nlohmann::ordered_json;

// RFC 4648, with padding.
std::string base64(std::string_view bytes) {
  constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t given = std::min<std::size_t>(bytes.size() - i, 3);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto byte =
          k < given ? static_cast<unsigned char>(bytes[i + k]) : 0U;
      group = group << 8 | byte;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= given ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

std::string base64(const Tensor& t) {
  const Tensor row_major = t.contiguous();
  const auto& bytes = *row_major.storage;
  return base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::int64_t bytes_of(const TensorType& t) {
  return t.span() * size_bytes(t.dtype);
}

Json buffer(const Buffer& b, const std::vector<Tensor>& constants) {
  switch (b.kind) {
    case Buffer::Kind::input:
      return {{"kind", "input"}, {"index", b.position}};
    case Buffer::Kind::constant:
      return {
          {"kind", "constant"},
          {"base64", base64(constants[static_cast<std::size_t>(b.position)])}};
    case Buffer::Kind::temporary:
      return {{"kind", "temporary"}, {"bytes", bytes_of(b.type)}};
    case Buffer::Kind::output:
      return {{"kind", "output"}, {"bytes", bytes_of(b.type)}};
  }
  return {};
}

Json launch(const CudaLaunch& l) {
  Json arguments = Json::array();
  for (const int b : l.buffers) arguments.push_back({{"buffer", b}});
  return {{"module", 0},
          {"entry", l.entry},
          {"grid", {l.blocks, 1, 1}},
          {"block", {l.threads, 1, 1}},
          {"shared", l.shared},
          {"arguments", std::move(arguments)}};
}

}  // namespace

std::string launch_plan(const Nest& nest,
                        const std::vector<bool>& complex_outputs,
                        const std::vector<Tensor>& constants,
                        const std::vector<CudaLaunch>& launches,
                        const std::string& target, const std::string& ptx,
                        const std::optional<Result<std::string>>& cubin) {
  Json plan;
  plan["plan"] = 1;
  plan["target"] = target;
  plan["modules"] = Json::array();
  if (!ptx.empty()) plan["modules"].push_back({{"ptx", ptx}});
  plan["buffers"] = Json::array();
  for (const Buffer& b : nest.buffers) {
    plan["buffers"].push_back(buffer(b, constants));
  }
  plan["launches"] = Json::array();
  for (const CudaLaunch& l : launches) plan["launches"].push_back(launch(l));
  plan["outputs"] = Json::array();
  for (std::size_t k = 0; k < nest.outputs.size(); ++k) {
    const int o = nest.outputs[k];
    const TensorType& of = nest.buffers[static_cast<std::size_t>(o)].type;
    const TensorType t =
        k < complex_outputs.size() && complex_outputs[k] ? joined(of) : of;
    plan["outputs"].push_back({{"buffer", o},
                               {"offset", 0},
                               {"dtype", dtype_name(t.dtype)},
                               {"sizes", t.sizes},
                               {"strides", t.strides}});
  }
  if (cubin) {
    Json made = {{"module", 0}};
    if (cubin->ok()) {
      made["base64"] = base64(**cubin);
    } else {
      made["error"] = cubin->error().message;
    }
    plan["cubins"] = Json::array({std::move(made)});
  }
  return plan.dump();
}

}  // namespace assay::compiler
