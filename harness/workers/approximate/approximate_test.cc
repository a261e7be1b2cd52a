// Recorded results: what is written comes back bit for bit, what is damaged is
// noticed, and a survey says what it was shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "harness/workers/approximate/recorded_device.h"
#include "harness/workers/approximate/survey.h"
#include "harness/workers/approximate/table.h"
#include "ptx/machine/machine.h"

namespace assay::harness::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

constexpr auto kNominal = ptx::Approximation::nominal;

const ApproximateInstruction& instruction(const char* name) {
  return *find_approximate(name);
}

std::vector<std::uint32_t> nominal(const ApproximateInstruction& i,
                                   std::uint64_t first, std::size_t count) {
  std::vector<std::uint32_t> out;
  for (std::size_t k = 0; k < count; ++k) {
    out.push_back(static_cast<std::uint32_t>(
        ptx::approximate(i.function, kNominal, first + k)));
  }
  return out;
}

class Tables : public ::testing::Test {
 protected:
  Tables()
      : dir_(fs::path(::testing::TempDir()) /
             (std::string("tables-") +
              ::testing::UnitTest::GetInstance()->current_test_info()->name() +
              std::to_string(getpid()))) {
    fs::remove_all(dir_);
  }
  ~Tables() override { fs::remove_all(dir_); }

  fs::path file(const ApproximateInstruction& i) const {
    return dir_ / (std::string(i.name) + ".table");
  }

  void write(const ApproximateInstruction& i, std::uint64_t first,
             std::span<const std::uint32_t> results,
             const std::string& sm = "sm_90") {
    auto w = TableWriter::begin(
        file(i), {i.name, first, results.size(), {{"gpu", "G"}, {"sm", sm}}});
    ASSERT_TRUE(w.ok()) << w.error().message;
    for (std::size_t k = 0; k < results.size(); k += kTableBlock) {
      const std::size_t n =
          std::min<std::size_t>(kTableBlock, results.size() - k);
      ASSERT_TRUE(w->append(pack_block(results.subspan(k, n), i.bits)).ok());
    }
    ASSERT_TRUE(w->finish().ok());
  }

  fs::path dir_;
};

TEST(PackedBlocks, ComeBackBitForBit) {
  std::mt19937 random(7);
  for (const unsigned bits : {16U, 32U}) {
    const std::uint32_t mask = bits == 16 ? 0xffffU : ~0U;
    for (const std::size_t n : {0UL, 1UL, 2UL, 3UL, 1000UL, kTableBlock}) {
      std::vector<std::uint32_t> noise(n), slope(n), edges(n);
      for (std::size_t i = 0; i < n; ++i) {
        noise[i] = random() & mask;
        slope[i] = static_cast<std::uint32_t>(3 * i + random() % 2) & mask;
        edges[i] = (i % 2 == 0 ? 0x80000000U : 0x7fffffffU) & mask;
      }
      for (const auto& block : {noise, slope, edges}) {
        const auto back = unpack_block(pack_block(block, bits), bits, n);
        ASSERT_TRUE(back.ok()) << back.error().message;
        EXPECT_EQ(*back, block);
      }
    }
  }
}

TEST(PackedBlocks, AreSmallWhereTheFunctionIsSmooth) {
  const auto& ex2 = instruction("ex2.approx.ftz.f32");
  const auto block = nominal(ex2, 0x3f800000, kTableBlock);
  EXPECT_LT(pack_block(block, 32).size(), kTableBlock / 2);
}

TEST(PackedBlocks, DamageIsNoticed) {
  const auto& ex2 = instruction("ex2.approx.ftz.f32");
  const std::string packed = pack_block(nominal(ex2, 0x3f800000, 5000), 32);
  for (std::size_t at = 0; at < packed.size(); at += 97) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto back = unpack_block(damaged, 32, 5000);
    // The header's unused bits are no part of what it says.
    if (back.ok()) {
      EXPECT_EQ(*back, nominal(ex2, 0x3f800000, 5000)) << at;
    }
  }
  EXPECT_FALSE(unpack_block(packed, 32, 4999).ok());
  EXPECT_FALSE(unpack_block(packed, 32, 5001).ok());
  EXPECT_FALSE(unpack_block(packed.substr(0, 20), 32, 5000).ok());
}

TEST_F(Tables, HaveWhatWasWrittenAndNothingElse) {
  const auto& ex2 = instruction("ex2.approx.f32");
  constexpr std::uint64_t kFirst = 0x40000000;
  const auto results = nominal(ex2, kFirst, 2 * kTableBlock + 77);
  write(ex2, kFirst, results);
  const auto table = Table::open(file(ex2));
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(&(*table)->instruction(), &ex2);
  for (std::size_t k = 0; k < results.size(); k += 13) {
    ASSERT_EQ((*table)->find(kFirst + k), results[k]) << k;
  }
  EXPECT_EQ((*table)->find(kFirst + results.size() - 1), results.back());
  EXPECT_EQ((*table)->find(kFirst - 1), std::nullopt);
  EXPECT_EQ((*table)->find(kFirst + results.size()), std::nullopt);
  EXPECT_EQ((*table)->find(~std::uint64_t{0}), std::nullopt);
}

// Every instruction of 16 bits, all inputs.
TEST_F(Tables, AnswerForADevice) {
  std::size_t there = 0;
  for (const ApproximateInstruction& i : approximate_instructions()) {
    if (i.bits != 16) continue;
    write(i, 0, nominal(i, 0, i.inputs()));
    ++there;
  }
  const auto device = RecordedDevice::open(dir_, "sm_90a");
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_EQ((*device)->instructions().size(), there);
  for (const ApproximateInstruction& i : approximate_instructions()) {
    if (i.bits != 16) continue;
    for (std::uint64_t x = 0; x < i.inputs(); ++x) {
      ASSERT_EQ((*device)->find(i.function, i.ftz, x, 0),
                ptx::approximate(i.function, kNominal, x));
    }
    EXPECT_EQ((*device)->find(i.function, !i.ftz, 0, 0), std::nullopt);
  }
  EXPECT_EQ((*device)->find(ptx::Approximate::div_full_f32, false, 1, 1),
            std::nullopt);
}

TEST_F(Tables, OfAnotherDeviceAreRefused) {
  const auto& tanh = instruction("tanh.approx.f16");
  const auto results = nominal(tanh, 0, 65536);
  write(tanh, 0, results);
  EXPECT_THAT(RecordedDevice::open(dir_, "sm_80").error().message,
              HasSubstr("was recorded on sm_90, and the target is sm_80"));
  EXPECT_THAT(RecordedDevice::open(dir_, "sm_9").error().message,
              HasSubstr("the target is sm_9"));
  EXPECT_THAT(RecordedDevice::open(dir_ / "none", "sm_90").error().message,
              HasSubstr("make one on that GPU with `assay approximate`"));
  fs::create_directories(dir_ / "empty");
  EXPECT_THAT(RecordedDevice::open(dir_ / "empty", "sm_90").error().message,
              HasSubstr("holds no table"));
  auto w = TableWriter::begin(
      file(instruction("ex2.approx.f16")),
      {"ex2.approx.f16", 0, 0, {{"gpu", "another"}, {"sm", "sm_90"}}});
  ASSERT_TRUE(w.ok() && w->finish().ok());
  EXPECT_THAT(RecordedDevice::open(dir_, "sm_90").error().message,
              HasSubstr("record all on one"));
}

TEST_F(Tables, ThatAreNotWholeAreRefused) {
  const auto& tanh = instruction("tanh.approx.f16");
  write(tanh, 0, nominal(tanh, 0, 65536));
  const auto whole = fs::file_size(file(tanh));
  for (const std::uintmax_t size : {std::uintmax_t{0}, std::uintmax_t{10},
                                    std::uintmax_t{40}, whole / 2, whole - 1}) {
    fs::resize_file(file(tanh), size);
    const auto torn = Table::open(file(tanh));
    ASSERT_FALSE(torn.ok()) << size;
    EXPECT_THAT(torn.error().message, HasSubstr("record it again"));
  }
  EXPECT_FALSE(Table::open(dir_ / "none").ok());
}

// Then the ISA's bounds count, as without a recording.
TEST_F(Tables, ABlockThatIsDamagedSaysNothing) {
  const auto& tanh = instruction("tanh.approx.f16");
  write(tanh, 0, nominal(tanh, 0, 65536));
  std::fstream f(file(tanh), std::ios::in | std::ios::out | std::ios::binary);
  f.seekp(static_cast<std::streamoff>(fs::file_size(file(tanh)) / 2));
  f.put('\x5a').put('\x5a').put('\x5a');
  f.close();
  const auto table = Table::open(file(tanh));
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ((*table)->find(5), std::nullopt);
}

TEST_F(Tables, DraftsOfTheDeadAreRemoved) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const auto& tanh = instruction("tanh.approx.f16");
  const fs::path left = file(tanh).string() + "." + std::to_string(child);
  fs::create_directories(dir_);
  std::ofstream(left) << "half of one";
  {
    auto w = TableWriter::begin(file(tanh), {tanh.name, 0, 1, {}});
    ASSERT_TRUE(w.ok());
    EXPECT_FALSE(fs::exists(left));
    EXPECT_FALSE(fs::is_empty(dir_));
  }
  EXPECT_TRUE(fs::is_empty(dir_));  // not finished, so not kept
  const auto nowhere = TableWriter::begin("/proc/none/a.table", {});
  ASSERT_FALSE(nowhere.ok());
  EXPECT_THAT(nowhere.error().message, HasSubstr("/proc/none/a.table"));
}

nlohmann::json surveyed(const ApproximateInstruction& i, std::uint64_t first,
                        const std::vector<std::uint32_t>& results) {
  Survey all(i);
  Survey part(i);
  part.add(first, results);
  all.add(part);
  return all.to_json();
}

TEST(ASurvey, FindsNothingInRoundedResults) {
  for (const char* name : {"ex2.approx.f32", "sqrt.approx.f32"}) {
    const auto& i = instruction(name);
    const auto j = surveyed(i, 0x3f000000, nominal(i, 0x3f000000, 5000));
    EXPECT_EQ(j["distances"], (nlohmann::json{{"0", 5000}})) << name;
    EXPECT_EQ(j["outside_of_bound"], 0);
    EXPECT_TRUE(j["first"].is_null());
  }
}

TEST(ASurvey, CountsByDistance) {
  const auto& i = instruction("ex2.approx.f32");  // two steps are admissible
  constexpr std::uint64_t kFirst = 0x3f000000;
  auto results = nominal(i, kFirst, 5000);
  results[10] += 1;
  results[11] -= 2;
  results[12] += 3;
  results[13] += 40;
  results[4000] = 0x7fc00000;  // NaN
  const auto j = surveyed(i, kFirst, results);
  EXPECT_EQ(j["distances"],
            (nlohmann::json{
                {"0", 4995}, {"1", 1}, {"-2", 1}, {"3", 1}, {"more", 1}}));
  EXPECT_EQ(j["other_class"], 1);
  EXPECT_EQ(j["largest_distance"], 40);
  EXPECT_EQ(j["farthest"]["input"], "0x3f00000d");
  EXPECT_EQ(j["first"]["input"], "0x3f00000a");
  EXPECT_EQ(j["last"]["input"], "0x3f000fa0");
  EXPECT_EQ(j["outside_of_bound"], 3);
  EXPECT_EQ(j["first_outside"]["input"], "0x3f00000c");
  EXPECT_EQ(j["last_outside"]["got"], "0x7fc00000");
}

TEST(ASurvey, FlushesWhereTheInstructionDoes) {
  const auto& i = instruction("rcp.approx.ftz.f32");
  // The reciprocals of subnormal numbers, and those that are subnormal.
  EXPECT_EQ(surveyed(i, 1, {0x7f800000})["distances"]["0"], 1);
  EXPECT_EQ(surveyed(i, 0x7f000000, {0})["distances"]["0"], 1);
  EXPECT_NE(surveyed(i, 0x7f000000, {0x00400000})["distances"]["0"], 1);
}

TEST(ASurvey, HashesResultsInTheirOrder) {
  const auto& i = instruction("ex2.approx.f32");
  const auto results = nominal(i, 0, 100);
  auto swapped = results;
  std::swap(swapped[0], swapped[99]);
  EXPECT_EQ(surveyed(i, 0, results)["hash"], surveyed(i, 0, results)["hash"]);
  swapped[0] += 1;
  EXPECT_NE(surveyed(i, 0, results)["hash"], surveyed(i, 0, swapped)["hash"]);
}

// The machine understands each kernel, and gives its nominal results.
TEST(Kernels, RecordWhatTheyAreNamedAfter) {
  for (const ApproximateInstruction& i : approximate_instructions()) {
    SCOPED_TRACE(i.name);
    const auto program = ptx::Program::load(recording_kernel(i));
    ASSERT_TRUE(program.ok()) << program.error().message;
    constexpr std::uint32_t kCount = 300;
    const std::uint32_t first = i.bits == 16 ? 0x3c00 : 0x3f800000;
    std::vector<std::byte> out((kCount + 8) * i.bits / 8);
    ptx::Machine machine;
    ptx::Arguments arguments;
    arguments.add(machine.add_buffer("out", out, ptx::Contents::undefined))
        .add(first)
        .add(kCount);
    const auto report =
        machine.launch(*program, "record", {{2}, {256}}, arguments.bytes());
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_THAT(report->faults, IsEmpty());
    for (std::uint32_t k = 0; k < kCount; ++k) {
      std::uint32_t got = 0;
      std::memcpy(&got, out.data() + k * i.bits / 8, i.bits / 8);
      ASSERT_EQ(got, ptx::approximate(i.function, kNominal, first + k)) << k;
    }
    for (std::size_t k = kCount * i.bits / 8; k < out.size(); ++k) {
      ASSERT_EQ(out[k], std::byte{0});
    }
  }
}

}  // namespace
}  // namespace assay::harness::worker
