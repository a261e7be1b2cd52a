#include "suite/cases/invalid/sharing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include "suite/cases/inputs/layouts.h"

namespace assay::cases {
namespace {

using Views = std::map<std::size_t, View>;

Node step(const char* op, std::vector<Arg> args) {
  return {op, std::move(args), {}};
}

// `sizes` from element `first` on of a vector.
View part_of_vector(const Shape& sizes, std::int64_t first) {
  const std::int64_t end = first + element_count(sizes);
  View v;
  v.first = first;
  v.strides = contiguous_strides(sizes);
  v.steps.push_back(step("aten.slice.Tensor", {std::int64_t{0}, first, end}));
  if (sizes.size() != 1) {
    v.steps.push_back(step("aten.view.default", {sizes}));
  }
  return v;
}

// Zero is an index wherever there is any.
std::shared_ptr<const language::Generator> zeros() {
  language::Generator g;
  g.kind = language::Generator::Kind::integers;
  g.a = g.b = 0;
  return std::make_shared<const language::Generator>(g);
}

View transposed(Shape sizes) {
  View v;
  v.strides = contiguous_strides(sizes);
  std::swap(v.strides[0], v.strides[1]);
  v.steps.push_back(
      step("aten.transpose.int", {std::int64_t{0}, std::int64_t{1}}));
  return v;
}

class Sharings {
 public:
  explicit Sharings(const Call& call)
      : call_(call),
        operands_(call.operands()),
        names_(call.operand_names()),
        params_(call.operand_params()),
        written_(call.written_operand().value_or(operands_.size())) {}

  std::vector<Mutation> run() {
    if (written_ == operands_.size() || !call_.spec->places_read) return {};
    repeated();
    for (std::size_t n = 0; n < operands_.size(); ++n) {
      if (n == written_) continue;
      const bool same = operands_[n]->dtype == x().dtype;
      // An index stays one: what is written is of its type.
      const bool retyped = params_[n]->elements_read && !has_fractions();
      if (!same && !retyped) continue;
      meeting(n);
      if (same) turned(n);
    }
    return std::move(out_);
  }

 private:
  const Operand& x() const { return *operands_[written_]; }

  // Of numbers that another type may not hold nobody has said what they do.
  bool has_fractions() const {
    return std::any_of(call_.args.begin(), call_.args.end(),
                       [](const CallArg& a) {
                         const auto* plain = std::get_if<Arg>(&a);
                         return plain && std::holds_alternative<double>(*plain);
                       });
  }

  Mutation& add(const char* kind, std::string segment,
                std::function<void(Call*)> apply) {
    Mutation m;
    m.kind = kind;
    m.operand = written_;
    m.segment = std::move(segment);
    m.apply = std::move(apply);
    out_.push_back(std::move(m));
    return out_.back();
  }

  // What the operands lie in holds what the one at `like` would: a requirement
  // may read its elements.
  Operand base_of(Shape sizes, std::size_t like) const {
    Operand base = x();
    base.layout = language::Layout::contiguous;
    base.dtype = operands_[like]->dtype;
    base.data = operands_[like]->data;
    base.sizes = std::move(sizes);
    base.spread = Spread::repeat;
    base.cross_stride = 1;
    base.pokes.clear();
    if (!check_operand(base)) {
      base.data = params_[like]->elements_read ? zeros()
                                               : default_generator(base.dtype);
    }
    return base;
  }

  std::function<void(Call*)> sharing(Operand base, Views views) const {
    return [base = std::move(base), views = std::move(views)](Call* call) {
      call->shared = SharedBase{base, views};
    };
  }

  void repeated() {
    const Shape& sizes = x().sizes;
    if (!layout_applies(language::Layout::expanded, sizes)) return;
    const std::string& name = names_[written_];
    add("layout", name + ".expanded", [n = written_](Call* call) {
      call->operands()[n]->layout = language::Layout::expanded;
    });
    View repeats;
    repeats.steps.push_back(step("aten.expand.default", {sizes}));
    View whole = repeats;
    whole.strides = contiguous_strides(sizes);
    repeats.strides =
        layout_type(x().dtype, sizes, language::Layout::expanded).strides;
    Shape once = sizes;
    *std::find_if(once.begin(), once.end(),
                  [](std::int64_t s) { return s > 1; }) = 1;
    const auto segment = [&name](const Shape& from) {
      return fmt::format("{}.from_{}", name, fmt::join(from, "x"));
    };
    Mutation& m = add("repeated", segment(once),
                      sharing(base_of(once, written_), {{written_, repeats}}));
    m.control = sharing(base_of(sizes, written_), {{written_, whole}});
    m.control_segment = segment(sizes);
  }

  // Operand `n` begins within the first one; in the control, behind it.
  void meeting(std::size_t n) {
    const Operand& y = *operands_[n];
    const std::int64_t count = element_count(x().sizes);
    if (count == 0 || element_count(y.sizes) == 0) return;
    const Operand base = base_of({count + element_count(y.sizes)},
                                 params_[n]->elements_read ? n : written_);
    const auto from = [&](std::int64_t first) {
      return [old = x().dtype, type = y.dtype,
              share = sharing(base, {{written_, part_of_vector(x().sizes, 0)},
                                     {n, part_of_vector(y.sizes, first)}})](
                 Call* call) {
        for (Operand* o : call->operands()) {
          if (o->dtype == old) set_type(o, type);
        }
        share(call);
      };
    };
    const auto segment = [&](std::int64_t first) {
      return fmt::format("{}={}+{}", names_[n], names_[written_], first);
    };
    for (const std::int64_t first :
         std::set<std::int64_t>{0, 1 % count, count / 2, count - 1}) {
      Mutation& m = add("meeting", segment(first), from(first));
      m.control = from(count);
      m.control_segment = segment(count);
    }
  }

  // All operands are square matrices. In the control they are the same.
  void turned(std::size_t n) {
    const Shape square = {5, 5};
    const Operand base =
        base_of(square, params_[n]->elements_read ? n : written_);
    View whole;
    whole.strides = contiguous_strides(square);
    const auto with = [&](View other) {
      return [square, share = sharing(base, {{written_, whole}, {n, other}})](
                 Call* call) {
        for (Operand* o : call->operands()) {
          o->sizes = square;
          o->pokes.clear();
        }
        share(call);
      };
    };
    Mutation& m = add("turned", names_[n] + "=" + names_[written_] + ".t",
                      with(transposed(square)));
    m.control = with(whole);
    m.control_segment = names_[n] + "=" + names_[written_];
  }

  const Call& call_;
  const std::vector<const Operand*> operands_;
  const std::vector<std::string> names_;
  const std::vector<const language::Param*> params_;
  const std::size_t written_;
  std::vector<Mutation> out_;
};

}  // namespace

std::vector<Mutation> sharings(const Call& base) {
  return Sharings(base).run();
}

}  // namespace assay::cases
