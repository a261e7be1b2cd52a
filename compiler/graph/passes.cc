#include "compiler/graph/passes.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/graph/verify.h"

namespace assay::compiler {

NodeId append(GraphNode node, Body* out) {
  out->nodes.push_back(std::move(node));
  return static_cast<NodeId>(out->nodes.size()) - 1;
}

Body rewrite(const Body& body, const MakeNode& make) {
  Body out;
  out.inputs = body.inputs;
  out.constants = body.constants;
  std::vector<NodeId> renamed;
  for (GraphNode n : body.nodes) {
    for (NodeId& a : n.args) a = renamed[static_cast<std::size_t>(a)];
    renamed.push_back(make(std::move(n), &out));
  }
  for (const NodeId o : body.outputs) {
    out.outputs.push_back(renamed[static_cast<std::size_t>(o)]);
  }
  return out;
}

Body drop_lossless_pairs(const Body& body, Ledger* ledger) {
  return rewrite(body, [&](GraphNode n, Body* out) {
    if (!is_cast(n.op)) return append(std::move(n), out);
    const GraphNode& inner = out->at(n.args[0]);
    if (inner.op != Op::widen) return append(std::move(n), out);
    const NodeId source = inner.args[0];
    if (out->at(source).type.dtype == n.type.dtype) {
      if (n.cast != 0) ledger->retire(n.cast, "it undoes a widening");
      return source;
    }
    if (n.op == Op::widen) n.args[0] = source;
    return append(std::move(n), out);
  });
}

Body merge_equal(const Body& body, Ledger* ledger) {
  return rewrite(body, [&](GraphNode n, Body* out) {
    const auto same = [&](const GraphNode& other) {
      if (!is_lossy_cast(n.op)) return other == n;
      GraphNode as_other = n;
      as_other.cast = other.cast;
      return other == as_other;
    };
    const auto found = std::find_if(out->nodes.begin(), out->nodes.end(), same);
    if (found == out->nodes.end()) return append(std::move(n), out);
    if (n.cast != 0) {
      ledger->retire(n.cast, fmt::format("the same as cast#{}", found->cast));
    }
    return static_cast<NodeId>(found - out->nodes.begin());
  });
}

namespace {

std::vector<bool> used_nodes(const Body& body) {
  std::vector<bool> used(body.nodes.size(), false);
  for (const NodeId o : body.outputs) used[static_cast<std::size_t>(o)] = true;
  for (std::size_t i = body.nodes.size(); i-- > 0;) {
    if (!used[i]) continue;
    for (const NodeId a : body.nodes[i].args) {
      used[static_cast<std::size_t>(a)] = true;
    }
  }
  return used;
}

}  // namespace

Body drop_unused(const Body& body, Ledger* ledger) {
  const std::vector<bool> used = used_nodes(body);
  std::size_t next = 0;
  return rewrite(body, [&](GraphNode n, Body* out) -> NodeId {
    if (used[next++]) return append(std::move(n), out);
    if (n.cast != 0) ledger->retire(n.cast, "its result is not used");
    return -1;
  });
}

Body outputs_alone(const Body& body, std::size_t from, std::size_t to) {
  Body part = body;
  const auto begin = body.outputs.begin();
  part.outputs.assign(begin + static_cast<std::ptrdiff_t>(from),
                      begin + static_cast<std::ptrdiff_t>(to));
  const std::vector<bool> used = used_nodes(part);
  std::size_t next = 0;
  return rewrite(part, [&](GraphNode n, Body* out) -> NodeId {
    return used[next++] ? append(std::move(n), out) : -1;
  });
}

namespace {

constexpr const char* kImport = "import";

using Pass = Body (*)(const Body&, Ledger*);
constexpr std::pair<const char*, Pass> kPasses[] = {
    {"drop_unused", drop_unused}, {"drop_lossless_pairs", drop_lossless_pairs},
    {"merge_equal", merge_equal}, {"inline_gathered", inline_gathered},
    {"drop_unused", drop_unused},
};

}  // namespace

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names = {kImport};
  for (const auto& [name, pass] : kPasses) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.emplace_back(name);
    }
  }
  return names;
}

Status run_passes(Body* body, Ledger* ledger, const SeePass& see) {
  const auto check = [&](const char* after) -> Status {
    Status s = verify(*body);
    if (s.ok()) s = check_ledger(*ledger, *body);
    if (!s.ok()) {
      return Error{fmt::format("after {}: {}", after, s.error().message)};
    }
    if (see) see(after, *body);
    return s;
  };
  Status s = check(kImport);
  for (const auto& [name, pass] : kPasses) {
    if (!s.ok()) return s;
    *body = pass(*body, ledger);
    s = check(name);
  }
  return s;
}

}  // namespace assay::compiler
