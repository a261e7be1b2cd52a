#include "harness/judge/sharing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/program_text.h"
#include "harness/judge/judge.h"
#include "harness/testing/fakes.h"

namespace assay::harness {
namespace {

// What a program of one input f32[2] may return, and in which storages it does;
// 0 is the input's.
struct Returned {
  std::string name, lines;
  std::vector<std::int64_t> storages;
  std::string fault;  // "out1 in the storage of out0"; empty: none
};

void PrintTo(const Returned& r, std::ostream* os) { *os << r.name; }

class Sharing : public ::testing::TestWithParam<Returned> {};

TEST_P(Sharing, IsAsViewsAndWritesMakeIt) {
  const Returned& test = GetParam();
  const Result<Program> program =
      parse_program("assay-program 1\n%0 = input f32[2]\n" + test.lines);
  ASSERT_TRUE(program.ok()) << program.error().message;
  Observation o;
  for (const std::int64_t s : test.storages) {
    o.outputs.push_back(fakes::f32({1, 2}));
    o.layouts.push_back({{1}, 0, s});
  }
  const auto fault = sharing_fault(*program, o);
  std::string found;
  if (fault) found = "out" + std::to_string(fault->output) + " " + fault->got;
  EXPECT_EQ(found, test.fault);
}

const char* const kCopy = "%1 = aten.clone.default(%0)\nreturn %1\n";
const char* const kTwoCopies =
    "%1 = aten.clone.default(%0)\n%2 = aten.clone.default(%0)\n"
    "return %1, %2\n";
const char* const kView = "%1 = aten.t.default(%0)\nreturn %1\n";
const char* const kPieces =
    "%1 = aten.neg.default(%0)\n%2 = aten.split.Tensor(%1, 1)\n"
    "%3 = getitem(%2, 1)\nreturn %2, %3\n";
const char* const kReshaped =
    "%1 = aten.neg.default(%0)\n%2 = aten.reshape.default(%1, [2])\n"
    "return %1, %2, %0\n";
const char* const kWritten =
    "%1 = aten.neg.default(%0)\n%2 = aten.copy_.default(%0, %1)\n"
    "return %1, %2\n";
const char* const kTwice = "%1 = aten.neg.default(%0)\nreturn %1, %1\n";
const char* const kSumOfOne =
    "%1 = aten.einsum.default(\"i->i\", [%0])\nreturn %1\n";

INSTANTIATE_TEST_SUITE_P(
    Programs, Sharing,
    ::testing::Values(
        Returned{"Copy", kCopy, {5}, ""},
        Returned{
            "CopyIsItsOperand", kCopy, {0}, "out0 in the storage of input 0"},
        Returned{"Copies", kTwoCopies, {5, 6}, ""},
        Returned{
            "CopiesAreOne", kTwoCopies, {5, 5}, "out1 in the storage of out0"},
        Returned{"View", kView, {0}, ""},
        Returned{"ViewCopied", kView, {5}, "out0 apart from input 0"},
        Returned{"Pieces", kPieces, {7, 7}, ""},
        Returned{"PiecesApart", kPieces, {7, 8}, "out1 apart from out0"},
        Returned{"ReshapeIsAView", kReshaped, {3, 3, 0}, ""},
        Returned{"ReshapeIsACopy", kReshaped, {3, 4, 0}, ""},
        Returned{"ReshapeIsAnotherTensor",
                 kReshaped,
                 {3, 0, 0},
                 "out1 in the storage of input 0"},
        Returned{"Written", kWritten, {4, 0}, ""},
        Returned{"WrittenIsReturned",
                 kWritten,
                 {0, 0},
                 "out0 in the storage of input 0"},
        Returned{"ReturnedTwice", kTwice, {4, 4}, ""},
        Returned{"ReturnedTwiceApart", kTwice, {4, 5}, "out1 apart from out0"},
        Returned{"SumOfOneMayBeAView", kSumOfOne, {0}, ""},
        Returned{"Untold", kTwoCopies, {kStorageUntold, kStorageUntold}, ""}),
    [](const auto& test) { return test.param.name; });

TEST(Sharing, OfNoElementsCannotBeSeen) {
  const Result<Program> program = parse_program(
      "assay-program 1\n%0 = input f32[0]\n%1 = aten.clone.default(%0)\n"
      "return %1\n");
  Observation o;
  o.outputs = {Tensor::zeros(DType::f32, {0})};
  o.layouts = {{{1}, 0, 0}};
  EXPECT_FALSE(sharing_fault(*program, o).has_value());
}

}  // namespace
}  // namespace assay::harness
