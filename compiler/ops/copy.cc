// Casts, and copies that compute nothing.
#include <fmt/format.h>

#include <string>

#include "compiler/ops/pointwise.h"

namespace assay::compiler {
namespace {

// A memory format is a promise of strides, and results are written row by row:
// what is left of it is the rank that it has.
template <class A>
bool fits_format(const A& a, Guards& g) {
  const std::string f = a.format.value_or("preserve_format");
  const std::int64_t rank = a.self.rank();
  const bool fits = f == "contiguous_format" || f == "preserve_format" ||
                    (f == "channels_last" && rank == 4) ||
                    (f == "channels_last_3d" && rank == 5);
  return g.shape("E1", fits,
                 fmt::format("a tensor of rank {} has no {} format", rank, f));
}

struct ToCopy : Unary {
  std::optional<DType> to = maybe_dtype("dtype");
  std::optional<std::string> format = maybe_text("memory_format");
};

NodeId lower_to_copy(const ToCopy& a, Builder& b) {
  return b.convert(a.self.node(), a.to.value_or(a.self.dtype()));
}

struct ToDType : Unary {
  DType to = dtype("dtype");
  bool non_blocking = boolean("non_blocking", false);
  bool copy = boolean("copy", false);
};

NodeId lower_to(const ToDType& a, Builder& b) {
  return b.convert(a.self.node(), a.to);
}

NodeId lower_zeros_like(const ToCopy& a, Builder& b) {
  return b.filled(a.to.value_or(a.self.dtype()), a.self.sizes(), 0);
}

// An operation of this project's own, whose value is the instruction's that
// some GPUs have: it is no pattern that a program's log2 and ceil are taken
// for, since these promise other values next to powers of two.
NodeId lower_e8m0_encode(const Unary& a, Builder& b) {
  return b.map(ScalarOp::e8m0_encode, {b.widened(a.self.node())});
}

struct Clone : Unary {
  std::optional<std::string> format = maybe_text("memory_format");
};

template <class A>
NodeId lower_identity(const A& a, Builder&) {
  return a.self.node();
}

constexpr Operation kOperations[] = {
    operation<ToCopy, lower_to_copy, fits_format<ToCopy>>(
        "aten._to_copy.default", "_to_copy"),
    operation<ToDType, lower_to>("aten.to.dtype", "to"),
    operation<ToCopy, lower_zeros_like, fits_format<ToCopy>>(
        "aten.zeros_like.default", "zeros_like"),
    operation<Unary, lower_e8m0_encode, is_floating>("assay.e8m0_encode"),
    operation<Clone, lower_identity<Clone>, fits_format<Clone>>(
        "aten.clone.default", "clone"),
    operation<Unary, lower_identity<Unary>>("aten.alias.default", "alias"),
    operation<Unary, lower_identity<Unary>>("aten.detach.default", "detach"),
};

}  // namespace

Family copy() { return kOperations; }

}  // namespace assay::compiler
