#include "suite/language/sugar/writing_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

namespace assay::language {
namespace {

constexpr const char* kShapeSource =
    "https://docs.pytorch.org/docs/2.11/notes/broadcasting.html";
constexpr const char* kTypeSource =
    "aten/src/ATen/TensorIterator.cpp, TensorIteratorBase::compute_types";
constexpr const char* kItselfSource =
    "aten/src/ATen/MemoryOverlap.cpp, assert_no_internal_overlap";
constexpr const char* kPartlySource =
    "aten/src/ATen/MemoryOverlap.cpp, assert_no_partial_overlap";
constexpr const char* kApartSource =
    "aten/src/ATen/MemoryOverlap.cpp, assert_no_overlap";
// Of structured kernels that are no TensorIterator.
constexpr const char* kStructuredSource =
    "torchgen/dest/register_dispatch_key.py, gen_resize_out_helper";

// The first operand, as the written-out sections have it.
struct Operand {
  std::string name, type;  // of its element type symbol
  YamlNode* body = nullptr;

  std::string shape() const { return fmt::format("shape({})", name); }
};

std::optional<Operand> first_operand(YamlNode* op) {
  YamlNode* params = field(op, "params");
  if (params == nullptr || params->fields.empty()) return std::nullopt;
  auto& [key, body] = params->fields.front();
  const YamlNode* type = body.is_map() ? field(body, "tensor") : nullptr;
  if (type == nullptr || !type->is_scalar()) return std::nullopt;
  return Operand{key.text.text, type->text.text, &body};
}

void set(YamlNode* map, const std::string& name, const std::string& text) {
  put(map, name, make_scalar(text, map->pos));
}

// "E4" after E1 and E3.
std::string next_requirement(const YamlNode& requires_) {
  int last = 0;
  for (const auto& [key, body] : requires_.fields) {
    last = std::max(last, std::atoi(key.text.text.c_str() + 1));
  }
  return fmt::format("E{}", last + 1);
}

void require(YamlNode* requires_, const std::string& that,
             const std::string& source) {
  YamlNode clause = make_map(requires_->pos);
  set(&clause, "that", that);
  set(&clause, "source", source);
  put(requires_, next_requirement(*requires_), std::move(clause));
}

// What has this type is written into `to`.
void require_cast(YamlNode* requires_, const std::string& type,
                  const std::string& to) {
  require(requires_,
          fmt::format("(not is_float({0}) or is_float({1}) or is_complex({1})) "
                      "and (not is_complex({0}) or is_complex({1})) "
                      "and ({0} == bool or {1} != bool)",
                      type, fmt::format("dtype({})", to)),
          kTypeSource);
}

// The symbol that others may follow in place of `symbol`.
std::string followed(const YamlNode& dtypes, const std::string& symbol) {
  const YamlNode* types = field(dtypes, symbol);
  const bool follows =
      types && types->is_scalar() && field(dtypes, types->text.text) != nullptr;
  return follows ? types->text.text : symbol;
}

// Is the result certain to be as the operand is?
bool has_place(const YamlNode& result, const Operand& x) {
  const YamlNode* type = field(result, "dtype");
  const YamlNode* shape = field(result, "shape");
  return type && shape && is_text(*type, x.type.c_str()) &&
         (is_text(*shape, x.shape().c_str()) || is_text(*shape, "[]"));
}

// Requires of a call that what it returns has a place in the operand.
void hold_to(const YamlNode& result, const Operand& x, YamlNode* op) {
  const std::string type = field(result, "dtype")->text.text;
  const std::string shape = field(result, "shape")->text.text;
  YamlNode* requires_ = field(op, "requires");
  if (shape != x.shape()) {
    require(requires_, fmt::format("{} == {}", shape, x.shape()), kShapeSource);
  }
  // A truth value is 0 or 1 in every type.
  if (type == x.type || type == "bool") return;
  set(op, "only", fmt::format("{} == dtype({})", type, x.name));
  // That types which follow one another are the same the operation requires.
  const YamlNode& dtypes = *field(*op, "dtypes");
  if (followed(dtypes, type) != followed(dtypes, x.type)) {
    require_cast(requires_, type, x.name);
  }
}

// Which shared memory the operation refuses.
struct Sharing {
  bool itself = true;         // of several elements of what is written
  bool operands = true;       // of what is written and a part of an operand
  bool whole = false;         // and of all of an operand
  std::set<std::string> any;  // operands that may share it
  std::string unless;         // where operands may; empty: nowhere
};

constexpr const char* kSharingFields =
    "itself: any, operands: any or apart, except: [names], unless: condition";

// What a mapping says is otherwise than TensorIterator has it; nothing where it
// is none of that.
std::optional<Sharing> sharing_of(const YamlNode& wanted) {
  Sharing s;
  for (const auto& [key, value] : wanted.fields) {
    if (is_text(key, "itself") && is_text(value, "any")) {
      s.itself = false;
    } else if (is_text(key, "operands") && is_text(value, "any")) {
      s.operands = false;
    } else if (is_text(key, "operands") && is_text(value, "apart")) {
      s.whole = true;
    } else if (is_text(key, "except") && !value.items.empty()) {
      for (const YamlNode& name : value.items) s.any.insert(name.text.text);
    } else if (is_text(key, "unless") && !value.text.text.empty()) {
      s.unless = value.text.text;
    } else {
      return std::nullopt;
    }
  }
  return s;
}

// ", a, b": the tensors, and lists of them, that are parameters beside `name`.
std::string other_tensors(const YamlNode& params, const std::string& x,
                          const std::set<std::string>& but) {
  std::string names;
  for (const auto& [key, body] : params.fields) {
    const std::string& name = key.text.text;
    const bool is_tensor = body.is_map() && (field(body, "tensor") != nullptr ||
                                             field(body, "tensors") != nullptr);
    if (is_tensor && name != x && !but.contains(name)) {
      names += ", " + name;
    }
  }
  return names;
}

void keep_apart(const Sharing& sharing, const std::string& x, YamlNode* op) {
  YamlNode* requires_ = field(op, "requires");
  if (sharing.itself) {
    require(requires_, fmt::format("not overlaps_itself({})", x),
            kItselfSource);
  }
  const std::string others =
      other_tensors(*field(op, "params"), x, sharing.any);
  if (!sharing.operands || others.empty()) return;
  require(
      requires_,
      fmt::format("{}not {}({}{})",
                  sharing.unless.empty() ? "" : "(" + sharing.unless + ") or ",
                  sharing.whole ? "overlaps" : "overlaps_partly", x, others),
      sharing.whole ? kApartSource : kPartlySource);
}

// An operand that may share memory and is no parameter; null if there is none.
const std::string* unknown_operand(const Sharing& sharing, const YamlNode& op) {
  for (const std::string& name : sharing.any) {
    if (!field(*field(op, "params"), name)) return &name;
  }
  return nullptr;
}

void put_into(YamlNode* result, const Operand& x) {
  set(result, "dtype", x.type);
  set(result, "shape", x.shape());
  set(result, "layout", fmt::format("like({})", x.name));
}

// Groups that give a number in the operand's place.
void drop_numbers(YamlNode* cases, const std::string& operand) {
  std::erase_if(cases->fields, [&](const auto& group) {
    const YamlNode* scalars =
        group.second.is_map() ? field(group.second, "scalars") : nullptr;
    return scalars != nullptr && field(*scalars, operand) != nullptr;
  });
}

// `op` writes into its first operand.
std::optional<YamlNode> in_place(const YamlNode& op, const YamlNode& wanted,
                                 std::vector<Fault>* faults) {
  const auto fault = [&](const std::string& message) -> std::nullopt_t {
    faults->push_back({wanted.pos, message});
    return std::nullopt;
  };
  const bool is_map = wanted.is_map() && !wanted.fields.empty();
  const std::optional<Sharing> sharing = is_text(wanted, "true") ? Sharing()
                                         : is_map ? sharing_of(wanted)
                                                  : std::nullopt;
  if (!sharing) {
    return fault(fmt::format(
        "expected true, false, or how memory may be shared: {{{}}}; found {}",
        kSharingFields, wanted.describe()));
  }
  YamlNode out = op;
  const std::optional<Operand> operand = first_operand(&out);
  const YamlNode* name = field(out, "op");
  const YamlNode* aten = field(out, "aten");
  const YamlNode* doc = field(out, "doc");
  if (!operand || !name || !aten || !doc ||
      aten->text.text.rfind('.') == std::string::npos) {
    return fault(
        "'inplace' is for operations whose first parameter is a "
        "tensor");
  }
  if (const std::string* unknown = unknown_operand(*sharing, out)) {
    return fault("'except': there is no parameter '" + *unknown + "'");
  }
  const std::string& x = operand->name;
  std::string overload = aten->text.text;
  overload.insert(overload.rfind('.'), "_");
  set(&out, "op", name->text.text + "_");
  set(&out, "aten", overload);
  set(&out, "doc",
      fmt::format("{} It is written into {}, which comes back.", doc->text.text,
                  x));
  set(&out, "writes", x);
  set(&out, "only", "true");
  take(operand->body, "scalar");
  if (field(out, "requires") == nullptr) {
    put(&out, "requires", make_map(out.pos));
  }
  if (YamlNode* forms = field(&out, "forms")) {
    // A relation reads the operand as it was, which is gone.
    std::erase_if(forms->fields, [](const auto& form) {
      return field(form.second, "relations") != nullptr;
    });
    for (auto& [id, form] : forms->fields) {
      YamlNode* result = field(&form, "result");
      if (!result || !has_place(*result, *operand)) {
        return fault(
            "'inplace' is for forms whose result has the type and "
            "the shape of the first parameter");
      }
      put_into(result, *operand);
    }
  } else {
    YamlNode* result = field(&out, "result");
    if (!result || !field(*result, "dtype") || !field(*result, "shape")) {
      return fault("'inplace' is for operations of one result");
    }
    hold_to(*result, *operand, &out);
    put_into(field(&out, "result"), *operand);
  }
  keep_apart(*sharing, x, &out);
  if (field(out, "requires")->fields.empty()) take(&out, "requires");
  if (YamlNode* cases = field(&out, "cases")) drop_numbers(cases, x);
  return out;
}

// What `out` says.
struct OutWanted {
  std::string overload;   // "aten.add.out"
  std::string same_type;  // who refuses another type; empty: nobody
  Sharing sharing;
};

// Who refuses an `out` of another type: of a word the source that it stands
// for, else the text itself, "FILE, FUNCTION". Empty where it is neither.
std::string source_of_same_type(const YamlNode& wanted) {
  if (is_text(wanted, "structured")) return kStructuredSource;
  if (is_text(wanted, "iterator")) return kTypeSource;
  const std::string& text = wanted.text.text;
  return text.find(", ") != std::string::npos ? text : std::string();
}

// An overload, or a mapping of one and of what is otherwise than TensorIterator
// has it. Nothing where it is neither.
std::optional<OutWanted> out_wanted(const YamlNode& wanted) {
  OutWanted w;
  if (wanted.is_scalar()) {
    w.overload = wanted.text.text;
  } else {
    YamlNode rest = wanted;
    if (const auto overload = take(&rest, "overload")) {
      w.overload = overload->text.text;
    }
    if (const auto source = take(&rest, "same_type")) {
      w.same_type = source_of_same_type(*source);
      if (w.same_type.empty()) return std::nullopt;
    }
    const std::optional<Sharing> sharing = sharing_of(rest);
    if (!sharing) return std::nullopt;
    w.sharing = *sharing;
  }
  if (!w.overload.starts_with("aten.")) return std::nullopt;
  return w;
}

// The results of all forms; none where a form has several, or they are not of
// one type.
std::vector<YamlNode*> results_of(YamlNode* op) {
  std::vector<YamlNode*> results;
  if (YamlNode* forms = field(op, "forms")) {
    for (auto& [id, form] : forms->fields) {
      results.push_back(field(&form, "result"));
    }
  } else {
    results.push_back(field(op, "result"));
  }
  const YamlNode* type = nullptr;
  for (const YamlNode* r : results) {
    const YamlNode* own = r ? field(*r, "dtype") : nullptr;
    if (!own || !field(*r, "shape")) return {};
    if (type && own->text.text != type->text.text) return {};
    type = own;
  }
  return results;
}

// `op` writes into a tensor that it is given as `out`, whose overload `wanted`
// names.
std::optional<YamlNode> out_form(const YamlNode& op, const YamlNode& wanted,
                                 std::vector<Fault>* faults) {
  const auto fault = [&](const std::string& message) -> std::nullopt_t {
    faults->push_back({wanted.pos, message});
    return std::nullopt;
  };
  const std::optional<OutWanted> want = out_wanted(wanted);
  if (!want) {
    return fault(fmt::format(
        "expected an overload, aten.add.out, or {{overload: aten.add.out, "
        "same_type: structured, iterator or \"FILE, FUNCTION\", {}}}; found "
        "{}",
        kSharingFields, wanted.describe()));
  }
  YamlNode form = op;
  const YamlNode* name = field(form, "op");
  const YamlNode* doc = field(form, "doc");
  const std::optional<Operand> operand = first_operand(&form);
  const std::vector<YamlNode*> results = results_of(&form);
  if (!name || !doc || !operand || results.empty()) {
    return fault(
        "'out' is for operations of one result, of one type in all forms, "
        "whose first parameter is a tensor");
  }
  if (const std::string* unknown = unknown_operand(want->sharing, form)) {
    return fault("'except': there is no parameter '" + *unknown + "'");
  }
  const std::string type = field(*results.front(), "dtype")->text.text;
  const std::string said = doc->text.text;
  set(&form, "op", name->text.text + "_out");
  set(&form, "aten", want->overload);
  set(&form, "doc",
      fmt::format("{} It is written into out, which takes on its sizes and "
                  "comes back.",
                  said));
  YamlNode out = make_map(wanted.pos);
  set(&out, "tensor", "Out");
  set(&out, "keyword", "true");
  put(field(&form, "params"), "out", std::move(out));
  set(&form, "writes", "out");
  YamlNode* dtypes = field(&form, "dtypes");
  set(dtypes, "Out", followed(*dtypes, operand->type));
  set(&form, "only", fmt::format("{} == dtype(out)", type));
  for (YamlNode* result : results_of(&form)) {
    set(result, "dtype", "Out");
    set(result, "layout",
        fmt::format("where(shape(out) == {}, like(out), any)",
                    field(*result, "shape")->text.text));
  }
  if (field(form, "requires") == nullptr) {
    put(&form, "requires", make_map(form.pos));
  }
  YamlNode* requires_ = field(&form, "requires");
  if (!want->same_type.empty()) {
    require(requires_, fmt::format("dtype(out) == {}", type), want->same_type);
  } else if (type != "bool") {
    require_cast(requires_, type, "out");
  }
  keep_apart(want->sharing, "out", &form);
  if (requires_->fields.empty()) take(&form, "requires");
  return form;
}

}  // namespace

std::vector<YamlNode> take_writing_forms(YamlNode* op,
                                         std::vector<Fault>* faults) {
  const auto asked = [op](const char* section) {
    std::optional<YamlNode> wanted = take(op, section);
    if (wanted && is_text(*wanted, "false")) wanted.reset();
    return wanted;
  };
  const std::optional<YamlNode> inplace = asked("inplace"), out = asked("out");
  std::vector<YamlNode> forms;
  const auto add = [&forms](std::optional<YamlNode> form) {
    if (form) forms.push_back(std::move(*form));
  };
  if (inplace) add(in_place(*op, *inplace, faults));
  if (out) add(out_form(*op, *out, faults));
  return forms;
}

}  // namespace assay::language
