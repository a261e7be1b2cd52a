#include "compiler/nest/print.h"

#include <gtest/gtest.h>

#include "compiler/graph/passes.h"
#include "compiler/import.h"
#include "compiler/nest/build.h"
#include "core/program_text.h"

namespace assay::compiler {
namespace {

std::string nest_of(const std::string& lines) {
  const Result<Program> program = parse_program("assay-program 1\n" + lines);
  EXPECT_TRUE(program.ok()) << program.error().message;
  Result<Imported> imported = import_program(*program);
  EXPECT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(imported->unsupported, "");
  EXPECT_TRUE(run_passes(&imported->body, &imported->ledger).ok());
  return to_text(build_nest(imported->body));
}

TEST(NestText, HasBuffersLoopsValuesAndStages) {
  EXPECT_EQ(nest_of("%0 = input f32[2, 9] strides[1, 2]\n"
                    "%1 = aten._to_copy.default(%0, dtype=f16)\n"
                    "%2 = aten.sum.dim_IntList(%1, [1])\nreturn %2\n"),
            "b0 = input 0 f32[2, 9] strides [1, 2]\n"
            "b1 = output 0 f16[2]\n"
            "b2 = temporary f32[2, 1]\n"
            "kernel 0: loop i0 < 2, row r < 9\n"
            "  v0 = load f32 b0[i0 + r * 2]\n"
            "  v1 = round f16 v0 cast#1\n"
            "  v2 = widen f32 v1\n"
            "  v3 = reduced f32 s0\n"
            "  v4 = round f16 v3 cast#2\n"
            "  s0 = reduce.sum v2 lanes 32 block 4096\n"
            "  s1 = row v4 -> b1[i0]\n"
            "return b1\n");
}

TEST(NestText, HasProductsAndLookUps) {
  const std::string text = nest_of(
      "%0 = input f32[4, 3]\n%1 = input i64[3]\n"
      "%2 = aten.embedding.default(%0, %1)\n"
      "%3 = aten.mm.default(%0, %2)\nreturn %3\n");
  for (const char* line :
       {"  v1 = gather f32 b0[i1 + v0 * 3] if v0 < 4\n",
        "kernel 1: matmul f32[1, 4, 3] lanes 1 block 64 -> b",
        "  a0 = view b0 [1, 4, 3] offset 0 strides [0, 3, 1]\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
  }
}

TEST(NestText, HasScans) {
  const std::string text = nest_of(
      "%0 = input f32[4]\n%1 = aten.cumsum.default(%0, 0)\nreturn %1\n");
  EXPECT_NE(text.find("kernel 0: scan f32[1, 4, 1] sum -> b1\n"),
            std::string::npos)
      << text;
}

TEST(NestText, HasFormulas) {
  const std::string text = nest_of(
      "%0 = input f32[4, 4]\n"
      "%1 = aten.constant_pad_nd.default(%0, [1, 1, 1, 1], 0.5)\nreturn %1\n");
  EXPECT_NE(text.find("kernel 0: formula f32[6, 6] -> b1\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  = "), std::string::npos) << text;
}

}  // namespace
}  // namespace assay::compiler
