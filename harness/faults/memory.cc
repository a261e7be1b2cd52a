#include "harness/faults/memory.h"

#include <numeric>
#include <utility>

#include "core/operands.h"

namespace assay::harness::faults {
namespace {

using language::WrongWrite;

constexpr std::string_view kCopy = "aten.clone.default";

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Memory::Memory(const Program& program, WrongWrite wrong, std::string aten,
               Apply apply)
    : program_(program),
      wrong_(wrong),
      aten_(std::move(aten)),
      apply_(std::move(apply)),
      storages_(program) {}

Memory::Places Memory::places_of(int value,
                                 const std::vector<Tensor>& values) const {
  const auto known = places_.find(value);
  if (known != places_.end()) return known->second;
  Places all(static_cast<std::size_t>(values[at(value)].numel()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Tensor Memory::seen(int value, int reader,
                    const std::vector<Tensor>& values) const {
  const Tensor& made = values[at(value)];
  if (storages_.written(value, reader) == value) return made;
  const bool returned = reader == program_.value_count();
  const std::map<int, Tensor>& contents = returned ? contents_ : shown_;
  const auto now = contents.find(storages_.root(value));
  if (now == contents.end()) return made;
  Tensor out = Tensor::zeros(made.dtype(), made.sizes());
  const Places places = places_of(value, values);
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    out.set_bits(i, now->second.bits(places[static_cast<std::size_t>(i)]));
  }
  return out;
}

Status Memory::follow(std::vector<Tensor>* values) {
  const int id = static_cast<int>(values->size()) - 1;
  const Node& node = program_.node({id});
  const int root = storages_.root(id);
  if (root == id || !storages_.is_sure(id)) return success();
  if (storages_.written(root) == root) return success();
  if (!writes_operand(node)) return follow_view(id, *values);
  const int operand = base_operand(node)->id;
  const bool resizes = values->back().sizes() != (*values)[at(operand)].sizes();
  places_[id] = places_of(resizes ? id : operand, *values);
  const WrongWrite wrong = node.op == aten_ ? wrong_ : WrongWrite::none;
  if (wrong != WrongWrite::lost) write(id, *values, &contents_);
  if (wrong != WrongWrite::lost && wrong != WrongWrite::late) {
    write(id, *values, &shown_);
  }
  if (wrong == WrongWrite::early) show_earlier(root, values);
  return success();
}

Status Memory::follow_view(int id, const std::vector<Tensor>& values) {
  const auto further = further_output(program_.node({id}));
  const ValueRef made_by = further ? further->call : ValueRef{id};
  Node node = program_.node(made_by);
  const int base = base_operand(node)->id;
  if (operands(node).size() != 1) return Error{node.op + ": not a view of one"};
  node.args[0] = ValueRef{0};
  Tensor numbers = Tensor::zeros(DType::i64, values[at(base)].sizes());
  for (std::int64_t i = 0; i < numbers.numel(); ++i) numbers.set_integer(i, i);
  const Result<std::vector<Tensor>> all =
      apply_(node, numbers, output_count(program_, made_by));
  if (!all) return all.error();
  const Tensor& seen = all->at(further ? further->output : 0);
  const Places below = places_of(base, values);
  Places places;
  for (std::int64_t i = 0; i < seen.numel(); ++i) {
    places.push_back(below[static_cast<std::size_t>(seen.integer(i))]);
  }
  places_[id] = std::move(places);
  return success();
}

void Memory::write(int id, const std::vector<Tensor>& values,
                   std::map<int, Tensor>* contents) const {
  const int root = storages_.root(id);
  const auto [now, is_new] = contents->try_emplace(root);
  if (is_new) now->second = values[at(root)].contiguous();
  const Tensor& written = values[at(id)];
  // A tensor that takes on other sizes has no views.
  const int operand = base_operand(program_.node({id}))->id;
  if (written.sizes() != values[at(operand)].sizes()) {
    now->second = written.contiguous();
    return;
  }
  const Places& places = places_.at(id);
  for (std::int64_t i = 0; i < written.numel(); ++i) {
    now->second.set_bits(places[static_cast<std::size_t>(i)], written.bits(i));
  }
}

// Copies that were made before the last call have what it wrote.
void Memory::show_earlier(int root, std::vector<Tensor>* values) const {
  const int last = static_cast<int>(values->size()) - 1;
  for (int id = program_.first_node_id(); id < last; ++id) {
    const Node& node = program_.node({id});
    if (node.op != kCopy) continue;
    const int copied = base_operand(node)->id;
    if (storages_.root(copied) != root) continue;
    (*values)[at(id)] = seen(copied, last + 1, *values);
  }
}

}  // namespace assay::harness::faults
