#include "suite/cases/invalid/mutate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "suite/cases/path.h"
#include "suite/language/bind/element_reads.h"

namespace assay::cases {
namespace {

constexpr std::uint64_t kMaxI64 = std::numeric_limits<std::int64_t>::max();

// Types that an operand is tried with. i8 and i16 show nothing that u8 and
// i32 do not, and fewer subjects know them.
constexpr DType kTriedTypes[] = {DType::f32,  DType::f64,    DType::f16,
                                 DType::bf16, DType::u8,     DType::i32,
                                 DType::i64,  DType::boolean};

struct AttrChange {
  std::string kind;  // attr, number, dtype, duplicate, length or absent
  Arg value;
};

// Other values of an attribute, valid and invalid alike: the requirements
// decide which are which. `shapes` are the operands': integers are tried at
// the ends of what ranks and sizes allow, and beyond.
class AttrChanges {
 public:
  AttrChanges(const language::Param& p, const Arg& now,
              const std::vector<Shape>& shapes)
      : p_(p), now_(now) {
    for (const Shape& s : shapes) {
      const auto rank = static_cast<std::int64_t>(s.size());
      around(rank);
      for (const std::int64_t d : s) around(d);
    }
    around(0);
    around(1);
  }

  std::vector<AttrChange> run() {
    switch (p_.kind) {
      case language::Param::Kind::integer:
        for (const std::int64_t v : integers_) {
          add("attr", Arg(v));
        }
        break;
      case language::Param::Kind::integers:
        lists();
        break;
      case language::Param::Kind::number:
        numbers();
        break;
      case language::Param::Kind::boolean:
        add("attr", Arg(true));
        add("attr", Arg(false));
        break;
      case language::Param::Kind::dtype:
        for (const DType t : kAllDTypes) {
          add("dtype", Arg(t));
        }
        break;
      case language::Param::Kind::string:
        for (const std::string& s : p_.one_of) add("attr", Arg(s));
        add("attr", Arg(std::string("unknown")));
        break;
      default:
        break;
    }
    if (p_.optional) add("absent", Arg(None{}));
    return std::move(out_);
  }

 private:
  // A bound is met at n and -n - 1 (wrapped), and passed one further on.
  void around(std::int64_t n) {
    integers_.insert({n - 1, n, n + 1, -n, -n - 1, -n - 2});
  }

  void add(const std::string& kind, Arg value) {
    if (value == now_) return;
    out_.push_back({kind, std::move(value)});
  }

  void lists() {
    const auto* now = std::get_if<Shape>(&now_);
    const Shape list = now != nullptr ? *now : Shape();
    add("length", Arg(Shape{}));
    for (const std::int64_t v : integers_) {
      if (list.empty()) add("attr", Arg(Shape{v}));
    }
    for (std::size_t n = 0; n < list.size(); ++n) {
      for (const std::int64_t v : integers_) {
        Shape changed = list;
        changed[n] = v;
        add("attr", Arg(std::move(changed)));
      }
      for (std::size_t k = 0; k < list.size(); ++k) {
        if (k == n) continue;
        Shape repeated = list;
        repeated[n] = list[k];
        add("duplicate", Arg(std::move(repeated)));
      }
      Shape shorter = list;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(n));
      add("length", Arg(std::move(shorter)));
    }
    for (const std::int64_t v : {0, 1, 2, -1}) {
      Shape longer = list;
      longer.push_back(v);
      add("length", Arg(std::move(longer)));
      longer = list;
      longer.insert(longer.begin(), v);
      add("length", Arg(std::move(longer)));
    }
  }

  void numbers() {
    for (const std::int64_t v :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{-1},
          std::int64_t{300}, std::int64_t{1} << 40}) {
      add("number", Arg(v));
    }
    const double inf = std::numeric_limits<double>::infinity();
    for (const double v : {0.0, 0.5, 2.5, -1.0, 1e6, 1e300, inf}) {
      add("number", Arg(v));
    }
    add("number", Arg(true));
    add("number", Arg(false));
  }

  const language::Param& p_;
  const Arg& now_;
  std::set<std::int64_t> integers_;
  std::vector<AttrChange> out_;
};

class Mutator {
 public:
  explicit Mutator(const Call& base) : base_(base) {
    names_ = base.operand_names();
    params_ = base.operand_params();
  }

  std::vector<Mutation> of_complex() {
    all_in(DType::c64);
    const auto operands = base_.operands();
    for (std::size_t n = 0; n < operands.size(); ++n) {
      retype(n, DType::c64, operands[n]->dtype);
    }
    return std::move(out_);
  }

  // All operands of a type have another one.
  std::vector<Mutation> of_type(DType t) {
    std::set<DType> types;
    for (const Operand* o : base_.operands()) types.insert(o->dtype);
    for (const DType old : types) {
      add("dtypes", "", [t, old](Call* call) {
        for (Operand* o : call->operands()) {
          if (o->dtype == old) set_type(o, t);
        }
      });
    }
    return std::move(out_);
  }

  std::vector<Mutation> run() {
    const auto operands = base_.operands();
    for (std::size_t n = 0; n < operands.size(); ++n) {
      ranks(n, operands[n]->sizes);
      sizes(n, operands[n]->sizes);
      if (reads_strides()) layouts(n);
      for (const DType t : kTriedTypes) retype(n, t, operands[n]->dtype);
      if (params_[n]->elements_read) values(n, *operands[n]);
    }
    if (operands.size() > 1) all_types();
    for (std::size_t n = 0; n < base_.args.size(); ++n) {
      const language::Param& p = base_.spec->params[n];
      if (p.kind == language::Param::Kind::tensor) {
        tensor_param(n, p);
      } else if (p.kind == language::Param::Kind::tensors) {
        list_param(n, p);
      } else {
        attr_param(n, p);
      }
    }
    return std::move(out_);
  }

 private:
  Mutation& add(std::string kind, std::string param,
                std::function<void(Call*)> apply) {
    Mutation m;
    m.kind = std::move(kind);
    m.param = std::move(param);
    m.apply = std::move(apply);
    out_.push_back(std::move(m));
    return out_.back();
  }

  Mutation& add_operand(std::string kind, std::size_t n,
                        std::function<void(Operand*)> apply) {
    Mutation& m = add(std::move(kind), params_[n]->name,
                      [n, apply = std::move(apply)](Call* call) {
                        const auto operands = call->operands();
                        // Another change may have taken the operand away.
                        if (n < operands.size()) apply(operands[n]);
                      });
    m.operand = n;
    return m;
  }

  void resize(std::size_t n, const char* kind, const Shape& old, Shape sizes) {
    if (sizes == old || !seen_.emplace(n, sizes).second) return;
    add_operand(kind, n, [sizes = std::move(sizes)](Operand* o) {
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

  // Strides are part of no other promise.
  bool reads_strides() const {
    bool found = false;
    for (const language::Requirement& r : base_.spec->requires_) {
      language::each_part(*r.that, [&found](const language::Expr& part) {
        found = found || part.is(language::FunctionId::viewable);
      });
    }
    return found;
  }

  void layouts(std::size_t n) {
    for (const language::Layout l :
         {language::Layout::transposed, language::Layout::strided}) {
      Mutation& m =
          add_operand("layout", n, [l](Operand* o) { o->layout = l; });
      m.segment = fmt::format("{}.{}", names_[n], layout_segment(l));
    }
  }

  void retype(std::size_t n, DType t, DType old) {
    if (t == old) return;
    add_operand("dtype", n, [t](Operand* o) { set_type(o, t); });
  }

  // What one type cannot do is not hidden by the rule that all types agree.
  void all_types() {
    for (const DType t : kTriedTypes) all_in(t);
  }

  void all_in(DType t) {
    add("dtypes", "", [t](Call* call) {
      for (Operand* o : call->operands()) set_type(o, t);
    });
  }

  // Positions are set by the caller.
  std::vector<Poke> tried_integers(std::size_t n, const Operand& o) {
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
      language::Literal literal;
      literal.integral = true;
      literal.integer = v;
      out.push_back({0, literal, std::to_string(v)});
    }
    return out;
  }

  std::vector<Poke> tried_floats(std::size_t n) {
    std::vector<Poke> out;
    const auto number = [&out](double x) {
      language::Literal literal;
      literal.number = x;
      out.push_back({0, literal, fmt::format("{}", x)});
    };
    for (const double x :
         language::limits_of_elements(*base_.spec, *params_[n])) {
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

  void values(std::size_t n, const Operand& o) {
    const std::int64_t count = element_count(o.sizes);
    if (count == 0 || o.dtype == DType::boolean) return;
    const std::vector<Poke> tried =
        is_float(o.dtype) ? tried_floats(n) : tried_integers(n, o);
    for (const std::int64_t at :
         std::set<std::int64_t>{0, count / 2, count - 1}) {
      for (Poke p : tried) {
        p.position = at;
        Mutation& m = add_operand("value", n, [p](Operand* changed) {
          if (p.position < element_count(changed->sizes)) {
            changed->pokes.push_back(p);
          }
        });
        m.segment = change_segment(names_[n], p);
      }
    }
  }

  void tensor_param(std::size_t n, const language::Param& p) {
    const auto* number = std::get_if<Arg>(&base_.args[n]);
    if (p.optional && std::holds_alternative<Operand>(base_.args[n])) {
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
    add("length", base_.spec->params[n].name, [n, change](Call* call) {
      auto* list = std::get_if<std::vector<Operand>>(&call->args[n]);
      if (list != nullptr) change(list);
    });
  }

  void list_param(std::size_t n, const language::Param&) {
    const auto* list = std::get_if<std::vector<Operand>>(&base_.args[n]);
    if (list == nullptr) return;
    using List = std::vector<Operand>;
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

  void attr_param(std::size_t n, const language::Param& p) {
    const auto* plain = std::get_if<Arg>(&base_.args[n]);
    const Arg now =
        plain != nullptr ? *plain : p.default_value.value_or(Arg(None{}));
    std::vector<Shape> shapes;
    for (const Operand* o : base_.operands()) shapes.push_back(o->sizes);
    for (const AttrChange& change : AttrChanges(p, now, shapes).run()) {
      set_arg(n, change.kind, change.value);
    }
  }

  void set_arg(std::size_t n, const std::string& kind, const Arg& value) {
    add(kind, base_.spec->params[n].name,
        [n, value](Call* call) { call->args[n] = value; });
  }

  const Call& base_;
  std::vector<std::string> names_;                // of operands
  std::vector<const language::Param*> params_;    // of which they are
  std::set<std::pair<std::size_t, Shape>> seen_;  // sizes tried, by operand
  std::vector<Mutation> out_;
};

}  // namespace

void set_type(Operand* o, DType t) {
  o->dtype = t;
  o->pokes.clear();
  if (!check_operand(*o)) o->data = default_generator(t);
}

std::vector<Mutation> mutations(const Call& base) {
  return Mutator(base).run();
}

std::vector<Mutation> complex_operands(const Call& base) {
  return Mutator(base).of_complex();
}

std::vector<Mutation> operands_of_type(const Call& base, DType t) {
  return Mutator(base).of_type(t);
}

}  // namespace assay::cases
