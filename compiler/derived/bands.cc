#include "compiler/derived/bands.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/float_bits.h"

namespace assay::compiler {
namespace {

using Kind = Term::Kind;

// Of wider bands there would be too many terms.
constexpr std::int64_t kWidest = 16;
// Whole numbers up to this one are floats of any type that reals have.
constexpr std::int64_t kLargestWhole = 1 << 24;

bool is_apply(const Term& t, ScalarOp op) {
  return t.kind == Kind::apply && t.scalar == op;
}

bool hangs_on(const FormulaBuilder& f, int id,
              const std::vector<Term::Range>& ranges) {
  const Term& t = f.at(id);
  const auto is = [&](const Term::Range& r) {
    return r.variable == t.variable;
  };
  if (t.kind == Kind::variable) {
    return std::any_of(ranges.begin(), ranges.end(), is);
  }
  const auto hangs = [&](int a) { return hangs_on(f, a, ranges); };
  return std::any_of(t.args.begin(), t.args.end(), hangs) ||
         std::any_of(t.ranges.begin(), t.ranges.end(),
                     [&](const Term::Range& r) {
                       return hangs(r.from) || hangs(r.to);
                     });
}

// The number that sums and products of numbers come to, nearly.
std::optional<double> value_of(const FormulaBuilder& f, int id) {
  const Term& t = f.at(id);
  if (t.kind == Kind::number) {
    return is_float(t.dtype)
               ? decode_float(t.dtype, t.bits)
               : static_cast<double>(static_cast<std::int64_t>(t.bits));
  }
  if (!is_apply(t, ScalarOp::add) && !is_apply(t, ScalarOp::mul)) {
    return std::nullopt;
  }
  const std::optional<double> a = value_of(f, t.args[0]);
  const std::optional<double> b = value_of(f, t.args[1]);
  if (!a || !b) return std::nullopt;
  return t.scalar == ScalarOp::add ? *a + *b : *a * *b;
}

// The least whole number that is certainly not below it.
std::optional<std::int64_t> reach_of(const FormulaBuilder& f, int id) {
  const std::optional<double> r = value_of(f, id);
  if (!r || !(*r > 0 && *r < static_cast<double>(kWidest))) return std::nullopt;
  const bool exact = f.at(id).kind == Kind::number;
  return static_cast<std::int64_t>(exact ? std::ceil(*r)
                                         : std::floor(*r * (1 + 0x1p-20)) + 1);
}

void split(const FormulaBuilder& f, int condition, std::vector<int>* out) {
  const Term& t = f.at(condition);
  const bool both = t.kind == Kind::choose &&
                    f.at(t.args[2]).kind == Kind::number &&
                    f.at(t.args[2]).bits == 0;
  if (both || is_apply(t, ScalarOp::logical_and)) {
    split(f, t.args[0], out);
    split(f, t.args[1], out);
  } else {
    out->push_back(condition);
  }
}

// |place - (variable - offset)| < reach.
struct Band {
  int place, offset;  // terms; offset is -1 where there is none
  std::int64_t reach;
};

class Bands {
 public:
  Bands(FormulaBuilder& f, std::vector<Term::Range> ranges, int term)
      : f_(f), ranges_(std::move(ranges)), term_(term) {
    const Term& t = f_.at(term_);
    const Term& other = f_.at(t.kind == Kind::choose ? t.args[2] : term_);
    if (t.kind != Kind::choose || !is_float(t.dtype) ||
        other.kind != Kind::number ||
        decode_float(other.dtype, other.bits) != 0) {
      return;
    }
    zero_ = t.args[2];
    split(f_, t.args[0], &conditions_);
  }

  int run() {
    const std::vector<Term::Range> all = ranges_;
    for (Term::Range& r : ranges_) {
      if (zero_ < 0) break;
      if (const std::optional<Band> band = band_of(r.variable, all)) {
        narrow(&r, *band);
      }
    }
    return f_.fold(Combiner::sum, ranges_, term_);
  }

 private:
  std::optional<Band> band_of(int variable,
                              const std::vector<Term::Range>& all) const {
    for (const int c : conditions_) {
      const Term& less = f_.at(c);
      if (!is_apply(less, ScalarOp::lt)) continue;
      const Term& size = f_.at(less.args[0]);
      const std::optional<std::int64_t> reach = reach_of(f_, less.args[1]);
      if (!reach || !is_apply(size, ScalarOp::abs)) continue;
      const Term& difference = f_.at(size.args[0]);
      if (!is_apply(difference, ScalarOp::sub)) continue;
      for (const int side : {0, 1}) {
        Band band{difference.args[static_cast<std::size_t>(side)], -1, *reach};
        const Term& whole =
            f_.at(difference.args[static_cast<std::size_t>(1 - side)]);
        if (!hangs_on(f_, band.place, all) && whole.kind == Kind::cast &&
            is_shifted(whole.args[0], variable, all, &band.offset)) {
          return band;
        }
      }
    }
    return std::nullopt;
  }

  bool is_shifted(int id, int variable, const std::vector<Term::Range>& all,
                  int* offset) const {
    const Term& t = f_.at(id);
    if (t.kind == Kind::variable) return t.variable == variable;
    if (!is_apply(t, ScalarOp::sub)) return false;
    const Term& v = f_.at(t.args[0]);
    *offset = t.args[1];
    return v.kind == Kind::variable && v.variable == variable &&
           !hangs_on(f_, *offset, all);
  }

  // Whole numbers w with |x - w| < r lie from floor(x) - r + 1 to floor(x) + r;
  // w is exact, and so is floor. Where x is none, or far away, the place that
  // comes of it is one at which the condition fails. A range that has no more
  // elements than the band stays.
  void narrow(Term::Range* r, const Band& band) {
    const std::optional<double> to = value_of(f_, r->to);
    const std::int64_t count = 2 * band.reach;
    if (!to || *to <= static_cast<double>(count) ||
        *to > static_cast<double>(kLargestWhole)) {
      return;
    }
    int first = f_.as(f_.apply(ScalarOp::floor, {band.place}), DType::i64);
    first = f_.number(ScalarOp::sub, {first, f_.integer(band.reach - 1)});
    if (band.offset >= 0) {
      first = f_.number(ScalarOp::add, {first, band.offset});
    }
    const int place =
        f_.number(ScalarOp::add, {first, f_.variable(r->variable)});
    const int inside =
        f_.choose(f_.compare(ScalarOp::ge, place, r->from),
                  f_.compare(ScalarOp::lt, place, r->to), f_.boolean(false));
    term_ =
        f_.choose(inside, f_.with_variable(term_, r->variable, place), zero_);
    r->from = f_.integer(0);
    r->to = f_.integer(count);
  }

  FormulaBuilder& f_;
  std::vector<Term::Range> ranges_;
  int term_;
  int zero_ = -1;
  std::vector<int> conditions_;
};

}  // namespace

int fold_within_bands(FormulaBuilder& f, Combiner combiner,
                      std::vector<Term::Range> ranges, int term) {
  if (combiner != Combiner::sum) {
    return f.fold(combiner, std::move(ranges), term);
  }
  return Bands(f, std::move(ranges), term).run();
}

}  // namespace assay::compiler
