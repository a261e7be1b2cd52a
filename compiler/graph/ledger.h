// The cast ledger: every rounding cast that the importer made, by id. Passes
// may retire an entry only with a reason; the ledger is compared with the
// graph after each of them, so that no cast disappears unseen.
#ifndef ASSAY_COMPILER_GRAPH_LEDGER_H_
#define ASSAY_COMPILER_GRAPH_LEDGER_H_

#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "core/result.h"

namespace assay::compiler {

struct LedgerEntry {
  int id = 0;  // its place in the ledger, from 1
  Op op = Op::round;
  DType from = DType::f32;
  DType to = DType::f16;
  std::string origin;   // the call it belongs to: "%3 aten._to_copy.default"
  std::string retired;  // why it is gone; empty while it is live
};

struct Ledger {
  std::vector<LedgerEntry> entries;

  int add(Op op, DType from, DType to, std::string origin);
  void retire(int id, std::string reason);
};

// Every live entry stands in the body exactly once, with its operation and
// formats, and every lossy cast of the body is a live entry.
Status check_ledger(const Ledger& ledger, const Body& body);

// One line per entry.
std::string to_text(const Ledger& ledger);

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_GRAPH_LEDGER_H_
