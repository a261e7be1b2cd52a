#include "harness/faults/memory.h"

#include <numeric>
#include <set>
#include <utility>

#include "core/operands.h"

namespace assay::harness::faults {
namespace {

using language::WrongMemory;
using language::WrongWrite;

constexpr std::string_view kCopy = "aten.clone.default";

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The elements of a tensor, those of a complex one by their parts.
class Elements {
 public:
  explicit Elements(const Tensor& t)
      : parts_(components(t)), count_(is_complex(t.dtype()) ? 2 : 1) {}
  void set(std::int64_t i, const Elements& from, std::int64_t k) {
    for (int p = 0; p < count_; ++p) {
      parts_.set_bits(i * count_ + p, from.parts_.bits(k * count_ + p));
    }
  }
  void clear(std::int64_t i) {
    for (int p = 0; p < count_; ++p) parts_.set_bits(i * count_ + p, 0);
  }

 private:
  Tensor parts_;  // in the tensor's storage
  int count_;
};

}  // namespace

Memory::Memory(const Program& program, Wrong wrong, Apply apply)
    : program_(program),
      wrong_(std::move(wrong)),
      apply_(std::move(apply)),
      storages_(wrong_.memory == WrongMemory::copied ||
                        wrong_.memory == WrongMemory::shared
                    ? Storages(program, wrong_.aten,
                               wrong_.memory == WrongMemory::shared)
                    : Storages(program)) {}

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
  // What came back with wrong sizes is no view of anything.
  if (places.size() != static_cast<std::size_t>(made.numel())) return made;
  const Elements from(now->second);
  Elements to(out);
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    to.set(i, from, places[static_cast<std::size_t>(i)]);
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
  const WrongWrite wrong =
      node.op == wrong_.aten ? wrong_.writes : WrongWrite::none;
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
  std::vector<Tensor> read;
  for (Arg& arg : node.args) {
    if (auto* operand = std::get_if<ValueRef>(&arg)) {
      read.push_back(values[at(operand->id)]);
      operand->id = static_cast<int>(read.size()) - 1;
    }
  }
  Tensor numbers = Tensor::zeros(DType::i64, values[at(base)].sizes());
  for (std::int64_t i = 0; i < numbers.numel(); ++i) numbers.set_integer(i, i);
  read.front() = numbers;
  const Result<std::vector<Tensor>> all =
      apply_(node, read, output_count(program_, made_by));
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
  if (places.size() != static_cast<std::size_t>(written.numel())) return;
  const Elements from(written);
  Elements to(now->second);
  for (std::int64_t i = 0; i < written.numel(); ++i) {
    to.set(places[static_cast<std::size_t>(i)], from, i);
  }
  if (wrong_.memory == WrongMemory::alone) {
    clear_beside(operand, values, &now->second);
  }
}

// Where the operand is a view that went wrong, or one of such a view.
void Memory::clear_beside(int operand, const std::vector<Tensor>& values,
                          Tensor* contents) const {
  const int root = storages_.root(operand);
  int view = operand;
  while (view != root && program_.call({view}).op != wrong_.aten) {
    view = base_operand(program_.call({view}))->id;
  }
  if (view == root) return;
  const Places kept = places_of(view, values);
  const std::set<std::int64_t> covered(kept.begin(), kept.end());
  Elements all(*contents);
  for (std::int64_t i = 0; i < contents->numel(); ++i) {
    if (!covered.contains(i)) all.clear(i);
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
