#include "compiler/graph/ledger.h"

#include <fmt/format.h>

namespace assay::compiler {
namespace {

std::string describe(const LedgerEntry& e) {
  return fmt::format("cast#{} {} {} -> {} ({})", e.id, op_name(e.op),
                     dtype_name(e.from), dtype_name(e.to), e.origin);
}

}  // namespace

int Ledger::add(Op op, DType from, DType to, std::string origin) {
  const int id = static_cast<int>(entries.size()) + 1;
  entries.push_back({id, op, from, to, std::move(origin), ""});
  return id;
}

void Ledger::retire(int id, std::string reason) {
  entries[static_cast<std::size_t>(id - 1)].retired = std::move(reason);
}

Status check_ledger(const Ledger& ledger, const Body& body) {
  std::vector<int> seen(ledger.entries.size(), 0);
  for (const GraphNode& n : body.nodes) {
    if (!is_lossy_cast(n.op)) continue;
    if (n.cast < 1 || n.cast > static_cast<int>(seen.size())) {
      return Error{fmt::format("a {} node has no ledger entry (cast#{})",
                               op_name(n.op), n.cast)};
    }
    const auto place = static_cast<std::size_t>(n.cast - 1);
    const LedgerEntry& e = ledger.entries[place];
    const DType from = body.at(n.args[0]).type.dtype;
    if (e.op != n.op || e.from != from || e.to != n.type.dtype) {
      return Error{fmt::format("{} became {} {} -> {}", describe(e),
                               op_name(n.op), dtype_name(from),
                               dtype_name(n.type.dtype))};
    }
    if (!e.retired.empty()) {
      return Error{describe(e) + " is retired but still in the graph"};
    }
    if (++seen[place] > 1) {
      return Error{describe(e) + " stands twice in the graph"};
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const LedgerEntry& e = ledger.entries[i];
    if (e.retired.empty() && seen[i] == 0) {
      return Error{describe(e) + " was dropped from the graph"};
    }
  }
  return success();
}

std::string to_text(const Ledger& ledger) {
  std::string text;
  for (const LedgerEntry& e : ledger.entries) {
    text += describe(e);
    text += e.retired.empty() ? ": live\n" : ": retired, " + e.retired + "\n";
  }
  return text;
}

}  // namespace assay::compiler
