#include "compiler/testing/emulate.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "ptx/machine/machine.h"

namespace assay::compiler {
namespace {

using Json = nlohmann::json;

std::vector<std::byte> decoded(const std::string& base64) {
  std::vector<std::byte> out;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : base64) {
    if (c == '=') break;
    const std::string digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    group = group << 6 | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<std::byte>(group >> bits & 0xffU));
  }
  return out;
}

std::optional<DType> dtype_named(const std::string& name) {
  for (const DType t : kAllDTypes) {
    if (dtype_name(t) == name) return t;
  }
  return std::nullopt;
}

class Run {
 public:
  Run(const Json& plan, std::vector<Tensor>* inputs, Races races) {
    options_.find_races = races == Races::looked_for;
    for (const Json& b : plan["buffers"]) add(b, inputs);
  }

  Emulated execute(const Json& plan) {
    const auto program =
        ptx::Program::load(plan["modules"][0]["ptx"].get<std::string>());
    if (!program.ok()) {
      out_.faults.push_back(program.error().message);
      return out_;
    }
    for (const Json& l : plan["launches"]) launch(*program, l);
    for (const Json& o : plan["outputs"]) output(o);
    return out_;
  }

 private:
  void add(const Json& b, std::vector<Tensor>* inputs) {
    const std::string name =
        b["kind"].get<std::string>() + std::to_string(addresses_.size());
    storage_.emplace_back();
    std::vector<std::byte>& bytes = storage_.back();
    ptx::Contents contents = ptx::Contents::defined;
    if (b["kind"] == "input") {
      const Tensor& t = (*inputs)[b["index"].get<std::size_t>()];
      const auto size = static_cast<std::size_t>(size_bytes(t.dtype()));
      const std::byte* first =
          t.storage->data() + static_cast<std::size_t>(t.offset) * size;
      bytes.assign(first,
                   first + static_cast<std::size_t>(t.type.span()) * size);
    } else if (b["kind"] == "constant") {
      bytes = decoded(b["base64"]);
    } else {
      bytes.resize(b["bytes"].get<std::size_t>());
      contents = ptx::Contents::undefined;
    }
    addresses_.push_back(machine_.add_buffer(name, bytes, contents));
  }

  void launch(const ptx::Program& program, const Json& l) {
    ptx::Arguments arguments;
    for (const Json& a : l["arguments"]) {
      arguments.add(addresses_[a["buffer"].get<std::size_t>()]);
    }
    ptx::LaunchShape shape;
    shape.grid = {l["grid"][0], l["grid"][1], l["grid"][2]};
    shape.block = {l["block"][0], l["block"][1], l["block"][2]};
    shape.shared = l["shared"];
    const auto report = machine_.launch(program, l["entry"].get<std::string>(),
                                        shape, arguments.bytes(), options_);
    if (!report.ok()) {
      out_.faults.push_back(report.error().message);
      return;
    }
    for (const ptx::Fault& f : report->faults) {
      out_.faults.push_back(f.text());
    }
    for (const auto& [opcode, times] : report->approximate) {
      if (times > 0) out_.approximate.push_back(opcode);
    }
  }

  void output(const Json& o) {
    Tensor t = Tensor::zeros(*dtype_named(o["dtype"]), o["sizes"].get<Shape>());
    const auto& bytes = storage_[o["buffer"].get<std::size_t>()];
    std::copy(bytes.begin(), bytes.end(), t.storage->begin());
    out_.outputs.push_back(std::move(t));
  }

  ptx::LaunchOptions options_;
  ptx::Machine machine_;
  std::vector<std::vector<std::byte>> storage_;
  std::vector<std::uint64_t> addresses_;
  Emulated out_;
};

}  // namespace

Emulated emulate(const std::string& plan, std::vector<Tensor> inputs,
                 Races races) {
  const Json parsed = Json::parse(plan);
  return Run(parsed, &inputs, races).execute(parsed);
}

}  // namespace assay::compiler
