#include <bit>
#include <functional>
#include <utility>

#include "compiler/graph/defects.h"

namespace assay::compiler {
namespace {

// Copies `f` term by term, as rewrite() of passes.h does nodes.
using MakeTerm = std::function<int(Term term, std::vector<Term>* out)>;

Formula rewrite_terms(const Formula& f, const MakeTerm& make) {
  Formula out;
  out.variables = f.variables;
  std::vector<int> renamed;
  const auto name = [&](int id) {
    return renamed[static_cast<std::size_t>(id)];
  };
  for (Term t : f.terms) {
    for (int& a : t.args) a = name(a);
    for (Term::Range& r : t.ranges) {
      r.from = name(r.from);
      r.to = name(r.to);
    }
    renamed.push_back(make(std::move(t), &out.terms));
  }
  return out;
}

int append(Term t, std::vector<Term>* out) {
  out->push_back(std::move(t));
  return static_cast<int>(out->size()) - 1;
}

Term number(DType t, std::uint64_t bits) {
  Term n;
  n.dtype = t;
  n.bits = bits;
  return n;
}

int estimate_rsqrt(Term t, std::vector<Term>* out) {
  const bool estimates =
      t.kind == Term::Kind::apply && t.scalar == ScalarOp::rsqrt;
  const DType type = t.dtype;
  const int x = append(std::move(t), out);
  if (!estimates) return x;
  Term scaled;
  scaled.kind = Term::Kind::apply;
  scaled.scalar = ScalarOp::mul;
  scaled.dtype = type;
  const std::uint64_t bits =
      type == DType::f64
          ? std::bit_cast<std::uint64_t>(kEstimate)
          : std::bit_cast<std::uint32_t>(static_cast<float>(kEstimate));
  scaled.args = {x, append(number(type, bits), out)};
  return append(std::move(scaled), out);
}

// The least index for which a condition holds, else something beyond all, is
// made the greatest, else something before all.
int last_of_equal(Term t, std::vector<Term>* out) {
  if (t.kind != Term::Kind::fold || t.combiner != Combiner::minimum ||
      t.dtype != DType::i64) {
    return append(std::move(t), out);
  }
  const Term choice = (*out)[static_cast<std::size_t>(t.args[0])];
  if (choice.kind != Term::Kind::choose ||
      (*out)[static_cast<std::size_t>(choice.args[2])].kind !=
          Term::Kind::number) {
    return append(std::move(t), out);
  }
  Term changed = choice;
  changed.args[2] = append(number(DType::i64, ~std::uint64_t{0}), out);
  t.args[0] = append(std::move(changed), out);
  t.combiner = Combiner::maximum;
  return append(std::move(t), out);
}

}  // namespace

std::shared_ptr<const Formula> inject_formula(
    const std::shared_ptr<const Formula>& f, Defect defect) {
  return std::make_shared<const Formula>(
      rewrite_terms(*f, defect == Defect::approximate_rsqrt ? estimate_rsqrt
                                                            : last_of_equal));
}

}  // namespace assay::compiler
