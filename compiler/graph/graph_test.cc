// The contract graph's verifier, ledger and passes.
#include <gtest/gtest.h>

#include <functional>

#include "compiler/graph/accumulate.h"
#include "compiler/graph/builder.h"
#include "compiler/graph/interpret.h"
#include "compiler/graph/passes.h"
#include "compiler/graph/verify.h"
#include "compiler/import.h"
#include "compiler/nest/build.h"
#include "compiler/nest/verify.h"
#include "core/program_text.h"

namespace assay::compiler {
namespace {

Imported import_text(const std::string& text,
                     std::optional<Defect> defect = {}) {
  const Result<Program> program = parse_program("assay-program 1\n" + text);
  EXPECT_TRUE(program.ok()) << program.error().message;
  Result<Imported> r = import_program(*program, defect);
  EXPECT_TRUE(r.ok()) << r.error().message;
  EXPECT_FALSE(r->refusal) << r->refusal->message;
  return *std::move(r);
}

const char* const kRoundTrip =
    "%0 = input f32[2, 3]\n"
    "%1 = aten._to_copy.default(%0, dtype=f16)\n"
    "%2 = aten._to_copy.default(%1, dtype=f32)\n"
    "%3 = aten.sum.dim_IntList(%2, [1])\nreturn %2, %3\n";

// One node of each kind that the mutations need.
Builder sample() {
  Builder b;
  const NodeId x = b.input(TensorType::contiguous(DType::f32, {2, 3}));  // %0
  const NodeId h = b.convert(x, DType::f16);                             // %1
  b.convert(h, DType::f32);                                              // %2
  b.map(ScalarOp::add, {x, x});                                          // %3
  b.permute(x, {1, 0});                                                  // %4
  b.slice(x, 1, 0, 2, 2);                                                // %5
  b.reduce(Combiner::sum, x, {1});                                       // %6
  b.cat({x, x}, 0);                                                      // %7
  const NodeId cube = b.reshape(x, {1, 2, 3});                           // %8
  b.matmul(cube, b.reshape(x, {1, 3, 2}));                               // %10
  b.map(ScalarOp::eq, {x, x});                                           // %11
  b.body.outputs = {11};
  return b;
}

TEST(Verify, RejectsEachBrokenRule) {
  const Body good = sample().body;
  ASSERT_TRUE(verify(good).ok()) << verify(good).error().message;
  const struct {
    const char* what;  // part of the message
    std::function<void(Body&)> breaks;
  } kBad[] = {
      {"not defined before it", [](Body& b) { b.nodes[1].args = {3}; }},
      {"not defined before it", [](Body& b) { b.nodes[1].args = {-1}; }},
      {"another number of operands", [](Body& b) { b.nodes[3].args = {0}; }},
      {"no such input", [](Body& b) { b.nodes[0].attr = {7}; }},
      {"another type",
       [](Body& b) {
         b.nodes[0].type.sizes = {3, 2};
       }},
      {"a negative size",
       [](Body& b) {
         b.nodes[5].type.sizes = {2, -1};
       }},
      {"carry an id", [](Body& b) { b.nodes[1].cast = 0; }},
      {"carry an id", [](Body& b) { b.nodes[2].cast = 5; }},
      {"is not exact",
       [](Body& b) {
         b.nodes[1].op = Op::widen;
         b.nodes[1].cast = 0;
       }},
      {"is exact",
       [](Body& b) {
         b.nodes[2].op = Op::round;
         b.nodes[2].cast = 1;
       }},
      {"another cast's work", [](Body& b) { b.nodes[1].op = Op::wrap; }},
      {"does not take f16",
       [](Body& b) {
         b.nodes[3].args = {1, 1};
         b.nodes[3].type.dtype = DType::f16;
       }},
      {"different dtypes",
       [](Body& b) {
         b.nodes[3].args = {0, 1};
       }},
      {"operands of another shape",
       [](Body& b) {
         b.nodes[11].args = {0, 4};
       }},
      {"another result dtype",
       [](Body& b) { b.nodes[11].type.dtype = DType::f32; }},
      {"not a permutation",
       [](Body& b) {
         b.nodes[4].attr = {1, 1};
       }},
      {"another shape",
       [](Body& b) {
         b.nodes[4].attr = {0, 1};
       }},
      {"reaches outside",
       [](Body& b) {
         b.nodes[5].attr = {1, 1, 2};
       }},
      {"without an order",
       [](Body& b) {
         b.nodes[6].order = {0, 0};
       }},
      {"without an order",
       [](Body& b) {
         b.nodes[6].order = {16, 40};
       }},
      {"must rise",
       [](Body& b) {
         b.nodes[6].attr = {1, 0};
       }},
      {"another shape",
       [](Body& b) {
         b.nodes[7].type.sizes = {3, 3};
       }},
      {"another number of elements",
       [](Body& b) {
         b.nodes[8].type.sizes = {1, 2, 2};
       }},
      {"another shape",
       [](Body& b) {
         b.nodes[10].args = {8, 8};
       }},
      {"another dtype", [](Body& b) { b.nodes[8].type.dtype = DType::f64; }},
      {"output %99 is missing", [](Body& b) { b.outputs = {99}; }},
  };
  for (const auto& bad : kBad) {
    Body body = good;
    bad.breaks(body);
    const Status s = verify(body);
    ASSERT_FALSE(s.ok()) << bad.what << " was accepted";
    EXPECT_NE(s.error().message.find(bad.what), std::string::npos)
        << s.error().message << " instead of: " << bad.what;
  }
}

TEST(Ledger, EveryLossyCastHasItsEntry) {
  const Imported p = import_text(
      "%0 = input f64[4]\n%1 = aten._to_copy.default(%0, dtype=f16)\n"
      "%2 = aten._to_copy.default(%1, dtype=bf16)\n"
      "%3 = aten._to_copy.default(%2, dtype=u8)\n"
      "%4 = aten._to_copy.default(%3, dtype=i64)\n"
      "%5 = aten._to_copy.default(%4, dtype=i8)\n"
      "%6 = aten._to_copy.default(%4, dtype=f32)\nreturn %5, %6\n");
  const std::vector<std::string> expected = {
      "round f64 -> f16",   // in one step
      "round f32 -> bf16",  // f16 is widened first
      "truncate f32 -> u8", "wrap i64 -> i8", "round i64 -> f32"};
  ASSERT_EQ(p.ledger.entries.size(), expected.size());
  const std::string text = to_text(p.ledger);
  for (const std::string& e : expected) {
    EXPECT_NE(text.find(e), std::string::npos) << e << " not in\n" << text;
  }
}

TEST(Ledger, NoticesACastThatVanishes) {
  Imported p = import_text(kRoundTrip);
  ASSERT_TRUE(check_ledger(p.ledger, p.body).ok());
  const Body without = inject(p.body, Defect::drop_cast);
  Ledger untouched = p.ledger;
  Body used = drop_unused(without, &p.ledger);
  // The cast that became unused is entered as such; one that a pass removed
  // without a word is not.
  const Status s = check_ledger(untouched, used);
  ASSERT_FALSE(s.ok());
  EXPECT_NE(s.error().message.find("was dropped"), std::string::npos);
}

TEST(Ledger, NoticesACastThatChangesOrDoubles) {
  const Builder b = sample();
  Body other = b.body;
  other.nodes[1].type.dtype = DType::bf16;
  EXPECT_FALSE(check_ledger(b.ledger, other).ok());
  Body twice = b.body;
  twice.nodes.push_back(twice.nodes[1]);
  EXPECT_FALSE(check_ledger(b.ledger, twice).ok());
  Ledger retired = b.ledger;
  retired.retire(1, "a reason");
  EXPECT_FALSE(check_ledger(retired, b.body).ok());
}

TEST(Passes, ARoundTripThroughANarrowFormatStays) {
  Imported p = import_text(kRoundTrip);
  ASSERT_TRUE(run_passes(&p.body, &p.ledger).ok());
  EXPECT_TRUE(p.ledger.entries[0].retired.empty());
  EXPECT_NE(to_text(p.body).find("round f16"), std::string::npos);
}

TEST(Passes, ARoundTripThroughAWideFormatGoes) {
  Imported p = import_text(
      "%0 = input bf16[4]\n%1 = aten._to_copy.default(%0, dtype=f32)\n"
      "%2 = aten._to_copy.default(%1, dtype=f64)\n"
      "%3 = aten._to_copy.default(%2, dtype=bf16)\nreturn %3\n");
  ASSERT_TRUE(run_passes(&p.body, &p.ledger).ok());
  EXPECT_EQ(p.body.nodes.size(), 1u) << to_text(p.body);
  for (const LedgerEntry& e : p.ledger.entries) {
    EXPECT_FALSE(e.retired.empty()) << to_text(p.ledger);
  }
}

TEST(Passes, EqualCastsAreOneAndSaySo) {
  Imported p = import_text(
      "%0 = input f32[4]\n%1 = aten._to_copy.default(%0, dtype=f16)\n"
      "%2 = aten._to_copy.default(%0, dtype=f16)\n"
      "%3 = aten._to_copy.default(%0, dtype=bf16)\nreturn %1, %2\n");
  ASSERT_TRUE(run_passes(&p.body, &p.ledger).ok());
  EXPECT_EQ(p.body.nodes.size(), 2u) << to_text(p.body);
  EXPECT_TRUE(p.ledger.entries[0].retired.empty());
  EXPECT_EQ(p.ledger.entries[1].retired, "the same as cast#1");
  EXPECT_EQ(p.ledger.entries[2].retired, "its result is not used");
}

TEST(Nest, VerifierRejectsBrokenKernels) {
  Imported p = import_text(kRoundTrip);
  ASSERT_TRUE(run_passes(&p.body, &p.ledger).ok());
  const Nest good = build_nest(p.body);
  ASSERT_TRUE(verify(good).ok()) << verify(good).error().message;
  ASSERT_EQ(good.kernels.size(), 1u);  // cast, store and sum in one
  const auto loops = [](Nest& n) -> LoopKernel& {
    return std::get<LoopKernel>(n.kernels[0]);
  };
  const struct {
    const char* what;
    std::function<void(Nest&)> breaks;
  } kBad[] = {
      {"reaches element", [&](Nest& n) { loops(n).values[0].at.constant = 1; }},
      {"reaches element", [&](Nest& n) { loops(n).stages[0].at.constant = 1; }},
      {"loads another dtype",
       [&](Nest& n) { loops(n).values[0].dtype = DType::f64; }},
      {"stores another dtype", [&](Nest& n) { loops(n).stages[0].value = 1; }},
      {"reads before the write",
       [&](Nest& n) { std::swap(loops(n).stages[0], loops(n).stages[1]); }},
      {"cast id", [&](Nest& n) { loops(n).values[1].cast_id = 0; }},
      {"goes nowhere", [&](Nest& n) { loops(n).stages[0].buffer = -1; }},
      {"writes to an input", [&](Nest& n) { loops(n).stages[0].buffer = 0; }},
      {"an output is not written", [&](Nest& n) { n.kernels.clear(); }},
      {"not defined before it",
       [&](Nest& n) { loops(n).values[1].args = {1}; }},
  };
  for (const auto& bad : kBad) {
    Nest nest = good;
    bad.breaks(nest);
    const Status s = verify(nest);
    ASSERT_FALSE(s.ok()) << bad.what << " was accepted";
    EXPECT_NE(s.error().message.find(bad.what), std::string::npos)
        << s.error().message << " instead of: " << bad.what;
  }
}

TEST(Accumulate, FollowsTheOrderOfTheNode) {
  // 2^24 + 1 + 1 + ...: lanes keep what one running sum loses.
  const std::uint64_t big = 0x4b800000, one = 0x3f800000;
  Accumulator sequence(Combiner::sum, {1, 64}, DType::f32);
  Accumulator lanes(Combiner::sum, {16, 64}, DType::f32);
  sequence.add(big);
  lanes.add(big);
  for (int i = 0; i < 32; ++i) {
    sequence.add(one);
    lanes.add(one);
  }
  EXPECT_EQ(sequence.result(), big);
  EXPECT_GT(lanes.result(), big);
}

}  // namespace
}  // namespace assay::compiler
