#include "compiler/nest/pieces.h"

#include <optional>

#include "core/integer_math.h"

namespace assay::compiler {
namespace {

// A kernel for each piece is worth it for so many elements, and so few pieces.
constexpr std::int64_t kLeastExtent = 32;
constexpr std::size_t kMostPieces = 4;

// factor * v + constant, for v along the last dimension.
struct Line {
  std::int64_t factor = 0, constant = 0;

  std::int64_t at(std::int64_t v) const { return factor * v + constant; }
};

// Looks at the formula from place `from` up to `to`, excluded.
class Piece {
 public:
  Piece(const Formula& f, int last, std::int64_t from, std::int64_t to)
      : f_(f), last_(last), from_(from), to_(to) {}

  // Where it changes first, as far as it is seen to.
  std::optional<std::int64_t> change() {
    for (std::size_t i = 0; i < f_.terms.size() && !change_; ++i) {
      const Term& t = f_.terms[i];
      if (t.kind != Term::Kind::apply) continue;
      if (t.dtype == DType::boolean && t.args.size() == 2) compare(t);
      line(static_cast<int>(i));
    }
    return change_;
  }

 private:
  void compare(const Term& t) {
    if (f_.at(t.args[0]).dtype != DType::i64) return;
    const auto a = line(t.args[0]), b = line(t.args[1]);
    if (!a || !b) return;
    const Line d = {a->factor - b->factor, a->constant - b->constant};
    const bool strict = t.scalar == ScalarOp::lt || t.scalar == ScalarOp::ge;
    const bool loose = t.scalar == ScalarOp::le || t.scalar == ScalarOp::gt;
    // a < b changes where a - b does from below 0, a <= b from below 1.
    if (strict || loose) sign({d.factor, d.constant - (loose ? 1 : 0)});
  }

  // Whether it is at least 0 everywhere, or nowhere; else notes where it
  // changes.
  std::optional<bool> sign(const Line& x) {
    const bool first = x.at(from_) >= 0, last = x.at(to_ - 1) >= 0;
    if (first == last) return first;
    const std::int64_t root = x.factor > 0
                                  ? ceil_div(-x.constant, x.factor)
                                  : floor_div(x.constant, -x.factor) + 1;
    if (!change_ && root > from_ && root < to_) change_ = root;
    return std::nullopt;
  }

  std::optional<Line> line(int id) {
    const Term& t = f_.at(id);
    if (t.dtype != DType::i64) return std::nullopt;
    if (t.kind == Term::Kind::number) {
      return Line{0, static_cast<std::int64_t>(t.bits)};
    }
    if (t.kind == Term::Kind::variable) {
      return t.variable == last_ ? std::optional(Line{1, 0}) : std::nullopt;
    }
    if (t.kind != Term::Kind::apply || t.args.empty()) return std::nullopt;
    const std::optional<Line> a = line(t.args[0]);
    if (!a) return std::nullopt;
    const auto minus = [](const Line& x) {
      return Line{-x.factor, -x.constant};
    };
    if (t.scalar == ScalarOp::neg) return minus(*a);
    if (t.scalar == ScalarOp::abs) {
      const std::optional<bool> up = sign(*a);
      return !up ? std::nullopt : std::optional(*up ? *a : minus(*a));
    }
    const std::optional<Line> b =
        t.args.size() == 2 ? line(t.args[1]) : std::nullopt;
    if (!b) return std::nullopt;
    const Line difference = {a->factor - b->factor, a->constant - b->constant};
    switch (t.scalar) {
      case ScalarOp::add:
        return Line{a->factor + b->factor, a->constant + b->constant};
      case ScalarOp::sub:
        return difference;
      case ScalarOp::mul:
        if (b->factor == 0) {
          return Line{a->factor * b->constant, a->constant * b->constant};
        }
        if (a->factor != 0) return std::nullopt;
        return Line{a->constant * b->factor, a->constant * b->constant};
      case ScalarOp::maximum:
      case ScalarOp::minimum: {
        const std::optional<bool> up = sign(difference);
        if (!up) return std::nullopt;
        return *up == (t.scalar == ScalarOp::maximum) ? a : b;
      }
      case ScalarOp::floor_div: {
        if (b->factor != 0 || b->constant < kLeastExtent) return std::nullopt;
        // Up to the next multiple, whichever way it runs.
        const std::int64_t q = floor_div(a->at(from_), b->constant);
        const std::int64_t edge = a->factor < 0 ? q : q + 1;
        const std::optional<bool> beyond =
            sign({a->factor, a->constant - edge * b->constant});
        return beyond ? std::optional(Line{0, q}) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  const Formula& f_;
  int last_;
  std::int64_t from_, to_;
  std::optional<std::int64_t> change_;
};

}  // namespace

std::vector<std::int64_t> pieces_of(const Formula& formula, int last,
                                    std::int64_t extent) {
  std::vector<std::int64_t> starts = {0};
  if (extent < kLeastExtent) return starts;
  for (;;) {
    const auto change = Piece(formula, last, starts.back(), extent).change();
    if (!change) return starts;
    // The first change that was seen need not be the first there is.
    std::int64_t end = *change;
    while (const auto before =
               Piece(formula, last, starts.back(), end).change()) {
      end = *before;
    }
    if (starts.size() == kMostPieces) return {0};
    starts.push_back(end);
  }
}

}  // namespace assay::compiler
