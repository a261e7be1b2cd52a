#include "suite/language/check/check_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "suite/language/bind/layout.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

bool is_tensor(const Param& p) {
  return p.kind == Param::Kind::tensor || p.kind == Param::Kind::tensors;
}

class LayoutChecker {
 public:
  LayoutChecker(const OutputSpec& out, const Names& names, Faults* faults)
      : out_(out), names_(names), faults_(faults) {}

  void check(const Expr& e) {
    if (e.is(FunctionId::where) && e.args.size() == 3) {
      ExprChecker(names_, faults_)
          .expect(*e.args[0], ValueKind::boolean, true,
                  "the condition of a layout");
      check(*e.args[1]);
      check(*e.args[2]);
      return;
    }
    if (e.kind != Expr::Kind::name && e.kind != Expr::Kind::call) {
      return fault(e.pos, fmt::format("a layout is a rule, such as contiguous "
                                      "or elementwise(x), found {}",
                                      quote(e)));
    }
    const LayoutRule* rule = find_layout_rule(e.text);
    if (rule == nullptr) return unknown(e);
    operands(*rule, e);
    if (rule->id == LayoutRule::Id::view) view(e);
  }

 private:
  void fault(SourcePos pos, std::string message) {
    faults_->push_back({pos, std::move(message)});
  }

  void unknown(const Expr& e) {
    std::vector<std::string> known;
    for (const LayoutRule& rule : layout_rules()) known.emplace_back(rule.name);
    fault(e.pos, fmt::format("unknown rule '{}' of a layout; expected {}{}",
                             e.text, join(known), did_you_mean(e.text, known)));
  }

  void operands(const LayoutRule& rule, const Expr& e) {
    using Operands = LayoutRule::Operands;
    const bool given = e.kind == Expr::Kind::call;
    if (given && rule.operands == Operands::none) {
      return fault(e.pos,
                   fmt::format("the rule '{}' takes no operands", rule.name));
    }
    if (rule.operands == Operands::one_or_more && !given) {
      return fault(e.pos, fmt::format("the rule '{0}' names its operands, "
                                      "{0}(x)",
                                      rule.name));
    }
    if (!given) return;
    if (e.args.empty()) fault(e.pos, "a rule with brackets names an operand");
    for (const ExprPtr& a : e.args) operand(*a);
  }

  void operand(const Expr& e) {
    const Param* p =
        e.kind == Expr::Kind::name ? names_.op->param(e.text) : nullptr;
    if (p != nullptr && is_tensor(*p)) return;
    std::vector<std::string> tensors;
    for (const Param& q : names_.op->params) {
      if (is_tensor(q)) tensors.push_back(q.name);
    }
    fault(e.pos, fmt::format("{} is no tensor of the call, as the operands of "
                             "a layout are{}",
                             quote(e), did_you_mean(e.text, tensors)));
  }

  // The value must name one element of an operand and nothing else.
  void view(const Expr& e) {
    if (out_.value.empty()) return;
    const Expr& body = *out_.value.back().body;
    const Expr* base =
        body.kind == Expr::Kind::access ? body.args[0].get() : nullptr;
    if (base != nullptr && base->is(FunctionId::flat)) {
      base = base->args[0].get();
    }
    const Param* p = base != nullptr && base->kind == Expr::Kind::name
                         ? names_.op->param(base->text)
                         : nullptr;
    if (p != nullptr && p->kind == Param::Kind::tensor) return;
    fault(e.pos,
          "a view shows elements of an operand, so its value is one of "
          "them, as in out[i...] = x[i...]");
  }

  const OutputSpec& out_;
  const Names& names_;
  Faults* faults_;
};

}  // namespace

void check_layout(const OutputSpec& out, const Names& names, Faults* faults) {
  LayoutChecker(out, names, faults).check(*out.layout);
}

}  // namespace assay::language
