#include "reference/oracle/term_use.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/numbers/element_order.h"
#include "reference/oracle/session.h"

namespace assay::reference {
namespace {

using Bound = language::Accuracy::Bound;

bool same(const ElementSet& x, const ElementSet& y) {
  if (x.has_values != y.has_values || x.nan != y.nan) return false;
  if (x.has_values && (x.lo != y.lo || x.hi != y.hi)) return false;
  if (!x.pieces || !y.pieces) return x.pieces == y.pieces;
  return *x.pieces == *y.pieces;
}

template <class N>
bool reaches_the_end(DType t, const ElementSet& e, const Set<N>& exact) {
  const double last_binade = std::ldexp(1.0, float_format(t).emax);
  const double largest = decode_float(t, largest_bits(t));
  return (number_of_bits(t, e.hi) >= largest &&
          above(exact.hi.b) < last_binade) ||
         (number_of_bits(t, e.lo) <= -largest &&
          below(exact.lo.a) > -last_binade);
}

template <class N>
bool admits_beside_zero(DType t, const ElementSet& e, const Set<N>& exact) {
  return exact.is_exact_point() && is_zero(exact.lo.a) &&
         (number_of_bits(t, e.lo) != 0 || number_of_bits(t, e.hi) != 0);
}

// The nodes of a program one after another, each at rising precision.
class TermCounter {
 public:
  explicit TermCounter(const Session& session) : session_(session) {}

  Status count(int id, TermUse* use) {
    const Nest& plan = session_.plan_of(id);
    open_.resize(static_cast<std::size_t>(element_count(plan.type.sizes)));
    std::iota(open_.begin(), open_.end(), std::int64_t{0});
    Status s = count_open<double>(53, id, use);
    for (const int bits : precision_ladder(session_.options)) {
      if (!s || open_.empty()) break;
      if (bits > 53) s = count_open<Mp>(bits, id, use);
    }
    return s;
  }

 private:
  // The elements that this precision leaves undecided stay open.
  template <class N>
  Status count_open(int bits, int id, TermUse* use) {
    const PrecisionScope precision(bits);
    Evaluator<N> evaluator = session_.evaluator<N>(bits);
    std::vector<std::int64_t> still_open;
    for (const std::int64_t i : open_) {
      if (!count_one(evaluator, id, i, use)) still_open.push_back(i);
      if (!evaluator.error().empty()) return Error{evaluator.error()};
    }
    open_ = std::move(still_open);
    return success();
  }

  template <class N>
  bool count_one(Evaluator<N>& evaluator, int id, std::int64_t element,
                 TermUse* use) {
    const Nest& plan = session_.plan_of(id);
    const NestAccuracy& a = plan.accuracy;
    const Judgement<N> j = evaluator.judge(id, element);
    const ElementSet& e = j.admitted.elements;
    if (e.undecided) return false;
    if (j.clause != 0 || e.unspecified || !e.has_values) return true;
    const Rounding rounding = evaluator.rounding_of(plan);
    const DType t = rounding.dtype;
    TermUse one;
    one.elements = 1;
    if (rounding.any_zero_sign) {
      Rounding one_zero = rounding;
      one_zero.any_zero_sign = false;
      const ElementSet without =
          admit(one_zero, j.exact_values, j.tolerance).elements;
      if (without.undecided) return false;
      one.zero_sign = same(e, without) ? 0 : 1;
    }
    if (j.tolerance && a.spec->bound == Bound::tolerance) {
      if (a.ulp >= 0 && a.absolute >= 0) {
        Tolerance relative = *j.tolerance;
        relative.absolute = 0;
        relative.keeps_sign = true;
        const ElementSet without =
            admit(rounding, j.exact_values, {relative}).elements;
        if (without.undecided) return false;
        one.abs = same(e, without) ? 0 : 1;
        if (admits_beside_zero(t, e, j.exact_values) &&
            !cancels(id, element, *j.tolerance)) {
          one.beside_zero = 1;
        }
      }
      one.overflow = reaches_the_end(t, e, j.exact_values) ? 1 : 0;
    }
    use->add(one);
    return true;
  }

  // Would the value be another than zero, if it were evaluated roughly? What is
  // below the normal numbers is lost as a whole, not in part.
  bool cancels(int id, std::int64_t element, const Tolerance& granted) {
    const FloatFormat f = float_format(session_.plan_of(id).type.dtype);
    if (granted.absolute <= std::ldexp(1.0, f.emin)) return true;
    const int bits = std::max(f.precision - kRoughBits, 2);
    const PrecisionScope precision(bits);
    Evaluator<Mp> evaluator(session_.program, session_.tensors,
                            session_.observed, session_.planned,
                            {.numerics = session_.options.numerics,
                             .settle_zero_signs = true,
                             .rough = bits});
    const Set<Mp> rough = evaluator.judge(id, element).exact_values;
    if (rough.unsure || !rough.has_values || rough.unspecified) return true;
    return below(rough.lo.a) < 0 || above(rough.hi.b) > 0;
  }

  const Session& session_;
  std::vector<std::int64_t> open_;
};

bool is_counted(const Nest& plan) {
  if (!is_float(plan.type.dtype)) return false;
  const language::Accuracy& a = *plan.accuracy.spec;
  return a.any_zero_sign || a.bound == Bound::tolerance;
}

}  // namespace

void TermUse::add(const TermUse& other) {
  elements += other.elements;
  zero_sign += other.zero_sign;
  abs += other.abs;
  overflow += other.overflow;
  beside_zero += other.beside_zero;
}

Result<TermUses> term_uses(const language::SpecSet& specs,
                           const Program& program,
                           const std::vector<Tensor>& inputs,
                           const OracleOptions& options) {
  Session session{program, inputs, specs, options, {}};
  session.planned.torch = options.torch;
  const Status askable = check(session);
  if (!askable) return askable.error();
  Evaluator<double> evaluator = session.evaluator<double>(53);
  const ExactElements elements = [&](int v, const TensorType& type) {
    return evaluator.exact_elements(v, type);
  };
  const Status planned = plan_program(program, inputs, specs, options.observed,
                                      elements, &session.planned);
  if (!planned) return planned.error();
  TermUses uses;
  if (session.planned.refused) return uses;
  TermCounter counter(session);
  for (int id = program.first_node_id(); id < program.value_count(); ++id) {
    const Nest& plan = session.plan_of(id);
    if (!is_counted(plan)) continue;
    const Status counted = counter.count(id, &uses[plan.accuracy.spec]);
    if (!counted) return counted.error();
  }
  return uses;
}

}  // namespace assay::reference
