#include "suite/language/format/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "suite/language/schema/draft.h"

namespace assay::language {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string formatted(const std::string& text) {
  std::vector<Fault> faults;
  const auto out = format_spec(text, &faults);
  for (const Fault& f : faults) ADD_FAILURE() << text << "\n" << f.message;
  return out.value_or("");
}

std::string refused(const std::string& text) {
  std::vector<Fault> faults;
  EXPECT_FALSE(format_spec(text, &faults)) << text;
  return faults.empty() ? ""
                        : to_string({"f", faults[0].pos, faults[0].message});
}

struct Row {
  const char* what;
  std::string before;
  std::string after;  // empty: as before
};

std::string words(std::size_t n) {
  std::string out = "word";
  while (out.size() < n) out += " word";
  return out;
}

const std::string k60 = std::string(60, 'a');

const Row kRows[] = {
    {"indentation", "let:\n     a: 1\n     b:\n           c: 2\nvalue: 3\n",
     "let:\n  a: 1\n  b:\n    c: 2\nvalue: 3\n"},
    {"a list in the column of its key", "a:\n- 1\n-   b: 2\n    c: 3\nd: 4\n",
     "a:\n  - 1\n  - b: 2\n    c: 3\nd: 4\n"},
    {"lists in lists", "- - 1\n  -   2\n-\n    a: 1\n",
     "- - 1\n  - 2\n-\n  a: 1\n"},
    {"spaces", "a:    1   \nb :  2\nc: [ 1,2 ,3 ]\nd: {  e: [ ] ,f:  { } }\n",
     "a: 1\nb: 2\nc: [1, 2, 3]\nd: {e: [], f: {}}\n"},
    {"the end of the file", "a: 1", "a: 1\n"},
    {"empty lines", "\n\na: 1\n\n\n\nb: 2\n  \nc: 3\n\n\n",
     "a: 1\n\nb: 2\n\nc: 3\n"},
    {"quotes stay",
     "a: \"1\"\nb: 'it''s'\nc: [\"x, y\", 'none', \"\\\"]\"]\n\"most[]\": 2\n",
     ""},
    {"what a text holds means nothing",
     "a: \"{ x:1,y }  # [\"\nb: x[i,j] # no\nc: f(a,b)#c\nd: {e: \"${f}[ "
     "1,2]\"}\n",
     "a: \"{ x:1,y }  # [\"\nb: x[i,j]  # no\nc: f(a,b)#c\n"
     "d: {e: \"${f}[ 1,2]\"}\n"},
    {"placeholders",
     "a: ${b}\nc: [${d},x${e}y, ${f}]\ng: {T: ${D},U: [${D}]}\nh${i}: 1\n",
     "a: ${b}\nc: [${d}, x${e}y, ${f}]\ng: {T: ${D}, U: [${D}]}\nh${i}: 1\n"},
    {"colons and quotes in flow", "a: {\"b\":1, c: d:e, 'f': \"g\"}\n",
     "a: {\"b\": 1, c: d:e, 'f': \"g\"}\n"},
    {"anchors",
     "a:   &x [1,2]\nb: &y\n    c: &z   d\ne: {f:  *x,g: &w {h: 1}}\n"
     "i:  *y\n",
     "a: &x [1, 2]\nb: &y\n  c: &z d\ne: {f: *x, g: &w {h: 1}}\ni: *y\n"},
    {"comments above and behind",
     "# first\na: # after the key\n    # in the block\n    b: 1 # one\n"
     "    c: [1]      # aligned\n    # its end\n# above d\nd: 2\n#end\n",
     "# first\na:  # after the key\n  # in the block\n  b: 1  # one\n"
     "  c: [1]      # aligned\n  # its end\n# above d\nd: 2\n#end\n"},
    {"comments in a list", "a:\n- 1\n# two\n- 2   \n  # the end\nb: 1\n",
     "a:\n  - 1\n  # two\n  - 2\n  # the end\nb: 1\n"},
    {"comments of another column",
     "a:\n  b: 1\n     # deep\n  c: 2\n# flat\n  d: 3\n",
     "a:\n  b: 1\n  # deep\n  c: 2\n  # flat\n  d: 3\n"},
    {"comments in flow",
     "a: [1, # one\n  # two\n  2,\n\n  3 # three\n  ]\nb: 1\n",
     "a: [1,  # one\n    # two\n    2,\n    3  # three\n    ]\nb: 1\n"},
    {"block scalars stay",
     "a:\n    b: >-\n          x  y\n            z\n\n          # no comment\n"
     "    # a comment\n    c: |\n      1 \n\n\nd: >2\n   x\n",
     "a:\n  b: >-\n    x  y\n      z\n\n    # no comment\n"
     "  # a comment\n  c: |\n    1 \n\nd: >2\n   x\n"},
    {"block scalars in lists", "-   |\n     a\n-   b: >-  # c\n        d\n",
     "- |\n  a\n- b: >-  # c\n    d\n"},
    {"kept line ends", "a: |+\n  b\n\n\nc: 1\n", ""},
    {"and nothing else", "a: |+\n   \n\n", "a: |+\n\n\n"},
    {"texts of several lines",
     "a: x\n   y # c\nb: \"x\n\n y\"\nc: ['x\n  y', x\n  y]\n",
     "a: x\n    y  # c\nb: \"x\n\n    y\"\nc: ['x y', x y]\n"},
    {"a flow collection that is short stays broken",
     "a: [1,\n 2,\n      [3,\n 4]]\nb: {c: 1\n , d:\n 2\n }\n",
     "a: [1,\n    2,\n    [3,\n    4]]\nb: {c: 1, d: 2}\n"},
    {"a long one is broken between its items",
     "a:\n  b: [[" + k60 + ", 1], [" + k60 + ", 2], 3]\n",
     "a:\n  b: [[" + k60 + ", 1],\n      [" + k60 + ", 2], 3]\n"},
    {"and filled", "a: [" + k60 + ",\n  " + k60 + k60 + ", 1,\n  2]\n",
     "a: [" + k60 + ",\n    " + k60 + k60 + ",\n    1, 2]\n"},
    {"an item only if it must be",
     "a: {b: 1, c: [" + k60 + ", " + k60 + ", 2], d: 3}\n",
     "a: {b: 1,\n    c: [" + k60 + ",\n    " + k60 + ", 2], d: 3}\n"},
    {"exactly 120 columns", "a: [" + k60 + ", " + std::string(53, 'b') + "]\n",
     ""},
    {"one more", "a: [" + k60 + ", " + std::string(54, 'b') + "]\n",
     "a: [" + k60 + ",\n    " + std::string(54, 'b') + "]\n"},
    {"columns, not bytes",
     "a: [" + k60 + ", \"" + std::string(50, 'b') + "\u00e9\"]\n", ""},
    {"a long text", "a:\n  b: " + words(130) + "\nc: \"" + words(119) + "\"\n",
     "a:\n  b: >-\n    " + words(114) + "\n    word word word word\nc: >-\n  " +
         words(114) + "\n  word\n"},
    {"one that cannot be folded",
     "a: " + k60 + k60 + "\nb: \"" + words(130) + "\\n\"\nc: " + words(130) +
         "  # why\n",
     ""},
    {"the order of an operation",
     "# about\n\n# value\nvalue: 1\n\ncases: {}\n# name\nop: x\ndoc: y\n# "
     "end\n",
     "# about\n\n# name\nop: x\ndoc: y\n# value\nvalue: 1\n\ncases: {}\n# "
     "end\n"},
    {"of several", "aten: x\nops:\n  a: {doc: b}\n",
     "ops:\n  a: {doc: b}\naten: x\n"},
    {"of a program", "steps: {}\nprogram: x\nreturns: [y]\ninputs: {}\n",
     "program: x\ninputs: {}\nsteps: {}\nreturns: [y]\n"},
    {"no order", "value: 1\nop_: x\ndoc: 1\n", ""},
    {"what has no place stays where it is",
     "op: x\nnote: 1\nvalue: 2\nother: 3\ndoc: 4\n",
     "op: x\nnote: 1\ndoc: 4\nvalue: 2\nother: 3\n"},
};

TEST(Format, BeforeAndAfter) {
  for (const Row& row : kRows) {
    const std::string& after = row.after.empty() ? row.before : row.after;
    EXPECT_EQ(formatted(row.before), after) << row.what;
    EXPECT_EQ(formatted(after), after) << row.what;
  }
}

TEST(Format, FaultsAreTheLoaders) {
  EXPECT_EQ(refused(""), "f:1:1: the file is empty");
  EXPECT_EQ(refused("# a\n\n"), "f:1:1: the file is empty");
  EXPECT_THAT(refused("a: 1\r\n"), HasSubstr("f:1:5: found a carriage return"));
  EXPECT_THAT(refused("a:\n\tb: 1\n"), HasSubstr("f:2:1: found a tab"));
  EXPECT_THAT(refused("a: [1\nb: 2\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(refused("a: 1\na: 2\n"), HasSubstr("f:2:1: duplicate key 'a'"));
  EXPECT_THAT(refused("a: 1\n---\nb: 2\n"), HasSubstr("second YAML document"));
}

TEST(Format, AChangeOfMeaningIsRefused) {
  // In the usual order the alias would stand before its anchor.
  EXPECT_THAT(refused("value: &x 1\nop: a\ndoc: *x\n"),
              HasSubstr("the file stays as it is"));
  // Or behind another one.
  EXPECT_THAT(refused("value: &x 1\nop: a\nparams: &x 2\ncases: *x\n"),
              HasSubstr("would say something else"));
}

TEST(Format, LongLinesAreNoTrouble) {
  std::string list = "a: [1";
  while (list.size() < 1'000'000) list += ", 1";
  const std::string out = formatted(list + "]");
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 120u);
  }
  EXPECT_EQ(formatted(out), out);
  const std::string text = "a: " + std::string(1'000'000, 'x') + "\n";
  EXPECT_EQ(formatted(text), text);
  const std::string deep =
      "a: " + std::string(400, '[') + std::string(400, ']') + "\n";
  EXPECT_EQ(formatted(deep), deep);
}

// Comments and all: nothing is lost but spaces.
std::string characters(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  std::sort(text.begin(), text.end());
  return text;
}

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// format_spec itself compares what is said; so its success is the property.
TEST(Format, EverySpecKeepsItsMeaningAndIsStable) {
  int files = 0;
  for (const char* folder : {"specs", "suite/testdata/good",
                             "suite/testdata/spellings", "harness/testing"}) {
    const fs::path dir = fs::path(ASSAY_SOURCE_DIR) / folder;
    for (const auto& entry : fs::recursive_directory_iterator(dir)) {
      if (entry.path().extension() != ".yaml") continue;
      SCOPED_TRACE(entry.path().string());
      const std::string text = slurp(entry.path());
      const std::string out = formatted(text);
      EXPECT_EQ(formatted(out), out);
      ++files;
      // Long texts are folded there, which costs their quotes.
      if (entry.path().parent_path().filename() == "schemas") continue;
      EXPECT_EQ(characters(out), characters(text));
    }
  }
  EXPECT_GT(files, 200);
}

TEST(Format, DraftsAreFormatted) {
  const char* kSchemas[] = {
      "(Tensor self) -> Tensor",
      "(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "(Tensor self, int[1]? dim=None, *, Layout? layout=None) -> Tensor",
      "(Tensor self, int[] shape, Tensor index) -> (Tensor, Tensor)"};
  for (const char* schema : kSchemas) {
    const std::string text =
        draft_spec(*parse_schema("aten.f.default", schema));
    EXPECT_EQ(formatted(text), text);
  }
}

}  // namespace
}  // namespace assay::language
