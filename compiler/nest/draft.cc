#include "compiler/nest/draft.h"

#include <algorithm>

namespace assay::compiler {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

Value load(const Placement& p, NodeId id, const Index& index) {
  Value v;
  v.kind = Value::Kind::load;
  v.dtype = p.body.at(id).type.dtype;
  v.buffer = p.buffer[at(id)];
  v.at = offset_of(index, buffer_strides(p.body, id));
  return v;
}

}  // namespace

Draft::Draft(const Shape& domain, const Shape& row_dims, bool has_row)
    : domain_(domain), row_dims_(row_dims) {
  Shape row_sizes;
  for (const std::int64_t r : row_dims) row_sizes.push_back(domain[at(r)]);
  kernel_.has_row = has_row;
  kernel_.row = element_count(row_sizes);
  const auto in_row = [&](std::size_t d) {
    return std::count(row_dims.begin(), row_dims.end(),
                      static_cast<std::int64_t>(d)) > 0;
  };
  for (std::size_t d = 0; d < domain.size(); ++d) {
    if (!in_row(d)) kernel_.outer.push_back(domain[d]);
  }
  const Index row =
      unravel(IndexExpr::variable(static_cast<int>(kernel_.outer.size())),
              row_sizes, kernel_.extents());
  std::size_t next_row = 0;
  int next_outer = 0;
  for (std::size_t d = 0; d < domain.size(); ++d) {
    if (in_row(d)) {
      point_.push_back(row[next_row++]);
      row_start_.push_back(IndexExpr::number(0));
    } else {
      const IndexExpr v = IndexExpr::variable(next_outer++);
      point_.push_back(domain[d] == 1 ? IndexExpr::number(0) : v);
      row_start_.push_back(point_.back());
    }
  }
}

Shape Draft::row_shape() const {
  Shape s = domain_;
  for (const std::int64_t r : row_dims_) s[at(r)] = 1;
  return s;
}

bool Draft::add_stage(const Placement& p, int k, NodeId source,
                      const Index& index, Stage stage, NodeId root) {
  if (kernel_.stages.size() >= kMostStages) return false;
  const bool fresh = kernel_.stages.empty();
  const std::optional<int> v = emit(p, k, source, index);
  if (!v || (!fresh && kernel_.values.size() > kMostValues)) return false;
  stage.value = *v;
  if (root >= 0) stage_of_[root] = static_cast<int>(kernel_.stages.size());
  kernel_.stages.push_back(std::move(stage));
  return true;
}

int Draft::push(Value v) {
  kernel_.values.push_back(std::move(v));
  return static_cast<int>(kernel_.values.size()) - 1;
}

// The value of a root made in this same kernel.
std::optional<int> Draft::local(NodeId id, Value loaded) {
  const int s = stage_of_.at(id);
  const Stage& stage = kernel_.stages[at(s)];
  if (loaded.buffer != stage.buffer || loaded.at != stage.at) {
    return std::nullopt;
  }
  if (stage.kind == Stage::Kind::reduce) {
    Value v;
    v.kind = Value::Kind::reduced;
    v.dtype = loaded.dtype;
    v.stage = s;
    return push(std::move(v));
  }
  // In a kernel without rows the value is at hand; between the loops over one
  // row it goes through its buffer.
  if (!kernel_.has_row || stage.kind == Stage::Kind::row) return stage.value;
  return push(std::move(loaded));
}

std::optional<int> Draft::emit(const Placement& p, int k, NodeId id,
                               const Index& index) {
  if (stage_of_.count(id) != 0) return local(id, load(p, id, index));
  std::string key;
  std::vector<std::string> names;
  for (std::size_t i = 0; i <= kernel_.outer.size(); ++i) {
    names.push_back("i" + std::to_string(i));
  }
  for (const IndexExpr& e : index) key += to_text(e, names) + ",";
  const auto found = memo_.find({id, key});
  if (found != memo_.end()) return found->second;
  const std::optional<int> v = emit_new(p, k, id, index);
  if (v) memo_[{id, key}] = *v;
  return v;
}

std::optional<int> Draft::emit_new(const Placement& p, int k, NodeId id,
                                   const Index& index) {
  const GraphNode& n = p.body.at(id);
  if (n.op == Op::input || n.op == Op::constant) {
    return push(load(p, id, index));
  }
  if (p.roots.stored[at(id)] && id != p.making) {
    if (p.producer[at(id)] >= k) return std::nullopt;
    return push(load(p, id, index));
  }
  Value v;
  v.dtype = n.type.dtype;
  if (n.op == Op::scalar) {
    v.kind = Value::Kind::scalar;
    v.bits = n.bits;
    return push(std::move(v));
  }
  if (is_view(n.op)) {
    return emit(p, k, n.args[0],
                operand_index(p.body, n, index, kernel_.extents()));
  }
  if (n.op == Op::gather) return gather(p, k, n, index);
  if (n.op == Op::formula) return emit_formula(p, k, id, index);
  for (const NodeId a : n.args) {
    const std::optional<int> arg = emit(p, k, a, index);
    if (!arg) return std::nullopt;
    v.args.push_back(*arg);
  }
  v.kind = n.op == Op::map ? Value::Kind::apply : Value::Kind::cast;
  v.op = n.scalar;
  v.cast = n.op;
  v.cast_id = n.cast;
  return push(std::move(v));
}

std::optional<int> Draft::gather(const Placement& p, int k, const GraphNode& n,
                                 const Index& index) {
  const NodeId table = n.args[0];
  const std::optional<BufferView> view =
      strided_view(p.body, p.roots.stored, table, n.op);
  const NodeId base = view_base(p.body, p.roots.stored, table, n.op);
  if (!view || p.producer[at(base)] >= k) return std::nullopt;
  const std::optional<int> row =
      emit(p, k, n.args[1], Index(index.begin(), index.end() - 1));
  if (!row) return std::nullopt;
  Value v;
  v.kind = Value::Kind::gather;
  v.dtype = n.type.dtype;
  v.args = {*row};
  v.buffer = p.buffer[at(base)];
  v.at = offset_of({index.back()}, {view->strides[1]}) +
         IndexExpr::number(view->offset);
  v.rows = {p.body.at(table).type.sizes[0]};
  v.row_strides = {view->strides[0]};
  return push(std::move(v));
}

}  // namespace assay::compiler
