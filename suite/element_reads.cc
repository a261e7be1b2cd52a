#include "suite/element_reads.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

// The tensor whose elements `e` reads: x[i...], flat(x)[n], list[n][i...].
// Null for other accesses, that of shape(x)[k] or of a list among them.
const Param* tensor_of(const Expr& e, const OpSpec& spec) {
  if (e.kind != Expr::Kind::access) return nullptr;
  const Expr* base = e.args[0].get();
  const bool of_list = base->kind == Expr::Kind::access;
  const bool flat = base->kind == Expr::Kind::call && base->text == "flat";
  if (of_list || flat) base = base->args[0].get();
  if (base->kind != Expr::Kind::name) return nullptr;
  const Param* p = spec.param(base->text);
  const auto kind = of_list ? Param::Kind::tensors : Param::Kind::tensor;
  return p != nullptr && p->kind == kind ? p : nullptr;
}

template <class Visit>
void each_part(const Expr& e, const Visit& visit) {
  visit(e);
  for (const ExprPtr& arg : e.args) each_part(*arg, visit);
}

// Of any parameter where `param` is null.
bool reads(const Expr& e, const OpSpec& spec, const std::string* param) {
  bool found = false;
  each_part(e, [&](const Expr& part) {
    const Param* p = tensor_of(part, spec);
    found = found || (p != nullptr && (param == nullptr || p->name == *param));
  });
  return found;
}

bool reads(const OpSpec& spec, const std::string* param) {
  return std::any_of(
      spec.requires_.begin(), spec.requires_.end(),
      [&](const Requirement& r) { return reads(*r.that, spec, param); });
}

}  // namespace

bool reads_elements(const OpSpec& spec, const std::string& param) {
  return reads(spec, &param);
}

bool reads_elements(const OpSpec& spec) { return reads(spec, nullptr); }

std::set<double> limits_of_elements(const OpSpec& spec,
                                    const std::string& param) {
  std::set<double> limits;
  for (const Requirement& r : spec.requires_) {
    if (!reads(*r.that, spec, &param)) continue;
    each_part(*r.that, [&limits](const Expr& part) {
      if (part.kind == Expr::Kind::integer) {
        limits.insert(static_cast<double>(part.integer));
      } else if (part.kind == Expr::Kind::real && std::isfinite(part.number)) {
        limits.insert(part.number);
      }
    });
  }
  return limits;
}

}  // namespace assay
