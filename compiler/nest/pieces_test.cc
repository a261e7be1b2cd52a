#include "compiler/nest/pieces.h"

#include <gtest/gtest.h>

namespace assay::compiler {
namespace {

// Terms of i64 over the only index, i.
class Words {
 public:
  int number(std::int64_t v) {
    Term t;
    t.dtype = DType::i64;
    t.bits = static_cast<std::uint64_t>(v);
    return add(std::move(t));
  }
  int i() {
    Term t;
    t.kind = Term::Kind::variable;
    t.dtype = DType::i64;
    return add(std::move(t));
  }
  int apply(ScalarOp op, std::vector<int> args) {
    Term t;
    t.kind = Term::Kind::apply;
    t.dtype =
        op == ScalarOp::lt || op == ScalarOp::le ? DType::boolean : DType::i64;
    t.scalar = op;
    t.args = std::move(args);
    return add(std::move(t));
  }
  std::vector<std::int64_t> pieces(std::int64_t extent) const {
    return pieces_of(f_, 0, extent);
  }

 private:
  int add(Term t) {
    f_.terms.push_back(std::move(t));
    f_.variables = 1;
    return static_cast<int>(f_.terms.size()) - 1;
  }
  Formula f_;
};

using Pieces = std::vector<std::int64_t>;

TEST(Pieces, BeginWhereAQuotientChanges) {
  Words w;
  const int a = w.apply(ScalarOp::sub, {w.i(), w.number(7)});
  w.apply(ScalarOp::floor_div, {a, w.number(100)});
  EXPECT_EQ(w.pieces(100), (Pieces{0, 7}));
  EXPECT_EQ(w.pieces(107), (Pieces{0, 7}));
  EXPECT_EQ(w.pieces(108), (Pieces{0, 7, 107}));
}

TEST(Pieces, BeginWhereAComparisonChanges) {
  for (const auto& [op, first] : {std::pair{ScalarOp::lt, std::int64_t{40}},
                                  std::pair{ScalarOp::le, std::int64_t{41}}}) {
    Words w;
    const int i = w.i();
    w.apply(op, {i, w.number(40)});
    EXPECT_EQ(w.pieces(64), (Pieces{0, first}));
    EXPECT_EQ(w.pieces(40), (Pieces{0}));
  }
  Words back;
  const int j = back.apply(ScalarOp::sub, {back.number(50), back.i()});
  back.apply(ScalarOp::lt, {j, back.number(10)});  // from 41 on
  EXPECT_EQ(back.pieces(64), (Pieces{0, 41}));
}

// |62 - |i - 2|| over 67: mirrored at both ends.
TEST(Pieces, BeginWhereOneWithinAnotherChanges) {
  Words w;
  const int inner =
      w.apply(ScalarOp::abs, {w.apply(ScalarOp::sub, {w.i(), w.number(2)})});
  w.apply(ScalarOp::abs, {w.apply(ScalarOp::sub, {w.number(62), inner})});
  EXPECT_EQ(w.pieces(67), (Pieces{0, 2, 65}));
}

TEST(Pieces, AreNotManyNorShort) {
  Words few, many;
  few.apply(ScalarOp::lt, {few.i(), few.number(8)});
  EXPECT_EQ(few.pieces(16), (Pieces{0}));
  many.apply(ScalarOp::floor_div, {many.i(), many.number(32)});
  EXPECT_EQ(many.pieces(128), (Pieces{0, 32, 64, 96}));
  EXPECT_EQ(many.pieces(129), (Pieces{0}));
}

}  // namespace
}  // namespace assay::compiler
