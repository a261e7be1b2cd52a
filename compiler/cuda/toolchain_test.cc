// Where NVRTC is looked for, and the cache of what it makes.
#include "compiler/cuda/toolchain.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "compiler/testing/cuda_testing.h"

namespace assay::compiler {
namespace {

namespace fs = std::filesystem;

const char* const kText =
    "extern \"C\" __global__ void k(const float* x, float* y) {\n"
    "  y[0] = x[0] * x[1] + x[2] / x[3];\n}\n";

class CudaToolchainTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("assay-nvrtc-" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string make_file(const std::string& path) {
    const fs::path file = folder_ / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "x";
    return file.string();
  }

  std::unique_ptr<CudaToolchain> tools(const std::string& cache = "cache") {
    auto found = CudaToolchain::find(NvrtcPlaces::from_environment(),
                                     (folder_ / cache).string());
    EXPECT_TRUE(found.ok()) << found.error().message;
    return std::move(*found);
  }

  std::vector<fs::path> files(const std::string& ending) const {
    std::vector<fs::path> out;
    for (const auto& f : fs::directory_iterator(folder_ / "cache")) {
      if (f.path().extension() == ending) out.push_back(f.path());
    }
    return out;
  }

  fs::path folder_;
};

TEST_F(CudaToolchainTest, LooksInOrder) {
  NvrtcPlaces places;
  places.system = false;
  places.toolkits = (folder_ / "local").string();
  const auto none = find_nvrtc(places);
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("nvidia-cuda-nvrtc"), std::string::npos);

  make_file("local/cuda-12.4/lib64/libnvrtc.so.12");
  make_file("local/cuda-13.0/lib/libnvrtc-builtins.so.13.0");
  const std::string toolkit = make_file("local/cuda-13.0/lib/libnvrtc.so.13");
  EXPECT_EQ(*find_nvrtc(places), toolkit);

  const std::string preferred = make_file("local/cuda/lib64/libnvrtc.so.12");
  EXPECT_EQ(*find_nvrtc(places), preferred);

  const std::string wheels = "env/lib/python3.11/site-packages/nvidia/";
  places.python = (folder_ / "env/bin/python").string();
  EXPECT_EQ(*find_nvrtc(places), preferred);
  make_file(wheels + "cudnn/lib/libcudnn.so.9");
  const std::string old = make_file(wheels + "cuda_nvrtc/lib/libnvrtc.so.12");
  EXPECT_EQ(*find_nvrtc(places), old);
  const std::string wheel = make_file(wheels + "cu13/lib/libnvrtc.so.13");
  EXPECT_EQ(*find_nvrtc(places), wheel);

  places.named = make_file("mine/libnvrtc.so.13");
  EXPECT_EQ(*find_nvrtc(places), places.named);
  const std::string file = places.named;
  places.named = (folder_ / "mine").string();
  EXPECT_EQ(*find_nvrtc(places), file);
  // What a person names is not replaced by something else.
  places.named = (folder_ / "nowhere").string();
  const auto wrong = find_nvrtc(places);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("ASSAY_NVRTC"), std::string::npos);
}

TEST_F(CudaToolchainTest, AFileThatIsNoLibraryIsAnError) {
  NvrtcPlaces places;
  places.named = make_file("libnvrtc.so.13");
  auto found = CudaToolchain::find(places, (folder_ / "cache").string());
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE((*found)->targets().empty());
  const auto made = (*found)->compile(kText, "sm_90", Nvrtc::Form::ptx);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("cannot load NVRTC"), std::string::npos)
      << made.error().message;
}

TEST_F(CudaToolchainTest, RemembersTargets) {
  ASSAY_NEEDS_NVRTC();
  const std::vector<std::string> targets = tools()->targets();
  const auto has = [&](const char* name) {
    return std::find(targets.begin(), targets.end(), name) != targets.end();
  };
  EXPECT_TRUE(has("sm_75"));
  EXPECT_TRUE(has("sm_90"));
  EXPECT_TRUE(has("sm_90a"));
  EXPECT_FALSE(has("sm_75a"));
  EXPECT_FALSE(has("sm_90f"));
  ASSERT_EQ(files(".targets").size(), 1u);
  const auto made = fs::last_write_time(files(".targets")[0]);
  EXPECT_EQ(tools()->targets(), targets);
  EXPECT_EQ(fs::last_write_time(files(".targets")[0]), made);
  fs::resize_file(files(".targets")[0], 10);
  EXPECT_EQ(tools()->targets(), targets);
}

TEST_F(CudaToolchainTest, CachesByContent) {
  ASSAY_NEEDS_NVRTC();
  const auto tools = this->tools();
  const auto first = tools->compile(kText, "sm_90", Nvrtc::Form::ptx);
  ASSERT_TRUE(first.ok()) << first.error().message;
  ASSERT_EQ(files(".ptx").size(), 1u);
  const fs::path file = files(".ptx")[0];
  const auto made = fs::last_write_time(file);
  EXPECT_EQ(*tools->compile(kText, "sm_90", Nvrtc::Form::ptx), *first);
  EXPECT_EQ(fs::last_write_time(file), made);
  // Other flags, targets, texts and forms are other files.
  const auto loose =
      tools->compile(kText, "sm_90", Nvrtc::Form::ptx, {"--use_fast_math"});
  EXPECT_NE(loose->find(".approx"), std::string::npos);
  EXPECT_EQ(first->find(".approx"), std::string::npos);
  EXPECT_TRUE(tools->compile(kText, "sm_75", Nvrtc::Form::ptx).ok());
  EXPECT_EQ(files(".ptx").size(), 3u);
  const auto cubin = tools->compile(kText, "sm_90", Nvrtc::Form::cubin);
  ASSERT_TRUE(cubin.ok());
  EXPECT_EQ(cubin->substr(0, 4),
            "\x7f"
            "ELF");
  // A damaged file is made again, with the same bytes.
  fs::resize_file(file, fs::file_size(file) / 2);
  EXPECT_EQ(*tools->compile(kText, "sm_90", Nvrtc::Form::ptx), *first);
  EXPECT_EQ(*this->tools("other")->compile(kText, "sm_90", Nvrtc::Form::cubin),
            *cubin);
}

TEST_F(CudaToolchainTest, NothingIsContracted) {
  ASSAY_NEEDS_NVRTC();
  const auto ptx = tools()->compile(kText, "sm_90", Nvrtc::Form::ptx);
  EXPECT_NE(ptx->find("mul.rn.f32"), std::string::npos) << *ptx;
  EXPECT_NE(ptx->find("add.rn.f32"), std::string::npos);
  EXPECT_NE(ptx->find("div.rn.f32"), std::string::npos);
  EXPECT_EQ(ptx->find("fma"), std::string::npos);
}

TEST_F(CudaToolchainTest, CompilesForSeveralTargetsAtOnce) {
  ASSAY_NEEDS_NVRTC();
  const auto tools = this->tools();
  const std::vector<std::string>& targets = tools->targets();
  const auto made = tools->compile_for(kText, targets, Nvrtc::Form::ptx);
  ASSERT_EQ(made.size(), targets.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    ASSERT_TRUE(made[i].ok()) << made[i].error().message;
    EXPECT_NE(made[i]->find(".target " + targets[i] + "\n"), std::string::npos)
        << targets[i];
  }
}

TEST_F(CudaToolchainTest, SaysWhatIsWrong) {
  ASSAY_NEEDS_NVRTC();
  const auto broken = tools()->compile("int x = ;", "sm_90", Nvrtc::Form::ptx);
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().message.find("error: expected an expression"),
            std::string::npos)
      << broken.error().message;
  EXPECT_FALSE(tools()->compile(kText, "sm_12", Nvrtc::Form::ptx).ok());
  const auto found =
      CudaToolchain::find(NvrtcPlaces::from_environment(), "/proc/assay");
  const auto nowhere = (*found)->compile(kText, "sm_90", Nvrtc::Form::ptx);
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(nowhere.error().message.find("ASSAY_CACHE"), std::string::npos);
}

}  // namespace
}  // namespace assay::compiler
