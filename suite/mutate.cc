#include "suite/mutate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "suite/element_reads.h"
#include "suite/mutate_attr.h"

namespace assay {
namespace {

constexpr std::uint64_t kMaxI64 = std::numeric_limits<std::int64_t>::max();

// Types that an operand is tried with. i8 and i16 show nothing that u8 and
// i32 do not, and fewer subjects know them.
constexpr DType kTriedTypes[] = {DType::f32,  DType::f64,    DType::f16,
                                 DType::bf16, DType::u8,     DType::i32,
                                 DType::i64,  DType::boolean};

std::string text(const Shape& sizes) {
  std::string out = "[";
  for (const std::int64_t s : sizes) {
    out += (out.size() > 1 ? "," : "") + std::to_string(s);
  }
  return out + "]";
}

class Mutator {
 public:
  explicit Mutator(const CallPlan& base) : base_(base) {
    names_ = base.operand_names();
    params_ = base.operand_params();
  }

  std::vector<Mutation> run() {
    const auto operands = base_.operands();
    for (std::size_t n = 0; n < operands.size(); ++n) {
      ranks(n, operands[n]->sizes);
      sizes(n, operands[n]->sizes);
      for (const DType t : kTriedTypes) retype(n, t, operands[n]->dtype);
      if (params_[n]->elements_read) values(n, *operands[n]);
    }
    if (operands.size() > 1) all_types();
    for (std::size_t n = 0; n < base_.args.size(); ++n) {
      const Param& p = base_.spec->params[n];
      if (p.kind == Param::Kind::tensor) {
        tensor_param(n, p);
      } else if (p.kind == Param::Kind::tensors) {
        list_param(n, p);
      } else {
        attr_param(n, p);
      }
    }
    return std::move(out_);
  }

 private:
  Mutation& add(std::string kind, std::string param,
                std::function<void(CallPlan*)> apply) {
    Mutation m;
    m.kind = std::move(kind);
    m.param = std::move(param);
    m.apply = std::move(apply);
    out_.push_back(std::move(m));
    return out_.back();
  }

  Mutation& add_operand(std::string kind, std::size_t n,
                        std::function<void(OperandPlan*)> apply) {
    Mutation& m = add(std::move(kind), params_[n]->name,
                      [n, apply = std::move(apply)](CallPlan* plan) {
                        const auto operands = plan->operands();
                        // Another change may have taken the operand away.
                        if (n < operands.size()) apply(operands[n]);
                      });
    m.operand = n;
    return m;
  }

  void resize(std::size_t n, const char* kind, const Shape& old, Shape sizes) {
    if (sizes == old || !seen_.insert(names_[n] + text(sizes)).second) return;
    add_operand(kind, n, [sizes = std::move(sizes)](OperandPlan* o) {
      o->sizes = sizes;
      o->pokes.clear();
    });
  }

  void ranks(std::size_t n, const Shape& s) {
    for (const std::int64_t extra : {1, 2}) {
      Shape front = s, back = s;
      front.insert(front.begin(), extra);
      back.push_back(extra);
      resize(n, "rank", s, front);
      resize(n, "rank", s, back);
    }
    resize(n, "rank", s, {});
    if (s.empty()) return;
    resize(n, "rank", s, Shape(s.begin() + 1, s.end()));
    resize(n, "rank", s, Shape(s.begin(), s.end() - 1));
  }

  void sizes(std::size_t n, const Shape& s) {
    for (std::size_t d = 0; d < s.size(); ++d) {
      for (const std::int64_t size :
           {s[d] + 1, s[d] - 1, std::int64_t{0}, std::int64_t{1}}) {
        if (size < 0) continue;
        Shape changed = s;
        changed[d] = size;
        resize(n, "size", s, std::move(changed));
      }
    }
  }

  static void set_type(OperandPlan* o, DType t) {
    o->dtype = t;
    o->pokes.clear();
    if (!check_plan(*o)) o->data = default_generator(t);
  }

  void retype(std::size_t n, DType t, DType old) {
    if (t == old) return;
    add_operand("dtype", n, [t](OperandPlan* o) { set_type(o, t); });
  }

  // What one type cannot do is not hidden by the rule that all types agree.
  void all_types() {
    for (const DType t : kTriedTypes) {
      add("dtypes", "", [t](CallPlan* plan) {
        for (OperandPlan* o : plan->operands()) set_type(o, t);
      });
    }
  }

  // Positions are set by the caller.
  std::vector<Poke> tried_integers(std::size_t n, const OperandPlan& o) {
    std::set<std::int64_t> tried = {
        -1, -2, integer_min(o.dtype),
        static_cast<std::int64_t>(std::min(integer_max(o.dtype), kMaxI64))};
    const auto operands = base_.operands();
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (k == n) continue;
      for (const std::int64_t d : operands[k]->sizes) {
        tried.insert({d, d + 1, -d, -d - 1});
      }
    }
    std::vector<Poke> out;
    for (const std::int64_t v : tried) {
      if (!holds_integer(o.dtype, v)) continue;
      Literal literal;
      literal.integral = true;
      literal.integer = v;
      out.push_back({0, literal, std::to_string(v)});
    }
    return out;
  }

  std::vector<Poke> tried_floats(std::size_t n) {
    std::vector<Poke> out;
    const auto number = [&out](double x) {
      Literal literal;
      literal.number = x;
      out.push_back({0, literal, fmt::format("{}", x)});
    };
    for (const double x : limits_of_elements(*base_.spec, *params_[n])) {
      for (const std::int64_t step : {-1, 1}) {
        number(x);
        out.back().value.steps = step;
        out.back().text = fmt::format("next({}_{})", x, step);
        number(x + static_cast<double>(step));
      }
    }
    using Limits = std::numeric_limits<double>;
    for (const double x :
         {-Limits::infinity(), Limits::infinity(), Limits::quiet_NaN()}) {
      number(x);
    }
    return out;
  }

  void values(std::size_t n, const OperandPlan& o) {
    const std::int64_t count = element_count(o.sizes);
    if (count == 0 || o.dtype == DType::boolean) return;
    const std::vector<Poke> tried =
        is_float(o.dtype) ? tried_floats(n) : tried_integers(n, o);
    for (const std::int64_t at :
         std::set<std::int64_t>{0, count / 2, count - 1}) {
      for (Poke p : tried) {
        p.position = at;
        Mutation& m = add_operand("value", n, [p](OperandPlan* changed) {
          if (p.position < element_count(changed->sizes)) {
            changed->pokes.push_back(p);
          }
        });
        m.segment = names_[n] + "." + std::to_string(at) + "=" + p.text;
      }
    }
  }

  void tensor_param(std::size_t n, const Param& p) {
    const auto* number = std::get_if<Arg>(&base_.args[n]);
    if (p.optional && std::holds_alternative<OperandPlan>(base_.args[n])) {
      set_arg(n, "absent", Arg(None{}));
    }
    if (!p.scalar) return;
    for (const Arg& v : {Arg(true), Arg(std::int64_t{2}), Arg(0.5)}) {
      if (number != nullptr && *number == v) continue;
      set_arg(n, "number", v);
    }
  }

  template <class Change>
  void change_list(std::size_t n, Change change) {
    add("length", base_.spec->params[n].name, [n, change](CallPlan* plan) {
      auto* list = std::get_if<std::vector<OperandPlan>>(&plan->args[n]);
      if (list != nullptr) change(list);
    });
  }

  void list_param(std::size_t n, const Param&) {
    const auto* list = std::get_if<std::vector<OperandPlan>>(&base_.args[n]);
    if (list == nullptr) return;
    using List = std::vector<OperandPlan>;
    change_list(n, [](List* l) { l->clear(); });
    if (list->empty()) return;
    // Another change may have emptied the list.
    change_list(n, [](List* l) {
      if (!l->empty()) l->push_back(l->front());
    });
    change_list(n, [](List* l) {
      if (l->size() > 1) l->erase(l->begin() + 1, l->end());
    });
  }

  void attr_param(std::size_t n, const Param& p) {
    const auto* plain = std::get_if<Arg>(&base_.args[n]);
    const Arg now =
        plain != nullptr ? *plain : p.default_value.value_or(Arg(None{}));
    std::vector<Shape> shapes;
    for (const OperandPlan* o : base_.operands()) shapes.push_back(o->sizes);
    for (const AttrChange& change : attr_changes(p, now, shapes)) {
      set_arg(n, change.kind, change.value);
    }
  }

  void set_arg(std::size_t n, const std::string& kind, const Arg& value) {
    add(kind, base_.spec->params[n].name,
        [n, value](CallPlan* plan) { plan->args[n] = value; });
  }

  const CallPlan& base_;
  std::vector<std::string> names_;    // of operands
  std::vector<const Param*> params_;  // of which they are
  std::set<std::string> seen_;        // sizes tried, by operand
  std::vector<Mutation> out_;
};

}  // namespace

std::vector<Mutation> mutations(const CallPlan& base) {
  return Mutator(base).run();
}

}  // namespace assay
