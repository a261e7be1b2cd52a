#include "harness/records/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "harness/judge/judge.h"
#include "harness/records/result_json.h"
#include "harness/records/seal.h"
#include "harness/testing/fakes.h"

namespace assay::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const auto kNoHeader = nlohmann::ordered_json::object();

class Recording : public ::testing::Test {
 protected:
  Recording() {
    dir_ = fs::path(::testing::TempDir()) /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  ~Recording() override { fs::remove_all(dir_); }

  Status read(const fs::path& path) {
    seen_.clear();
    RecordingReader reader;
    reader.on_header = [](const nlohmann::ordered_json&) { return success(); };
    reader.on_observation = [this](RecordedObservation o) {
      seen_.push_back(std::move(o));
      return success();
    };
    return read_recording(path, reader);
  }
  fs::path dir_;
  std::vector<RecordedObservation> seen_;
};

std::vector<RecordedObservation> samples() {
  std::vector<RecordedObservation> out;
  Observation o;
  for (const DType t : kAllDTypes) {
    Tensor x = Tensor::zeros(t, {2, 3});
    for (std::int64_t i = 0; i < 6; ++i) {
      // Every byte in use, NaN patterns among them.
      x.set_bits(i, t == DType::boolean
                        ? static_cast<std::uint64_t>(i % 2)
                        : 0x7ff87fc1fe03ff91u - static_cast<unsigned>(i));
    }
    o.outputs.push_back(x);
  }
  for (const DType t : kComplexDTypes) {
    const Tensor x = Tensor::zeros(t, {3});
    Tensor parts = components(x);
    for (std::int64_t i = 0; i < 6; ++i) {
      parts.set_number(i, 0.3 - static_cast<double>(i));
    }
    o.outputs.push_back(x);
  }
  o.outputs.push_back(Tensor::zeros(DType::f32, {}));
  // A size of 0 in any place.
  for (const Shape& sizes : {Shape{0, 4}, Shape{3, 0}, Shape{2, 0, 3}}) {
    o.outputs.push_back(Tensor::zeros(DType::f16, sizes));
  }
  o.breaches = {"P1: flush-to-zero"};
  o.seconds = 0.5;
  out.push_back({"neg/C1/0", 17, "fake/cpu", o});
  Observation raised;
  raised.kind = Observation::Kind::raised;
  raised.error = {"RuntimeError",
                  {"RuntimeError", "Exception"},
                  "neg/E1",
                  "no\n\"way\"",
                  "compile"};
  out.push_back({"neg/C1/1", 18, "fake/cpu", raised});
  Observation emulated;
  emulated.evidence = Evidence::emulated;
  emulated.lowering = Lowering::derived;
  emulated.outputs = {fakes::f32({1, 2})};
  emulated.alternatives = {{fakes::f32({1, 1.5})}, {fakes::f32({1, 2.5})}};
  emulated.layouts = {{{2}, 3, 1}};
  emulated.depends_on = {"ex2.approx.f32"};
  out.push_back({"neg/C1/1", 18, "fake/cuda-sm_90", emulated});
  Observation linted;
  linted.kind = Observation::Kind::linted;
  linted.evidence = Evidence::compiled_linted;
  linted.remarks = {"flushes: add.ftz.f32"};
  out.push_back({"neg/C1/1", 18, "fake/cuda-sm_80", linted});
  for (const auto kind :
       {Observation::Kind::unsupported, Observation::Kind::crashed,
        Observation::Kind::timed_out, Observation::Kind::out_of_memory,
        Observation::Kind::malformed, Observation::Kind::device_lost}) {
    Observation failed;
    failed.kind = kind;
    failed.detail = "signal 11";
    out.push_back({"neg/C1/2", 19, "fake/cpu", failed});
  }
  return out;
}

TEST_F(Recording, KeepsEveryBit) {
  const fs::path file = dir_ / "r.jsonl";
  {
    auto writer = RecordingWriter::create(file, {{"profile", "quick"}});
    ASSERT_TRUE(writer.ok());
    for (const auto& o : samples()) EXPECT_TRUE(writer->append(o).ok());
  }
  const Status status = read(file);
  ASSERT_TRUE(status.ok()) << status.error().message;
  const auto expected = samples();
  ASSERT_EQ(seen_.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(json_line(to_json(seen_[i])), json_line(to_json(expected[i])));
    ASSERT_EQ(seen_[i].observation.outputs.size(),
              expected[i].observation.outputs.size());
    for (std::size_t k = 0; k < expected[i].observation.outputs.size(); ++k) {
      EXPECT_TRUE(identical(seen_[i].observation.outputs[k],
                            expected[i].observation.outputs[k]));
    }
    const auto& others = expected[i].observation.alternatives;
    ASSERT_EQ(seen_[i].observation.alternatives.size(), others.size());
    for (std::size_t a = 0; a < others.size(); ++a) {
      EXPECT_TRUE(
          identical(seen_[i].observation.alternatives[a][0], others[a][0]));
    }
    EXPECT_EQ(seen_[i].observation.layouts, expected[i].observation.layouts);
    EXPECT_EQ(seen_[i].observation.evidence, expected[i].observation.evidence);
    EXPECT_EQ(seen_[i].observation.lowering, expected[i].observation.lowering);
    EXPECT_EQ(seen_[i].observation.remarks, expected[i].observation.remarks);
    EXPECT_EQ(seen_[i].case_hash, expected[i].case_hash);
    EXPECT_EQ(seen_[i].observation.breaches, expected[i].observation.breaches);
    EXPECT_EQ(seen_[i].observation.error.classes,
              expected[i].observation.error.classes);
  }
}

TEST_F(Recording, ATornLastLineIsLeftOut) {
  const fs::path file = dir_ / "r.jsonl";
  {
    auto writer = RecordingWriter::create(file, {{"profile", "quick"}});
    for (const auto& o : samples()) EXPECT_TRUE(writer->append(o).ok());
  }
  const std::string whole = *read_file(file);
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t cut = last; cut < whole.size() - 1; cut += 3) {
    std::ofstream(file) << whole.substr(0, cut);
    const Status status = read(file);
    ASSERT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(seen_.size(), samples().size() - 1) << cut;
  }
}

TEST_F(Recording, WhatIsNoRecordingIsRefusedWithItsPlace) {
  const fs::path file = dir_ / "r.jsonl";
  std::uint64_t seal = 0;
  const std::string header = sealed_line({{"assay_recording", 1}}, &seal);
  struct Row {
    std::string text;
    const char* message;
  };
  const Row rows[] = {
      {"nonsense\n", "r.jsonl:1: this is no JSON record"},
      {"{\"assay_results\":1}\n", "r.jsonl:1: this is no recording"},
      {header + "{\"case\":\"a\"}\n{}\n", "r.jsonl:2: "},
      {header + R"({"case":"a","case_hash":"1","column":"c","kind":"danced"})"
                "\n{}\n",
       "r.jsonl:2: unknown kind 'danced'"},
      {header + R"({"case":"a","case_hash":"1","column":"c","kind":"returned",)"
                R"("outputs":[{"dtype":"f32","sizes":[2],"data":"00"}]})"
                "\n{}\n",
       "sizes and data do not agree"},
      {header + R"({"case":"a","case_hash":"1","column":"c","kind":"returned",)"
                R"("outputs":[{"dtype":"f32","sizes":[4611686018427387905,4],)"
                R"("data":"00000000"}]})"
                "\n{}\n",
       "sizes and data do not agree"},
      {header + R"({"case":"a","case_hash":"1","column":"c","kind":"returned",)"
                R"("outputs":[{"dtype":"u8","sizes":[1],"data":"zz"}]})"
                "\n{}\n",
       "not lower-case hexadecimal"},
  };
  for (const Row& row : rows) {
    std::ofstream(file) << row.text;
    const Status status = read(file);
    ASSERT_FALSE(status.ok()) << row.text;
    EXPECT_THAT(status.error().message, HasSubstr(row.message));
  }
  EXPECT_FALSE(read(dir_ / "none.jsonl").ok());
}

TEST_F(Recording, WhatWasEditedIsRefusedWithItsPlace) {
  const fs::path file = dir_ / "r.jsonl";
  {
    auto writer = RecordingWriter::create(file, {{"spec_hash", "0123"}});
    for (const auto& o : samples()) EXPECT_TRUE(writer->append(o).ok());
  }
  const std::string whole = *read_file(file);
  ASSERT_TRUE(read(file).ok());
  const auto refused = [&](std::string text, const char* place) {
    std::ofstream(file) << text;
    const Status status = read(file);
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_THAT(status.error().message, HasSubstr(place));
    EXPECT_THAT(status.error().message,
                HasSubstr("was changed after it was written: record it again"));
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  refused(with("0123", "0124"), "r.jsonl:1: ");
  refused(with("\"spec_hash\":\"0123\",", ""), "r.jsonl:1: ");
  refused(with("P1: flush", "P1: plush"), "r.jsonl:2: ");
  const std::size_t second = whole.find('\n') + 1;
  const std::size_t third = whole.find('\n', second) + 1;
  refused(whole.substr(0, second) + whole.substr(third), "r.jsonl:2: ");
  // The seals of a recording do for no other.
  fs::remove(file);
  {
    auto writer = RecordingWriter::create(file, {{"spec_hash", "0124"}});
    EXPECT_TRUE(writer->append(samples()[0]).ok());
  }
  refused(*read_file(file) + whole.substr(third), "r.jsonl:3: ");
}

TEST_F(Recording, AFolderIsReadInNameOrderAndPassesOverResults) {
  for (const char* name : {"b.jsonl", "a.jsonl"}) {
    auto writer = RecordingWriter::create(dir_ / name, kNoHeader);
    ASSERT_TRUE(writer.ok());
    auto o = samples()[1];
    o.column = name;
    EXPECT_TRUE(writer->append(o).ok());
  }
  std::ofstream(dir_ / "results.jsonl") << "{\"assay_results\":1}\n";
  ASSERT_TRUE(read(dir_).ok());
  ASSERT_EQ(seen_.size(), 2u);
  EXPECT_EQ(seen_[0].column, "a.jsonl");
  fs::create_directories(dir_ / "empty");
  EXPECT_THAT(read(dir_ / "empty").error().message,
              HasSubstr("holds no recording"));
}

TEST_F(Recording, DoesNotOverwrite) {
  ASSERT_TRUE(RecordingWriter::create(dir_ / "r.jsonl", kNoHeader).ok());
  EXPECT_FALSE(RecordingWriter::create(dir_ / "r.jsonl", kNoHeader).ok());
}

TEST(CaseIdentity, DependsOnProgramAndBitsOfInputs) {
  const cases::Case a = fakes::negation_case(1);
  cases::Case other = a;
  other.program.nodes[0].op = "aten.abs.default";
  const auto inputs = a.make_inputs();
  auto changed = a.make_inputs();
  changed[0].set_bits(3, changed[0].bits(3) ^ 1);
  EXPECT_EQ(identity_of(a, inputs), identity_of(a, a.make_inputs()));
  EXPECT_NE(identity_of(a, inputs), identity_of(other, inputs));
  EXPECT_NE(identity_of(a, inputs), identity_of(a, changed));
}

}  // namespace
}  // namespace assay::harness
