#include "ptx/lint/products.h"

#include <cstddef>
#include <map>
#include <set>

namespace assay::ptx {
namespace {

void add_registers(const Operand& o, std::vector<std::uint32_t>* out) {
  if (o.kind == Operand::Kind::reg) out->push_back(o.index);
  for (const Operand& e : o.elements) add_registers(e, out);
}

std::vector<std::uint32_t> written(const Instruction& i) {
  std::vector<std::uint32_t> out;
  if (!i.operands.empty()) add_registers(i.operands.front(), &out);
  return out;
}

std::vector<std::uint32_t> read(const Instruction& i) {
  std::vector<std::uint32_t> out;
  for (std::size_t k = 1; k < i.operands.size(); ++k) {
    add_registers(i.operands[k], &out);
  }
  return out;
}

using Products = std::map<std::uint32_t, std::set<const Instruction*>>;

// One step of copies; true if that made a register known that was not.
bool follow_copies(const Function& f, Products* products) {
  bool changed = false;
  for (const Instruction& i : f.body) {
    if (i.opcode != "mov" && i.opcode != "neg") continue;
    for (const std::uint32_t from : read(i)) {
      const auto known = products->find(from);
      if (known == products->end()) continue;
      const std::set<const Instruction*> made = known->second;
      for (const std::uint32_t to : written(i)) {
        const std::size_t before = (*products)[to].size();
        (*products)[to].insert(made.begin(), made.end());
        changed = changed || (*products)[to].size() != before;
      }
    }
  }
  return changed;
}

}  // namespace

std::vector<ProductAndSum> products_in_sums(
    const Function& f, const std::function<bool(const Instruction&)>& counts) {
  Products products;
  for (const Instruction& i : f.body) {
    if (i.opcode != "mul" || !counts(i)) continue;
    for (const std::uint32_t r : written(i)) products[r].insert(&i);
  }
  while (!products.empty() && follow_copies(f, &products)) {
  }
  std::vector<ProductAndSum> found;
  for (const Instruction& i : f.body) {
    if ((i.opcode != "add" && i.opcode != "sub") || !counts(i)) continue;
    const Instruction* product = nullptr;
    for (const std::uint32_t r : read(i)) {
      const auto known = products.find(r);
      if (known == products.end()) continue;
      for (const Instruction* p : known->second) {
        if (p->types() == i.types()) product = p;
      }
    }
    if (product != nullptr) found.push_back({product, &i});
  }
  return found;
}

}  // namespace assay::ptx
