// Static expressions over one fixed call, as a table: what each gives, or the
// words of its error.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "suite/language/bind/bind.h"
#include "suite/language/bind/operand.h"
#include "suite/language/functions/shape_functions.h"
#include "suite/language/syntax/parse_expr.h"

namespace assay::language {
namespace {

std::string show(const StaticValue& v) {
  if (const auto* d = std::get_if<double>(&v)) {
    std::ostringstream out;
    out << *d;
    return out.str();
  }
  std::string s = std::visit([](const auto& x) { return describe(x); }, v);
  for (const char* prefix :
       {"the integer ", "the dtype ", "the shape ", "the string "}) {
    if (s.starts_with(prefix)) return s.substr(std::string(prefix).size());
  }
  return s;
}

// f(x: f32[2, 3, 4] transposed, z: f16[], index: i64[3] = {0, 2, -1},
//   u: u64[2] = {7, 2^64 - 1},
//   list: {u8[2, 3], f16[4, 3]}, n: 2.5, k: 7, dims: [0, -1], keepdim: true,
//   d: bf16, mode: "tanh", w: none, b: true in a tensor's place)
class StaticEval : public testing::Test {
 protected:
  StaticEval() {
    const char* names[] = {"x",    "z",       "index", "u",    "list", "n", "k",
                           "dims", "keepdim", "d",     "mode", "w",    "b"};
    for (const char* name : names) {
      Param p;
      p.name = name;
      op_.params.push_back(p);
    }
    op_.name = "f";
    elements_ = Tensor::zeros(DType::i64, {3});
    elements_.set_integer(1, 2);
    elements_.set_integer(2, -1);
    unsigned_ = Tensor::zeros(DType::u64, {2});
    unsigned_.set_integer(0, 7);
    unsigned_.set_integer(1, -1);
    TensorArg x;
    x.type = {DType::f32, {2, 3, 4}, {1, 8, 2}};
    TensorArg z;
    z.type = TensorType::contiguous(DType::f16, {});
    TensorArg index;
    index.type = elements_.type;
    index.value = &elements_;
    TensorArg u;
    u.type = unsigned_.type;
    u.value = &unsigned_;
    std::vector<TensorArg> list(2);
    list[0].type = TensorType::contiguous(DType::u8, {2, 3});
    list[1].type = TensorType::contiguous(DType::f16, {4, 3});
    binding_.spec = &op_;
    binding_.actuals = {{"x", x},
                        {"z", z},
                        {"index", index},
                        {"u", u},
                        {"list", list},
                        {"n", 2.5},
                        {"k", std::int64_t{7}},
                        {"dims", Shape{0, -1}},
                        {"keepdim", true},
                        {"d", DType::bf16},
                        {"mode", std::string("tanh")},
                        {"w", None{}},
                        {"b", true}};
    binding_.symbols = {
        {"T", DType::f32}, {"M", std::int64_t{3}}, {"A", Shape{5, 1}}};
  }

  std::string eval(const std::string& text,
                   const std::map<std::string, StaticValue>& indices = {}) {
    const Result<ExprPtr> e = parse_expr(text);
    if (!e) return "syntax: " + e.error().message;
    const Result<StaticValue> v = evaluate_static(**e, binding_, indices);
    return v ? show(*v) : "error: " + v.error().message;
  }

  OpSpec op_;
  Tensor elements_;
  Tensor unsigned_;
  Binding binding_;
};

struct Row {
  const char* text;
  const char* wanted;
};

constexpr Row kValues[] = {
    // Arithmetic.
    {"1 + 2 * 3 - 4", "3"},
    {"7 // 2", "3"},
    {"-7 // 2", "-4"},
    {"-7 % 2", "1"},
    {"7 % -2", "-1"},
    {"-9223372036854775807 // -1", "9223372036854775807"},
    {"6 / 3", "2"},
    {"1 / 4", "0.25"},
    {"n * 2", "5"},
    {"1 / 0.0", "inf"},
    {"floor(-7 / 2)", "-4"},
    {"ceil(7 / 2)", "4"},
    {"trunc(-2.5)", "-2"},
    {"abs(-3)", "3"},
    {"sign(-0.5)", "-1"},
    {"floor_div(-7, 2)", "-4"},
    {"ceil_div(7, 2)", "4"},
    {"ceil_div(-7, 2)", "-3"},
    {"max(1, 2.5, 2)", "2.5"},
    {"min(3, 2)", "2"},
    {"max(dims)", "0"},
    {"max([])", "0"},
    {"isnan(nan) and not isinf(1)", "true"},
    // Comparison and logic.
    {"0 < 1 <= 1 < 2", "true"},
    {"1 == 1.0", "true"},
    {"nan == nan", "false"},
    {"false and dim(z, 3) == 1", "false"},
    {"true or dim(z, 3) == 1", "true"},
    {"where(rank(z) == 0, 1, dim(z, 0))", "1"},
    {"dtype(x) in [f16, f32]", "true"},
    {"dtype(x) not in [f16]", "true"},
    {"mode in ['none', 'tanh']", "true"},
    {"3 in [1, 2]", "false"},
    {"-1 in dims", "true"},
    {"shape(z) == []", "true"},
    {"keepdim == true", "true"},
    // Operands.
    {"rank(x)", "3"},
    {"rank(b)", "0"},
    {"dim(x, -1)", "4"},
    {"size(z, -1)", "1"},
    {"size(x, 1)", "3"},
    {"shape(x)", "[2, 3, 4]"},
    {"numel(x)", "24"},
    {"numel(b)", "1"},
    {"dtype(x)", "f32"},
    {"dtype(n)", "f32"},
    {"dtype(k)", "i64"},
    {"dtype(b)", "bool"},
    {"given(w)", "false"},
    {"given(x)", "true"},
    {"is_scalar(b)", "true"},
    {"is_scalar(x)", "false"},
    {"length(list)", "2"},
    {"length(dims)", "2"},
    {"rank(list[1])", "2"},
    {"category(x) == float", "true"},
    {"category(b) == bool", "true"},
    {"category(k)", "'int'"},
    {"category(k) < category(n)", "true"},
    {"category(d)", "'float'"},
    {"promote(x, z)", "f32"},
    {"promote(z, n)", "f16"},
    {"promote(list)", "f16"},
    {"promote(w, z)", "f16"},
    {"promote(f16, bf16)", "f32"},
    {"opmath(dtype(z))", "f32"},
    {"is_float(d) and not is_integer(bool)", "true"},
    {"eps(f16)", "0.000976562"},
    {"largest(f16)", "65504"},
    {"smallest_normal(f32)", "1.17549e-38"},
    {"least(i32)", "-2147483648"},
    {"greatest(u8)", "255"},
    {"greatest(i64)", "9223372036854775807"},
    {"least(u64)", "0"},
    {"viewable(x, [3, 8])", "false"},
    {"viewable(x, [2, 3, 4])", "true"},
    {"bytes(f64) * 100 + bytes(bf16) * 10 + bytes(bool)", "821"},
    {"stride_of(x, -1)", "2"},
    {"T", "f32"},
    {"M + 1", "4"},
    {"[A..., M]", "[5, 1, 3]"},
    {"d", "bf16"},
    // Elements of integer tensors.
    {"index[1]", "2"},
    {"u[0]", "7"},
    {"all(i... < shape(index): -1 <= index[i...] < 3)", "true"},
    {"all(i... < shape(index): 0 <= index[i...])", "false"},
    {"flat(index)[2]", "-1"},
    {"b[0, 0]", "true"},
    // Reductions.
    {"sum(k2 < 4: k2)", "6"},
    {"prod(j from 1 to 5: j)", "24"},
    {"max(j < 3, l < 3: j - l)", "2"},
    {"min(j < 3: -j)", "-2"},
    {"mean(j < 4: j)", "1.5"},
    {"count(j < 4: j % 2 == 1)", "2"},
    {"any(j < 0: true)", "false"},
    {"all(j < 0: false)", "true"},
    {"sum(j < 3, l < j: 1)", "3"},
    {"sum(j < 0: 1)", "0"},
    {"all(i... < []: rank(x) == 3)", "true"},
    {"count(i... < shape(x): true)", "24"},
    {"count(i... < [3, 0]: true)", "0"},
    // Shapes and packs.
    {"product(shape(x))", "24"},
    {"product([])", "1"},
    {"unique([1, 2, 1])", "false"},
    {"iota(3)", "[0, 1, 2]"},
    {"wrap(dims, 3)", "[0, 2]"},
    {"wrap(-1, 3)", "2"},
    {"broadcast([3, 1], [2, 1, 4])", "[2, 3, 4]"},
    {"broadcast([0], [1])", "[0]"},
    {"broadcastable([2], [3])", "false"},
    {"broadcastable([0], [2])", "false"},
    {"at(shape(x), -1)", "4"},
    {"shape(x)[1]", "3"},
    {"put(shape(x), 1, 9)", "[2, 9, 4]"},
    {"insert([1, 2], 1, 9)", "[1, 9, 2]"},
    {"insert([1, 2], -1, 9)", "[1, 2, 9]"},
    {"insert([], 0, 9)", "[9]"},
    {"drop([1, 2, 3], -3)", "[2, 3]"},
    {"drop([], -1)", "[]"},
    {"swap([1, 2, 3], 0, -1)", "[3, 2, 1]"},
    {"permute([7, 8, 9], [2, 0, -2])", "[9, 7, 8]"},
    {"unpermute(permute([7, 8, 9], [2, 0, 1]), [2, 0, 1])", "[7, 8, 9]"},
    {"pick([7, 8, 9], [-1, 0])", "[7, 9]"},
    {"reduce([7, 8, 9], [0, 2], false)", "[8]"},
    {"reduce([7, 8, 9], [0, 2], true)", "[1, 8, 1]"},
    {"weave([8], [0, 2], [7, 9], false)", "[7, 8, 9]"},
    {"weave([0, 8, 0], [-1, 0], [7, 9], true)", "[7, 8, 9]"},
    {"weave([], [0], [], false)", "[]"},
    {"ravel([1, 2, 3], shape(x))", "23"},
    {"unravel(23, shape(x))", "[1, 2, 3]"},
    {"collapse([2, 3, 4], 0, -2)", "[6, 4]"},
    {"collapse([], 0, -1)", "[1]"},
    {"infer([2, -1, 4], 24)", "[2, 3, 4]"},
    {"expanded([1, 3], [5, 2, -1])", "[5, 2, 3]"},
    {"concat_shape(list, 0)", "[6, 3]"},
    {"last(2, 4)", "[2, 3]"},
    {"reduced(none, 2)", "[0, 1]"},
    {"reduced([], 2)", "[0, 1]"},
    {"reduced([-1], 2)", "[-1]"},
    {"slice_start(none, 5)", "0"},
    {"slice_start(-2, 5)", "3"},
    {"slice_end(none, 5)", "5"},
    {"slice_end(9, 5)", "5"},
    {"slice_end(-9, 5)", "0"},
};

TEST_F(StaticEval, Values) {
  for (const Row& row : kValues) {
    EXPECT_EQ(eval(row.text), row.wanted) << row.text;
  }
}

constexpr Row kErrors[] = {
    {"dim(z, 0)", "dimension 0 is out of range for a tensor of rank 0"},
    {"size(x, 3)", "dimension 3 is out of range"},
    {"rank(w)", "rank: expected a tensor, found none"},
    {"x", "is a tensor"},
    {"x[0]", "has 1 indices for a tensor of rank 3"},
    {"x[0, 0, 0]", "the elements of 'x' are not known"},
    {"index[3]", "out of range"},
    {"dims[2]", "out of range"},
    {"1 // 0", "division by zero"},
    {"1 % 0", "division by zero"},
    {"9223372036854775807 + 1", "does not fit 64 bits"},
    {"-9223372036854775807 - 2", "does not fit 64 bits"},
    {"9223372036854775807 * 2", "does not fit 64 bits"},
    {"product([9223372036854775807, 2])", "does not fit 64 bits"},
    {"not 1", "expected true or false"},
    {"1 and true", "expected true or false"},
    {"2.5 // 2", "needs integers"},
    {"mode + 1", "cannot combine the string 'tanh' and the integer 1"},
    {"f16 < f32", "cannot order"},
    {"exp(1)", "no static function"},
    {"nothing", "'nothing' has no value here"},
    {"max(j < 0: j)", "is over nothing"},
    {"is_float(2)", "expected a dtype, found the integer 2"},
    {"eps(i32)", "expected a float dtype"},
    {"greatest(f32)", "expected an integer dtype or bool"},
    {"u[1]", "an element of 'u' is no integer of 64 bits with a sign"},
    {"greatest(u64)", "the greatest u64 is no integer of 64 bits with a sign"},
    {"infer([-1, 0], 0)", "do not divide"},
    {"permute([1, 2], [0, 0])", "stands twice"},
    {"permute([1, 2], [0])", "cannot permute"},
    {"broadcast([2], [3])", "do not broadcast"},
    {"collapse([1, 2], 1, 0)", "comes after"},
    {"count(j < 10000000000: true)", "too many steps"},
    {"at([], 0)", "no entry"},
};

TEST_F(StaticEval, ErrorsSayWhatIsWrong) {
  for (const Row& row : kErrors) {
    const std::string found = eval(row.text);
    EXPECT_TRUE(found.starts_with("error: ")) << row.text << ": " << found;
    EXPECT_NE(found.find(row.wanted), std::string::npos)
        << row.text << ": " << found;
  }
}

TEST_F(StaticEval, IndicesInScope) {
  EXPECT_EQ(eval("i * 2", {{"i", std::int64_t{4}}}), "8");
  EXPECT_EQ(eval("drop(i..., 1)", {{"i", Shape{4, 5, 6}}}), "[4, 6]");
  EXPECT_EQ(eval("index[i...]", {{"i", Shape{9, 1}}}), "2");  // broadcast
  // An inner range ends with its reduction.
  EXPECT_EQ(eval("sum(i < 3: i) + i", {{"i", std::int64_t{4}}}), "7");
}

TEST_F(StaticEval, Definitions) {
  Form form;
  form.value = *parse_definitions(
      "start[n < 2] = sum(q < n: size(list[q], 0));"
      "w2[j... < [2]] = start[j...] + 1; out[i...] = w2[i...]");
  binding_.form = &form;
  EXPECT_EQ(eval("start[1]"), "2");
  EXPECT_EQ(eval("w2[1]"), "3");
}

// Where each element is tested by itself, expressions are not evaluated for
// each; they are for `any`.
TEST_F(StaticEval, TestsOfElementsSayWhatTheirNegationSays) {
  const char* const atoms[] = {
      "index[i...] < 3",         "-1 <= index[i...]",    "index[i...] != 2",
      "dim(x, 0) > index[i...]", "2.5 >= index[i...]",   "index[i...] == -1",
      "nan < index[i...]",       "n > index[i...]",      "index[i...] < 2",
      "M == index[i...]",        "0 <= index[i...] <= k"};
  std::mt19937 random(1);
  const auto test = [&](const auto& self, int depth) -> std::string {
    const auto which = random() % 4;
    if (depth == 0 || which == 0) return atoms[random() % std::size(atoms)];
    const std::string a = self(self, depth - 1);
    if (which == 1) return "not (" + a + ")";
    return "(" + a + (which == 2 ? ") and (" : ") or (") +
           self(self, depth - 1) + ")";
  };
  int held = 0;
  for (int n = 0; n < 400; ++n) {
    const std::string t = test(test, 3);
    const std::string all = eval("all(i... < shape(index): " + t + ")");
    EXPECT_EQ(all, eval("not any(i... < shape(index): not (" + t + "))")) << t;
    held += all == "true" ? 1 : 0;
  }
  EXPECT_GT(held, 50);
  EXPECT_LT(held, 350);
}

// Differences between these wrap.
TEST_F(StaticEval, TestsOfElementsNextToTheEndsOfTheirType) {
  const char* const tests[] = {
      "index[i...] < 3",       "index[i...] <= 0",
      "0 <= index[i...]",      "-1 < index[i...] < 9223372036854775807",
      "0 <= index[i...] < 3",  "-9223372036854775807 <= index[i...] <= 2",
      "-3 <= index[i...] < 3", "index[i...] <= 9223372036854775807",
      "1 <= index[i...] < 3",  "index[i...] < -9223372036854775807"};
  const std::int64_t values[] = {
      INT64_MIN, INT64_MIN + 1, -4,       -3, -1, 0, 1, 2, 3,
      4,         INT64_MAX - 1, INT64_MAX};
  elements_ = Tensor::zeros(DType::i64, {4});
  std::get<TensorArg>(binding_.actuals["index"]).type = elements_.type;
  int held = 0;
  for (const std::int64_t a : values) {
    for (const std::int64_t b : values) {
      for (int i = 0; i < 4; ++i) elements_.set_integer(i, i % 2 == 0 ? a : b);
      for (const std::string t : tests) {
        const std::string all = eval("all(i... < shape(index): " + t + ")");
        EXPECT_EQ(all, eval("not any(i... < shape(index): not (" + t + "))"))
            << t << " of " << a << " and " << b;
        held += all == "true" ? 1 : 0;
      }
    }
  }
  EXPECT_GT(held, 100);
}

TEST_F(StaticEval, TestsMillionsOfElements) {
  elements_ = Tensor::zeros(DType::i64, {1 << 21});
  std::get<TensorArg>(binding_.actuals["index"]).type = elements_.type;
  const char* const below =
      "all(i... < shape(index): 0 <= index[i...] and index[i...] < 7)";
  EXPECT_EQ(eval(below), "true");
  elements_.set_integer((1 << 21) - 1, 7);
  EXPECT_EQ(eval(below), "false");
}

// Does a view exist? PyTorch's own answers.
TEST(Viewable, AgreesWithPyTorch) {
  std::ifstream in(std::string(ASSAY_SOURCE_DIR) + "/suite/testdata/views.txt");
  int rows[2] = {0, 0};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    Shape part[3];
    int at = 0;
    std::istringstream words(line);
    for (std::string word; at < 3 && words >> word;) {
      if (word == "|") {
        ++at;
      } else {
        part[at].push_back(std::stoll(word));
      }
    }
    int wanted = -1;
    words >> wanted;
    ASSERT_TRUE(wanted == 0 || wanted == 1) << line;
    ++rows[wanted];
    EXPECT_EQ(viewable(part[0], part[1], part[2]), wanted == 1) << line;
  }
  EXPECT_GE(rows[0], 40);
  EXPECT_GE(rows[1], 100);
}

}  // namespace
}  // namespace assay::language
