#include "reference/golden/vacuity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/operands.h"
#include "reference/golden/admits.h"
#include "reference/numbers/element_order.h"
#include "suite/language/model/spec.h"

namespace assay::reference {
namespace {

constexpr std::size_t kFew = 8;  // elements from which a constant may be chance

double smallest_normal(DType t) {
  return std::ldexp(1.0, float_format(t).emin);
}

bool near_overflow(DType t, double x) {
  const FloatFormat f = float_format(t);
  const double part = 1 - std::ldexp(1.0, 4 - f.precision);
  return std::fabs(x) / 2 >= std::ldexp(part, f.emax);
}

// A single element is no pattern, unless there is hardly another. The share of
// n is compared, not the number that makes a share: 0.29 * 100 is below 29.
bool is_allowed(std::size_t n, std::size_t total, double share) {
  if (n <= 1 && total > 2) return true;
  return static_cast<double>(n) / static_cast<double>(total) <= share;
}

// How many elements admit what `answer` gives for them (bits, if any) though
// it is not what the exact value rounds to.
template <class Answer>
std::size_t count_wrongly_admitted(const GoldenOutput& out,
                                   const Answer& answer) {
  const DType t = out.type.dtype;
  std::size_t n = 0;
  for (std::size_t i = 0; i < out.elements.size(); ++i) {
    const ElementSet& e = out.elements[i];
    const std::optional<std::uint64_t> bits = answer(i);
    if (!bits || !admits(e, t, *bits)) continue;
    if (e.unspecified) {
      ++n;
      continue;
    }
    // An element with one right answer is no proof of a wide bound, and where
    // the exact value is subnormal a few ulp reach zero by nature.
    if (!e.has_values || e.lo == e.hi) continue;
    if (is_float(t) && std::fabs(out.exact[i]) < smallest_normal(t)) continue;
    // Likewise infinity, a few ulp from the largest element.
    if (is_float(t) && is_inf_bits(t, *bits) &&
        near_overflow(t, out.exact[i])) {
      continue;
    }
    const double x = number_of_bits(t, *bits);
    const double exact = is_float(t)
                             ? decode_float(t, encode_float(t, out.exact[i]))
                             : std::trunc(out.exact[i]);
    if (x != exact) ++n;
  }
  return n;
}

// An answer that takes no computing, and of how many elements it is admitted
// though it is wrong.
struct LazyAnswer {
  std::string name;
  std::size_t admitted = 0;
};

std::vector<LazyAnswer> lazy_answers(const GoldenOutput& out,
                                     const std::vector<Tensor>& inputs) {
  const DType t = out.type.dtype;
  using Bits = std::optional<std::uint64_t>;
  const auto always = [&out](std::uint64_t bits) {
    return count_wrongly_admitted(out,
                                  [bits](std::size_t) { return Bits(bits); });
  };
  std::vector<LazyAnswer> answers = {{"zero", always(0)}};
  if (is_float(t)) {
    const bool infinite = float_format(t).has_infinity();
    const std::uint64_t last =
        infinite ? positive_infinity_bits(t) : largest_bits(t);
    const char* name = infinite ? "infinity" : "the largest element";
    for (const std::uint64_t bits : {last, last | sign_bit_mask(t)}) {
      answers.push_back({name, always(bits)});
    }
  }
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Tensor x = components(inputs[k]);
    if (x.dtype() != t || x.sizes() != out.type.sizes) continue;
    answers.push_back({fmt::format("input {} as it is", k),
                       count_wrongly_admitted(out, [&x](std::size_t i) {
                         return Bits(x.bits(static_cast<std::int64_t>(i)));
                       })});
  }
  return answers;
}

std::string lazy_answer(const GoldenOutput& out, std::size_t position,
                        const std::vector<Tensor>& inputs, double share) {
  const std::size_t total = out.elements.size();
  for (const LazyAnswer& a : lazy_answers(out, inputs)) {
    if (is_allowed(a.admitted, total, share)) continue;
    return fmt::format(
        "output {} admits {}, which is not the exact value, in {} of its {} "
        "elements, and {:g} % may; choose inputs that tell more, or declare "
        "`vacuous` and why",
        position, a.name, a.admitted, total, 100 * share);
  }
  return {};
}

bool is_inexact(const GoldenOutput& out) {
  const auto anything = [](const ElementSet& e) { return e.unspecified; };
  return std::any_of(out.bound.begin(), out.bound.end(),
                     [](double bound) { return bound != 0; }) ||
         std::any_of(out.elements.begin(), out.elements.end(), anything);
}

// Which values of the program, by id, are judged from returned ones
// (coherence): computed from these and from what is known exactly. Their sets
// here follow everything that might be returned, and decide nothing.
std::vector<bool> judged_from_returned(const Golden& golden,
                                       const Program& program) {
  enum class From { known, itself, returned };
  const auto count = static_cast<std::size_t>(program.value_count());
  std::vector<From> as_operand(count, From::known);
  std::vector<bool> judged(count, false);
  const auto first = static_cast<std::size_t>(program.first_node_id());
  for (std::size_t id = first; id < count; ++id) {
    const Node& node = program.nodes[id - first];
    bool itself = false;
    for (const ValueRef v : operands(node)) {
      const From from = as_operand[static_cast<std::size_t>(v.id)];
      itself = itself || from == From::itself;
      judged[id] = judged[id] || from == From::returned;
    }
    if (itself) judged[id] = false;
    as_operand[id] = judged[id] ? From::returned : From::itself;
    for (std::size_t o = 0; o < program.outputs.size(); ++o) {
      if (program.outputs[o].id != static_cast<int>(id)) continue;
      as_operand[id] =
          is_inexact(golden.outputs[o]) ? From::returned : From::known;
    }
  }
  return judged;
}

// All elements alike, in a way that memory nobody wrote to could be: NaN is
// what a special value asks for, and a truth value has few to choose from.
bool is_constant(const GoldenOutput& out) {
  if (out.type.dtype == DType::boolean) return false;
  if (!out.elements.front().has_values) return false;
  const auto same = [&](const ElementSet& e) {
    const ElementSet& f = out.elements.front();
    return e.has_values == f.has_values && e.nan == f.nan &&
           e.unspecified == f.unspecified && (!e.has_values || e.lo == f.lo) &&
           (!e.has_values || e.hi == f.hi);
  };
  return std::all_of(out.elements.begin(), out.elements.end(), same);
}

bool is_constant(const Tensor& t) {
  for (std::int64_t i = 1; i < t.numel(); ++i) {
    if (t.bits(i) != t.bits(0)) return false;
  }
  return true;
}

bool is_undefined(const GoldenOutput& out) {
  return std::all_of(out.elements.begin(), out.elements.end(),
                     [](const ElementSet& e) { return e.unspecified; });
}

// The outputs that are computed and judged by what is known beforehand. What
// is passed through unchanged is meant to be.
std::vector<std::size_t> telling_outputs(const Golden& golden,
                                         const Program& program) {
  const std::vector<bool> judged = judged_from_returned(golden, program);
  std::vector<std::size_t> out;
  for (std::size_t o = 0; o < golden.outputs.size(); ++o) {
    const ValueRef value = program.outputs[o];
    if (golden.outputs[o].elements.empty() || !program.is_node(value)) continue;
    if (!judged[static_cast<std::size_t>(value.id)]) out.push_back(o);
  }
  return out;
}

}  // namespace

double lazy_share(const Golden& golden, const Program& program,
                  const std::vector<Tensor>& inputs) {
  if (golden.error) return 0;
  double most = 0;
  for (const std::size_t o : telling_outputs(golden, program)) {
    const GoldenOutput& out = golden.outputs[o];
    const std::size_t total = out.elements.size();
    for (const LazyAnswer& a : lazy_answers(out, inputs)) {
      if (is_allowed(a.admitted, total, 0)) continue;
      most = std::max(
          most, static_cast<double>(a.admitted) / static_cast<double>(total));
    }
  }
  return most;
}

std::string vacuity(const Golden& golden, const Program& program,
                    const std::vector<Tensor>& inputs, double share) {
  if (golden.error || share >= 1) return {};
  if (share >= language::kAnyAnswer &&
      std::all_of(golden.outputs.begin(), golden.outputs.end(), is_undefined)) {
    return {};
  }
  for (const std::size_t o : telling_outputs(golden, program)) {
    std::string why = lazy_answer(golden.outputs[o], o, inputs, share);
    if (!why.empty()) return why;
  }
  const auto constant = [](const auto& x) { return is_constant(x); };
  const bool many = std::all_of(
      golden.outputs.begin(), golden.outputs.end(),
      [](const GoldenOutput& o) { return o.elements.size() > kFew; });
  if (!golden.outputs.empty() && many &&
      std::all_of(golden.outputs.begin(), golden.outputs.end(), constant) &&
      !std::all_of(inputs.begin(), inputs.end(), constant)) {
    return "every element of every output is the same, whatever the inputs; "
           "choose inputs that the operation tells apart";
  }
  return {};
}

}  // namespace assay::reference
