// All that a model of an operation says, as text: two spellings of a spec mean
// the same if theirs are equal.
#ifndef ASSAY_SUITE_LANGUAGE_TESTING_MODEL_TEXT_H_
#define ASSAY_SUITE_LANGUAGE_TESTING_MODEL_TEXT_H_

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "suite/language/model/spec.h"

namespace assay::language {

inline std::string text_of(const ExprPtr& e) { return e ? to_string(*e) : "-"; }

inline std::string text_of(const std::vector<DType>& types) {
  std::string out;
  for (const DType t : types) out += std::string(dtype_name(t)) + " ";
  return out;
}

struct ArgText {
  std::string operator()(None) const { return "none"; }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(std::int64_t i) const { return std::to_string(i); }
  std::string operator()(double d) const { return fmt::format("{:a}", d); }
  std::string operator()(const Shape& s) const { return fmt::format("{}", s); }
  std::string operator()(const Numbers& s) const {
    return fmt::format("{}", s);
  }
  std::string operator()(DType t) const { return std::string(dtype_name(t)); }
  std::string operator()(const std::string& s) const { return '"' + s + '"'; }
  template <class Other>
  std::string operator()(const Other&) const {
    return "?";
  }
};

inline std::string text_of(const Arg& arg) {
  return std::visit(ArgText{}, arg);
}

inline std::string text_of(const Literal& l) {
  return fmt::format("{}/{}/{}/{:a}/{}/{:x}/{}/{}", static_cast<int>(l.base),
                     l.integral, l.negative, l.number, l.integer, l.bits,
                     l.bits_dtype ? dtype_name(*l.bits_dtype) : "-", l.steps);
}

inline std::string text_of(const ShapePattern& pattern) {
  std::string out;
  for (const DimPattern& d : pattern) {
    out += fmt::format("{}{}{} ", d.symbol, d.pack ? "..." : "",
                       d.fixed ? std::to_string(*d.fixed) : "");
  }
  return out;
}

inline std::string text_of(const OutputSpec& o) {
  std::string out =
      fmt::format("output {} {} {} {} {}\n", o.name, text_of(o.result_dtype),
                  text_of(o.result_shape), text_of(o.layout), o.value_id);
  for (const Definition& d : o.value) {
    out += "  " + d.name + "[";
    for (const Binder& b : d.indices) {
      out += fmt::format("{}{} {} {}, ", b.name, b.pack ? "..." : "",
                         text_of(b.from), text_of(b.to));
    }
    out += "] = " + text_of(d.body) + "\n";
  }
  for (const Accuracy& a : o.accuracy) {
    out += fmt::format(
        "  {} {}{} {} {} {} {} {} {} {} {} {} {}\n", a.id,
        text_of(a.for_dtypes), text_of(a.when), static_cast<int>(a.bound),
        text_of(a.ulp), text_of(a.abs), text_of(a.subnormal_ulp),
        text_of(a.height), text_of(a.tree), a.measured_in, a.any_zero_sign,
        a.overflow ? static_cast<int>(*a.overflow) : -1,
        a.range ? fmt::format("{} {}", a.range->first, a.range->second) : "");
  }
  for (const Special& s : o.special) {
    out += fmt::format("  {} {} {}\n", s.id, text_of(s.when), text_of(s.then));
  }
  for (const Undefined& u : o.undefined) {
    out += fmt::format("  {} {} {}\n", u.id, text_of(u.when), u.why);
  }
  return out;
}

inline std::string text_of(const Boundary& b) {
  std::string out = fmt::format("{} {} {}{} {}", b.id, b.solved,
                                text_of(b.dtypes), b.vacuous, b.why);
  for (const auto& [name, values] : b.operands) {
    out += "\n  " + name + ":";
    for (const Literal& l : values) out += " " + text_of(l);
  }
  for (const auto& [type, values] : b.solved_values) {
    out += fmt::format("\n  {} {}", dtype_name(type), values.size());
  }
  for (const auto& [name, arg] : b.attrs) out += name + text_of(arg) + " ";
  return out + "\n";
}

inline std::string text_of(const CaseGroup& c) {
  std::string out = c.id + " shapes";
  for (const SymbolSizes& s : c.shapes) out += fmt::format(" {}", s);
  for (const auto& [name, types] : c.dtypes) {
    out += fmt::format(" {}: {}", name, text_of(types));
  }
  for (const auto& attrs : c.attrs) {
    out += "\n  attrs";
    for (const auto& [name, arg] : attrs) out += " " + name + text_of(arg);
  }
  for (const auto& [name, g] : c.inputs) {
    out += fmt::format("\n  {}: {} {:a} {:a} {} {} {}", name,
                       static_cast<int>(g.kind), g.a, g.b, text_of(g.formula),
                       fmt::join(g.formula_index, " "), g.next);
    for (const Literal& l : g.values) out += " " + text_of(l);
  }
  for (const auto& [name, args] : c.scalars) {
    out += "\n  " + name;
    for (const Arg& a : args) out += " " + text_of(a);
  }
  out += "\n ";
  for (const Layout l : c.layouts) out += std::to_string(static_cast<int>(l));
  return out + fmt::format(" {} {} {} {} {}\n", c.all_contexts,
                           fmt::join(c.contexts, " "), c.standard, c.vacuous,
                           c.unbiased);
}

inline std::string text_of(const OpSpec& op) {
  std::string out =
      fmt::format("{}\n{}\n{}\n{}\n", op.name, op.aten, op.doc, op.source);
  for (const Param& p : op.params) {
    out += fmt::format(
        "{} {} {} {} {}{}{} {} {}\n", p.name, static_cast<int>(p.kind),
        p.dtype_symbol, p.shape ? text_of(*p.shape) : "any", p.scalar,
        p.optional, p.keyword,
        p.default_value ? text_of(*p.default_value) : "no default",
        fmt::join(p.one_of, " "));
  }
  for (const auto& [symbol, d] : op.dtypes) {
    out += fmt::format("{}: {}{}\n", symbol, d.follows, text_of(d.types));
  }
  for (const Requirement& r : op.requires_) {
    out += fmt::format("{} {} {} {} {} {} {}\n", r.id, text_of(r.that),
                       fmt::join(r.raises, " "), r.message, r.phase, r.source,
                       r.derive);
  }
  for (const Form& form : op.forms) {
    out += fmt::format("form {} {}\n", form.id, text_of(form.when));
    out += fmt::format("  {} {}\n", form.member, text_of(form.length));
    for (const auto& [name, shape] : form.shapes) {
      out += fmt::format("  {}: {}\n", name, text_of(shape));
    }
    for (std::size_t k = 0; k < form.output_count() + form.relations.size();
         ++k) {
      out += text_of(form.output(k));
    }
  }
  for (const Boundary& b : op.boundaries) out += text_of(b);
  for (const CaseGroup& c : op.cases) out += text_of(c);
  return out;
}

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_TESTING_MODEL_TEXT_H_
