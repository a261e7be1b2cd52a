// A compiler that only plans, on a GPU that is not there.
#ifndef ASSAY_HARNESS_WORKERS_CUDA_CUDA_TESTING_H_
#define ASSAY_HARNESS_WORKERS_CUDA_CUDA_TESTING_H_

#include <string>
#include <vector>

#include "harness/workers/bad_testing.h"

namespace assay::harness::testing {

// `settings`: of the fake driver (testing/fake_settings.h).
inline SubjectConfig planner_on_gpu(
    const std::string& settings = "",
    const std::vector<std::string>& arguments = {}) {
  SubjectConfig config;
  config.spelling = "worker:planner";
  config.target = "cuda";
  config.command = {build_file("bin/assay-cuda-worker")};
  config.command.insert(config.command.end(), arguments.begin(),
                        arguments.end());
  config.command.insert(
      config.command.end(),
      {"/usr/bin/env", "python3",
       std::string(ASSAY_SOURCE_DIR) + "/harness/testing/plan_worker.py"});
  config.environment = {
      {"ASSAY_CUDA_DRIVER", build_file("lib/fake_cuda_driver.so")},
      {"ASSAY_FAKE_CUDA", settings}};
  return config;
}

inline SubjectConfig planner_on_machine() {
  SubjectConfig config = planner_on_gpu();
  config.target = "cuda-sm_90";
  config.command[0] = build_file("bin/assay-ptx-worker");
  return config;
}

inline Observation run(Worker& worker, const char* deed) {
  return worker.run(doing(deed), inputs(), {}, kAmple);
}

// The next program does not suffer from the last one.
inline void expect_negates(Worker& worker) {
  const Observation o = run(worker, "negate");
  ASSERT_EQ(o.kind, Kind::returned) << o.detail << o.error.message;
  EXPECT_THAT(numbers(o.outputs[0]), ::testing::ElementsAre(-3, -4));
  EXPECT_THAT(o.breaches, ::testing::IsEmpty());
}

}  // namespace assay::harness::testing

#endif  // ASSAY_HARNESS_WORKERS_CUDA_CUDA_TESTING_H_
