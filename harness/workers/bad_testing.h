// Helpers of the tests that drive bad_worker.
#ifndef ASSAY_HARNESS_WORKERS_BAD_TESTING_H_
#define ASSAY_HARNESS_WORKERS_BAD_TESTING_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/testing/workers.h"

namespace assay::harness::testing {

using std::chrono::milliseconds;

inline constexpr milliseconds kShort{400};

inline SubjectConfig bad(std::vector<std::string> arguments = {}) {
  SubjectConfig config;
  config.spelling = "worker:bad";
  config.command = {build_file("bin/bad_worker")};
  config.command.insert(config.command.end(), arguments.begin(),
                        arguments.end());
  return config;
}

inline Program doing(const std::string& mode) {
  return program("%0 = input f32[2]\n%1 = bad." + mode +
                 ".default(%0)\nreturn %1\n");
}

inline std::vector<Tensor> inputs() {
  return {tensor(DType::f32, {2}, {3, 4})};
}

inline const std::vector<TensorType> kExpected = {
    TensorType::contiguous(DType::f32, {2})};

inline Observation run(Worker& worker, const std::string& mode,
                       milliseconds deadline = kAmple) {
  return worker.run(doing(mode), inputs(), kExpected, deadline);
}

// The worker serves an honest program.
inline void expect_well(Worker& worker) {
  const Observation o = worker.run(program("%0 = input f32[2]\nreturn %0\n"),
                                   inputs(), kExpected, kAmple);
  ASSERT_EQ(o.kind, Kind::returned) << o.detail;
  EXPECT_THAT(o.breaches, ::testing::IsEmpty());
  ASSERT_EQ(o.outputs.size(), 1u);
  EXPECT_THAT(numbers(o.outputs[0]), ::testing::ElementsAre(3, 4));
}

}  // namespace assay::harness::testing

#endif  // ASSAY_HARNESS_WORKERS_BAD_TESTING_H_
