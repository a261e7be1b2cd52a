// What the verifier refuses of a formula.
#include "compiler/graph/formula.h"

#include <gtest/gtest.h>

#include <functional>

#include "compiler/graph/evaluate_formula.h"
#include "core/float_bits.h"

namespace assay::compiler {
namespace {

Term number(std::int64_t n) {
  Term t;
  t.dtype = DType::i64;
  t.bits = static_cast<std::uint64_t>(n);
  return t;
}

Term variable(int v) {
  Term t;
  t.kind = Term::Kind::variable;
  t.dtype = DType::i64;
  t.variable = v;
  return t;
}

// sum(i1 from 0 to 3: a0[i0, i1])
Formula row_sum() {
  Term load;
  load.kind = Term::Kind::load;
  load.args = {2, 3};
  Term fold;
  fold.kind = Term::Kind::fold;
  fold.args = {4};
  fold.ranges = {{1, 0, 1}};
  return {{number(0), number(3), variable(0), variable(1), load, fold}, 2};
}

std::string fault(const Formula& f) {
  return fault_of(f, {DType::f32}, {{2, 3}}, DType::f32, {2});
}

TEST(Formula, IsSoundAndSaysWhatItIs) {
  EXPECT_EQ(fault(row_sum()), "");
  EXPECT_EQ(to_text(row_sum()), "sum(i1 from 0 to 3: a0[i0, i1])");
  EXPECT_EQ(work_of(row_sum()), 3);
  const std::uint64_t bits =
      evaluate(row_sum(), {1}, {{2, 3}}, [](std::size_t, const Shape& at) {
        return encode_float(DType::f32,
                            static_cast<double>(at[0] * 10 + at[1]));
      });
  EXPECT_EQ(decode_float(DType::f32, bits), 33);
}

TEST(Formula, EachRuleIsKept) {
  const struct {
    const char* fault;
    std::function<void(Formula*)> change;
  } kCases[] = {
      {"no terms", [](Formula* f) { f->terms.clear(); }},
      {"a variable for each dimension is due",
       [](Formula* f) { f->variables = 0; }},
      {"another result dtype",
       [](Formula* f) { f->terms.back().dtype = DType::f64; }},
      {"an operand that does not stand before it",
       [](Formula* f) {
         f->terms[4].args = {2, 4};
       }},
      {"a variable that nothing defines here",
       [](Formula* f) { f->terms[2].variable = 7; }},
      {"variables are of i64",
       [](Formula* f) { f->terms[2].dtype = DType::i32; }},
      {"no such operand", [](Formula* f) { f->terms[4].operand = 1; }},
      {"loads another dtype",
       [](Formula* f) { f->terms[4].dtype = f->terms[5].dtype = DType::f64; }},
      {"another rank", [](Formula* f) { f->terms[4].args = {2}; }},
      {"a range without ends",
       [](Formula* f) { f->terms[5].ranges[0].to = 9; }},
      {"a variable that is another's",
       [](Formula* f) { f->terms[5].ranges[0].variable = 0; }},
      {"a fold of one term of its own dtype",
       [](Formula* f) { f->terms[5].args = {3}; }},
  };
  for (const auto& c : kCases) {
    Formula f = row_sum();
    c.change(&f);
    const DType result =
        std::string(c.fault) == "loads another dtype" ? DType::f64 : DType::f32;
    EXPECT_EQ(fault_of(f, {DType::f32}, {{2, 3}}, result, {2}), c.fault);
  }
}

}  // namespace
}  // namespace assay::compiler
