#include "harness/workers/eager/eager_args.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>
#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>

#include <array>
#include <utility>

namespace assay::harness::worker {
namespace {

constexpr std::array<std::pair<DType, c10::ScalarType>,
                     kAllDTypes.size() + kComplexDTypes.size()>
    kTypes = {{{DType::f64, c10::ScalarType::Double},
               {DType::f32, c10::ScalarType::Float},
               {DType::f16, c10::ScalarType::Half},
               {DType::bf16, c10::ScalarType::BFloat16},
               {DType::f8e4m3fn, c10::ScalarType::Float8_e4m3fn},
               {DType::f8e5m2, c10::ScalarType::Float8_e5m2},
               {DType::f8e4m3fnuz, c10::ScalarType::Float8_e4m3fnuz},
               {DType::f8e5m2fnuz, c10::ScalarType::Float8_e5m2fnuz},
               {DType::f8e8m0fnu, c10::ScalarType::Float8_e8m0fnu},
               {DType::u8, c10::ScalarType::Byte},
               {DType::i8, c10::ScalarType::Char},
               {DType::i16, c10::ScalarType::Short},
               {DType::i32, c10::ScalarType::Int},
               {DType::i64, c10::ScalarType::Long},
               {DType::u16, c10::ScalarType::UInt16},
               {DType::u32, c10::ScalarType::UInt32},
               {DType::u64, c10::ScalarType::UInt64},
               {DType::boolean, c10::ScalarType::Bool},
               {DType::c64, c10::ScalarType::ComplexFloat},
               {DType::c128, c10::ScalarType::ComplexDouble}}};

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

const char* kind_name(const Arg& a) {
  return std::visit(
      Overloaded{[](None) { return "NoneType"; },
                 [](ValueRef) { return "Tensor"; }, [](bool) { return "bool"; },
                 [](std::int64_t) { return "int"; },
                 [](double) { return "float"; }, [](DType) { return "dtype"; },
                 [](const std::string&) { return "str"; },
                 [](const std::vector<std::int64_t>&) { return "list"; },
                 [](const std::vector<ValueRef>&) { return "list"; },
                 [](const Numbers&) { return "list"; }},
      a);
}

class Converter {
 public:
  Converter(const c10::FunctionSchema& schema,
            const std::vector<at::Tensor>& values)
      : schema_(schema), values_(values) {}

  c10::IValue convert(const c10::Argument& to, const Arg& a) const {
    return convert(to, *to.real_type(), a);
  }

 private:
  c10::IValue convert(const c10::Argument& to, const c10::Type& type,
                      const Arg& a) const {
    switch (type.kind()) {
      case c10::TypeKind::OptionalType:
        if (std::holds_alternative<None>(a)) return {};
        return convert(to, *type.castRaw<c10::OptionalType>()->getElementType(),
                       a);
      case c10::TypeKind::TensorType:
        return tensor(to, a);
      case c10::TypeKind::NumberType:
        return number(to, a);
      case c10::TypeKind::IntType:
      case c10::TypeKind::SymIntType:
        if (const auto* i = std::get_if<std::int64_t>(&a)) return *i;
        if (const auto* b = std::get_if<bool>(&a)) return std::int64_t{*b};
        break;
      case c10::TypeKind::FloatType:
        if (const auto* d = std::get_if<double>(&a)) return *d;
        if (const auto* i = std::get_if<std::int64_t>(&a)) {
          return static_cast<double>(*i);
        }
        break;
      case c10::TypeKind::BoolType:
        if (const auto* b = std::get_if<bool>(&a)) return *b;
        break;
      case c10::TypeKind::StringType:
        if (const auto* s = std::get_if<std::string>(&a)) return *s;
        break;
      case c10::TypeKind::ScalarTypeType:
        if (const auto* t = std::get_if<DType>(&a)) return scalar_type(*t);
        break;
      case c10::TypeKind::LayoutType:
        if (is(a, "strided")) return c10::Layout::Strided;
        break;
      case c10::TypeKind::DeviceObjType:
        if (is(a, "cpu")) return c10::Device(c10::DeviceType::CPU);
        break;
      case c10::TypeKind::MemoryFormatType:
        return memory_format(to, a);
      case c10::TypeKind::ListType:
        return list(to, *type.castRaw<c10::ListType>()->getElementType(), a);
      default:
        break;
    }
    mismatch(to, a);
  }

  static bool is(const Arg& a, const char* text) {
    const auto* s = std::get_if<std::string>(&a);
    return s != nullptr && *s == text;
  }

  [[noreturn]] void mismatch(const c10::Argument& to, const Arg& a) const {
    TORCH_CHECK(false, schema_.name(), "() Expected a value of type '",
                to.type()->repr_str(), "' for argument '", to.name(),
                "' but instead found type '", kind_name(a), "'.");
  }

  const at::Tensor& value(ValueRef v) const {
    return values_.at(static_cast<std::size_t>(v.id));
  }

  // A Python number in a tensor's place takes part in type promotion as a
  // number, which is what the wrapped-number mark says.
  c10::IValue tensor(const c10::Argument& to, const Arg& a) const {
    if (const auto* v = std::get_if<ValueRef>(&a)) return value(*v);
    if (!std::holds_alternative<bool>(a) &&
        !std::holds_alternative<std::int64_t>(a) &&
        !std::holds_alternative<double>(a)) {
      mismatch(to, a);
    }
    at::Tensor wrapped = c10::scalar_to_tensor(number(to, a).toScalar());
    wrapped.unsafeGetTensorImpl()->set_wrapped_number(true);
    return wrapped;
  }

  c10::IValue number(const c10::Argument& to, const Arg& a) const {
    if (const auto* b = std::get_if<bool>(&a)) return at::Scalar(*b);
    if (const auto* i = std::get_if<std::int64_t>(&a)) return at::Scalar(*i);
    if (const auto* d = std::get_if<double>(&a)) return at::Scalar(*d);
    mismatch(to, a);
  }

  c10::IValue memory_format(const c10::Argument& to, const Arg& a) const {
    if (is(a, "contiguous_format")) return c10::MemoryFormat::Contiguous;
    if (is(a, "channels_last")) return c10::MemoryFormat::ChannelsLast;
    if (is(a, "channels_last_3d")) return c10::MemoryFormat::ChannelsLast3d;
    if (is(a, "preserve_format")) return c10::MemoryFormat::Preserve;
    mismatch(to, a);
  }

  // An integer stands for a list of a declared length (stride=2), and an
  // empty list is written without saying of what.
  c10::IValue list(const c10::Argument& to, const c10::Type& element,
                   const Arg& a) const {
    const auto* integers = std::get_if<std::vector<std::int64_t>>(&a);
    const auto* refs = std::get_if<std::vector<ValueRef>>(&a);
    const bool empty = integers != nullptr && integers->empty();
    switch (element.kind()) {
      case c10::TypeKind::TensorType: {
        if (refs == nullptr && !empty) mismatch(to, a);
        c10::List<at::Tensor> out;
        if (refs != nullptr) {
          for (const ValueRef v : *refs) out.push_back(value(v));
        }
        return out;
      }
      case c10::TypeKind::OptionalType: {
        if (refs == nullptr && !empty) mismatch(to, a);
        c10::List<std::optional<at::Tensor>> out;
        if (refs != nullptr) {
          for (const ValueRef v : *refs) out.push_back(value(v));
        }
        return out;
      }
      case c10::TypeKind::IntType:
      case c10::TypeKind::SymIntType: {
        if (integers != nullptr) return c10::List<std::int64_t>(*integers);
        const auto* one = std::get_if<std::int64_t>(&a);
        if (one == nullptr || !to.N()) mismatch(to, a);
        return c10::List<std::int64_t>(
            std::vector<std::int64_t>(static_cast<std::size_t>(*to.N()), *one));
      }
      case c10::TypeKind::FloatType: {
        if (const auto* n = std::get_if<Numbers>(&a)) {
          return c10::List<double>(*n);
        }
        if (integers == nullptr) mismatch(to, a);
        return c10::List<double>(
            std::vector<double>(integers->begin(), integers->end()));
      }
      case c10::TypeKind::BoolType: {
        if (integers == nullptr) mismatch(to, a);
        c10::List<bool> out;
        for (const std::int64_t i : *integers) out.push_back(i != 0);
        return out;
      }
      default:
        mismatch(to, a);
    }
  }

  const c10::FunctionSchema& schema_;
  const std::vector<at::Tensor>& values_;
};

const Arg* named(const Node& call, const std::string& name) {
  for (const auto& [key, a] : call.kwargs) {
    if (key == name) return &a;
  }
  return nullptr;
}

void check_names(const c10::FunctionSchema& schema, const Node& call) {
  for (const auto& [name, a] : call.kwargs) {
    const auto index = schema.argumentIndexWithName(name);
    TORCH_CHECK(index, "Unknown keyword argument '", name, "' for operator '",
                schema.name(), "'. Schema: ", schema);
    TORCH_CHECK(static_cast<std::size_t>(*index) >= call.args.size(),
                schema.name(), "() Argument ", name,
                " specified both as positional and keyword.");
  }
}

}  // namespace

c10::ScalarType scalar_type(DType t) {
  for (const auto& [ours, theirs] : kTypes) {
    if (ours == t) return theirs;
  }
  TORCH_CHECK(false, "a dtype without a ScalarType");
}

std::optional<DType> dtype_of(c10::ScalarType t) {
  for (const auto& [ours, theirs] : kTypes) {
    if (theirs == t) return ours;
  }
  return std::nullopt;
}

torch::jit::Stack bind_arguments(const c10::FunctionSchema& schema,
                                 const Node& call,
                                 const std::vector<at::Tensor>& values) {
  const auto& wanted = schema.arguments();
  std::size_t positional = 0;
  for (const c10::Argument& to : wanted) positional += !to.kwarg_only();
  TORCH_CHECK(call.args.size() <= positional, schema.name(), "() takes ",
              positional, " positional argument(s) but ", call.args.size(),
              " was/were given. Declaration: ", schema);
  check_names(schema, call);
  const Converter converter(schema, values);
  torch::jit::Stack stack;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const c10::Argument& to = wanted[i];
    const Arg* given =
        i < call.args.size() ? &call.args[i] : named(call, to.name());
    if (given != nullptr) {
      stack.push_back(converter.convert(to, *given));
    } else {
      TORCH_CHECK(to.default_value(), schema.name(),
                  "() is missing value for argument '", to.name(),
                  "'. Declaration: ", schema);
      stack.push_back(*to.default_value());
    }
  }
  return stack;
}

}  // namespace assay::harness::worker
