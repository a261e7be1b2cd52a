#include "suite/cases/valid/base_cases.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "suite/cases/inputs/layouts.h"
#include "suite/cases/path.h"
#include "suite/cases/valid/boundary_cases.h"
#include "suite/language/model/value_shape.h"

namespace assay::cases {
namespace {

// Runs `visit` on every choice of one entry per axis, the last axis fastest.
template <class Visit>
void each_choice(const std::vector<std::size_t>& sizes, Visit visit) {
  std::vector<std::size_t> at(sizes.size(), 0);
  for (const std::size_t s : sizes) {
    if (s == 0) return;
  }
  while (true) {
    visit(at);
    std::size_t n = sizes.size();
    while (n > 0 && ++at[n - 1] == sizes[n - 1]) at[--n] = 0;
    if (n == 0) return;
  }
}

class GroupExpander {
 public:
  GroupExpander(const language::OpSpec& spec, const language::CaseGroup& group,
                BaseCases* out)
      : spec_(spec), group_(group), out_(out) {
    pointwise_ = language::is_pointwise(spec);
    layouts_ = group.layouts;
    if (layouts_.empty()) layouts_ = {language::Layout::contiguous};
  }

  void run() {
    const std::map<std::string, Arg> no_attrs;
    const language::SymbolSizes no_sizes;
    std::vector<const std::map<std::string, Arg>*> attrs;
    for (const auto& a : group_.attrs) attrs.push_back(&a);
    if (attrs.empty()) attrs.push_back(&no_attrs);
    std::vector<const language::SymbolSizes*> shapes;
    for (const auto& s : group_.shapes) shapes.push_back(&s);
    if (shapes.empty()) shapes.push_back(&no_sizes);
    for (const language::SymbolSizes* sizes : shapes) {
      for (const auto* a : attrs) each_type(*sizes, *a);
    }
  }

 private:
  void each_type(const language::SymbolSizes& sizes,
                 const std::map<std::string, Arg>& attrs) {
    std::vector<std::size_t> extents;
    std::vector<std::pair<std::string, std::vector<Arg>>> numbers(
        group_.scalars.begin(), group_.scalars.end());
    for (const auto& [param, values] : numbers) {
      extents.push_back(values.size());
    }
    std::set<std::string> replaced;
    for (const auto& [param, values] : numbers) replaced.insert(param);
    for (const auto& [param, value] : attrs) replaced.insert(param);
    const std::vector<TypeAxis> axes =
        type_axes(spec_, group_.dtypes, sizes, replaced);
    for (const TypeAxis& axis : axes) extents.push_back(axis.types.size());
    each_choice(extents, [&](const std::vector<std::size_t>& at) {
      CallRequest request{spec_, sizes, attrs, group_.inputs, {}, {}};
      for (std::size_t n = 0; n < numbers.size(); ++n) {
        request.numbers[numbers[n].first] = numbers[n].second[at[n]];
      }
      for (std::size_t n = 0; n < axes.size(); ++n) {
        request.types[axes[n].symbol] = axes[n].types[at[numbers.size() + n]];
      }
      add(request);
    });
  }

  void add(const CallRequest& request) {
    Result<Call> call = call_of(request);
    if (!call) return fail("", call.error().message);
    spread_special(&*call);
    for (const language::Layout layout : layouts_) {
      // What several elements share cannot be written one by one.
      const bool in_place = !spec_.writes.empty() && !spec_.writes_out();
      if (layout == language::Layout::expanded && in_place) continue;
      Call laid = *call;
      bool differs = layout == language::Layout::contiguous;
      for (Operand* o : laid.operands()) {
        const bool written = laid.written_operand() == index_of(laid, o);
        if (layout == language::Layout::expanded && written) break;
        o->layout = layout;
        differs = differs || layout_applies(layout, o->sizes);
        // With every operand repeated the result would be constant.
        if (layout == language::Layout::expanded && differs) break;
      }
      if (differs) add_laid(std::move(laid), layout, Laid::all);
      add_mixed(*call, layout);
    }
  }

  // Operands that are laid out in different orders: only one of them can be
  // that of the result.
  void add_mixed(const Call& call, language::Layout layout) {
    if (!reorders(layout)) return;
    std::size_t apply = 0;
    for (const Operand* o : call.operands()) {
      if (layout_applies(layout, o->sizes)) ++apply;
    }
    if (apply < 2) return;
    for (const Laid which : {Laid::first, Laid::others}) {
      Call laid = call;
      const std::vector<Operand*> operands = laid.operands();
      for (std::size_t n = 0; n < operands.size(); ++n) {
        if ((n == 0) == (which == Laid::first)) operands[n]->layout = layout;
      }
      add_laid(std::move(laid), layout, which);
    }
  }

  void add_laid(Call call, language::Layout layout, Laid laid) {
    BaseCase c;
    c.clause = group_.id;
    c.layout = layout;
    c.laid = laid;
    c.standard = group_.standard;
    c.vacuous = group_.vacuous;
    c.unbiased = group_.unbiased;
    c.all_contexts = group_.all_contexts;
    c.contexts = group_.contexts;
    c.call = std::move(call);
    name_case(&c);
    if (!seen_.insert(c.path).second) return;  // the same adapted shape
    const std::string fault = call_fault(c.call);
    if (spec_.only && (!fault.empty() || !is_meant(c.call))) return;
    if (!fault.empty()) return fail(c.path, fault);
    out_->cases.push_back(std::move(c));
  }

  // `special` and `all_bits` choose the length where any will do: pointwise
  // operations on vectors. Declared matrices keep their shape.
  void spread_special(Call* call) const {
    const auto operands = call->operands();
    const bool any_length =
        pointwise_ &&
        std::all_of(operands.begin(), operands.end(),
                    [](const Operand* o) { return o->sizes.size() == 1; });
    std::vector<Operand*> special;
    std::int64_t every = 0;
    for (Operand* o : call->operands()) {
      if (o->data->kind == language::Generator::Kind::special)
        special.push_back(o);
      if (o->data->kind == language::Generator::Kind::all_bits) {
        every = std::max(every, std::int64_t{1} << 8 * size_bytes(o->dtype));
      }
    }
    if (every > 0 && any_length) resize(call, every);
    if (special.empty()) return;
    const bool reduces = language::has_reduction(spec_);
    std::int64_t stride = 1;
    for (Operand* o : special) {
      o->brief = special.size() > 2;
      o->spread = reduces      ? Spread::sparse
                  : pointwise_ ? Spread::cross
                               : Spread::repeat;
      if (o->spread != Spread::cross) continue;
      o->cross_stride = stride;
      stride *= cross_size(*o->data, o->dtype, o->brief);
    }
    if (!any_length) return;
    const Call declared = *call;
    resize(call, stride);
    // An attribute may depend on the shape (the sizes of an expansion).
    if (!call_fault(*call).empty()) {
      *call = declared;
      for (Operand* o : call->operands()) o->spread = Spread::repeat;
    }
  }

  static std::size_t index_of(Call& call, const Operand* operand) {
    const auto all = call.operands();
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), operand) -
                                    all.begin());
  }

  static void resize(Call* call, std::int64_t count) {
    for (Operand* o : call->operands()) o->sizes = {count};
    fit_out(call);
  }

  void fail(const std::string& path, const std::string& what) {
    out_->errors.push_back(spec_.file + ":" + std::to_string(group_.pos.line) +
                           ":" + std::to_string(group_.pos.column) + ": " +
                           (path.empty() ? group_.id : path) + ": " + what);
  }

  const language::OpSpec& spec_;
  const language::CaseGroup& group_;
  BaseCases* out_;
  bool pointwise_ = false;
  std::vector<language::Layout> layouts_;
  std::set<std::string> seen_;
};

}  // namespace

std::string laid_segment(const BaseCase& c) {
  const std::string layout = layout_segment(c.layout);
  if (c.laid == Laid::all) return layout;
  return layout + (c.laid == Laid::first ? "_first" : "_others");
}

void name_case(BaseCase* c, const std::string& part) {
  c->path = call_path(c->call, c->clause);
  // A layout changes where elements lie, a part which literals there are, and
  // writing into an operand nothing of what is computed.
  std::string seed = c->path;
  const std::string& name = c->call.spec->name;
  if (!c->call.spec->writes.empty() && name.ends_with("_")) {
    seed.erase(name.size() - 1, 1);
  }
  seed_operands(seed, &c->call);
  c->path = path_below(path_below(c->path, laid_segment(*c)), part);
}

BaseCases base_cases(const language::OpSpec& spec) {
  BaseCases out;
  for (const language::CaseGroup& group : spec.cases) {
    GroupExpander(spec, group, &out).run();
  }
  add_boundary_cases(spec, &out);
  return out;
}

}  // namespace assay::cases
