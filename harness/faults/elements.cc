#include "harness/faults/elements.h"

#include <utility>

namespace assay::harness::faults {
namespace {

const Arg* argument(const Call& call, std::size_t k, const std::string& name) {
  if (k < call.node.args.size()) return &call.node.args[k];
  for (const auto& [key, arg] : call.node.kwargs) {
    if (key == name) return &arg;
  }
  return nullptr;
}

}  // namespace

void read_in_storage_order(std::vector<Tensor>* operands) {
  for (Tensor& x : *operands) {
    Tensor stored = x;
    stored.type.strides = contiguous_strides(x.sizes());
    const auto bytes = static_cast<std::int64_t>(x.storage->size());
    if ((x.offset + stored.type.span()) * size_bytes(x.dtype()) > bytes) {
      continue;
    }
    x = stored.contiguous();
  }
}

const Tensor& tensor_argument(const Call& call, std::size_t k) {
  std::size_t before = 0;
  for (std::size_t i = 0; i < k; ++i) {
    before += operands(call.node.args[i]).size();
  }
  return call.operands[before];
}

const Tensor* Element::tensor(std::size_t k) const {
  if (!std::holds_alternative<ValueRef>(call_.node.args[k])) return nullptr;
  return &tensor_argument(call_, k);
}

std::int64_t Element::position(const Tensor& t) const {
  const Shape& from = t.sizes();
  const Shape& to = out_.sizes();
  std::int64_t rest = at_, position = 0, step = 1;
  for (std::size_t d = 0; d < from.size(); ++d) {
    const std::int64_t size = to[to.size() - 1 - d];
    const std::int64_t own = from[from.size() - 1 - d];
    if (own != 1) position += rest % size * step;
    rest /= size;
    step *= own;
  }
  return position;
}

double Element::number(std::size_t k) const {
  if (const Tensor* t = tensor(k)) return t->number(position(*t));
  const Arg& arg = call_.node.args[k];
  if (const auto* x = std::get_if<double>(&arg)) return *x;
  return static_cast<double>(integer(k));
}

std::int64_t Element::integer(std::size_t k) const {
  if (const Tensor* t = tensor(k)) return t->integer(position(*t));
  const Arg& arg = call_.node.args[k];
  if (const auto* x = std::get_if<bool>(&arg)) return *x ? 1 : 0;
  return std::get<std::int64_t>(arg);
}

std::uint64_t Element::bits(std::size_t k) const {
  const Tensor& t = *tensor(k);
  return t.bits(position(t));
}

DType Element::dtype(std::size_t k) const { return tensor(k)->dtype(); }

OutputFault each(std::function<double(const Element&)> f) {
  return [f = std::move(f)](const Call& call, Outputs* outputs) {
    Tensor& out = outputs->front();
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      out.set_number(i, f(Element(call, out, i)));
    }
  };
}

OutputFault each_integer(std::function<std::int64_t(const Element&)> f) {
  return [f = std::move(f)](const Call& call, Outputs* outputs) {
    Tensor& out = outputs->front();
    if (is_float(out.dtype())) return;
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      out.set_integer(i, f(Element(call, out, i)));
    }
  };
}

OutputFault each_f32(float (*f)(float)) {
  return [f](const Call& call, Outputs* outputs) {
    if (outputs->front().dtype() == DType::f64) return;
    each([f](const Element& e) {
      return static_cast<double>(f(static_cast<float>(e.number(0))));
    })(call, outputs);
  };
}

std::vector<std::vector<std::int64_t>> lines(const Shape& sizes,
                                             std::int64_t dim) {
  if (sizes.empty()) return {{0}};
  const auto rank = static_cast<std::int64_t>(sizes.size());
  const auto d = static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
  std::int64_t outer = 1, inner = 1;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    (k < d ? outer : inner) *= k == d ? 1 : sizes[k];
  }
  std::vector<std::vector<std::int64_t>> out;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      auto& line = out.emplace_back();
      for (std::int64_t k = 0; k < sizes[d]; ++k) {
        line.push_back((o * sizes[d] + k) * inner + i);
      }
    }
  }
  return out;
}

std::optional<std::int64_t> int_argument(const Call& call, std::size_t k,
                                         const std::string& name) {
  const Arg* arg = argument(call, k, name);
  if (arg == nullptr) return std::nullopt;
  if (const auto* x = std::get_if<std::int64_t>(arg)) return *x;
  const auto* list = std::get_if<std::vector<std::int64_t>>(arg);
  if (list != nullptr && list->size() == 1) return list->front();
  return std::nullopt;
}

}  // namespace assay::harness::faults
