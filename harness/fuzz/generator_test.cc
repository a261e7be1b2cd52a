// Random programs: each is one of the specs, and the same again anywhere.
#include "harness/fuzz/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "core/float_bits.h"
#include "core/operands.h"
#include "core/program_text.h"
#include "core/writes.h"
#include "harness/reduce/program_yaml.h"
#include "suite/cases/expand/program_cases.h"
#include "suite/language/bind/bind_program.h"
#include "suite/language/load.h"

namespace assay::harness {
namespace {

constexpr std::uint64_t kSeed = 9, kPrograms = 400;

const language::SpecSet& specs() {
  static const language::LoadResult loaded =
      language::load_specs(ASSAY_SOURCE_DIR "/specs");
  EXPECT_TRUE(loaded.errors.empty());
  return loaded.specs;
}

const CallTemplates& templates() {
  static const CallTemplates made(specs());
  return made;
}

const std::vector<Candidate>& programs() {
  static const auto* const drawn = [] {
    auto* list = new std::vector<Candidate>;
    for (std::uint64_t n = 0; n < kPrograms; ++n) {
      list->push_back(draw_program(templates(), kSeed, n));
    }
    return list;
  }();
  return *drawn;
}

TEST(RandomPrograms, KeepTheirRequirementsAndBreakTheOneTheyName) {
  std::size_t refused = 0;
  for (const Candidate& c : programs()) {
    const Program program = program_of(c);
    const auto types = language::type_program(specs(), program, inputs_of(c));
    ASSERT_TRUE(types) << types.error().message << "\n" << to_text(program);
    EXPECT_EQ(types->refused, c.must_raise) << to_text(program);
    EXPECT_FALSE(types->undecided) << to_text(program);
    ASSERT_FALSE(c.outputs.empty());
    for (const TensorType& t : types->types) {
      EXPECT_LE(element_count(t.sizes), kMostElements);
    }
    if (!c.must_raise.empty()) ++refused;
  }
  // About a tenth of them.
  EXPECT_GT(refused, kPrograms / 25);
  EXPECT_LT(refused, kPrograms / 5);
}

TEST(RandomPrograms, ReadWhatTheyHaveWrittenOver) {
  std::size_t reading = 0;
  for (const Candidate& c : programs()) {
    const Program program = program_of(c);
    EXPECT_FALSE(misused_value(program)) << to_text(program);
    const Storages storages(program);
    const auto changed = [&](ValueRef v, int reader) {
      return storages.written(v.id, reader) != v.id;
    };
    bool reads = false;
    for (int id = program.first_node_id(); id < program.value_count(); ++id) {
      for (const ValueRef v : operands(program.node({id}))) {
        reads = reads || changed(v, id);
      }
    }
    for (const ValueRef v : program.outputs) {
      reads = reads || changed(v, program.value_count());
    }
    if (reads) ++reading;
  }
  EXPECT_GT(reading, kPrograms / 20);
}

TEST(RandomPrograms, AreAFunctionOfSeedAndNumber) {
  // Drawn in another order, with templates that were not asked before.
  const CallTemplates fresh(specs());
  std::set<std::string> texts;
  for (std::uint64_t n = kPrograms; n-- > 0;) {
    const std::string text = text_of(draw_program(fresh, kSeed, n));
    EXPECT_EQ(text, text_of(programs()[n])) << n;
    texts.insert(text);
  }
  EXPECT_GT(texts.size(), kPrograms - 10);
  EXPECT_NE(text_of(draw_program(fresh, kSeed + 1, 0)), text_of(programs()[0]));
}

// What was once drawn is drawn for ever, on any machine: a number in a report
// names a program. A change of the specs or of the generator may move this.
TEST(RandomPrograms, DoNotHangOnTheMachine) {
  const language::LoadResult loaded =
      language::load_specs(ASSAY_SOURCE_DIR "/harness/testing/specs");
  ASSERT_TRUE(loaded.errors.empty());
  const CallTemplates small(loaded.specs);
  std::string all;
  for (std::uint64_t n = 0; n < 50; ++n) {
    all += text_of(draw_program(small, 1, n));
  }
  EXPECT_EQ(fnv1a(all), 0xb37d36e7fdfc1c43u) << std::hex << fnv1a(all);
}

TEST(RandomPrograms, AreVaried) {
  std::set<std::string> ops;
  std::map<std::size_t, int> steps;
  std::set<DType> dtypes;
  std::set<language::Layout> layouts;
  int shared = 0, several = 0, empty = 0, scalar = 0, constants = 0, nan = 0;
  for (const Candidate& c : programs()) {
    ++steps[count_steps(c)];
    std::map<int, int> readers;
    for (const Node& n : c.nodes) {
      ops.insert(n.op);
      for (const Arg& a : n.args) {
        for (const ValueRef v : operands(a)) ++readers[v.id];
      }
    }
    for (const auto& [id, n] : readers) {
      if (n > 1 && c.is_node({id})) ++shared;
    }
    if (c.outputs.size() > 1) ++several;
    if (!c.constants.empty()) ++constants;
    for (const GivenTensor& g : c.inputs) {
      dtypes.insert(g.dtype);
      layouts.insert(g.layout);
      if (g.sizes.empty()) ++scalar;
      if (element_count(g.sizes) == 0) ++empty;
      for (const std::uint64_t bits : g.bits) {
        if (is_float(g.dtype) && is_nan_bits(g.dtype, bits)) ++nan;
      }
    }
  }
  EXPECT_GT(ops.size(), specs().ops.size() / 2);
  EXPECT_GE(steps.rbegin()->first, kMostSteps);
  EXPECT_GE(dtypes.size(), 12u);
  EXPECT_EQ(layouts.size(), 5u);
  EXPECT_GT(shared, 50);
  EXPECT_GT(several, 50);
  EXPECT_GT(empty, 5);
  EXPECT_GT(scalar, 20);
  EXPECT_GT(constants, 20);
  EXPECT_GT(nan, 50);
}

// As specs they load, and make the cases that they were.
TEST(RandomPrograms, SurviveBeingWrittenAsSpecs) {
  namespace fs = std::filesystem;
  const fs::path dir = fs::path(::testing::TempDir()) / "random_programs";
  fs::remove_all(dir);
  fs::copy(ASSAY_SOURCE_DIR "/specs", dir, fs::copy_options::recursive);
  const auto name = [](std::size_t n) {
    return "random_program_" + std::to_string(n);
  };
  for (std::size_t n = 0; n < programs().size(); ++n) {
    std::ofstream(dir / "programs" / (name(n) + ".yaml"))
        << program_yaml(programs()[n], name(n), "drawn");
  }
  const language::LoadResult loaded = language::load_specs(dir);
  fs::remove_all(dir);
  for (const language::Diagnostic& d : loaded.errors) {
    ADD_FAILURE() << language::to_string(d);
  }
  std::vector<cases::Case> made;
  std::vector<std::string> errors;
  for (const language::ProgramSpec& p : loaded.specs.programs) {
    if (!p.name.starts_with("random_program_")) continue;
    cases::add_program_cases(loaded.specs, p, &made, &errors);
  }
  EXPECT_THAT(errors, ::testing::IsEmpty());
  EXPECT_EQ(made.size(), programs().size());
  for (const cases::Case& c : made) {
    const std::size_t n = std::stoul(c.spec.substr(c.spec.rfind('_') + 1));
    const Candidate& drawn = programs()[n];
    EXPECT_EQ(c.must_raise, drawn.must_raise) << n;
    EXPECT_EQ(to_text(c.program), to_text(program_of(drawn))) << n;
    const std::vector<Tensor> inputs = c.make_inputs();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      EXPECT_EQ(given_of(inputs[k]).bits, drawn.inputs[k].bits) << n;
    }
  }
}

}  // namespace
}  // namespace assay::harness
