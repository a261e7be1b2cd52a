#include "core/writes.h"

#include <gtest/gtest.h>

#include "core/program_text.h"

namespace assay {
namespace {

Program parsed(const std::string& lines) {
  Result<Program> program = parse_program("assay-program 1\n" + lines);
  EXPECT_TRUE(program.ok()) << program.error().message;
  return *program;
}

TEST(Writes, AreToldByName) {
  EXPECT_TRUE(writes_operand({"aten.add_.Tensor", {}, {}}));
  EXPECT_FALSE(writes_operand({"aten.add.Tensor", {}, {}}));
  EXPECT_FALSE(writes_operand({"aten.__and__.Scalar", {}, {}}));
  EXPECT_FALSE(writes_operand({"aten._to_copy.default", {}, {}}));
  EXPECT_FALSE(writes_operand({"getitem", {}, {}}));
  EXPECT_FALSE(writes_operand({"aten.squeeze_.dim", {}, {}}));
  EXPECT_TRUE(changes_metadata({"aten.squeeze_.dim", {}, {}}));
  EXPECT_FALSE(changes_metadata({"aten.squeeze.dim", {}, {}}));
  EXPECT_TRUE(writes_operand({"aten.add.out", {}, {{"out", ValueRef{0}}}}));
}

TEST(Writes, AViewMayBeOneOnlySometimes) {
  EXPECT_TRUE(is_view({"aten.unfold.default", {}, {}}));
  EXPECT_TRUE(may_be_view({"aten.unfold.default", {}, {}}));
  EXPECT_FALSE(is_view({"aten.reshape.default", {}, {}}));
  EXPECT_TRUE(may_be_view({"aten.reshape.default", {}, {}}));
  EXPECT_FALSE(is_view({"aten.view.dtype", {}, {}}));
  EXPECT_TRUE(may_be_view({"aten.view.dtype", {}, {}}));
  EXPECT_FALSE(may_be_view({"aten.clone.default", {}, {}}));
  EXPECT_TRUE(copies_view({"aten.clone.default", {}, {}}));
  EXPECT_TRUE(copies_view({"aten.split_with_sizes_copy.default", {}, {}}));
  EXPECT_FALSE(copies_view({"aten._to_copy.default", {}, {}}));
  EXPECT_FALSE(copies_view({"aten.index_copy.default", {}, {}}));
  EXPECT_FALSE(copies_view({"aten.select.int", {}, {}}));
}

// A copy is asked what a view would be, and the other way round.
TEST(Writes, StorageMayBeTakenForAnothers) {
  const Program program = parsed(
      "%0 = input f32[2]\n%1 = aten.clone.default(%0)\n"
      "%2 = aten.t.default(%0)\n%3 = aten.neg_.default(%0)\n"
      "return %1, %2\n");
  EXPECT_EQ(Storages(program).root(1), 1);
  EXPECT_EQ(Storages(program).root(2), 0);
  const Storages shared(program, "aten.clone.default", true);
  EXPECT_EQ(shared.root(1), 0);
  EXPECT_TRUE(shared.is_sure(1));
  EXPECT_EQ(shared.written(1), 3);
  EXPECT_EQ(shared.root(2), 0);
  EXPECT_EQ(Storages(program, "aten.t.default", false).root(2), 2);
}

TEST(Writes, TheLastOfAnInputCounts) {
  const auto written = input_writes(
      parsed("%0 = input f32[2]\n%1 = input f32[2]\n"
             "%2 = aten.add_.Tensor(%0, %1)\n%3 = aten.neg_.default(%2)\n"
             "return %3\n"));
  ASSERT_EQ(written.size(), 2u);
  ASSERT_TRUE(written[0].has_value());
  EXPECT_EQ(written[0]->by, ValueRef{3});
  EXPECT_TRUE(written[0]->whole);
  EXPECT_FALSE(written[1].has_value());
}

TEST(Writes, GoWhereACallIsTold) {
  const auto written =
      input_writes(parsed("%0 = input f32[2]\n%1 = input f32[2]\n"
                          "%2 = aten.add.out(%0, %0, out=%1)\nreturn %2\n"));
  EXPECT_FALSE(written[0].has_value());
  ASSERT_TRUE(written[1].has_value());
  EXPECT_EQ(written[1]->by, ValueRef{2});
}

TEST(Writes, OfAnotherValueAreNoneOfTheInput) {
  const auto written =
      input_writes(parsed("%0 = input f32[2]\n%1 = aten.neg.default(%0)\n"
                          "%2 = aten.add_.Tensor(%1, %0)\nreturn %2\n"));
  EXPECT_FALSE(written[0].has_value());
}

TEST(Writes, ThroughAViewReachAPart) {
  const auto written = input_writes(
      parsed("%0 = input f32[2, 3]\n%1 = aten.select.int(%0, 0, 1)\n"
             "%2 = aten.neg_.default(%1)\nreturn %2\n"));
  ASSERT_TRUE(written[0].has_value());
  EXPECT_EQ(written[0]->by, ValueRef{2});
  EXPECT_FALSE(written[0]->whole);
}

TEST(Writes, ThroughAMemberOfAListReachAPart) {
  const Program p = parsed(
      "%0 = input f32[6]\n%1 = aten.chunk.default(%0, 2)\n"
      "%2 = getitem(%1, 1)\n%3 = aten.neg_.default(%2)\n"
      "return %0, %1\n");
  const Storages storages(p);
  EXPECT_EQ(storages.root(2), 0);
  EXPECT_TRUE(storages.is_sure(2));
  EXPECT_EQ(storages.written(0), 3);
  EXPECT_EQ(base_operand(p.call({2}))->id, 0);
  const auto written = input_writes(p);
  ASSERT_TRUE(written[0].has_value());
  EXPECT_FALSE(written[0]->whole);
  // Outputs of a call that makes them are storages of their own.
  const Program q = parsed(
      "%0 = input f32[6]\n%1 = aten.max.dim(%0, 0)\n"
      "%2 = getitem(%1, 1)\nreturn %1, %2\n");
  EXPECT_EQ(Storages(q).root(2), 2);
}

TEST(Writes, OfWhatMayBeACopyHaveNoMeaningForOthers) {
  const auto misused = [](const std::string& lines) {
    const auto v = misused_value(parsed("%0 = input f32[2, 3]\n" + lines));
    return v ? v->id : -1;
  };
  EXPECT_EQ(misused("%1 = aten.neg_.default(%0)\n"
                    "%2 = aten.add.Tensor(%1, %0)\nreturn %2, %0\n"),
            -1);
  EXPECT_EQ(misused("%1 = aten.select.int(%0, 0, 0)\n"
                    "%2 = aten.neg_.default(%0)\nreturn %2, %1\n"),
            -1);
  EXPECT_EQ(misused("%1 = aten.reshape.default(%0, [6])\n"
                    "%2 = aten.neg_.default(%0)\nreturn %2, %1\n"),
            1);
  EXPECT_EQ(misused("%1 = aten._unsafe_view.default(%0, [6])\n"
                    "%2 = aten.neg_.default(%1)\nreturn %2, %0\n"),
            0);
  EXPECT_EQ(misused("%1 = aten.reshape.default(%0, [6])\n"
                    "%2 = aten.neg_.default(%1)\nreturn %2, %0\n"),
            0);
  EXPECT_EQ(misused("%1 = aten.reshape.default(%0, [6])\n"
                    "%2 = aten.neg_.default(%1)\nreturn %2\n"),
            -1);
  EXPECT_EQ(misused("%1 = aten.squeeze_.dim(%0, 0)\nreturn %0\n"), 0);
  EXPECT_EQ(misused("%1 = aten.neg.default(%0)\n"
                    "%2 = aten.neg_.default(%1)\nreturn %2, %0\n"),
            -1);
}

TEST(Storages, KnowTheLastWriteThatAReaderSees) {
  // %2 views %0, %3 writes through it, %5 writes into %0.
  const Storages s(
      parsed("%0 = input f32[2, 3]\n%1 = input f32[3]\n"
             "%2 = aten.select.int(%0, 0, 1)\n"
             "%3 = aten.add_.Tensor(%2, %1)\n"
             "%4 = aten.t.default(%0)\n"
             "%5 = aten.neg_.default(%0)\nreturn %0\n"));
  EXPECT_EQ(s.root(4), 0);
  EXPECT_EQ(s.root(3), 0);
  EXPECT_EQ(s.written(0, 3), 0);
  EXPECT_EQ(s.written(0, 4), 3);
  EXPECT_EQ(s.written(3, 5), 3);
  EXPECT_EQ(s.written(4, 5), 4);
  EXPECT_EQ(s.written(4), 5);
  EXPECT_EQ(s.written(1), 1);
}

TEST(Writes, BehindReadsNeedAnOrder) {
  const auto ordered = [](const std::string& calls) {
    return is_read_before_a_write(
        parsed("%0 = input f32[2, 3]\n" + calls + "return %0\n"));
  };
  EXPECT_TRUE(
      ordered("%1 = aten.exp.default(%0)\n%2 = aten.neg_.default(%0)\n"));
  EXPECT_TRUE(
      ordered("%1 = aten.exp.default(%0)\n%2 = aten.t.default(%0)\n"
              "%3 = aten.neg_.default(%2)\n"));
  EXPECT_FALSE(
      ordered("%1 = aten.neg_.default(%0)\n%2 = aten.exp.default(%0)\n"));
  EXPECT_FALSE(
      ordered("%1 = aten.t.default(%0)\n%2 = aten.neg_.default(%1)\n"));
}

}  // namespace
}  // namespace assay
