// The operations of the compiler: for each its parameters, what it requires
// and how it becomes graph nodes. One file per family holds them all.
#ifndef ASSAY_COMPILER_OPS_OPERATION_H_
#define ASSAY_COMPILER_OPS_OPERATION_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/builder.h"
#include "compiler/ops/arguments.h"
#include "compiler/ops/guard.h"

namespace assay::compiler {

// What became of a call: a node, or what is not supported, or neither where
// the guards refuse.
struct Lowered {
  std::optional<NodeId> node;
  std::string unsupported;
  std::vector<NodeId> further = {};  // outputs behind the first
  // The guards hold, and the nodes are left to the derived front end.
  bool is_left = false;
  // Its elements are pairs, complex numbers to the program.
  bool is_complex = false;
};

struct Operation {
  std::string_view aten;
  // The spec of this overload, whose clauses the guards name; empty where there
  // is none, and then a refusal names no clause.
  std::string_view spec;
  // An error is a call that does not fit the parameters.
  Result<Lowered> (*lower)(const CallSite&, Guards&, Builder&);
  // Names of the parameters, in ATen's order.
  std::vector<std::string> (*parameters)();
};

inline bool requires_nothing(const Arguments&, Guards&) { return true; }
inline const char* supports_all(const Arguments&) { return nullptr; }

template <class A>
A bind(const CallSite& site) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"  // however deep the base is
  return A{site};
#pragma GCC diagnostic pop
}

inline Lowered lowered_to(NodeId node) { return {node, ""}; }
inline Lowered lowered_to(const std::vector<NodeId>& outputs) {
  if (outputs.empty()) return {{}, "", {}, true};
  return {outputs[0], "", {outputs.begin() + 1, outputs.end()}};
}

// The operation with parameters `A`: kLower(const A&, Builder&) makes its nodes
// once bool kGuard(const A&, Guards&) holds. It returns a NodeId, or a vector
// of them for several outputs, which is empty where it leaves the call to the
// derived front end. kUnsupported(const A&)
// says what of it is not supported, or null.
template <class A, auto kLower, auto kGuard = requires_nothing,
          auto kUnsupported = supports_all>
constexpr Operation operation(std::string_view aten,
                              std::string_view spec = {}) {
  return {aten, spec,
          [](const CallSite& site, Guards& g, Builder& b) -> Result<Lowered> {
            const A a = bind<A>(site);
            if (const Status s = a.fit(); !s.ok()) return s.error();
            if (const char* what = kUnsupported(a)) return Lowered{{}, what};
            if (!kGuard(a, g)) return Lowered{};
            return lowered_to(kLower(a, b));
          },
          [] {
            const Node nothing;
            const std::vector<NodeId> values;
            const Builder builder;
            return bind<A>({nothing, values, builder}).names();
          }};
}

using Family = std::span<const Operation>;

// The table of each family, in the file of its name.
Family activation();
Family arithmetic();
Family comparison();
Family copy();
Family elementary();
Family indexing();
Family layout();
Family matmul();
Family network();
Family pooling();
Family reduction();
Family resize();
Family scatter();

// All of them.
const std::vector<Family>& families();

// Does it move or cast elements, of whatever type?
bool takes_every_type(const Operation& operation);

// Null where the operation is not supported.
const Operation* find_operation(std::string_view aten);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_OPS_OPERATION_H_
