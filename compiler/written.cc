#include "compiler/written.h"

#include <utility>

#include "compiler/graph/interpret.h"
#include "compiler/import.h"
#include "core/operands.h"

namespace assay::compiler {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

std::string Written::renew(const std::vector<ValueRef>& read, int reader,
                           std::vector<NodeId>* values) {
  for (const ValueRef v : read) {
    if (storages_.written(v.id, reader) == v.id) continue;
    std::string fault;
    const Table table = table_of(v.id, *values, &fault);
    if (!fault.empty()) return fault;
    const NodeId all = contents_.at(storages_.root(v.id));
    NodeId& value = (*values)[at(v.id)];
    value = table ? picked(all, *table, builder_.sizes(value)) : all;
    renewed_.insert(v.id);
  }
  return {};
}

bool Written::has_changed(int value) const {
  const bool is_input = program_.is_input({value});
  return renewed_.count(value) != 0 ||
         (is_input && storages_.written(value) != value);
}

std::string Written::follow(const std::vector<NodeId>& values) {
  const int id = static_cast<int>(values.size()) - 1;
  const Node& node = program_.node({id});
  const int root = storages_.root(id);
  if (!writes_operand(node) || root == id || !storages_.is_sure(id)) return {};
  std::string fault;
  const Table table = table_of(base_operand(node)->id, values, &fault);
  if (!fault.empty()) return fault;
  if (!table) {
    contents_[root] = values.back();
    return {};
  }
  const NodeId before =
      contents_.count(root) != 0 ? contents_.at(root) : values[at(root)];
  const Shape sizes = builder_.sizes(before);
  std::vector<std::int64_t> source(
      static_cast<std::size_t>(element_count(sizes)), 0);
  Tensor is_written = Tensor::zeros(DType::boolean, sizes);
  for (std::size_t i = 0; i < table->size(); ++i) {
    const std::int64_t place = (*table)[i];
    if (is_written.bits(place) != 0) {
      return "a call that writes to elements which share memory";
    }
    is_written.set_bits(place, 1);
    source[static_cast<std::size_t>(place)] = static_cast<std::int64_t>(i);
  }
  if (table->empty()) {
    contents_[root] = before;
    return {};
  }
  contents_[root] = builder_.map(
      ScalarOp::select, {builder_.constant(std::move(is_written)),
                         picked(values.back(), source, sizes), before});
  return {};
}

Written::Table Written::table_of(int value, const std::vector<NodeId>& values,
                                 std::string* fault) {
  if (storages_.root(value) == value) return nullptr;
  const auto known = tables_.find(value);
  if (known != tables_.end()) return known->second;
  const Node& node = program_.call({value});
  const int base = base_operand(node)->id;
  Table table = table_of(base, values, fault);
  if (!writes_operand(node) && fault->empty()) {
    const Table numbers =
        numbers_of(value, builder_.sizes(values[at(base)]), fault);
    if (!numbers) return nullptr;
    std::vector<std::int64_t> places = *numbers;
    for (std::int64_t& p : places) {
      if (table) p = (*table)[static_cast<std::size_t>(p)];
    }
    table =
        std::make_shared<const std::vector<std::int64_t>>(std::move(places));
  }
  tables_[value] = table;
  return table;
}

// The same view of a tensor that holds the numbers of its elements; of a
// complex one, of their parts.
Written::Table Written::numbers_of(int view, const Shape& base,
                                   std::string* fault) const {
  Program program;
  program.nodes = {program_.call({view})};
  const bool pairs = is_complex_(*base_operand(program.nodes[0]));
  program.inputs = {pairs
                        ? TensorType::contiguous(
                              DType::c128, Shape(base.begin(), base.end() - 1))
                        : TensorType::contiguous(DType::i64, base)};
  *fault = "a view that is written to, of " + program.nodes[0].op;
  if (operands(program.nodes[0]).size() != 1) return nullptr;
  program.nodes[0].args[0] = ValueRef{0};
  program.outputs = {{1}};
  if (const auto member = further_output(program_.node({view}))) {
    const std::size_t count = output_count(program_, member->call);
    program.outputs = {
        add_further_outputs(count, &program)[member->output - 1]};
  }
  const Result<Imported> imported = import_program(program);
  if (!imported.ok() || imported->refusal || !imported->unsupported.empty()) {
    return nullptr;
  }
  Tensor numbers = Tensor::zeros(pairs ? DType::f64 : DType::i64, base);
  for (std::int64_t i = 0; i < numbers.numel(); ++i) {
    numbers.set_number(i, static_cast<double>(i));
  }
  const Tensor seen = interpret(imported->body, {numbers})[0];
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < seen.numel(); ++i) {
    places.push_back(static_cast<std::int64_t>(seen.number(i)));
  }
  fault->clear();
  return std::make_shared<const std::vector<std::int64_t>>(std::move(places));
}

// An element of `from` for each number, as a tensor of those sizes.
NodeId Written::picked(NodeId from, const std::vector<std::int64_t>& table,
                       const Shape& sizes) {
  const auto count = static_cast<std::int64_t>(table.size());
  const std::int64_t all = element_count(builder_.sizes(from));
  if (count == 0 || all == 0) {
    return builder_.filled(builder_.dtype(from), sizes, 0);
  }
  Tensor index = Tensor::zeros(DType::i64, {count});
  for (std::int64_t i = 0; i < count; ++i) {
    index.set_integer(i, table[static_cast<std::size_t>(i)]);
  }
  const NodeId elements = builder_.gather(builder_.reshape(from, {all, 1}),
                                          builder_.constant(std::move(index)));
  return builder_.reshape(elements, sizes);
}

}  // namespace assay::compiler
