// What is written as a spec is read back as it was.
#include "harness/reduce/program_yaml.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/float_bits.h"
#include "core/integer_bits.h"
#include "core/program_text.h"
#include "core/special_values.h"
#include "suite/cases/expand/program_cases.h"
#include "suite/language/load.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using language::Layout;

// The case that the loader makes of the candidate's text.
void expect_read_back(const Candidate& c, const std::string& name) {
  const fs::path file = fs::path(::testing::TempDir()) / (name + ".yaml");
  std::ofstream(file) << program_yaml(c, name, "Says: \"this\" # and 'that'.");
  const language::LoadResult loaded =
      language::load_spec_file(file, ASSAY_SOURCE_DIR "/specs");
  for (const auto& d : loaded.errors) ADD_FAILURE() << to_string(d);
  std::vector<cases::Case> all;
  std::vector<std::string> errors;
  for (const language::ProgramSpec& p : loaded.specs.programs) {
    if (p.name != name) continue;
    cases::add_program_cases(loaded.specs, p, &all, &errors);
  }
  for (const std::string& e : errors) ADD_FAILURE() << e;
  bool found = false;
  for (const cases::Case& read : all) {
    if (read.path != name) continue;
    found = true;
    EXPECT_EQ(to_text(read.program), to_text(program_of(c)));
    EXPECT_EQ(read.must_raise, c.must_raise);
    const std::vector<Tensor> inputs = inputs_of(c);
    const std::vector<Tensor> made = read.make_inputs();
    ASSERT_EQ(made.size(), inputs.size());
    for (std::size_t k = 0; k < made.size(); ++k) {
      EXPECT_TRUE(identical(made[k], inputs[k])) << k;
      EXPECT_EQ(made[k].offset, inputs[k].offset);
    }
  }
  EXPECT_TRUE(found);
  fs::remove(file);
}

Candidate candidate(const std::string& lines, std::vector<GivenTensor> inputs) {
  const auto program = parse_program("assay-program 1\n" + lines);
  if (!program) throw std::invalid_argument(program.error().message);
  Candidate c;
  c.inputs = std::move(inputs);
  for (const Tensor& t : program->constants) {
    c.constants.push_back(given_of(t));
  }
  c.nodes = program->nodes;
  c.outputs = program->outputs;
  return c;
}

TEST(ProgramYaml, KeepsEveryElementOfEveryType) {
  Candidate c;
  for (const DType t : kAllDTypes) {
    std::vector<std::uint64_t> bits = special_values(t);
    if (is_float(t) && size_bytes(t) > 1) {
      bits.push_back(quiet_nan_bits(t) | 1);
      bits.push_back(encode_float(t, 0.1));
      bits.push_back(encode_float(t, 1e30));
    }
    const auto n = static_cast<std::int64_t>(bits.size());
    c.inputs.push_back({t, {n}, Layout::contiguous, bits});
  }
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    Node view;
    view.op = "aten.view.default";
    view.args = {ValueRef{static_cast<int>(k)}, Shape{1, c.inputs[k].sizes[0]}};
    c.nodes.push_back(view);
    c.outputs.push_back(c.node_value(k));
  }
  expect_read_back(c, "every_element");
}

TEST(ProgramYaml, KeepsLayoutsAndArguments) {
  const std::vector<std::uint64_t> six = {0x3f800000, 0x40000000, 0x40400000,
                                          0x40800000, 0x40a00000, 0x3dcccccd};
  expect_read_back(
      candidate("%0 = input f32[2, 3]\n%1 = input f32[2, 3]\n"
                "%2 = input f32[2, 3]\n%3 = const f32[3] {0x3f800000, 0x0, "
                "0x7f800000}\n%4 = aten.add.Tensor(%0, %3, alpha=0.1)\n"
                "%5 = aten.sum.dim_IntList(%4, [-1], true, dtype=f64)\n"
                "%6 = aten.cat.default([%4, %1, %2], 1)\n"
                "%7 = aten.gelu.default(%6, approximate=\"none\")\n"
                "%8 = aten.clamp.default(%7, none, inf)\nreturn %5, %8\n",
                {{DType::f32, {2, 3}, Layout::transposed, six},
                 {DType::f32, {2, 3}, Layout::offset, six},
                 {DType::f32, {2, 3}, Layout::strided, six}}),
      "arguments");
}

TEST(ProgramYaml, KeepsRefusalsAndEmptyTensors) {
  Candidate c = candidate(
      "%0 = input f16[1, 1, 1]\n%1 = input f32[1, 1, 1]\n"
      "%2 = input f32[0]\n%3 = aten.neg.default(%2)\n"
      "%4 = aten.bmm.default(%0, %1)\nreturn %3, %4\n",
      {{DType::f16, {1, 1, 1}, Layout::contiguous, {0}},
       {DType::f32, {1, 1, 1}, Layout::contiguous, {0}},
       {DType::f32, {0}, Layout::contiguous, {}}});
  c.must_raise = "bmm/E4";
  expect_read_back(c, "refusal");
}

}  // namespace
}  // namespace assay::harness
