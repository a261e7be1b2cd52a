#include "harness/fuzz/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/operands.h"
#include "core/program_text.h"
#include "core/writes.h"
#include "harness/fuzz/call_site.h"
#include "harness/fuzz/elements.h"
#include "suite/cases/invalid/mutate.h"
#include "suite/cases/valid/base_cases.h"
#include "suite/language/model/value_shape.h"

namespace assay::harness {
namespace {

using cases::Operand;
using cases::Random;

constexpr const char* kCast = "aten._to_copy.default";
constexpr const char* kReshape = "aten.reshape.default";
// Casts, arithmetic and choices: what most programs mostly call, and what
// compilers rewrite, contract and reorder.
constexpr const char* kCommon[] = {
    kCast,
    kCast,
    kCast,
    "aten.add.Tensor",
    "aten.add.Tensor",
    "aten.sub.Tensor",
    "aten.mul.Tensor",
    "aten.mul.Tensor",
    "aten.div.Tensor",
    "aten.neg.default",
    "aten.abs.default",
    "aten.relu.default",
    "aten.maximum.default",
    "aten.minimum.default",
    "aten.where.self",
    "aten.eq.Tensor",
    "aten.lt.Tensor",
    "aten.sum.dim_IntList",
    "aten.permute.default",
    "aten.cat.default",
};
constexpr std::uint64_t kPercentThatWrite = 12;
constexpr int kTriesPerStep = 12;
constexpr int kTriesToRefuse = 60;

// Do the specs say which values an argument may have? Of one that no
// requirement mentions (the number of a reduction, whether to train) only the
// declared ones are known to be good.
bool has_stated_domain(const language::OpSpec& op,
                       const language::Param& param) {
  const auto names_it = [&param](const language::Requirement& r) {
    return language::any_part(*r.that, [&param](const language::Expr& part) {
      return part.kind == language::Expr::Kind::name && part.text == param.name;
    });
  };
  return std::any_of(op.requires_.begin(), op.requires_.end(), names_it);
}

bool reads_strides(const language::OpSpec& op) {
  const auto reads = [](const language::Requirement& r) {
    return language::any_part(*r.that, [](const language::Expr& part) {
      return part.is(language::FunctionId::viewable);
    });
  };
  return std::any_of(op.requires_.begin(), op.requires_.end(), reads);
}

class Maker {
 public:
  Maker(const CallTemplates& templates, std::uint64_t seed,
        std::uint64_t number)
      : templates_(templates),
        specs_(templates.specs()),
        random_(fnv1a(fmt::format("fuzz {} {}", seed, number))) {}

  Candidate run() {
    const std::size_t steps = 1 + random_.below(kMostSteps);
    for (std::size_t n = 0; n < steps; ++n) {
      // The first step may take any operation, so that it comes to be.
      for (int t = 0; t < kTriesPerStep || value_count() == 0; ++t) {
        if (add_step()) break;
      }
    }
    std::optional<ValueRef> refused;
    if (chance(10)) refused = add_refused();
    return finished(refused);
  }

 private:
  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }
  template <class T>
  const T& any_of(const std::vector<T>& list) {
    return list[random_.below(list.size())];
  }

  // --- Calls that hold.

  bool add_step() {
    std::optional<CallSite> site = draw_site();
    if (!site) return false;
    if (chance(25)) change_attribute(&*site);
    if (!has_known_types(site->call) || !cases::is_meant(site->call)) {
      return false;
    }
    std::optional<TypedDraft> made = with_call(draft_, *site, specs_, &random_);
    if (!made || !made->refused.empty() || !has_meaning(made->draft)) {
      return false;
    }
    draft_ = std::move(*made);
    return true;
  }

  static Program program_of_all(const Draft& d) {
    std::vector<ValueRef> all;
    for (std::size_t p = 0; p < d.value_count(); ++p) all.push_back(d.value(p));
    return program_of(d.candidate(all));
  }

  // With every value returned; and its last call, if it writes, writes nothing
  // twice and reads nothing else of what it writes into.
  static bool has_meaning(const Draft& d) {
    const Node& last = d.nodes().back();
    if (further_output(last)) return true;
    const Program program = program_of_all(d);
    if (misused_value(program)) return false;
    if (!writes_operand(last)) return true;
    ValueRef v = *base_operand(program.nodes.back());
    const Storages storages(program);
    for (const ValueRef other : operands(program.nodes.back())) {
      const bool shares = storages.root(other.id) == storages.root(v.id);
      if (!(other == v) && shares) return false;
    }
    while (program.is_node(v)) {
      const Node& node = program.call(v);
      if (repeats_elements(node.op)) return false;
      if (!is_view(node) && !writes_operand(node)) return true;
      v = *base_operand(node);
    }
    return d.givens()[static_cast<std::size_t>(v.id)].layout !=
           language::Layout::expanded;
  }

  static bool repeats_elements(std::string_view op) {
    return op.starts_with("aten.expand") || op.starts_with("aten.unfold") ||
           op.starts_with("aten.broadcast_to");
  }

  bool has_known_types(const cases::Call& call) const {
    const auto operands = call.operands();
    const auto params = call.operand_params();
    for (std::size_t n = 0; n < operands.size(); ++n) {
      if (!templates_.takes(*call.spec, *params[n], operands[n]->dtype)) {
        return false;
      }
    }
    return true;
  }

  const std::vector<const language::OpSpec*>& draw_kind() {
    if (chance(kPercentThatWrite)) return templates_.writing();
    const std::uint64_t p = random_.below(100);
    if (p < 35) return templates_.common();
    return p < 65 ? templates_.pointwise() : templates_.others();
  }

  // A template's call with values of the program as operands.
  std::optional<CallSite> draw_site() {
    const auto& ops = draw_kind();
    if (ops.empty()) return std::nullopt;
    const language::OpSpec* op = any_of(ops);
    const auto& calls = templates_.of(*op);
    if (calls.empty()) return std::nullopt;
    CallSite site{any_of(calls), {}};
    site.sources.resize(site.call.operands().size());
    for (Operand* o : site.call.operands()) o->layout = draw_layout(&random_);
    if (language::is_pointwise(*op)) {
      connect_pointwise(&site);
    } else {
      connect_by_type(&site);
    }
    return site;
  }

  std::size_t value_count() const { return draft_.draft.value_count(); }

  // Of the last three as often as of all: so chains grow.
  ValueRef draw_value() {
    const std::size_t count = value_count();
    const std::size_t among =
        chance(50) ? std::min<std::size_t>(3, count) : count;
    return draft_.draft.value(count - 1 - random_.below(among));
  }

  void take(CallSite* site, std::size_t n, ValueRef v) {
    const TensorType& t = draft_.type(v);
    Operand* o = site->call.operands()[n];
    o->sizes = t.sizes;
    o->dtype = t.dtype;
    o->layout = language::Layout::contiguous;
    o->pokes.clear();
    site->sources[n] = v;
  }

  // May an operand be a value of the program? Not where a requirement reads
  // its elements or its strides: what a program computes is not known here, nor
  // how a subject lays it out.
  static bool is_free(const CallSite& site, std::size_t n) {
    return !site.call.operand_params()[n]->elements_read &&
           !reads_strides(*site.call.spec);
  }

  // A value as this type, by a cast if need be. Floats do not become integers
  // where nobody asks for it: of what is too large nothing is promised.
  std::optional<ValueRef> converted(ValueRef v, DType to) {
    const DType from = draft_.type(v).dtype;
    if (from == to) return v;
    if (is_float(from) && !is_float(to)) return std::nullopt;
    if (specs_.find_aten(kCast) == nullptr) return std::nullopt;
    return extended({kCast, {v}, {{"dtype", to}}});
  }

  std::optional<ValueRef> reshaped(ValueRef v, const Shape& sizes) {
    if (draft_.type(v).sizes == sizes) return v;
    if (specs_.find_aten(kReshape) == nullptr) return std::nullopt;
    return extended({kReshape, {v, sizes}, {}});
  }

  std::optional<ValueRef> extended(Node node) {
    std::optional<TypedDraft> made = with_node(draft_, std::move(node), specs_);
    if (!made) return std::nullopt;
    draft_ = std::move(*made);
    return draft_.draft.value(value_count() - 1);
  }

  // All operands broadcast to the first that is a value of the program, or to
  // sizes of their own.
  void connect_pointwise(CallSite* site) {
    const std::size_t count = site->call.operands().size();
    std::vector<std::size_t> free;
    for (std::size_t n = 0; n < count; ++n) {
      if (is_free(*site, n)) free.push_back(n);
    }
    if (free.size() < count) return;  // its template's sizes are right
    Shape sizes = draw_sizes(&random_);
    std::optional<std::size_t> leader;
    const std::vector<DType> declared = dtypes_of(site->call);
    if (value_count() > 0 && !free.empty() && !chance(12)) {
      leader = any_of(free);
      const ValueRef v = draw_value();
      sizes = draft_.type(v).sizes;
      const auto cast =
          chance(60) ? converted(v, declared[*leader]) : std::nullopt;
      take(site, *leader, cast.value_or(v));
    }
    for (const std::size_t n : free) {
      if (leader == n) continue;
      Operand* o = site->call.operands()[n];
      // What had the leader's type still has.
      if (leader && declared[n] == declared[*leader]) {
        retype(o, site->call.operands()[*leader]->dtype);
      }
      const auto value = value_like(o->dtype, sizes);
      if (value && chance(60)) {
        take(site, n, *value);
      } else {
        o->sizes = draw_broadcast(sizes, &random_);
        o->pokes.clear();
      }
    }
  }

  static std::vector<DType> dtypes_of(const cases::Call& call) {
    std::vector<DType> out;
    for (const Operand* o : call.operands()) out.push_back(o->dtype);
    return out;
  }

  static void retype(Operand* o, DType t) {
    if (o->dtype == t) return;
    o->dtype = t;
    o->data = cases::default_generator(t);
    o->pokes.clear();
  }

  // Some value of this type; now and then of another dtype.
  std::optional<ValueRef> value_like(DType t, const Shape& sizes) {
    std::vector<ValueRef> found;
    for (std::size_t p = 0; p < value_count(); ++p) {
      const ValueRef v = draft_.draft.value(p);
      const TensorType& type = draft_.type(v);
      if (type.sizes == sizes && (type.dtype == t || chance(5))) {
        found.push_back(v);
      }
    }
    if (found.empty()) return std::nullopt;
    return any_of(found);
  }

  // Operands of an operation with shapes of its own: a value of just that type,
  // or one that is cast and reshaped to it, or any value, whose type the
  // operation may take.
  void connect_by_type(CallSite* site) {
    bool adopted = false;
    for (std::size_t n = 0; n < site->call.operands().size(); ++n) {
      if (!is_free(*site, n) || value_count() == 0 || chance(25)) continue;
      const DType dtype = site->call.operands()[n]->dtype;
      const Shape sizes = site->call.operands()[n]->sizes;
      std::optional<ValueRef> v = value_like(dtype, sizes);
      if (!v && !adopted && chance(70)) {
        adopted = true;
        v = draw_value();
        if (chance(50)) v = converted(*v, dtype).value_or(*v);
      }
      if (!v || chance(40)) {
        if (const auto fitted = fitted_value(dtype, sizes)) v = fitted;
      }
      if (v) take(site, n, *v);
    }
  }

  std::optional<ValueRef> fitted_value(DType t, const Shape& sizes) {
    std::vector<ValueRef> found;
    for (std::size_t p = 0; p < value_count(); ++p) {
      const ValueRef v = draft_.draft.value(p);
      if (element_count(draft_.type(v).sizes) == element_count(sizes)) {
        found.push_back(v);
      }
    }
    if (found.empty()) return std::nullopt;
    const auto cast = converted(any_of(found), t);
    return cast ? reshaped(*cast, sizes) : std::nullopt;
  }

  // --- Changes of calls.

  void change_attribute(CallSite* site) {
    std::vector<cases::Mutation> changes = cases::mutations(site->call);
    const language::OpSpec& op = *site->call.spec;
    std::erase_if(changes, [&op](const cases::Mutation& m) {
      return m.operand || (m.kind != "attr" && m.kind != "duplicate") ||
             !has_stated_domain(op, *op.param(m.param));
    });
    if (!changes.empty()) apply(any_of(changes), site);
  }

  // An operand that changes is drawn; one more or one less shifts the others,
  // which are drawn then, too.
  static void apply(const cases::Mutation& m, CallSite* site) {
    m.apply(&site->call);
    const std::size_t count = site->call.operands().size();
    if (count != site->sources.size()) {
      site->sources.assign(count, std::nullopt);
    } else if (m.operand) {
      site->sources[*m.operand] = std::nullopt;
    } else if (m.kind == "dtypes") {
      site->sources.assign(count, std::nullopt);
    }
  }

  // --- Calls that break one requirement.

  std::optional<ValueRef> add_refused() {
    for (int t = 0; t < kTriesToRefuse; ++t) {
      const TypedDraft before = draft_;
      std::optional<ValueRef> made = try_refused();
      if (made) return made;
      draft_ = before;
    }
    return std::nullopt;
  }

  std::optional<ValueRef> try_refused() {
    std::optional<CallSite> site = draw_site();
    if (!site || !cases::call_fault(site->call).empty()) return std::nullopt;
    const std::vector<cases::Mutation> changes = cases::mutations(site->call);
    if (changes.empty()) return std::nullopt;
    apply(any_of(changes), &*site);
    const Result<cases::Violations> broken = cases::violations(site->call);
    if (!broken || broken->failing.size() != 1 || !broken->first_decides ||
        !broken->failing.front()->derive) {
      return std::nullopt;
    }
    std::optional<TypedDraft> made = with_call(draft_, *site, specs_, &random_);
    const std::string due =
        site->call.spec->name + "/" + broken->failing.front()->id;
    if (!made || made->refused != due) return std::nullopt;
    draft_ = std::move(*made);
    return draft_.draft.value(value_count() -
                              cases::returned_tensors(site->call));
  }

  // --- Results.

  // What nobody reads, and now and then an intermediate value, which then must
  // be what its readers were given.
  std::vector<ValueRef> draw_outputs() {
    const Draft& d = draft_.draft;
    std::vector<bool> read(value_count(), false);
    for (const Node& node : d.nodes()) {
      if (further_output(node)) continue;
      for (const ValueRef v : operands(node)) read[d.position(v)] = true;
    }
    std::vector<ValueRef> out;
    for (std::size_t p = d.givens().size(); p < value_count(); ++p) {
      if (!read[p] || chance(15)) out.push_back(d.value(p));
    }
    return out;
  }

  Candidate finished(std::optional<ValueRef> refused) {
    std::vector<bool> captured;
    const Storages storages(program_of_all(draft_.draft));
    for (std::size_t k = 0; k < draft_.draft.givens().size(); ++k) {
      const int id = static_cast<int>(k);
      const bool plain =
          draft_.draft.givens()[k].layout == language::Layout::contiguous &&
          storages.written(id) == id;
      captured.push_back(plain && chance(10));
    }
    std::vector<ValueRef> outputs =
        refused ? std::vector<ValueRef>{*refused} : draw_outputs();
    Candidate c = draft_.draft.candidate(outputs, captured);
    if (refused) c.must_raise = draft_.refused;
    return pruned(c);
  }

  const CallTemplates& templates_;
  const language::SpecSet& specs_;
  Random random_;
  TypedDraft draft_;
};

bool is_small(const cases::Call& call) {
  const auto operands = call.operands();
  return std::all_of(operands.begin(), operands.end(), [](const Operand* o) {
    return element_count(o->sizes) <= kMostGivenElements;
  });
}

}  // namespace

CallTemplates::CallTemplates(const language::SpecSet& specs)
    : specs_(specs), entries_(specs.ops.size()) {
  for (const char* aten : kCommon) {
    if (const auto* op = specs.find_aten(aten)) common_.push_back(op);
  }
  for (const language::OpSpec& op : specs.ops) {
    // What changes an operand's sizes leaves it to nobody else, and what
    // relations decide promises nothing to calls that follow.
    if (changes_metadata({op.aten, {}, {}}) || op.writes_out() ||
        op.has_relations() || op.is_of_complex()) {
      continue;
    }
    auto& ops = !op.writes.empty()           ? writing_
                : language::is_pointwise(op) ? pointwise_
                                             : others_;
    ops.push_back(&op);
  }
}

const CallTemplates::Entry& CallTemplates::entry(
    const language::OpSpec& op) const {
  const auto n = static_cast<std::size_t>(&op - specs_.ops.data());
  Entry& entry = entries_[n];
  std::call_once(entry.made, [&] {
    for (cases::BaseCase& b : cases::base_cases(op).cases) {
      const auto operands = std::as_const(b.call).operands();
      const auto params = b.call.operand_params();
      // Elements are drawn as real numbers.
      if (std::any_of(operands.begin(), operands.end(),
                      [](const auto* o) { return is_complex(o->dtype); })) {
        continue;
      }
      for (std::size_t k = 0; k < operands.size(); ++k) {
        entry.types.emplace(params[k], operands[k]->dtype);
      }
      if (is_small(b.call)) entry.calls.push_back(std::move(b.call));
    }
  });
  return entry;
}

const std::vector<cases::Call>& CallTemplates::of(
    const language::OpSpec& op) const {
  return entry(op).calls;
}

bool CallTemplates::takes(const language::OpSpec& op,
                          const language::Param& param, DType dtype) const {
  return entry(op).types.contains({&param, dtype});
}

Candidate draw_program(const CallTemplates& templates, std::uint64_t seed,
                       std::uint64_t number) {
  return Maker(templates, seed, number).run();
}

}  // namespace assay::harness
