#include "suite/cases/valid/boundary_cases.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "suite/cases/quota.h"
#include "suite/cases/valid/call.h"
#include "suite/language/model/literal.h"
#include "suite/language/model/value_shape.h"

namespace assay::cases {
namespace {

using Operands = std::map<std::string, std::vector<language::Literal>>;

// Literals of each operand side by side; shorter lists start again.
Operands side_by_side(const Operands& operands, std::size_t* count) {
  *count = 0;
  for (const auto& [name, list] : operands) {
    *count = std::max(*count, list.size());
  }
  Operands out;
  for (const auto& [name, list] : operands) {
    out[name] = {};
    for (std::size_t n = 0; n < *count; ++n) {
      out[name].push_back(list[n % list.size()]);
    }
  }
  return out;
}

bool representable(const std::vector<language::Literal>& list, DType t) {
  return std::all_of(list.begin(), list.end(), [&](const language::Literal& l) {
    return language::literal_bits(l, t).ok();
  });
}

// Every `parts`-th literal from `part` on. Neighbours in a list tend to give
// equal results (all overflow, say), so they go to different parts.
std::vector<language::Literal> part_of(
    const std::vector<language::Literal>& list, std::size_t part,
    std::size_t parts) {
  std::vector<language::Literal> own;
  for (std::size_t n = part; n < list.size(); n += parts) {
    own.push_back(list[n]);
  }
  return own;
}

// Repeated over the body and once more from the start over the tail.
language::Generator body_and_tail(const std::vector<language::Literal>& own,
                                  std::int64_t body) {
  language::Generator g;
  g.kind = language::Generator::Kind::values;
  for (const std::int64_t lanes : {body, kBoundaryTail}) {
    for (std::int64_t n = 0; n < lanes; ++n) {
      g.values.push_back(own[static_cast<std::size_t>(n) % own.size()]);
    }
  }
  return g;
}

class BoundaryExpander {
 public:
  BoundaryExpander(const language::OpSpec& spec,
                   const language::Boundary& boundary, BaseCases* out)
      : spec_(spec), boundary_(boundary), out_(out) {
    operands_ = side_by_side(boundary.operands, &count_);
    pointwise_ = language::is_pointwise(spec);
  }

  void run() {
    if (boundary_.solved.empty()) {
      literals();
    } else {
      solved();
    }
    if (made_ == 0 && fault_.empty()) {
      fault_ = "no dtype of the operation can hold these literals";
    }
    if (!fault_.empty()) {
      out_->errors.push_back(spec_.file + ":" +
                             std::to_string(boundary_.pos.line) + ":" +
                             std::to_string(boundary_.pos.column) + ": " +
                             boundary_.id + ": " + fault_);
    }
  }

 private:
  void literals() {
    std::size_t parts = 1;
    if (pointwise_) {
      const auto room = static_cast<std::size_t>(kBoundaryTail);
      parts = (count_ + room - 1) / room;
    }
    for (std::size_t part = 0; part < parts; ++part) {
      inputs_.clear();
      for (const auto& [name, list] : operands_) {
        inputs_[name] = pointwise_
                            ? body_and_tail(part_of(list, part, parts), body_)
                            : all_values(list);
      }
      part_ = parts > 1 ? "part" + std::to_string(part + 1) : "";
      each_type();
    }
  }

  // What is stored differs from type to type, and is one tensor of each.
  void solved() {
    const std::string& operand = operands_.begin()->first;
    for (const auto& [t, list] : boundary_.solved_values) {
      const auto count = static_cast<std::int64_t>(list.size());
      body_ = (count + kBoundaryBody - 1) / kBoundaryBody * kBoundaryBody;
      inputs_[operand] =
          pointwise_ ? body_and_tail(list, body_) : all_values(list);
      add(t);
    }
  }

  static language::Generator all_values(
      const std::vector<language::Literal>& list) {
    language::Generator g;
    g.kind = language::Generator::Kind::values;
    g.values = list;
    return g;
  }

  // All operands that carry literals have one type.
  void each_type() {
    std::vector<DType> types = boundary_.dtypes;
    const bool listed = !types.empty();
    if (!listed) types = first_axis();
    for (const DType t : types) {
      const bool fits = std::all_of(
          operands_.begin(), operands_.end(),
          [&](const auto& o) { return representable(o.second, t); });
      if (fits) {
        add(t);
      } else if (listed) {
        fault_ = "a literal is no element of " + std::string(dtype_name(t));
      }
    }
  }

  std::vector<DType> first_axis() const {
    std::vector<DType> types;
    for (const language::Param& p : spec_.params) {
      if (!boundary_.operands.contains(p.name)) continue;
      const auto axes = type_axes(spec_, {}, {}, replaced_except(p.name));
      if (!axes.empty()) types = axes[0].types;
      break;
    }
    std::erase(types, DType::boolean);
    return types;
  }

  std::set<std::string> replaced_except(const std::string& name) const {
    std::set<std::string> others;
    for (const language::Param& p : spec_.params) {
      if (p.name != name) others.insert(p.name);
    }
    return others;
  }

  // Attributes that the clause leaves open are those of the first case group
  // whose attributes make a valid call with the others.
  void add(DType t) {
    std::string fault = "the operation has no case group to take sizes from";
    for (const language::CaseGroup& group : spec_.cases) {
      std::vector<std::map<std::string, Arg>> choices = group.attrs;
      if (choices.empty()) choices.emplace_back();
      for (std::map<std::string, Arg> attrs : choices) {
        for (const auto& [name, value] : boundary_.attrs) {
          attrs.insert_or_assign(name, value);
        }
        fault = try_add(t, group, attrs);
        if (fault.empty()) return;
      }
    }
    fault_ = fault;
  }

  std::string try_add(DType t, const language::CaseGroup& group,
                      const std::map<std::string, Arg>& attrs) {
    const language::SymbolSizes sizes = sizes_of(group);
    CallRequest request{spec_, sizes, attrs, inputs_, {}, {}};
    for (const auto& axis : type_axes(spec_, {}, sizes, {})) {
      const bool holds = std::find(axis.types.begin(), axis.types.end(), t) !=
                         axis.types.end();
      request.types[axis.symbol] = holds ? t : axis.types[0];
    }
    for (const auto& [name, list] : operands_) {
      const language::Param* p = spec_.param(name);
      if (p != nullptr) request.types[p->dtype_symbol] = t;
    }
    Result<Call> call = call_of(request);
    if (!call) return call.error().message;
    BaseCase c;
    c.clause = boundary_.id;
    c.boundary = true;
    c.solved = !boundary_.solved.empty();
    c.vacuous = boundary_.vacuous;
    c.call = std::move(*call);
    for (Operand* o : c.call.operands()) {
      const bool literals = o->data->kind == language::Generator::Kind::values;
      if (literals && !pointwise_ && language::has_reduction(spec_)) {
        o->spread = Spread::sparse;
      }
    }
    name_case(&c, part_);
    const std::string fault = call_fault(c.call);
    if (spec_.only && (!fault.empty() || !is_meant(c.call))) return "";
    if (!fault.empty()) return fault;
    out_->cases.push_back(std::move(c));
    ++made_;
    return "";
  }

  language::SymbolSizes sizes_of(const language::CaseGroup& group) const {
    if (!pointwise_) {
      return group.shapes.empty() ? language::SymbolSizes() : group.shapes[0];
    }
    language::SymbolSizes sizes;
    for (const language::Param& p : spec_.params) {
      if (p.kind != language::Param::Kind::tensor) continue;
      const std::string symbol = p.shape ? p.shape->front().symbol : p.name;
      sizes[symbol] = {body_ + kBoundaryTail};
    }
    return sizes;
  }

  const language::OpSpec& spec_;
  const language::Boundary& boundary_;
  BaseCases* out_;
  Operands operands_;
  std::size_t count_ = 0;
  bool pointwise_ = false;
  std::int64_t body_ = kBoundaryBody;
  std::map<std::string, language::Generator> inputs_;
  std::string part_;
  std::string fault_;
  std::size_t made_ = 0;
};

}  // namespace

void add_boundary_cases(const language::OpSpec& spec, BaseCases* out) {
  for (const language::Boundary& b : spec.boundaries) {
    BoundaryExpander(spec, b, out).run();
  }
}

}  // namespace assay::cases
