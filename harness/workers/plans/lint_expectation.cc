#include "harness/workers/plans/lint_expectation.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/writes.h"

namespace assay::harness::worker {
namespace {

// "add" of "aten.add.Tensor" and of "aten.add_.Tensor".
std::string_view base_name(std::string_view op) {
  constexpr std::string_view kSpace = "aten.";
  if (!op.starts_with(kSpace)) return {};
  op.remove_prefix(kSpace.size());
  op = op.substr(0, op.find('.'));
  if (op.size() > 1 && op.ends_with('_') && !op.ends_with("__")) {
    op.remove_suffix(1);
  }
  return op;
}

bool is_one_of(std::string_view name,
               std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The elements are the operand's, elsewhere.
bool only_moves(std::string_view name) {
  return is_one_of(
      name, {"view", "reshape", "transpose", "permute", "expand", "clone",
             "contiguous", "unsqueeze", "squeeze", "slice", "select", "flatten",
             "alias", "t", "detach", "narrow", "flip", "roll", "repeat"});
}

// Where all operands have one dtype, a float, the result has it too.
bool keeps_dtype(std::string_view name) {
  return only_moves(name) ||
         is_one_of(
             name,
             {"add",    "sub",    "rsub",    "mul",       "div",   "neg",
              "abs",    "exp",    "exp2",    "expm1",     "log",   "log2",
              "log10",  "log1p",  "sqrt",    "rsqrt",     "sin",   "cos",
              "tan",    "tanh",   "sinh",    "cosh",      "erf",   "sigmoid",
              "silu",   "relu",   "gelu",    "ceil",      "floor", "round",
              "trunc",  "pow",    "maximum", "minimum",   "clamp", "reciprocal",
              "amax",   "amin",   "mean",    "softmax",   "mm",    "bmm",
              "matmul", "square", "lerp",    "layer_norm"});
}

bool needs_no_fused(std::string_view name) {
  return only_moves(name) ||
         is_one_of(name, {"mul",   "neg",  "abs",     "ceil",     "floor",
                          "sign",  "relu", "maximum", "minimum",  "clamp",
                          "amax",  "amin", "sum",     "trunc",    "isnan",
                          "isinf", "eq",   "ne",      "lt",       "le",
                          "gt",    "ge",   "where",   "_to_copy", "signbit",
                          "cat"});
}

// Sums of a GPU's that are documented to differ from run to run: PyTorch,
// torch.use_deterministic_algorithms.
bool adds_in_any_order(std::string_view name) {
  return is_one_of(name,
                   {"index_add", "scatter_add", "scatter_reduce", "index_put",
                    "_unsafe_index_put", "put", "cumsum", "histc", "bincount"});
}

// What a rounding of the operand cannot change.
bool ignores_rounding(std::string_view name) {
  return is_one_of(name, {"isnan", "signbit", "zeros_like", "ones_like",
                          "full_like", "empty_like"});
}

std::optional<DType> named_dtype(const Node& node) {
  for (const auto& [name, value] : node.kwargs) {
    if (const auto* dtype = std::get_if<DType>(&value)) return *dtype;
  }
  for (const Arg& value : node.args) {
    if (const auto* dtype = std::get_if<DType>(&value)) return *dtype;
  }
  return std::nullopt;
}

bool is_cast(std::string_view name) {
  return name == "_to_copy" || name == "to";
}

std::vector<ValueRef> operands_of(const Node& node) {
  std::vector<ValueRef> out;
  const auto take = [&](const Arg& value) {
    for (const ValueRef v : operands(value)) out.push_back(v);
  };
  for (const Arg& value : node.args) take(value);
  for (const auto& [name, value] : node.kwargs) take(value);
  return out;
}

bool loses(DType from, DType to) {
  if (from == DType::boolean || to == DType::boolean) return false;
  if (is_float(from)) {
    return !is_float(to) || !float_format(to).holds(float_format(from));
  }
  if (is_float(to)) return magnitude_bits(from) > float_format(to).precision;
  return !holds_integers(to, from);
}

struct Known {
  std::optional<DType> dtype;
  // A dtype that holds all elements; a widening cast leaves it as it was.
  std::optional<DType> values;
};

class Reader {
 public:
  explicit Reader(const Program& program) : program_(program) {
    known_.resize(static_cast<std::size_t>(program.value_count()));
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
      known_[i] = {program.inputs[i].dtype, program.inputs[i].dtype};
    }
    // Constants stay unknown: their casts may be done by the compiler.
  }

  ptx::Expectation read() {
    const std::vector<bool> seen = observable();
    ptx::Expectation out;
    out.fused = 0;
    int id = program_.first_node_id();
    for (const Node& node : program_.nodes) {
      const std::string_view name = base_name(node.op);
      if (!has_no_fused(node, name)) out.fused = std::nullopt;
      out.any_order = out.any_order || adds_in_any_order(name);
      const auto to = is_cast(name) ? named_dtype(node) : std::nullopt;
      if (to) {
        const Known from = of_operands(node);
        if (from.values && loses(*from.values, *to)) {
          if (seen[static_cast<std::size_t>(id)])
            out.casts.insert({*from.values, *to});
          at(id) = {to, to};
        } else {
          at(id) = {to, from.values};
        }
      } else if (keeps_dtype(name) && !named_dtype(node)) {
        const Known from = of_operands(node);
        if (only_moves(name)) {
          at(id) = from;
        } else if (from.dtype && is_float(*from.dtype)) {
          at(id) = {from.dtype, from.dtype};
        }
      }
      ++id;
    }
    return out;
  }

 private:
  Known& at(int id) { return known_[static_cast<std::size_t>(id)]; }

  // A sum with a factor is a product and a sum.
  static bool has_no_fused(const Node& node, std::string_view name) {
    if (is_one_of(name, {"add", "sub", "rsub"})) return node.kwargs.empty();
    return needs_no_fused(name);
  }

  // What all of the operands are, if they are the same.
  Known of_operands(const Node& node) const {
    std::optional<Known> all;
    for (const ValueRef v : operands_of(node)) {
      const Known& k = known_[static_cast<std::size_t>(v.id)];
      if (!all) all = k;
      if (k.dtype != all->dtype) return {};
      if (k.values != all->values) all->values = all->dtype;
    }
    return all.value_or(Known{});
  }

  std::vector<bool> observable() const {
    std::vector<bool> seen(known_.size());
    for (const ValueRef v : program_.outputs) {
      seen[static_cast<std::size_t>(v.id)] = true;
    }
    for (int id = program_.value_count() - 1; id >= program_.first_node_id();
         --id) {
      const Node& node = program_.node({id});
      if (!seen[static_cast<std::size_t>(id)] && !writes_operand(node))
        continue;
      if (ignores_rounding(base_name(node.op))) continue;
      for (const ValueRef v : operands_of(node)) {
        seen[static_cast<std::size_t>(v.id)] = true;
      }
    }
    return seen;
  }

  const Program& program_;
  std::vector<Known> known_;
};

}  // namespace

ptx::Expectation expectation_of(const Program& program) {
  return Reader(program).read();
}

}  // namespace assay::harness::worker
