#include "compiler/text/formula_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/graph/accumulate.h"
#include "compiler/text/scalar.h"

namespace assay::compiler {
namespace {

using Kind = Term::Kind;

class Renderer {
 public:
  Renderer(const Formula& formula, const std::vector<Shape>& sizes,
           const std::vector<Shape>& strides, const WriteSize& size)
      : formula_(formula), sizes_(sizes), strides_(strides), size_(size) {}

  FormulaText run() {
    out_.expression = text(static_cast<int>(formula_.terms.size()) - 1);
    return std::move(out_);
  }

 private:
  std::string text(int id) {
    const Term& t = formula_.at(id);
    out_.types.insert(t.dtype);
    switch (t.kind) {
      case Kind::number:
        return literal(t.dtype, t.bits);
      case Kind::variable:
        return fmt::format("v{}", t.variable);
      case Kind::load:
        return load(t);
      case Kind::apply:
        return apply(t);
      case Kind::cast:
        if (narrows_float(formula_.at(t.args[0]).dtype, t.dtype)) {
          out_.is_scalar = true;
        }
        return "(" +
               cast_text(formula_.at(t.args[0]).dtype, t.dtype,
                         text(t.args[0])) +
               ")";
      case Kind::choose:
        if (has(t.args[0], Kind::choose) &&
            (has(t.args[1], Kind::load) || has(t.args[2], Kind::load))) {
          out_.is_scalar = true;
        }
        return fmt::format("({} ? {} : {})", text(t.args[0]), text(t.args[1]),
                           text(t.args[2]));
      case Kind::fold:
        break;
    }
    out_.has_fold = true;
    return fold(t);
  }

  std::string apply(const Term& t) {
    if (!info(t.scalar).math.empty()) out_.math.insert(info(t.scalar).math);
    std::vector<std::string> args;
    for (const int a : t.args) args.push_back(text(a));
    const DType type = formula_.at(t.args[0]).dtype;
    const std::string made = "(" + apply_text(t.scalar, type, args) + ")";
    if (t.scalar != ScalarOp::mul || !is_wide_float(type) ||
        !chooses_between_signs()) {
      return made;
    }
    out_.math.insert("product");
    return "a_product" + made;
  }

  // As in a loop kernel (nest_text.cc).
  bool chooses_between_signs() const {
    const auto has_term = [this](Kind kind, ScalarOp op) {
      return std::any_of(
          formula_.terms.begin(), formula_.terms.end(), [=](const Term& t) {
            return t.kind == kind && (kind == Kind::choose || t.scalar == op);
          });
    };
    return has_term(Kind::choose, {}) && has_term(Kind::apply, ScalarOp::add) &&
           has_term(Kind::apply, ScalarOp::sub);
  }

  // Whether a term of that kind is in it.
  bool has(int id, Kind kind) const {
    const Term& t = formula_.at(id);
    return t.kind == kind || std::any_of(t.args.begin(), t.args.end(),
                                         [&](int a) { return has(a, kind); });
  }

  // Does the term hang on elements? Then nothing but the guards keeps it in
  // range, and a defect may drop those.
  bool hangs_on_elements(int id) const { return has(id, Kind::load); }

  std::string load(const Term& t) {
    const auto n = static_cast<std::size_t>(t.operand);
    std::string at;
    for (std::size_t d = 0; d < t.args.size(); ++d) {
      if (sizes_[n][d] == 1) continue;
      std::string i = text(t.args[d]);
      if (hangs_on_elements(t.args[d])) {
        i = fmt::format("a_inside({}, {})", i,
                        size_(sizes_[n][d], fmt::format("size of x{}", n)));
        out_.math.insert("formula");
      }
      at += fmt::format("{}{} * {}", at.empty() ? "" : " + ", i,
                        size_(strides_[n][d], fmt::format("stride of x{}", n)));
    }
    return fmt::format("{}x{}[{}]{}", t.dtype == DType::boolean ? "(" : "", n,
                       at.empty() ? "0" : at,
                       t.dtype == DType::boolean ? " != 0)" : "");
  }

  std::string fold(const Term& t) {
    out_.math.insert("reduce");
    out_.math.insert("formula");
    const std::string type = value_type(t.dtype);
    // The box of all ranges, the last one running fastest. Terms are asked for
    // one after another: with several ranges that spares divisions.
    const bool counts = t.ranges.size() > 1;
    std::string count;
    std::string start;
    std::string step;
    std::string carries;
    for (std::size_t d = t.ranges.size(); d-- > 0;) {
      const Term::Range& r = t.ranges[d];
      const std::string from = text(r.from), to = text(r.to);
      const bool fastest = d + 1 == t.ranges.size();
      if (counts) {
        start += fmt::format(", v{} = {}{}", r.variable, from,
                             fastest ? " - 1" : "");
        step += fmt::format("++v{}; ", r.variable);
      } else {
        step += fmt::format("const a_i64 v{} = {} + t; ", r.variable, from);
      }
      if (d > 0) {
        step += fmt::format("if (v{0} >= {1}) {{ v{0} = {2}; ", r.variable, to,
                            from);
        carries += "} ";
      }
      count += fmt::format("{}a_extent({}, {})", count.empty() ? "" : " * ",
                           from, to);
    }
    return fmt::format(
        "a_reduce<{}, {}, {}>({}, {}, [&{}](a_i64 t){} -> {} {{ {}{}(void)t; "
        "return {}; }}, []({} a, {} b) -> {} {{ return {}; }})",
        type, kReduceOrder.lanes, kReduceOrder.block,
        count.empty() ? "1" : count,
        literal(t.dtype, identity_of(t.combiner, t.dtype)), start,
        counts ? " mutable" : "", type, step, carries, text(t.args[0]), type,
        type, type, apply_text(step_of(t.combiner), t.dtype, {"a", "b"}));
  }

  const Formula& formula_;
  const std::vector<Shape>& sizes_;
  const std::vector<Shape>& strides_;
  const WriteSize& size_;
  FormulaText out_;
};

}  // namespace

FormulaText render(const Formula& formula,
                   const std::vector<Shape>& operand_sizes,
                   const std::vector<Shape>& operand_strides,
                   const WriteSize& size) {
  return Renderer(formula, operand_sizes, operand_strides, size).run();
}

}  // namespace assay::compiler
