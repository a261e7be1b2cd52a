// Helpers of the worker tests: programs from text, tensors from numbers.
#ifndef ASSAY_HARNESS_TESTING_WORKERS_H_
#define ASSAY_HARNESS_TESTING_WORKERS_H_

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/program_text.h"
#include "core/tensor.h"
#include "harness/subject/subject.h"
#include "harness/subject/worker.h"

namespace assay::harness::testing {

using Kind = Observation::Kind;

inline constexpr std::chrono::milliseconds kAmple{60000};

inline Program program(const std::string& lines) {
  const auto parsed = parse_program("assay-program 1\n" + lines);
  if (!parsed) throw std::invalid_argument(parsed.error().message);
  return *parsed;
}

inline Tensor tensor(TensorType type, const std::vector<double>& values,
                     std::int64_t offset = 0) {
  Tensor t = Tensor::strided(std::move(type), offset);
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    t.set_number(i, values[static_cast<std::size_t>(i) % values.size()]);
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

inline std::string build_file(const std::string& relative) {
  return (std::filesystem::path(ASSAY_BINARY_DIR) / relative).string();
}

// The configuration of a subject that has to be there; throws if it is not.
inline SubjectConfig subject(const std::string& spelling) {
  auto config = parse_subject(spelling);
  if (!config) throw std::runtime_error(config.error().message);
  return *config;
}

// Why a test of compiled CUDA text has to be skipped: this machine has no
// NVRTC. Empty where it has, and where something else is wrong, which must not
// pass for that.
inline std::string missing_nvrtc(Worker& compiler) {
  const Observation o = compiler.run(
      program("%0 = input f32[2]\n%1 = aten.neg.default(%0)\nreturn %1\n"),
      {tensor(DType::f32, {2}, {1, 2})}, {}, kAmple);
  if (o.kind != Kind::unsupported) return {};
  return o.detail.find("there is no NVRTC") == std::string::npos ? ""
                                                                 : o.detail;
}

}  // namespace assay::harness::testing

#endif  // ASSAY_HARNESS_TESTING_WORKERS_H_
