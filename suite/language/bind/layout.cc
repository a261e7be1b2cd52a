#include "suite/language/bind/layout.h"

#include <algorithm>
#include <map>
#include <utility>

#include "suite/language/bind/bind_program.h"
#include "suite/language/bind/static_eval.h"
#include "suite/language/bind/strides.h"

namespace assay::language {
namespace {

using Id = LayoutRule::Id;
using Promised = std::optional<Lying>;

// A tensor whose elements say where those of `t` lie, counted from its first.
Tensor places_of(const Strided& t) {
  Tensor places = Tensor::zeros(DType::i64, t.sizes);
  Tensor lying = places;  // shares no element: only positions are read
  lying.type.strides = t.strides;
  const std::int64_t n = places.numel();
  for (std::int64_t i = 0; i < n; ++i) {
    places.set_integer(i, lying.position(i));
  }
  return places;
}

// What the indices of `out` stand for at one place of the result.
std::map<std::string, StaticValue> indices_at(const Definition& out,
                                              const Shape& place) {
  std::map<std::string, StaticValue> indices;
  std::size_t next = 0;
  for (const Binder& b : out.indices) {
    if (!b.pack) {
      indices[b.name] = place[next++];
      continue;
    }
    const std::size_t n = place.size() - (out.indices.size() - 1);
    const auto first = place.begin() + static_cast<std::ptrdiff_t>(next);
    indices[b.name] = Shape(first, first + static_cast<std::ptrdiff_t>(n));
    next += n;
  }
  return indices;
}

class Evaluation {
 public:
  Evaluation(const Binding& call, const OutputSpec& output,
             const TensorType& result,
             const std::function<Strides(ValueRef)>& strides_of)
      : call_(call),
        output_(output),
        result_(result),
        strides_of_(strides_of) {}

  Result<Promised> of(const Expr& e) const {
    if (e.is(FunctionId::where)) {
      const std::optional<Binding> lying = with_strides();
      if (!lying) return Promised();
      const Result<StaticValue> v = evaluate_static(*e.args[0], *lying);
      if (!v) return v.error();
      const bool* holds = std::get_if<bool>(&*v);
      if (holds == nullptr) return fault("a condition that is no truth value");
      return of(*e.args[*holds ? 1 : 2]);
    }
    const LayoutRule* rule = find_layout_rule(e.text);
    if (rule == nullptr) return fault("no rule");
    switch (rule->id) {
      case Id::any:
        return Promised();
      case Id::contiguous:
        return dense(contiguous_strides(result_.sizes));
      case Id::elementwise:
        return elementwise(e);
      case Id::view:
        return view();
      case Id::like:
        return like(e);
      case Id::channels_last:
        return channels_last(e);
    }
    return fault("no rule");
  }

 private:
  static Promised dense(Shape strides) { return Lying{std::move(strides), 0}; }

  Error fault(const std::string& what) const {
    return Error{call_.spec->name + ": the layout of a result has " + what};
  }

  // The call with its operands as they lie, for conditions that ask; nothing
  // where that of one is not known.
  std::optional<Binding> with_strides() const {
    Binding lying = call_;
    bool known = true;
    const auto set = [&](TensorArg& t) {
      const Strides strides = strides_of_(t.ref);
      known = known && strides.has_value();
      if (strides) t.type.strides = *strides;
    };
    for (auto& actual : lying.actuals) {
      if (auto* t = std::get_if<TensorArg>(&actual.second)) set(*t);
      if (auto* l = std::get_if<std::vector<TensorArg>>(&actual.second)) {
        std::for_each(l->begin(), l->end(), set);
      }
    }
    if (!known) return std::nullopt;
    return lying;
  }

  // The tensors that a rule names, or all of the call; nothing where the
  // strides of one are not known. Numbers and what is left out have none.
  std::optional<std::vector<Strided>> operands(const Expr& e) const {
    std::vector<Strided> found;
    bool known = true;
    const auto take = [&](const TensorArg& t) {
      const Strides strides = strides_of_(t.ref);
      known = known && strides.has_value();
      if (strides) found.push_back({t.type.sizes, *strides});
    };
    const auto take_all = [&](const std::string& name) {
      const auto it = call_.actuals.find(name);
      if (it == call_.actuals.end()) return;
      if (const auto* t = std::get_if<TensorArg>(&it->second)) take(*t);
      if (const auto* l = std::get_if<std::vector<TensorArg>>(&it->second)) {
        std::for_each(l->begin(), l->end(), take);
      }
    };
    if (e.kind == Expr::Kind::call) {
      for (const ExprPtr& a : e.args) take_all(a->text);
    } else {
      for (const Param& p : call_.spec->params) take_all(p.name);
    }
    if (!known) return std::nullopt;
    return found;
  }

  Result<Promised> elementwise(const Expr& e) const {
    const auto all = operands(e);
    if (!all) return Promised();
    for (const Strided& t : *all) {
      if (t.sizes.size() > result_.sizes.size()) {
        return fault("an operand of more dimensions");
      }
    }
    return dense(elementwise_strides(*all, result_.sizes));
  }

  Result<Promised> like(const Expr& e) const {
    const auto all = operands(e);
    if (!all) return Promised();
    if (all->size() != 1 || all->front().sizes != result_.sizes) {
      return fault("an operand of other sizes");
    }
    return dense(all->front().strides);
  }

  // Of no operands, it is what was asked for.
  Result<Promised> channels_last(const Expr& e) const {
    if (e.kind == Expr::Kind::name) {
      return dense(channels_last_strides(result_.sizes));
    }
    const auto all = operands(e);
    if (!all) return Promised();
    const bool suggested =
        std::any_of(all->begin(), all->end(), suggests_channels_last);
    return dense(suggested ? channels_last_strides(result_.sizes)
                           : contiguous_strides(result_.sizes));
  }

  // The result's elements are elements of an operand, named by the value. So
  // the value, read from a tensor that holds places in place of elements, is
  // the place of each.
  Result<Promised> view() const {
    Binding of_places = call_;
    std::vector<Tensor> kept;
    kept.reserve(of_places.actuals.size());
    for (auto& actual : of_places.actuals) {
      auto* t = std::get_if<TensorArg>(&actual.second);
      if (t == nullptr) continue;
      const Strides strides = strides_of_(t->ref);
      if (!strides) return Promised();
      kept.push_back(places_of({t->type.sizes, *strides}));
      t->value = &kept.back();
      t->type = kept.back().type;
    }
    const Shape& sizes = result_.sizes;
    // What a dimension of size 1 has is not stepped over.
    Shape strides = contiguous_strides(sizes);
    if (element_count(sizes) == 0) return dense(strides);
    Shape at(sizes.size(), 0);
    const auto place = [&] {
      return evaluate_static(*output_.value.back().body, of_places,
                             indices_at(output_.value.back(), at));
    };
    const Result<StaticValue> origin = place();
    if (!origin) return origin.error();
    Shape last = sizes;
    std::int64_t end = std::get<std::int64_t>(*origin);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      --last[d];
      if (sizes[d] == 1) continue;
      at[d] = 1;
      const Result<StaticValue> next = place();
      if (!next) return next.error();
      at[d] = 0;
      strides[d] =
          std::get<std::int64_t>(*next) - std::get<std::int64_t>(*origin);
      end += last[d] * strides[d];
    }
    at = last;
    const Result<StaticValue> found = place();
    if (!found) return found.error();
    if (std::get<std::int64_t>(*found) != end) {
      return fault("'view' where the elements are at no strides");
    }
    return Promised(Lying{strides, std::get<std::int64_t>(*origin)});
  }

  const Binding& call_;
  const OutputSpec& output_;
  const TensorType& result_;
  const std::function<Strides(ValueRef)>& strides_of_;
};

}  // namespace

const std::vector<LayoutRule>& layout_rules() {
  using Operands = LayoutRule::Operands;
  static const std::vector<LayoutRule> kRules = {
      {"any", Id::any, Operands::none},
      {"contiguous", Id::contiguous, Operands::none},
      {"elementwise", Id::elementwise, Operands::some},
      {"view", Id::view, Operands::none},
      {"like", Id::like, Operands::one_or_more},
      {"channels_last", Id::channels_last, Operands::some}};
  return kRules;
}

const LayoutRule* find_layout_rule(const std::string& name) {
  for (const LayoutRule& rule : layout_rules()) {
    if (name == rule.name) return &rule;
  }
  return nullptr;
}

Result<std::optional<Lying>> promised_layout(
    const Binding& call, const OutputSpec& output, const TensorType& result,
    const std::function<Strides(ValueRef)>& strides_of) {
  if (!output.layout) return Promised();
  return Evaluation(call, output, result, strides_of).of(*output.layout);
}

Result<std::vector<Strides>> promised_strides(const SpecSet& specs,
                                              const Program& program) {
  std::vector<Strides> values;
  for (const TensorType& t : program.inputs) values.emplace_back(t.strides);
  for (const Tensor& t : program.constants) values.emplace_back(t.type.strides);
  const std::function<Strides(ValueRef)> strides_of = [&values](ValueRef v) {
    return values[static_cast<std::size_t>(v.id)];
  };
  const std::vector<Tensor> nothing;  // elements do not matter
  const auto may_depend = [&specs](const Node& node) {
    const OpSpec* op = specs.find_aten(node.op);
    return op != nullptr && op->sizes_depend();
  };
  const std::vector<Strides> none(program.outputs.size());
  ProgramBinder binder(specs, program, nothing);
  while (!binder.done()) {
    const ValueRef next{static_cast<int>(values.size())};
    const Result<BoundNode> node = binder.next();
    // Of sizes that are not known, nothing can be promised.
    if (!node && may_depend(program.call(next))) return none;
    if (!node) return node.error();
    if (node->broken != nullptr) return none;
    const Result<Promised> layout =
        promised_layout(node->binding, node->binding.form->output(node->output),
                        node->type, strides_of);
    if (!layout) return layout.error();
    values.push_back(*layout ? Strides((*layout)->strides) : Strides());
  }
  std::vector<Strides> out;
  for (const ValueRef v : program.outputs) out.push_back(strides_of(v));
  return out;
}

}  // namespace assay::language
