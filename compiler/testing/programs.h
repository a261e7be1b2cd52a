// What tests that compile and run programs share.
#ifndef ASSAY_COMPILER_TESTING_PROGRAMS_H_
#define ASSAY_COMPILER_TESTING_PROGRAMS_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/artifact.h"
#include "core/program_text.h"

namespace assay::compiler {

// Of a text without its first line. What cannot be parsed, compiled or launched
// is a failure of the test.
inline Program parsed(const std::string& text) {
  const Result<Program> program = parse_program("assay-program 1\n" + text);
  if (!program.ok()) ADD_FAILURE() << program.error().message << "\n" << text;
  return program.ok() ? *program : Program();
}

// Null if it failed.
inline std::unique_ptr<Artifact> compiled(const Program& program,
                                          const CompileOptions& options) {
  Artifact::Made made = Artifact::compile(program, options);
  if (auto* failure = std::get_if<Failure>(&made)) {
    ADD_FAILURE() << failure->refusal.message << "\n" << to_text(program);
    return nullptr;
  }
  return std::get<std::unique_ptr<Artifact>>(std::move(made));
}

inline std::vector<TensorRef> refs(std::vector<Tensor>& tensors) {
  std::vector<TensorRef> out;
  for (Tensor& t : tensors) {
    const std::int64_t first = t.offset * size_bytes(t.dtype());
    out.push_back(
        {t.type, t.storage->data() + static_cast<std::size_t>(first)});
  }
  return out;
}

// The outputs, in storage that held other bytes before; none if it failed.
inline std::vector<Tensor> launched(Artifact* artifact,
                                    std::vector<Tensor> inputs) {
  std::vector<Tensor> out;
  if (artifact == nullptr) return out;
  for (const Type& t : artifact->outputs()) {
    out.push_back(Tensor::zeros(t.dtype, t.sizes));
    for (auto& byte : *out.back().storage) byte = std::byte{0x7f};
  }
  const auto failure = artifact->launch(refs(inputs), refs(out));
  if (!failure) return out;
  ADD_FAILURE() << failure->refusal.message;
  return {};
}

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TESTING_PROGRAMS_H_
