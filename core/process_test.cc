#include "core/process.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace assay {
namespace {

TEST(Process, OutputAndExitCodeAreCollected) {
  const Finished f = run_process({"sh", "-c", "echo a; echo b >&2; exit 3"});
  EXPECT_TRUE(f.started());
  EXPECT_EQ(f.exit_code, 3);
  EXPECT_EQ(f.output, "a\nb\n");
}

TEST(Process, ErrorsCanStayOurs) {
  const Finished f =
      run_process({"sh", "-c", "echo a; true >&2"}, Collect::output);
  EXPECT_EQ(f.output, "a\n");
}

TEST(Process, ASignalIsAnExitCode) {
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}).exit_code, 128 + 9);
}

TEST(Process, LongOutputIsCutAndReadToItsEnd) {
  const Finished f = run_process({"sh", "-c", "yes | head -c 1000000"});
  EXPECT_EQ(f.exit_code, 0);
  EXPECT_GE(f.output.size(), 64u * 1024);
  EXPECT_LT(f.output.size(), 80u * 1024);
}

TEST(Process, AProgramThatIsNotThereSaysSo) {
  const Finished f = run_process({"/no/such/program"});
  EXPECT_FALSE(f.started());
  EXPECT_EQ(f.start_error, ENOENT);
}

}  // namespace
}  // namespace assay
