#include "suite/language/syntax/parse_expr.h"

#include <gtest/gtest.h>

#include <random>

namespace assay::language {
namespace {

std::string printed(std::string_view text) {
  const Result<ExprPtr> e = parse_expr(text);
  return e ? to_string(**e) : "error: " + e.error().message;
}

std::string head(const Expr& e) {
  if (e.kind == Expr::Kind::reduce)
    return std::string(reduction_name(e.reduction));
  if (e.kind != Expr::Kind::op) return e.text;
  return e.op == Operator::neg ? "neg" : std::string(spelling(e.op));
}

// The tree, fully parenthesised.
std::string tree(const Expr& e) {
  std::string args;
  for (const Binder& b : e.binders) {
    args += " " + b.name + (b.pack ? "..." : "") +
            (b.from ? " from " + tree(*b.from) : "") +
            (b.to ? " to " + tree(*b.to) : "");
  }
  for (const ExprPtr& a : e.args) args += " " + tree(*a);
  switch (e.kind) {
    case Expr::Kind::access:
      return "(at" + args + ")";
    case Expr::Kind::list:
      return "(list" + args + ")";
    case Expr::Kind::string:
      return "'" + e.text + "'";
    case Expr::Kind::pack:
      return e.text + "...";
    default:
      return args.empty() ? head(e) : "(" + head(e) + args + ")";
  }
}

std::string parsed(std::string_view text) {
  const Result<ExprPtr> e = parse_expr(text);
  return e ? tree(**e) : "error: " + e.error().message;
}

TEST(ParseExpr, Precedence) {
  const std::pair<const char*, const char*> kTable[] = {
      {"1 + 2 * 3", "(+ 1 (* 2 3))"},
      {"1 - 2 - 3", "(- (- 1 2) 3)"},
      {"a / b * c", "(* (/ a b) c)"},
      {"-a * b", "(* (neg a) b)"},
      {"--a", "(neg (neg a))"},
      {"a // b % c", "(% (// a b) c)"},
      {"not a == b", "(not (== a b))"},
      {"not a and b or c", "(or (and (not a) b) c)"},
      {"a or b and c", "(or a (and b c))"},
      {"0 <= k < n", "(and (<= 0 k) (< k n))"},
      {"a == b == c", "(and (== a b) (== b c))"},
      {"x in [f16, f32]", "(in x (list f16 f32))"},
      {"x not in [1]", "(not (in x (list 1)))"},
      {"a[i, j][k]", "(at (at a i j) k)"},
      {"-a[i...]", "(neg (at a i...))"},
      {"max(a, b)", "(max a b)"},
      {"max(k < K: x[k])", "(max k to K (at x k))"},
      {"sum(k < K, r from a to b + 1: 2)",
       "(sum k to K r from a to (+ b 1) 2)"},
      {"any(k... < shape(x): x[k...])", "(any k... to (shape x) (at x k...))"},
      {"inside(a[i - 1], else -inf)", "(inside (at a (- i 1)) (neg inf))"},
      {"[A..., 3]", "(list A... 3)"},
      {"[broadcast(A, B)..., M]", "(list (broadcast A B) M)"},
      {"\"none\"", "'none'"},
      {"'none'", "'none'"},
      {"(a)", "a"},
      {"m[]", "(at m)"},
  };
  for (const auto& [text, wanted] : kTable) {
    EXPECT_EQ(parsed(text), wanted) << text;
  }
}

TEST(ParseExpr, Numbers) {
  const std::pair<const char*, double> kTable[] = {
      {"0", 0},         {"0.5", 0.5},
      {".5", 0.5},      {"1e-7", 1e-7},
      {"1.5e+3", 1500}, {"0x1p-3", 0.125},
      {"0x1.8p+1", 3},  {"9223372036854775807", 9223372036854775807.0},
  };
  for (const auto& [text, wanted] : kTable) {
    const Result<ExprPtr> e = parse_expr(text);
    ASSERT_TRUE(e) << text << ": " << e.error().message;
    EXPECT_EQ((*e)->number, wanted) << text;
  }
  EXPECT_TRUE(std::isnan((*parse_expr("nan"))->number));
  EXPECT_TRUE(std::isinf((*parse_expr("inf"))->number));
  EXPECT_EQ((*parse_expr("7"))->kind, Expr::Kind::integer);
  EXPECT_EQ((*parse_expr("7.0"))->kind, Expr::Kind::real);
}

TEST(ParseExpr, ErrorsNameTheColumn) {
  const std::pair<const char*, const char*> kTable[] = {
      {"", "column 1: expected a value, found the end"},
      {"1 +", "column 4: expected a value, found the end"},
      {"a b", "column 3: expected an operator or the end, found 'b'"},
      {"a ** 2", "column 3: there is no '**'; write the product, x * x"},
      {"a && b", "column 3: '&' means nothing here; write and"},
      {"!a", "column 1: '!' means nothing here; write not or !="},
      {"a[1", "column 4: expected ']' to close the index, found the end"},
      {"f(a: b)",
       "column 4: 'f' is no reduction, so no ':' may stand in its "
       "arguments"},
      {"sum(k: k)", "column 5: index 'k' needs a range, as in k < n"},
      {"sum(k < 3 < 4: k)",
       "column 11: a range has one '<'; write k from a to b"},
      {"sum(in < 3: 1)", "column 5: 'in' cannot name an index"},
      {"sum(k... from 1 to 2: 1)",
       "column 10: a pack's range is written k... < SHAPE"},
      {"12345678901234567890",
       "column 1: the integer 12345678901234567890 "
       "does not fit 64 bits; write it as a decimal"},
      {"1e999",
       "column 1: the number 1e999 does not fit f64; write inf or "
       "0.0 if that is meant"},
      {"1x",
       "column 1: '1x' is no number; expected an integer, a decimal or "
       "a hex float such as 0x1.8p-3"},
      {"'abc", "column 1: the string that begins here has no closing '"},
      {"a \x01",
       "column 3: a character that is not printable ASCII has no "
       "meaning in an expression; remove it"},
      {"inside(a[i], 0)",
       "column 14: expected 'else' before the alternative, inside(a[i], else "
       "0), found '0'"},
  };
  for (const auto& [text, wanted] : kTable) {
    const Result<ExprPtr> e = parse_expr(text);
    ASSERT_FALSE(e) << text;
    EXPECT_EQ(e.error().message, wanted) << text;
  }
}

TEST(ParseExpr, DefinitionsAndTheirErrors) {
  const auto d = parse_definitions(
      "m[j... < drop(shape(x), dim), k from 1 to 3] = 2 * x[j...];\n"
      "out[i..., n] = m[i..., n];");
  ASSERT_TRUE(d) << d.error().message;
  ASSERT_EQ(d->size(), 2u);
  EXPECT_EQ((*d)[0].name, "m");
  EXPECT_TRUE((*d)[0].indices[0].pack);
  EXPECT_EQ(to_string(*(*d)[0].indices[0].to), "drop(shape(x), dim)");
  EXPECT_EQ(to_string(*(*d)[0].indices[1].from), "1");
  EXPECT_EQ((*d)[1].indices[1].to, nullptr);
  EXPECT_EQ(parse_definitions("out[i] == 1").error().message,
            "column 8: a definition is written with one '='");
  EXPECT_EQ(parse_definitions("out = 1").error().message,
            "column 5: expected '[' after the name of a definition (name[] "
            "if it has no index), found '='");
  EXPECT_EQ(parse_definitions("out[i, i] = 1").error().message,
            "column 8: index 'i' stands twice");
}

TEST(ParseExpr, RefusesWhatCouldExhaustTheStack) {
  const std::string deep(100'000, '(');
  EXPECT_NE(printed(deep).find("nested too deeply"), std::string::npos);
  EXPECT_NE(printed(std::string(100'000, '-') + "1").find("too deeply"),
            std::string::npos);
  std::string nots;
  for (int i = 0; i < 10'000; ++i) nots += "not ";
  EXPECT_NE(printed(nots + "a").find("too deeply"), std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  EXPECT_NE(printed(sum).find("too long"), std::string::npos);
}

// Random trees: what is printed parses to the same tree and prints the same.
class RandomExpr {
 public:
  explicit RandomExpr(unsigned seed) : random_(seed) {}

  ExprPtr make(int depth) {
    auto e = std::make_shared<Expr>();
    switch (pick(depth > 0 ? 11 : 4)) {
      case 0:
        e->kind = Expr::Kind::integer;
        e->integer = pick(1000);
        e->text = std::to_string(e->integer);
        break;
      case 1:
        e->kind = Expr::Kind::real;
        e->number = std::ldexp(1.0 + pick(1000), pick(60) - 30);
        break;
      case 2:
        e->kind = Expr::Kind::name;
        e->text = std::string(1, static_cast<char>('a' + pick(26)));
        break;
      case 3:
        e->kind = Expr::Kind::string;
        e->text = "some text";
        break;
      case 4:
      case 5:
      case 6:
        operation(e.get(), depth);
        break;
      case 7:
        e->kind = Expr::Kind::call;
        e->text = "where";
        e->function = FunctionId::where;
        add(e.get(), 3, depth);
        break;
      case 8:
        e->kind = Expr::Kind::access;
        e->args.push_back(named("x"));
        add(e.get(), pick(3), depth);
        break;
      case 9:
        e->kind = Expr::Kind::list;
        add(e.get(), pick(3), depth);
        break;
      default:
        e->kind = Expr::Kind::reduce;
        e->reduction = pick(2) ? Reduction::max : Reduction::sum;
        e->binders.push_back({"k", pick(2) == 0, nullptr, make(depth - 1)});
        e->binders.push_back({"r", false, make(depth - 1), make(depth - 1)});
        add(e.get(), 1, depth);
    }
    return e;
  }

 private:
  int pick(int n) {
    return static_cast<int>(random_() % static_cast<unsigned>(n));
  }
  static ExprPtr named(const char* text) {
    auto e = std::make_shared<Expr>();
    e->kind = Expr::Kind::name;
    e->text = text;
    return e;
  }
  void add(Expr* e, int n, int depth) {
    for (int i = 0; i < n; ++i) e->args.push_back(make(depth - 1));
  }
  void operation(Expr* e, int depth) {
    constexpr int kOperators = static_cast<int>(Operator::in) + 1;
    e->kind = Expr::Kind::op;
    e->op = static_cast<Operator>(pick(kOperators));
    const bool unary = e->op == Operator::logical_not || e->op == Operator::neg;
    add(e, unary ? 1 : 2, depth);
  }
  std::mt19937 random_;
};

TEST(ParseExpr, PrintedExpressionsParseToTheSameTree) {
  RandomExpr random(7);
  for (int i = 0; i < 5000; ++i) {
    const ExprPtr e = random.make(4);
    const std::string text = to_string(*e);
    const Result<ExprPtr> again = parse_expr(text);
    ASSERT_TRUE(again) << text << ": " << again.error().message;
    ASSERT_EQ(to_string(**again), text);
    const Result<ExprPtr> once_more = parse_expr(to_string(**again));
    ASSERT_EQ(tree(**once_more), tree(**again));
  }
}

TEST(ParseExpr, NamesAreResolvedOnce) {
  const auto head = [](const char* text) { return **parse_expr(text); };
  EXPECT_TRUE(head("exp(x)").is(id_of(Elementary::exp)));
  EXPECT_TRUE(head("where(c, a, b)").is(FunctionId::where));
  EXPECT_TRUE(head("max(a, b)").is(FunctionId::max));
  EXPECT_TRUE(head("max(k < K: x[k])").is(Reduction::max));
  EXPECT_TRUE(head("a not in [1]").is(Operator::logical_not));
  // Whoever knows more names may take it for one of them.
  EXPECT_TRUE(head("mine(x)").is(FunctionId::unknown));
  EXPECT_EQ(head("mine(x)").text, "mine");
}

TEST(Functions, AreFoundByNameAndId) {
  for (const Function& f : functions()) {
    EXPECT_EQ(find_function(f.name), f.id);
    EXPECT_EQ(function_name(f.id), f.name);
  }
  EXPECT_EQ(find_function("nothing"), FunctionId::unknown);
  EXPECT_EQ(elementary_of(find_function("tgamma")), Elementary::tgamma);
  EXPECT_EQ(binary_of(FunctionId::hypot), Binary::hypot);
  EXPECT_EQ(bitwise_of(FunctionId::bit_xor), Bitwise::difference);
  EXPECT_FALSE(elementary_of(FunctionId::abs));
  EXPECT_FALSE(binary_of(FunctionId::rsqrt));
  EXPECT_FALSE(bitwise_of(FunctionId::unknown));
}

TEST(ParseExpr, PositionsFollowTheText) {
  std::vector<Fault> faults;
  const ExprPtr e =
      parse_expr(LocatedText::plain("a +\tb[c]", {7, 11}), &faults);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->pos.column, 13);
  EXPECT_EQ(e->args[1]->pos.line, 7);
  EXPECT_EQ(e->args[1]->args[1]->pos.column, 17);
}

}  // namespace
}  // namespace assay::language
