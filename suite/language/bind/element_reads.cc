#include "suite/language/bind/element_reads.h"

#include <algorithm>
#include <cmath>

namespace assay::language {
namespace {

// The tensor whose elements `e` reads: x[i...], flat(x)[n], list[n][i...].
// Null for other accesses, that of shape(x)[k] or of a list among them.
const Param* tensor_of(const Expr& e, const OpSpec& spec) {
  if (e.kind != Expr::Kind::access) return nullptr;
  const Expr* base = e.args[0].get();
  const bool of_list = base->kind == Expr::Kind::access;
  const bool flat = base->is(FunctionId::flat);
  if (of_list || flat) base = base->args[0].get();
  if (base->kind != Expr::Kind::name) return nullptr;
  const Param* p = spec.param(base->text);
  const auto kind = of_list ? Param::Kind::tensors : Param::Kind::tensor;
  return p != nullptr && p->kind == kind ? p : nullptr;
}

bool reads(const Expr& e, const OpSpec& spec, const Param& param) {
  return any_part(
      e, [&](const Expr& part) { return tensor_of(part, spec) == &param; });
}

bool asks_for_place_of(const Expr& e) {
  return e.is(FunctionId::overlaps_itself) ||
         e.is(FunctionId::overlaps_partly) || e.is(FunctionId::overlaps) ||
         e.is(FunctionId::stride_of) || e.is(FunctionId::fills_memory);
}

bool asks_for_place(const OutputSpec& out) {
  return std::any_of(out.value.begin(), out.value.end(),
                     [](const Definition& d) {
                       return any_part(*d.body, asks_for_place_of);
                     }) ||
         std::any_of(out.undefined.begin(), out.undefined.end(),
                     [](const Undefined& u) {
                       return any_part(*u.when, asks_for_place_of);
                     });
}

// NaN if it is none.
double number(const Expr& e) {
  if (e.kind == Expr::Kind::integer) return static_cast<double>(e.integer);
  return e.kind == Expr::Kind::real ? e.number : std::nan("");
}

}  // namespace

void mark_reads(OpSpec* spec) {
  for (const Form& form : spec->forms) {
    for (std::size_t k = 0; k < form.output_count(); ++k) {
      spec->places_read |= asks_for_place(form.output(k));
    }
  }
  for (const Requirement& r : spec->requires_) {
    spec->places_read |=
        r.that != nullptr && any_part(*r.that, asks_for_place_of);
  }
  for (Param& p : spec->params) {
    const auto is_read = [&](const ExprPtr& e) {
      return e != nullptr && reads(*e, *spec, p);
    };
    for (const Requirement& r : spec->requires_) {
      p.elements_read |= is_read(r.that);
    }
    // What decides about one form decides about all.
    const bool chosen =
        std::any_of(spec->forms.begin(), spec->forms.end(),
                    [&](const Form& form) { return is_read(form.when); });
    for (Form& form : spec->forms) {
      bool depend = chosen || is_read(form.length);
      for (std::size_t k = 0; k < form.output_count(); ++k) {
        depend = depend || is_read(form.output(k).result_shape);
      }
      p.elements_read |= depend;
      form.sizes_depend |= depend;
    }
  }
}

std::set<double> limits_of_elements(const OpSpec& spec, const Param& param) {
  std::set<double> limits;
  for (const Requirement& r : spec.requires_) {
    if (!reads(*r.that, spec, param)) continue;
    each_part(*r.that, [&limits](const Expr& part) {
      const bool negated = part.is(Operator::neg);
      const double x = number(negated ? *part.args[0] : part);
      if (std::isfinite(x)) limits.insert(negated ? -x : x);
    });
  }
  return limits;
}

}  // namespace assay::language
