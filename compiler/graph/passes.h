// Rewrites of the body. They get the body and the ledger alone: guards stay
// outside, and a cast leaves the graph only with a reason in the ledger.
#ifndef ASSAY_COMPILER_GRAPH_PASSES_H_
#define ASSAY_COMPILER_GRAPH_PASSES_H_

#include <functional>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/ledger.h"
#include "core/result.h"

namespace assay::compiler {

// Widening and then rounding back to the same format is the identity;
// widening twice is widening once. The only rule about casts.
Body drop_lossless_pairs(const Body& body, Ledger* ledger);

// Equal nodes become one.
Body merge_equal(const Body& body, Ledger* ledger);

// A formula that one other reads, at computed indices alone, moves into it
// where that computes no element more often.
Body inline_gathered(const Body& body, Ledger* ledger);

// Removes the nodes that no output needs.
Body drop_unused(const Body& body, Ledger* ledger);

// The graph as a pass has left it.
using SeePass = std::function<void(std::string_view pass, const Body& body)>;

// All of them, with verify() and check_ledger() after each. An error names
// the pass. `see` gets the graph after each, and first of all as it came, after
// "import".
Status run_passes(Body* body, Ledger* ledger, const SeePass& see = {});

// "import" and the passes, each once, in the order in which they first run.
std::vector<std::string_view> pass_names();

// The part of `body` that computes the outputs number `from` to `to` - 1.
Body outputs_alone(const Body& body, std::size_t from, std::size_t to);

// Copies `body` node by node. `make` gets each node, its operands already
// renamed, and the body so far; it returns the new name: of a node that it
// appended, or of an older one.
using MakeNode = std::function<NodeId(GraphNode node, Body* out)>;
Body rewrite(const Body& body, const MakeNode& make);
NodeId append(GraphNode node, Body* out);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_PASSES_H_
