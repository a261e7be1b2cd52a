#include "suite/language/bind/form.h"

#include <algorithm>
#include <string>

#include "core/text.h"
#include "suite/language/bind/static_eval.h"

namespace assay::language {
namespace {

// Binds one symbol, which must agree with what it stands for already.
Status bind_symbol(const std::string& symbol, StaticValue value, Binding* b) {
  const auto [it, fresh] = b->symbols.emplace(symbol, value);
  if (fresh || it->second == value) return success();
  const auto show = [](const StaticValue& v) {
    if (const auto* i = std::get_if<std::int64_t>(&v)) {
      return std::to_string(*i);
    }
    const auto* s = std::get_if<Shape>(&v);
    return s ? shape_text(*s) : std::string("?");
  };
  return Error{"symbol " + symbol + " is both " + show(it->second) + " and " +
               show(value)};
}

Status match(const ShapePattern& pattern, const Shape& sizes, Binding* b) {
  const bool has_pack = std::any_of(pattern.begin(), pattern.end(),
                                    [](const DimPattern& d) { return d.pack; });
  const std::size_t single = pattern.size() - (has_pack ? 1 : 0);
  if (sizes.size() < single || (!has_pack && sizes.size() != single)) {
    return Error{"sizes " + shape_text(sizes) + " do not have the " +
                 (has_pack ? "at least " : "") + std::to_string(single) +
                 " dimensions of its shape"};
  }
  std::size_t at = 0;
  for (const DimPattern& d : pattern) {
    if (d.pack) {
      const std::size_t n = sizes.size() - single;
      const auto first = sizes.begin() + static_cast<std::ptrdiff_t>(at);
      const Status s = bind_symbol(
          d.symbol, Shape(first, first + static_cast<std::ptrdiff_t>(n)), b);
      if (!s) return s;
      at += n;
    } else if (d.fixed) {
      if (sizes[at] != *d.fixed) {
        return Error{"sizes " + shape_text(sizes) + " do not have " +
                     std::to_string(*d.fixed) + " at dimension " +
                     std::to_string(at)};
      }
      ++at;
    } else {
      const Status s = bind_symbol(d.symbol, sizes[at], b);
      if (!s) return s;
      ++at;
    }
  }
  return success();
}

Status bind_shapes(const Form& form, Binding* b) {
  for (const Param& p : b->spec->params) {
    const auto own = form.shapes.find(p.name);
    const ShapePattern* pattern = own != form.shapes.end() ? &own->second
                                  : p.shape                ? &*p.shape
                                                           : nullptr;
    if (pattern == nullptr) continue;
    const Actual& a = b->actuals.at(p.name);
    Status s = success();
    if (const auto* t = std::get_if<TensorArg>(&a)) {
      s = match(*pattern, t->type.sizes, b);
    } else if (const auto* l = std::get_if<std::vector<TensorArg>>(&a)) {
      for (std::size_t i = 0; i < l->size() && s.ok(); ++i) {
        s = match(*pattern, (*l)[i].type.sizes, b);
      }
    } else if (!std::holds_alternative<None>(a)) {
      s = match(*pattern, {}, b);  // a Python number has no dimensions
      if (!s) s = success();
    }
    if (!s) {
      return Error{b->spec->name + ": parameter '" + p.name +
                   "': " + s.error().message};
    }
  }
  return success();
}

}  // namespace

Status select_form(Binding* b) {
  for (const Form& form : b->spec->forms) {
    if (form.when) {
      const Result<StaticValue> v = evaluate_static(*form.when, *b);
      if (!v) {
        return Error{b->spec->name + "/" + form.id +
                     " cannot be chosen: " + v.error().message};
      }
      const bool* holds = std::get_if<bool>(&*v);
      if (holds == nullptr || !*holds) continue;
    }
    const Status s = bind_shapes(form, b);
    if (!s) return s;
    b->form = &form;
    choose_member(0, b);
    return success();
  }
  return Error{b->spec->name + ": no form applies to this call"};
}

Result<std::size_t> bound_outputs(const Binding& b) {
  if (b.form == nullptr) return Error{"no form was selected"};
  if (!b.form->is_list()) return b.form->output_count();
  const Result<StaticValue> length = evaluate_static(*b.form->length, b);
  if (!length) {
    return Error{b.spec->name +
                 ": the length of its list: " + length.error().message};
  }
  const auto* n = std::get_if<std::int64_t>(&*length);
  if (n == nullptr || *n < 0) {
    return Error{b.spec->name + ": the length of its list is no count"};
  }
  return static_cast<std::size_t>(*n);
}

void choose_member(std::size_t output, Binding* b) {
  if (!b->form->is_list()) return;
  b->symbols[b->form->member] = static_cast<std::int64_t>(output);
}

Result<TensorType> bind_further(std::size_t output,
                                std::vector<TensorArg> outputs, Binding* b) {
  if (b->form == nullptr) return Error{"no form was selected"};
  const Form& form = *b->form;
  if (form.is_list()) {
    choose_member(output, b);
    return infer_result(*b, output);
  }
  if (output >= form.output_count() + form.relations.size()) {
    return Error{b->spec->name + " has no output " + std::to_string(output)};
  }
  Result<TensorType> type = infer_result(*b, output);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    b->actuals[form.output_name(k)] = std::move(outputs[k]);
  }
  return type;
}

Result<TensorType> infer_result(const Binding& bound, std::size_t output) {
  if (bound.form == nullptr) return Error{"no form was selected"};
  std::optional<Binding> own;
  if (bound.form->is_list()) choose_member(output, &own.emplace(bound));
  const Binding& b = own ? *own : bound;
  const OutputSpec& o = b.form->output(output);
  const Result<StaticValue> dtype = evaluate_static(*o.result_dtype, b);
  if (!dtype) {
    return Error{b.spec->name + ": result dtype: " + dtype.error().message};
  }
  const Result<StaticValue> shape = evaluate_static(*o.result_shape, b);
  if (!shape) {
    return Error{b.spec->name + ": result shape: " + shape.error().message};
  }
  const auto* t = std::get_if<DType>(&*dtype);
  const auto* s = std::get_if<Shape>(&*shape);
  if (t == nullptr || s == nullptr) {
    return Error{b.spec->name +
                 ": the result's dtype or shape has another kind"};
  }
  for (const std::int64_t n : *s) {
    if (n < 0) {
      return Error{b.spec->name + ": the result's shape " + shape_text(*s) +
                   " has a negative size"};
    }
  }
  return TensorType::contiguous(*t, *s);
}

}  // namespace assay::language
