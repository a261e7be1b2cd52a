#include "reference/oracle/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"
#include "reference/oracle/explain_text.h"

namespace assay::reference {
namespace {

// For 40 digits of the exact value, after the losses of a few steps.
constexpr int kExplainBits = 192;

// How many of the elements read are shown for each value.
constexpr std::size_t kShown = 4;

const char* bound_name(language::Accuracy::Bound b) {
  switch (b) {
    case language::Accuracy::Bound::exact:
      return "exact";
    case language::Accuracy::Bound::correctly_rounded:
      return "correctly rounded";
    case language::Accuracy::Bound::cast:
      return "explicit cast";
    case language::Accuracy::Bound::tolerance:
      return "tolerance";
    case language::Accuracy::Bound::dot:
      return "gamma_h * |expression|";
  }
  return "?";
}

class Explanation {
 public:
  Explanation(const Session& session, Evaluator<Mp>& evaluator)
      : session_(session), evaluator_(evaluator) {}

  void node_element(int id, std::int64_t element) {
    const Nest& plan = session_.plan_of(id);
    const Judgement<Mp> j = evaluator_.judge(id, element);
    const DType t = plan.type.dtype;
    const ElementSet& e = j.admitted.elements;
    line("  element {} {}", element, index_text(plan.type.sizes, element));
    clause(plan, j, element);
    line("    exact value: {}", values_text(j.exact_values));
    const std::string place = place_text(t, j.exact_values);
    if (!place.empty()) line("    it lies:     {}", place);
    line("    admissible:  {}", set_text(t, e));
    if (e.has_values && !e.unspecified && is_float(t)) {
      line("    neighbours:  {} and {} are not",
           element_text(t, step(t, e.lo, -1)),
           element_text(t, step(t, e.hi, 1)));
    }
    line("    in flight:   {}", values_text(j.admitted.in_flight));
  }

  void given_element(const Tensor& tensor, std::int64_t element) {
    line("  element {} {}: {}", element, index_text(tensor.sizes(), element),
         element_text(tensor.dtype(), tensor.bits(element)));
  }

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  std::string take() { return std::move(text_); }

 private:
  void clause(const Nest& plan, const Judgement<Mp>& j, std::int64_t element) {
    const NestAccuracy& a = plan.accuracy;
    line("    decided by:  {}", plan.clauses[j.clause]);
    if (j.clause != 0) return;
    std::string stated = bound_name(a.spec->bound);
    const auto part = [&](const char* name, const language::ExprPtr& e,
                          int node) {
      if (node < 0) return;
      const Set<Mp> v = evaluator_.evaluate(plan, node, element);
      stated += fmt::format("; {}: {} = {:.9g}", name, language::to_string(*e),
                            v.has_values ? above(v.hi.b) : 0.0);
    };
    part("ulp", a.spec->ulp, a.ulp);
    part("subnormal_ulp", a.spec->subnormal_ulp, a.subnormal_ulp);
    part("abs", a.spec->abs, a.absolute);
    part("height", a.spec->height, a.height);
    part("tree", a.spec->tree, a.tree);
    line("    bound:       {}", stated);
    if (!j.tolerance) return;
    const Tolerance& t = *j.tolerance;
    if (a.spec->bound == language::Accuracy::Bound::dot) {
      line("    tolerance:   {:.9g} in {}", t.absolute, dtype_name(t.measured));
    } else if (j.exact_values.has_values) {
      const Real<Mp> at = tolerance_at(t, j.exact_values.lo);
      line("    tolerance:   {:.9g} ({:a}) in {} at its lower end", above(at.b),
           above(at.b), dtype_name(t.measured));
    }
  }

  const Session& session_;
  Evaluator<Mp>& evaluator_;
  std::string text_;
};

using Reads = std::map<int, std::set<std::int64_t>>;

std::string describe(const Session& session, Evaluator<Mp>& evaluator,
                     const Reads& reads, int bits) {
  const Program& program = session.program;
  Explanation out(session, evaluator);
  out.line("{} numerics, {} bits",
           session.options.numerics == Numerics::fused ? "fused" : "strict",
           bits);
  for (const auto& [id, elements] : reads) {
    const ValueRef ref{id};
    const TensorType& type =
        session.planned.types[static_cast<std::size_t>(id)];
    const bool seen = session.options.observed.contains(id);
    const std::string what = program.is_input(ref)      ? "input"
                             : program.is_constant(ref) ? "const"
                                                        : program.node(ref).op;
    out.line("%{} = {} {}{}", id, what, type_text(type.dtype, type.sizes),
             seen ? ", consumers judged from the value returned" : "");
    std::size_t shown = 0;
    for (const std::int64_t element : elements) {
      if (++shown > kShown) {
        out.line("  ... {} more elements", elements.size() - kShown);
        break;
      }
      if (program.is_node(ref)) {
        out.node_element(id, element);
      } else {
        out.given_element(session.given(ref), element);
      }
    }
  }
  return out.take();
}

}  // namespace

Result<std::string> explain_element(Session* asked, int id,
                                    std::int64_t element) {
  Session& session = *asked;
  std::string text;
  bool planned = false;
  for (const int bits : precision_ladder(session.options)) {
    const int precision_bits = std::max(bits, kExplainBits);
    const PrecisionScope precision(precision_bits);
    Evaluator<Mp> evaluator = session.evaluator<Mp>(bits);
    Reads reads;
    evaluator.trace(&reads);
    if (!planned) {
      const ExactElements elements = [&](int v, const TensorType& type) {
        const std::optional<Tensor> known = evaluator.exact_elements(v, type);
        return known ? known : session.elements_of_draws(&evaluator, v, type);
      };
      const Status s =
          plan_program(session.program, session.inputs, session.specs,
                       session.options.observed, elements, &session.planned);
      if (!s) return s.error();
      planned = true;
    }
    if (session.planned.refused) {
      const GoldenError& e = *session.planned.refused;
      return fmt::format("refused by {}: raises {}\n", e.clause,
                         fmt::join(e.raises, " or "));
    }
    const TensorType& type =
        session.planned.types[static_cast<std::size_t>(id)];
    if (element < 0 || element >= element_count(type.sizes)) {
      return Error{fmt::format("{} has no element {}",
                               type_text(type.dtype, type.sizes), element)};
    }
    Versions& versions = *session.planned.versions;
    Versions::Element shown = {versions.seen(id, type.sizes), element};
    if (versions.is_version(shown.value)) {
      shown = versions.elements(
          shown.value)[static_cast<std::size_t>(shown.element)];
    }
    reads.clear();
    reads[shown.value].insert(shown.element);
    bool undecided = false;
    if (session.program.is_node({shown.value})) {
      undecided = evaluator.judge(shown.value, shown.element)
                      .admitted.elements.undecided;
    }
    evaluator.trace(nullptr);
    text = describe(session, evaluator, reads, precision_bits);
    if (!evaluator.error().empty()) return Error{evaluator.error()};
    if (!undecided) break;
  }
  return text;
}

}  // namespace assay::reference
