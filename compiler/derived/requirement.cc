#include "compiler/derived/requirement.h"

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

#include "core/dtype.h"
#include "suite/language/nest/compile_nest.h"

namespace assay::compiler {
namespace {

using language::IndexNode;
using language::Nest;
using language::Reduction;
using language::ReductionNode;
using language::TensorArg;
using language::ValueNode;

bool has_element(const Nest& nest, int id) {
  using Op = IndexNode::Op;
  if (id < 0) return false;
  const IndexNode& x = nest.index(id);
  return x.op == Op::element || x.op == Op::select || has_element(nest, x.a) ||
         has_element(nest, x.b);
}

// At a place that hangs on an element there may be nothing.
bool has_known_place(const Nest& nest, int access) {
  const std::vector<int>& at = nest.access(access).index;
  return std::none_of(at.begin(), at.end(),
                      [&](int i) { return has_element(nest, i); });
}

// Is nothing rounded, and does nothing wrap, below the node? Elements are
// compared, chosen and counted, and not computed with.
bool is_exact(const Nest& nest, int id) {
  using Op = ValueNode::Op;
  if (id < 0) return true;
  const ValueNode& v = nest.node(id);
  switch (v.op) {
    case Op::integer:
    case Op::real:
      return true;
    case Op::element:
      return has_known_place(nest, v.access);
    case Op::index: {
      const IndexNode& x = nest.index(v.a);
      return x.op == IndexNode::Op::element
                 ? has_known_place(nest, static_cast<int>(x.value))
                 : !has_element(nest, v.a);
    }
    case Op::inside:
      return has_known_place(nest, v.access) && is_exact(nest, v.a);
    case Op::compare:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
    case Op::isnan:
    case Op::isinf:
    case Op::signbit:
    case Op::where:
      return is_exact(nest, v.a) && is_exact(nest, v.b) && is_exact(nest, v.c);
    case Op::reduce: {
      const ReductionNode& r = nest.reduction(v.reduction);
      const bool counts =
          r.kind == Reduction::any || r.kind == Reduction::all ||
          r.kind == Reduction::count || r.kind == Reduction::which;
      const bool known = std::none_of(
          r.ranges.begin(), r.ranges.end(), [&](const auto& range) {
            return has_element(nest, range.from) || has_element(nest, range.to);
          });
      return counts && known && is_exact(nest, r.body);
    }
    default:
      return false;
  }
}

bool reads_complex(const language::Binding& call) {
  const auto complex = [](const TensorArg& t) {
    return is_complex(t.type.dtype);
  };
  return std::any_of(
      call.actuals.begin(), call.actuals.end(), [&](const auto& named) {
        if (const auto* t = std::get_if<TensorArg>(&named.second)) {
          return complex(*t);
        }
        const auto* list = std::get_if<std::vector<TensorArg>>(&named.second);
        return list != nullptr &&
               std::any_of(list->begin(), list->end(), complex);
      });
}

}  // namespace

std::optional<NodeId> lower_requirement(const language::Binding& call,
                                        const language::Expr& requirement,
                                        const NodeOfValue& node_of,
                                        Builder* builder) {
  if (reads_complex(call)) return std::nullopt;
  const Result<std::unique_ptr<Nest>> nest =
      language::compile_condition(call, requirement);
  if (!nest || !is_exact(**nest, (*nest)->out().body)) return std::nullopt;
  const Result<NodeId> made = lower_nest(**nest, node_of, builder);
  return made ? std::optional(*made) : std::nullopt;
}

}  // namespace assay::compiler
