// Which programs are refused because of what calls write and read in one place.
#include "suite/language/bind/places.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/program_text.h"
#include "suite/language/bind/bind_program.h"
#include "suite/language/load.h"

namespace assay::language {
namespace {

// An operation that gives back elements of x, or computes with them.
SourceFile operation(const std::string& aten, const std::string& params,
                     const std::string& result, const std::string& value,
                     const std::string& inplace = "") {
  SourceFile f;
  f.name = aten.substr(0, aten.find('.')) + ".yaml";
  const bool reads_y = params.find("T[A...]") != std::string::npos;
  f.text = "op: " + aten.substr(0, aten.find('.')) + "\naten: aten." + aten +
           "\n" + inplace + "doc: A test.\nparams: {x: \"T[S...]\"" + params +
           "}\ndtypes: {T: [f32]}\nresult: " + result + "\nvalue: {V1: \"" +
           value + "\"}\naccuracy: {A1: {bound: exact}}\n" +
           "cases: {C1: {shapes: [{S: [3]" +
           std::string(reads_y ? ", A: [3]" : "") + "}]}}\n";
  f.role = role_of(f.name, f.text);
  return f;
}

const SpecSet& specs() {
  static const LoadResult result = load_sources({
      operation("slice.Tensor", ", start: int = 0, n: int = 1",
                "\"T of put(shape(x), 0, n) as view\"",
                "out[i...] = x[put(i..., 0, start + at(i..., 0))]"),
      operation("expand.default", "", "\"T of [4, shape(x)...] as view\"",
                "out[i...] = x[i...]"),
      operation("t.default", "",
                "\"T of swap(shape(x), 0, rank(x) - 1) as view\"",
                "out[i...] = x[swap(i..., 0, rank(x) - 1)]"),
      operation("clone.default", "", "T of shape(x) as elementwise",
                "out[i...] = x[i...]"),
      operation("open.default", "", "T of shape(x) as any",
                "out[i...] = x[i...]"),
      operation("reshape.default", "", "T of shape(x) as like(x)",
                "out[i...] = x[i...]"),
      operation("plus.default", ", y: \"T[A...]\"", "T of shape(x)",
                "out[i...] = x[i...]", "inplace: true\n"),
      operation("put.default", ", y: \"T[A...]\", z: \"T[B...] or none\"",
                "T of shape(x)", "out[i...] = x[i...]",
                "inplace: {itself: any, operands: apart, except: [z]}\n"),
      {"window.yaml",
       "op: window\naten: aten.window.default\ndoc: Elements of x's memory.\n"
       "params:\n  x: {tensor: T, shape: [S...], memory_from: from}\n"
       "  n: int\n  from: int or none = none\ndtypes: {T: [f32]}\n"
       "let: {first: \"where(given(from), from, 0)\"}\n"
       "result: T of [n]\nrequires:\n"
       "  E1: {that: first + n <= numel(x) or not fills_memory(x), source: x}\n"
       "value: {V1: \"out[i] = flat(x)[first + i]\"}\n"
       "accuracy: {A1: {bound: exact}}\n"
       "cases: {C1: {shapes: [[9]], attrs: {n: 3}}}\n",
       SourceFile::Role::operation},
  });
  for (const Diagnostic& d : result.errors) ADD_FAILURE() << to_string(d);
  return result.specs;
}

struct Sharing {
  const char* steps;
  const char* refused;
};

void PrintTo(const Sharing& s, std::ostream* os) { *os << s.steps; }

class SharingTest : public ::testing::TestWithParam<Sharing> {};

TEST_P(SharingTest, IsRefusedWherePyTorchLooks) {
  std::string text =
      "assay-program 1\n%0 = input f32[4, 4]\n%1 = input f32[4, 4] "
      "strides[0, 1]\n%2 = input f32[4, 4] strides[8, 2]\n";
  int id = 3;
  std::istringstream lines(GetParam().steps);
  for (std::string line; std::getline(lines, line, ';');) {
    text += "%" + std::to_string(id++) + " = aten." + line + "\n";
  }
  const Result<Program> program =
      parse_program(text + "return %" + std::to_string(id - 1) + "\n");
  ASSERT_TRUE(program.ok()) << program.error().message;
  const Result<ProgramTypes> types = type_program(specs(), *program);
  ASSERT_TRUE(types.ok()) << types.error().message;
  EXPECT_EQ(types->refused, GetParam().refused);
}

// As a program is when a reduction leaves out what it can.
TEST(Writes, IntoNothingAreAnError) {
  const Result<Program> program = parse_program(
      "assay-program 1\n%0 = input f32[4]\n"
      "%1 = aten.plus_.default(none, %0)\nreturn %1\n");
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_FALSE(type_program(specs(), *program).ok());
}

INSTANTIATE_TEST_SUITE_P(
    Calls, SharingTest,
    ::testing::ValuesIn(std::vector<Sharing>{
        {"plus_.default(%0, %1)", ""},
        // Elements that lie in one place, of an input or a view.
        {"plus_.default(%1, %0)", "plus_/E1"},
        {"plus.default(%1, %0)", ""},
        {"expand.default(%0);plus_.default(%3, %0)", "plus_/E1"},
        {"clone.default(%1);plus_.default(%3, %0)", ""},
        {"put_.default(%1, %0)", ""},
        // Parts of one tensor.
        {"slice.Tensor(%0, 0, 3);slice.Tensor(%0, 1, 3);"
         "plus_.default(%3, %4)",
         "plus_/E2"},
        {"slice.Tensor(%0, 0, 2);slice.Tensor(%0, 2, 2);"
         "plus_.default(%3, %4)",
         ""},
        {"slice.Tensor(%0, 1, 3);slice.Tensor(%3, 1, 2);slice.Tensor(%0, 0, 3);"
         "slice.Tensor(%5, 2, 1);plus_.default(%4, %6)",
         "plus_/E2"},
        {"slice.Tensor(%0, 1, 3);slice.Tensor(%3, 1, 2);slice.Tensor(%0, 0, 3);"
         "slice.Tensor(%5, 1, 1);plus_.default(%4, %6)",
         ""},
        {"slice.Tensor(%0, 1, 1);plus_.default(%0, %3)", "plus_/E2"},
        {"clone.default(%0);slice.Tensor(%3, 1, 1);plus_.default(%3, %4)",
         "plus_/E2"},
        {"clone.default(%0);slice.Tensor(%3, 1, 1);plus_.default(%0, %4)", ""},
        // The same elements, in their order and in another.
        {"plus_.default(%0, %0)", ""},
        {"t.default(%0);plus_.default(%0, %3)", "plus_/E2"},
        {"t.default(%0);t.default(%3);plus_.default(%0, %4)", ""},
        {"put_.default(%0, %0)", "put_/E1"},
        {"put_.default(%0, %1, %0)", ""},
        {"put_.default(%0, %1)", ""},
        {"t.default(%0);t.default(%3);put_.default(%0, %4)", "put_/E1"},
        {"plus_.default(%2, %0);put_.default(%3, %2)", "put_/E1"},
        // With gaps, after what may be a copy or lie anywhere, nobody looks.
        {"slice.Tensor(%2, 0, 3);slice.Tensor(%2, 1, 3);"
         "plus_.default(%3, %4)",
         ""},
        {"reshape.default(%0);slice.Tensor(%3, 1, 1);plus_.default(%0, %4)",
         ""},
        {"open.default(%0);t.default(%3);plus_.default(%3, %4)", ""},
    }));

// %0 has 16 elements, and of a view of them what lies beside it is known.
INSTANTIATE_TEST_SUITE_P(
    Memory, SharingTest,
    ::testing::ValuesIn(std::vector<Sharing>{
        {"window.default(%0, 16)", ""},
        {"window.default(%0, 17)", "window/E1"},
        {"slice.Tensor(%0, 1, 1);window.default(%3, 12)", ""},
        {"slice.Tensor(%0, 1, 1);window.default(%3, 13)", "window/E1"},
        {"slice.Tensor(%0, 1, 1);window.default(%3, 16, 0)", ""},
        {"slice.Tensor(%0, 1, 1);window.default(%3, 13, from=none)",
         "window/E1"},
        {"t.default(%0);slice.Tensor(%3, 2, 1);window.default(%4, 14)", ""},
        {"t.default(%0);slice.Tensor(%3, 2, 1);window.default(%4, 15)",
         "window/E1"},
        // Where it may be a copy, or what is given has gaps, nobody knows.
        {"reshape.default(%0);slice.Tensor(%3, 1, 1);window.default(%4, 99)",
         ""},
        {"slice.Tensor(%2, 1, 1);window.default(%3, 99)", ""},
    }));

TEST(Places, ATensorMayFillItsMemory) {
  const auto fills = [](const Shape& sizes, const Place& place) {
    TensorArg x;
    x.type = TensorType::contiguous(DType::f32, sizes);
    x.place = place;
    return fills_memory(x);
  };
  EXPECT_TRUE(fills({3, 4}, own_place(0, {3, 4}, {4, 1})));
  EXPECT_TRUE(fills({3, 4}, own_place(0, {3, 4}, {1, 3})));
  EXPECT_TRUE(fills({4, 3}, Place{0, 1, 0, {1, 4}, 12})) << "seen otherwise";
  EXPECT_FALSE(fills({3, 4}, own_place(0, {3, 4}, {8, 1}))) << "with gaps";
  EXPECT_FALSE(fills({2, 4}, Place{0, 1, 0, {4, 1}, 12})) << "a part";
  EXPECT_FALSE(fills({3, 4}, Place{0, 1, 12, {4, 1}, 12})) << "elsewhere";
  TensorArg nowhere;
  nowhere.type = TensorType::contiguous(DType::f32, {2});
  EXPECT_FALSE(fills_memory(nowhere));
}

// Beyond what PyTorch refuses: of these writes nobody knows the order.
TEST(Places, TwoElementsMayLieInOne) {
  const auto shares = [](const Shape& sizes, const Shape& strides) {
    TensorArg x;
    x.type = TensorType::contiguous(DType::f32, sizes);
    x.place = Place{0, 0, 0, strides};
    return may_share_elements(x);
  };
  EXPECT_FALSE(shares({3, 4}, {4, 1}));
  EXPECT_FALSE(shares({4, 3}, {1, 4}));
  EXPECT_FALSE(shares({3, 1, 4}, {9, 0, 2}));
  EXPECT_TRUE(shares({3, 4}, {0, 1}));
  // Windows of 3, one and two steps apart, and of 2, three apart.
  EXPECT_TRUE(shares({5, 3}, {1, 1}));
  EXPECT_TRUE(shares({2, 3}, {2, 1}));
  EXPECT_FALSE(shares({2, 2}, {3, 1}));
  EXPECT_FALSE(shares({0, 3}, {1, 1}));
  TensorArg nowhere;
  nowhere.type = TensorType::contiguous(DType::f32, {2});
  EXPECT_FALSE(may_share_elements(nowhere));
}

}  // namespace
}  // namespace assay::language
