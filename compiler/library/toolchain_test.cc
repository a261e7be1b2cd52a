// Compilers, the kernel cache, and what happens when either fails.
#include "compiler/library/toolchain.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "compiler/library/cache_file.h"

namespace assay::compiler {
namespace {

namespace fs = std::filesystem;

const char* const kText =
    "static void k(void* const* b, const long* n, long, long) {\n"
    "  *(int*)b[0] = (int)n[0];\n}\n"
    "typedef void (*kernel)(void* const*, const long*, long, long);\n"
    "extern \"C\" __attribute__((visibility(\"default\")))\n"
    "const kernel assay_kernels[] = {k, 0};\n";

class Toolchain : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("assay-cache-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    options_.program = ToolchainOptions::Program::small;
    options_.cache = folder_.string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  int run() {
    const auto library = load_kernels(kText, options_);
    if (!library.ok()) {
      ADD_FAILURE() << library.error().message;
      return 0;
    }
    int value = 0;
    void* buffers[] = {&value};
    const std::int64_t size = 42;
    (*library)->kernels()[0](buffers, &size, 0, 1);
    return value;
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    std::error_code gone;  // files come and go meanwhile
    for (auto f = fs::directory_iterator(folder_, gone);
         !gone && f != fs::directory_iterator(); f.increment(gone)) {
      out.push_back(f->path());
    }
    return out;
  }

  fs::path folder_;
  ToolchainOptions options_;
};

TEST_F(Toolchain, CachesByContent) {
  EXPECT_EQ(run(), 42);
  ASSERT_EQ(files().size(), 1u);
  const auto made = fs::last_write_time(files()[0]);
  EXPECT_EQ(run(), 42);
  EXPECT_EQ(fs::last_write_time(files()[0]), made);
  options_.program =
      ToolchainOptions::Program::medium;  // other flags are another file
  EXPECT_EQ(run(), 42);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(Toolchain, ADamagedFileIsMadeAgain) {
  EXPECT_EQ(run(), 42);
  const fs::path file = files()[0];
  const auto size = fs::file_size(file);
  const auto damage = [&](const std::function<void()>& how) {
    how();
    EXPECT_EQ(run(), 42);
    EXPECT_EQ(fs::file_size(file), size);
  };
  damage([&] { fs::resize_file(file, size / 2); });
  damage([&] { fs::resize_file(file, 0); });
  damage([&] {  // one bit of the code
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(static_cast<std::streamoff>(size / 3));
    f.put('\x5a');
  });
}

TEST_F(Toolchain, AFileOfAnotherTextIsNotTaken) {
  EXPECT_EQ(run(), 42);
  const fs::path file = files()[0];
  EXPECT_FALSE(is_sealed(file.string(), 1));  // whole, but another key
}

TEST_F(Toolchain, ProcessesAndThreadsMayShareTheCache) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      int wrong = 0;
      for (int k = 0; k < 3; ++k) {
        wrong += run() != 42 ? 1 : 0;
        for (const fs::path& f : files()) {
          // What others are at work on is theirs.
          if (f.filename().string().starts_with("tmp-")) continue;
          std::error_code gone;
          fs::remove(f, gone);
        }
      }
      _exit(wrong);
    }
    children.push_back(child);
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([this] { EXPECT_EQ(run(), 42); });
  }
  for (std::thread& t : threads) t.join();
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

TEST_F(Toolchain, SaysWhatIsWrong) {
  const auto broken = load_kernels("int assay_kernels(", options_);
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().message.find("error:"), std::string::npos)
      << broken.error().message;
  const auto no_entry = load_kernels("int other;", options_);
  ASSERT_FALSE(no_entry.ok());
  EXPECT_NE(no_entry.error().message.find("no entry"), std::string::npos);
  ToolchainOptions missing = options_;
  missing.compiler = "no-such-compiler";
  const auto absent = load_kernels(kText, missing);
  ASSERT_FALSE(absent.ok());
  EXPECT_NE(absent.error().message.find("no-such-compiler"), std::string::npos);
  ToolchainOptions unwritable = options_;
  unwritable.cache = "/proc/assay";
  const auto nowhere = load_kernels(kText, unwritable);
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(nowhere.error().message.find("ASSAY_CACHE"), std::string::npos);
}

TEST_F(Toolchain, ATextAtFaultIsToldFromACompilerThatMakesNothing) {
  EXPECT_EQ(toolchain_fault(options_), "");
  EXPECT_TRUE(files().empty());
  // As g++ is where only a part of its package is installed.
  const fs::path driver = folder_ / "g++";
  std::ofstream(driver) << "#!/bin/sh\n[ \"$1\" = --version ] && exit\n"
                           "echo cannot execute cc1plus\nexit 1\n";
  fs::permissions(driver, fs::perms::owner_all);
  options_.compiler = driver.string();
  EXPECT_NE(toolchain_fault(options_).find("cannot execute cc1plus"),
            std::string::npos)
      << toolchain_fault(options_);
  options_.compiler = "no-such-compiler";
  EXPECT_NE(toolchain_fault(options_).find("install g++"), std::string::npos);
}

TEST_F(Toolchain, NoFlagLoosensArithmetic) {
  using Size = ToolchainOptions::Program;
  for (const Size size : {Size::small, Size::medium, Size::large}) {
    options_.program = size;
    const auto argv = compile_command(options_);
    ASSERT_TRUE(argv.ok());
    const auto has = [&](const char* flag) {
      return std::find(argv->begin(), argv->end(), flag) != argv->end();
    };
    EXPECT_TRUE(has("-ffp-contract=off"));
    EXPECT_TRUE(has("-fno-fast-math"));
    EXPECT_TRUE(has("-c"));
    EXPECT_FALSE(has("-ffast-math") || has("-Ofast"));
    // No crtfastmath.o: it would set FTZ.
    const auto linker = link_command(argv->front());
    EXPECT_TRUE(linker.front() == "ld" || linker.back() == "-nostdlib");
  }
}

}  // namespace
}  // namespace assay::compiler
