// Relations of linear algebra and of random numbers, judged from right and
// from wrong results.
#include "harness/judge/relations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/program_text.h"
#include "harness/judge/adjudicate.h"
#include "harness/run/session.h"
#include "suite/cases/testing/case_testing.h"
#include "suite/language/bind/relations.h"

namespace assay::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const language::SpecSet& specs() { return cases::specs_of("specs"); }

// What becomes of a case whose only output is `out`.
CaseResult judged(const std::string& path,
                  const std::function<void(const Tensor& in, Tensor* out)>& f) {
  const auto oracle = live_oracle(specs());
  const Adjudicator adjudicator(*oracle, reference::Numerics::fused, &specs());
  const cases::Case* c = cases::find_case("specs", path);
  if (c == nullptr) {
    ADD_FAILURE() << path;
    return {};
  }
  const auto prepared = adjudicator.prepare(*c);
  EXPECT_EQ(prepared->fault, "");
  const TensorType type = prepared->golden.outputs[0].returned();
  Tensor out = Tensor::zeros(type.dtype, type.sizes);
  f(prepared->inputs.empty() ? Tensor() : prepared->inputs[0], &out);
  Observation o;
  o.outputs = {out};
  return adjudicator.result(*prepared, o);
}

// The factor of a 3 x 3 matrix, in double precision, rounded to its type.
void factor(const Tensor& a, Tensor* out) {
  double l[3][3] = {};
  for (int j = 0; j < 3; ++j) {
    for (int i = j; i < 3; ++i) {
      double sum = a.number(i * 3 + j);
      for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
    }
  }
  for (int n = 0; n < 9; ++n) out->set_number(n, l[n / 3][n % 3]);
}

constexpr const char* kFactor = "linalg_cholesky/C1/f32/3x3";

TEST(Relations, HoldOfAFactor) {
  const CaseResult r = judged(kFactor, factor);
  EXPECT_EQ(r.status, CellStatus::pass) << r.reason;
  EXPECT_EQ(r.clause, "linalg_cholesky/R1");
}

TEST(Relations, NameWhatIsWrongWithAFactor) {
  struct Wrong {
    const char* what;
    std::function<void(Tensor*)> change;
    const char* clause;
  };
  const double nan = std::nan("");
  for (const Wrong& w : std::vector<Wrong>{
           {"an element a thousandth off",
            [](Tensor* t) { t->set_number(3, t->number(3) * 1.001); }, "R1"},
           {"an element that is lost", [](Tensor* t) { t->set_number(7, 0); },
            "R1"},
           {"NaN", [=](Tensor* t) { t->set_number(8, nan); }, "R1"},
           {"a column of the other sign",
            [](Tensor* t) {
              for (const int n : {0, 3, 6}) t->set_number(n, -t->number(n));
            },
            "R2"},
           {"nothing",
            [](Tensor* t) {
              *t = Tensor::zeros(DType::f32, {3, 3});
            },
            "R1"}}) {
    const CaseResult r = judged(kFactor, [&](const Tensor& a, Tensor* out) {
      factor(a, out);
      w.change(out);
    });
    EXPECT_EQ(r.status, CellStatus::fail) << w.what;
    EXPECT_EQ(r.failure, FailureClass::wrong_value) << w.what;
    EXPECT_EQ(r.clause, std::string("linalg_cholesky/") + w.clause) << w.what;
    EXPECT_THAT(r.reason, HasSubstr("does not stand in the relation"));
  }
}

TEST(Relations, AreAskedOfComplexResults) {
  const auto zero = [](const Tensor&, Tensor*) {};
  EXPECT_EQ(judged("linalg_eigvals/C1/f32/3x3", zero).clause,
            "linalg_eigvals/R1");
}

// What a rounding to the format would give is a draw that must not be there.
TEST(Relations, KnowNumbersThatCannotBeDrawn) {
  const std::string path = "rand/C1/none/none/size=1000";
  double last = 0;
  const auto draw = [&](const Tensor&, Tensor* out) {
    for (std::int64_t i = 0; i < out->numel(); ++i) {
      out->set_number(i, static_cast<double>((i * 389) % 1000) / 1000);
    }
    if (last != 0) out->set_number(0, last);
  };
  EXPECT_EQ(judged(path, draw).status, CellStatus::pass);
  last = 1;
  EXPECT_EQ(judged(path, draw).clause, "rand/R1");
  const CaseResult constant = judged(path, [](const Tensor&, Tensor* out) {
    for (std::int64_t i = 0; i < out->numel(); ++i) out->set_number(i, 0.5);
  });
  EXPECT_EQ(constant.clause, "rand/R3");
}

// Where nothing is left to chance zero is right, and a case has to say so.
TEST(Relations, AreMistrustedWhereLazyAnswersStandInThem) {
  const auto oracle = live_oracle(specs());
  const Adjudicator adjudicator(*oracle, reference::Numerics::fused, &specs());
  const auto case_of = [](const char* path) {
    return *cases::find_case("specs", path);
  };
  EXPECT_THAT(adjudicator.prepare(case_of(kFactor))->vacuous, IsEmpty());
  cases::Case never = case_of("bernoulli_p/C4/f32/17/p=0");
  EXPECT_THAT(adjudicator.prepare(never)->vacuous, IsEmpty());
  never.vacuous = 0.05;
  EXPECT_THAT(adjudicator.prepare(never)->vacuous,
              HasSubstr("its relations hold of zero as result"));
}

// What the drawn rows are is known when they come back.
class Drawn : public ::testing::Test {
 protected:
  // Three rows of x, added to by y, where an order of seven begins with them.
  static constexpr const char* kPath =
      "moved_by_drawn/randperm.default(7xdtype=i64)/3/"
      "index_add.default(xx0xixy)";

  Drawn() {
    const cases::Case* c = cases::find_case("specs", kPath);
    if (c != nullptr) prepared_ = adjudicator_.prepare(*c);
  }

  // The subject returns `order`, and adds rows y to those of x that `used`
  // begins with.
  CaseResult judged(const std::vector<int>& order,
                    const std::vector<int>& used) const {
    Tensor p = Tensor::zeros(DType::i64, {7});
    for (int n = 0; n < 7; ++n) {
      p.set_integer(n, order[static_cast<std::size_t>(n)]);
    }
    const Tensor& x = prepared_->inputs[0];
    const Tensor& y = prepared_->inputs[1];
    Tensor sum = Tensor::zeros(DType::f32, {7, 5});
    for (int n = 0; n < 35; ++n) sum.set_number(n, x.number(n));
    for (int n = 0; n < 15; ++n) {
      const int at = used[static_cast<std::size_t>(n / 5)] * 5 + n % 5;
      sum.set_number(at, sum.number(at) + y.number(n));
    }
    Observation o;
    o.outputs = {p, sum, y};
    return adjudicator_.result(*prepared_, o);
  }

  std::unique_ptr<GoldenSource> oracle_ = live_oracle(specs());
  Adjudicator adjudicator_{*oracle_, reference::Numerics::fused, &specs()};
  std::unique_ptr<PreparedCase> prepared_;
};

TEST_F(Drawn, IndexDecidesWhatIsDue) {
  ASSERT_TRUE(prepared_);
  ASSERT_EQ(prepared_->fault, "");
  const std::vector<int> order = {4, 2, 6, 0, 1, 3, 5};
  const CaseResult right = judged(order, order);
  EXPECT_EQ(right.status, CellStatus::pass) << right.reason;
  const CaseResult other = judged(order, {0, 0, 0});
  EXPECT_EQ(other.status, CellStatus::fail);
  EXPECT_EQ(other.clause, "index_add/A1");
}

TEST_F(Drawn, IndexIsJudgedItself) {
  ASSERT_TRUE(prepared_);
  const std::vector<int> twice = {4, 2, 2, 0, 1, 3, 5};
  EXPECT_EQ(judged(twice, twice).clause, "randperm/R1");
  // Of no row that there is; nothing in particular is due of what follows.
  const std::vector<int> beyond = {4, 2, 7, 0, 1, 3, 5};
  EXPECT_EQ(judged(beyond, {4, 2, 3}).clause, "randperm/R1");
}

// Of numbers from one on, as a permutation's may be.
TEST_F(Drawn, NothingIsRefusedForWhatStandsInTheirPlace) {
  const Result<Program> p = parse_program(
      "assay-program 1\n%0 = input f32[3,3]\n"
      "%1 = aten.randint.low(1, 3, [3], dtype=i32)\n"
      "%2 = aten.lu_unpack.default(%0, %1)\n%3 = getitem(%2, 1)\n"
      "%4 = getitem(%2, 2)\nreturn %1, %2, %3, %4\n");
  ASSERT_TRUE(p.ok()) << p.error().message;
  const auto golden =
      oracle_->golden(*p, {Tensor::zeros(DType::f32, {3, 3})}, {});
  ASSERT_FALSE(golden.ok());
  EXPECT_THAT(golden.error().message, HasSubstr("zeros in its place"));
}

TEST_F(Drawn, IndexThatStaysInsideDecidesNothing) {
  ASSERT_TRUE(prepared_);
  Program inside = prepared_->source->program;
  inside.outputs.erase(inside.outputs.begin());
  const auto golden = oracle_->golden(inside, prepared_->inputs, {});
  ASSERT_FALSE(golden.ok());
  EXPECT_THAT(golden.error().message, HasSubstr("are not known"));
}

TEST(RelatedProgram, AsksWhereAllThatIsReadComesBackAsItWas) {
  const auto relations_of = [](const std::string& steps) {
    const Result<Program> p =
        parse_program("assay-program 1\n%0 = input f32[3,3]\n" + steps);
    EXPECT_TRUE(p.ok()) << (p ? "" : p.error().message);
    if (!p) return -1;
    const auto related = language::related_program(specs(), *p);
    return related ? static_cast<int>(related->outputs.size()) : 0;
  };
  const std::string call = "%1 = aten.linalg_cholesky.default(%0)\n";
  EXPECT_EQ(relations_of(call + "return %1\n"), 2);
  EXPECT_EQ(relations_of(call + "%2 = aten.neg.default(%1)\nreturn %2, %1\n"),
            2);
  // The factor stays inside, or is written over, or its matrix is.
  EXPECT_EQ(relations_of(call + "%2 = aten.neg.default(%1)\nreturn %2\n"), 0);
  EXPECT_EQ(relations_of(call + "%2 = aten.neg_.default(%1)\nreturn %1\n"), 0);
  EXPECT_EQ(relations_of(call + "%2 = aten.neg_.default(%0)\nreturn %1\n"), 0);
  EXPECT_EQ(relations_of("%1 = aten.neg.default(%0)\nreturn %1\n"), 0);
}

}  // namespace
}  // namespace assay::harness
