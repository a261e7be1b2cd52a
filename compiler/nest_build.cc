// From the contract graph to kernels. One greedy rule: a root joins the latest
// kernel over the same domain in which everything it reads is at hand, else it
// opens a kernel of its own.
#include <algorithm>
#include <map>
#include <optional>

#include "compiler/nest.h"
#include "compiler/plan.h"
#include "compiler/view.h"

namespace assay::compiler {
namespace {

constexpr std::size_t kMostStages = 8;
constexpr std::size_t kMostValues = 400;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A loop kernel in the making.
struct Draft {
  Shape domain;    // with the row's dimensions
  Shape row_dims;  // rising; empty: no rows
  LoopKernel kernel;
  Index identity;   // the point's index in `domain`
  Index row_start;  // the same with the row's dimensions at 0
  std::map<std::pair<NodeId, std::string>, int> memo;
  std::map<NodeId, int> stage_of;  // roots made here
};

Draft make_draft(const Shape& domain, const Shape& row_dims) {
  Draft d;
  d.domain = domain;
  d.row_dims = row_dims;
  Shape row_sizes;
  for (const std::int64_t r : row_dims) {
    row_sizes.push_back(domain[static_cast<std::size_t>(r)]);
  }
  d.kernel.has_row = !row_dims.empty();
  d.kernel.row = element_count(row_sizes);
  for (std::size_t i = 0; i < domain.size(); ++i) {
    const auto dim = static_cast<std::int64_t>(i);
    if (std::find(row_dims.begin(), row_dims.end(), dim) == row_dims.end()) {
      d.kernel.outer.push_back(domain[i]);
    }
  }
  const Shape extents = d.kernel.extents();
  const Index row =
      unravel(IndexExpr::variable(static_cast<int>(d.kernel.outer.size())),
              row_sizes, extents);
  std::size_t next_row = 0;
  int next_outer = 0;
  for (std::size_t i = 0; i < domain.size(); ++i) {
    const auto dim = static_cast<std::int64_t>(i);
    if (std::find(row_dims.begin(), row_dims.end(), dim) != row_dims.end()) {
      d.identity.push_back(row[next_row++]);
      d.row_start.push_back(IndexExpr::number(0));
    } else {
      const IndexExpr v = IndexExpr::variable(next_outer++);
      d.identity.push_back(domain[i] == 1 ? IndexExpr::number(0) : v);
      d.row_start.push_back(d.identity.back());
    }
  }
  return d;
}

class NestBuilder {
 public:
  NestBuilder(const Body& body, std::size_t program_outputs)
      : body_(body),
        outputs_(program_outputs),
        plan_(make_plan(body, program_outputs)),
        buffer_(body.nodes.size(), -1),
        producer_(body.nodes.size(), -1) {}

  Nest run() {
    make_buffers();
    for (std::size_t i = 0; i < body_.nodes.size(); ++i) {
      if (plan_.live[i] && plan_.root[i]) make_root(static_cast<NodeId>(i));
    }
    making_ = -1;
    for (const auto& [node, buffer] : copies_) {
      const Shape& shape = body_.at(node).type.sizes;
      store(node, {buffer, contiguous_strides(shape), 0}, false);
    }
    for (auto& slot : kernels_) {
      if (auto* draft = std::get_if<Draft>(&slot)) {
        nest_.kernels.push_back(std::move(draft->kernel));
      } else {
        nest_.kernels.push_back(std::get<ContractionKernel>(slot));
      }
    }
    drop_unread_stores();
    return std::move(nest_);
  }

 private:
  using Slot = std::variant<Draft, ContractionKernel>;

  int add_buffer(Buffer::Kind kind, int position, TensorType type) {
    nest_.buffers.push_back({kind, position, std::move(type)});
    return static_cast<int>(nest_.buffers.size()) - 1;
  }

  TensorType row_major(NodeId id) const {
    const Type& t = body_.at(id).type;
    return TensorType::contiguous(t.dtype, t.sizes);
  }

  void make_buffers() {
    for (std::size_t i = 0; i < body_.nodes.size(); ++i) {
      const GraphNode& n = body_.nodes[i];
      if (!plan_.live[i]) continue;
      if (n.op == Op::input) {
        buffer_[i] =
            add_buffer(Buffer::Kind::input, static_cast<int>(n.attr[0]),
                       body_.inputs[at(static_cast<int>(n.attr[0]))]);
      } else if (n.op == Op::constant) {
        buffer_[i] =
            add_buffer(Buffer::Kind::constant, static_cast<int>(n.attr[0]),
                       row_major(static_cast<NodeId>(i)));
      }
    }
    for (std::size_t i = 0; i < outputs_; ++i) {
      const NodeId o = body_.outputs[i];
      const int b =
          add_buffer(Buffer::Kind::output, static_cast<int>(i), row_major(o));
      nest_.outputs.push_back(b);
      // A root is written straight to the first output that is it, perhaps in
      // another shape.
      NodeId base = o;
      while (body_.at(base).op == Op::reshape && !plan_.root[at(base)]) {
        base = body_.at(base).args[0];
      }
      if (plan_.root[at(base)] && buffer_[at(base)] < 0) {
        buffer_[at(base)] = b;
      } else {
        copies_.emplace_back(o, b);
      }
    }
    for (std::size_t i = 0; i < body_.nodes.size(); ++i) {
      if (plan_.live[i] && plan_.root[i] && buffer_[i] < 0) {
        buffer_[i] = add_buffer(Buffer::Kind::temporary, 0,
                                row_major(static_cast<NodeId>(i)));
      }
    }
    for (std::size_t i = outputs_; i < body_.outputs.size(); ++i) {
      nest_.outputs.push_back(buffer_[at(body_.outputs[i])]);
    }
  }

  void make_root(NodeId id) {
    const GraphNode& n = body_.at(id);
    making_ = id;
    if (n.op == Op::reduce) {
      reduce(id);
    } else if (n.op == Op::cat) {
      cat(id);
    } else if (is_contraction(n.op)) {
      contraction(id);
    } else {
      // The buffer may hold the same elements in another shape.
      producer_[at(id)] = store(
          id, {buffer_[at(id)], contiguous_strides(n.type.sizes), 0}, true);
    }
  }

  void contraction(NodeId id) {
    ContractionKernel k;
    k.node = body_.at(id);
    k.result = buffer_[at(id)];
    for (const NodeId a : k.node.args) {
      BufferView view = *strided_view(body_, plan_.root, a);
      view.buffer = buffer_[at(view_base(body_, plan_.root, a))];
      k.operands.push_back(std::move(view));
      k.operand_sizes.push_back(body_.at(a).type.sizes);
    }
    producer_[at(id)] = static_cast<int>(kernels_.size());
    kernels_.push_back(std::move(k));
  }

  void cat(NodeId id) {
    const GraphNode& n = body_.at(id);
    const auto dim = static_cast<std::size_t>(n.attr[0]);
    Target to = {buffer_[at(id)], contiguous_strides(n.type.sizes), 0};
    for (const NodeId part : n.args) {
      producer_[at(id)] = std::max(producer_[at(id)], store(part, to, false));
      to.start += body_.at(part).type.sizes[dim] * to.strides[dim];
    }
  }

  // The row dimensions that a later reduction wants over this domain, if they
  // are the last ones: then its loads stay in order.
  Shape row_hint(NodeId from, const Shape& domain) const {
    for (std::size_t i = at(from) + 1; i < body_.nodes.size(); ++i) {
      const GraphNode& n = body_.nodes[i];
      if (!plan_.live[i] || n.op != Op::reduce || n.attr.empty() ||
          body_.at(n.args[0]).type.sizes != domain) {
        continue;
      }
      const auto rank = static_cast<std::int64_t>(domain.size());
      const auto count = static_cast<std::int64_t>(n.attr.size());
      return n.attr.front() == rank - count ? n.attr : Shape{};
    }
    return {};
  }

  // Where a node's elements go: buffer[start + sum of index * stride].
  struct Target {
    int buffer = 0;
    Shape strides;
    std::int64_t start = 0;
  };

  // Stores `id` at every point of its shape; returns the kernel's place.
  // `is_root`: other nodes may read it from that kernel.
  int store(NodeId id, const Target& to, bool is_root) {
    const Shape& shape = body_.at(id).type.sizes;
    if (element_count(shape) == 0) return -1;
    for (int k = static_cast<int>(kernels_.size()); k-- > 0;) {
      const auto* draft = std::get_if<Draft>(&kernels_[at(k)]);
      if (draft == nullptr) continue;
      const bool per_point = draft->domain == shape;
      const bool per_row =
          !per_point && draft->kernel.has_row && row_shape(*draft) == shape;
      if (!per_point && !per_row) continue;
      if (try_store(id, to, k, per_row, is_root)) return k;
    }
    kernels_.push_back(
        make_draft(shape, is_root ? row_hint(id, shape) : Shape{}));
    const int k = static_cast<int>(kernels_.size()) - 1;
    try_store(id, to, k, false, is_root);
    return k;
  }

  static Shape row_shape(const Draft& d) {
    Shape s = d.domain;
    for (const std::int64_t r : d.row_dims) {
      s[static_cast<std::size_t>(r)] = 1;
    }
    return s;
  }

  bool try_store(NodeId id, const Target& to, int k, bool per_row,
                 bool is_root) {
    Draft trial = std::get<Draft>(kernels_[at(k)]);
    const Index here = per_row ? trial.row_start : trial.identity;
    Stage stage;
    stage.kind = per_row ? Stage::Kind::row : Stage::Kind::point;
    stage.buffer = to.buffer;
    stage.at = offset_of(here, to.strides) + IndexExpr::number(to.start);
    return finish(std::move(trial), k, id, id, here, std::move(stage), is_root);
  }

  void reduce(NodeId id) {
    const GraphNode& n = body_.at(id);
    const Shape& domain = body_.at(n.args[0]).type.sizes;
    if (element_count(n.type.sizes) == 0) return;
    for (int k = static_cast<int>(kernels_.size()); k-- > 0;) {
      const auto* draft = std::get_if<Draft>(&kernels_[at(k)]);
      if (draft == nullptr || draft->domain != domain ||
          draft->row_dims != n.attr || !draft->kernel.has_row) {
        continue;
      }
      if (try_reduce(id, k)) return;
    }
    kernels_.push_back(make_draft(domain, n.attr));
    Draft& fresh = std::get<Draft>(kernels_.back());
    fresh.kernel.has_row = true;  // also where no dimension is reduced
    try_reduce(id, static_cast<int>(kernels_.size()) - 1);
  }

  bool try_reduce(NodeId id, int k) {
    const GraphNode& n = body_.at(id);
    Draft trial = std::get<Draft>(kernels_[at(k)]);
    Stage stage;
    stage.kind = Stage::Kind::reduce;
    stage.combiner = n.combiner;
    stage.order = n.order;
    stage.buffer = buffer_[at(id)];
    stage.at = offset_of(trial.row_start, contiguous_strides(n.type.sizes));
    const Index index = trial.identity;
    if (!finish(std::move(trial), k, id, n.args[0], index, std::move(stage),
                true)) {
      return false;
    }
    producer_[at(id)] = k;
    return true;
  }

  // Adds a stage with the value of `source` at `index`; false, and nothing
  // changed, where that cannot be had in kernel k.
  bool finish(Draft trial, int k, NodeId id, NodeId source, const Index& index,
              Stage stage, bool is_root) {
    if (trial.kernel.stages.size() >= kMostStages) return false;
    const bool fresh = trial.kernel.stages.empty();
    const std::optional<int> v = emit(&trial, k, source, index);
    if (!v) return false;
    if (!fresh && trial.kernel.values.size() > kMostValues) return false;
    stage.value = *v;
    if (is_root) {
      trial.stage_of[id] = static_cast<int>(trial.kernel.stages.size());
    }
    trial.kernel.stages.push_back(std::move(stage));
    kernels_[at(k)] = std::move(trial);
    return true;
  }

  static int push(Draft* d, Value v) {
    d->kernel.values.push_back(std::move(v));
    return static_cast<int>(d->kernel.values.size()) - 1;
  }

  Value load(NodeId id, const Index& index) const {
    Value v;
    v.kind = Value::Kind::load;
    v.dtype = body_.at(id).type.dtype;
    v.buffer = buffer_[at(id)];
    v.at = offset_of(index, buffer_strides(body_, id));
    return v;
  }

  // The value of a root made in this same kernel.
  static std::optional<int> local(Draft* d, NodeId id, const Index& index,
                                  Value loaded) {
    const int s = d->stage_of.at(id);
    const Stage& stage = d->kernel.stages[at(s)];
    if (stage.kind == Stage::Kind::reduce) {
      if (index != d->row_start) return std::nullopt;
      Value v;
      v.kind = Value::Kind::reduced;
      v.dtype = loaded.dtype;
      v.stage = s;
      return push(d, std::move(v));
    }
    const bool per_row = stage.kind == Stage::Kind::row;
    if (index != (per_row ? d->row_start : d->identity)) return std::nullopt;
    // In a kernel without rows the value is at hand; between the loops over
    // one row it goes through its buffer.
    if (!d->kernel.has_row || per_row) return stage.value;
    return push(d, std::move(loaded));
  }

  std::optional<int> emit(Draft* d, int k, NodeId id, const Index& index) {
    if (d->stage_of.count(id) != 0) {
      return local(d, id, index, load(id, index));
    }
    std::string key;
    std::vector<std::string> names;
    for (std::size_t i = 0; i <= d->kernel.outer.size(); ++i) {
      names.push_back("i" + std::to_string(i));
    }
    for (const IndexExpr& e : index) key += to_text(e, names) + ",";
    const auto found = d->memo.find({id, key});
    if (found != d->memo.end()) return found->second;
    const std::optional<int> v = emit_new(d, k, id, index);
    if (v) d->memo[{id, key}] = *v;
    return v;
  }

  std::optional<int> emit_new(Draft* d, int k, NodeId id, const Index& index) {
    const GraphNode& n = body_.at(id);
    if (n.op == Op::input || n.op == Op::constant) {
      return push(d, load(id, index));
    }
    if (plan_.root[at(id)] && id != making_) {
      if (producer_[at(id)] >= k) return std::nullopt;
      return push(d, load(id, index));
    }
    Value v;
    v.dtype = n.type.dtype;
    if (n.op == Op::scalar) {
      v.kind = Value::Kind::scalar;
      v.bits = n.bits;
      return push(d, std::move(v));
    }
    const Shape extents = d->kernel.extents();
    if (is_view(n.op)) {
      return emit(d, k, n.args[0], operand_index(body_, n, index, extents));
    }
    if (n.op == Op::gather) return gather(d, k, n, index);
    for (const NodeId a : n.args) {
      const std::optional<int> arg = emit(d, k, a, index);
      if (!arg) return std::nullopt;
      v.args.push_back(*arg);
    }
    v.kind = n.op == Op::map ? Value::Kind::apply : Value::Kind::cast;
    v.op = n.scalar;
    v.cast = n.op;
    v.cast_id = n.cast;
    return push(d, std::move(v));
  }

  std::optional<int> gather(Draft* d, int k, const GraphNode& n,
                            const Index& index) {
    const NodeId table = n.args[0];
    if (producer_[at(table)] >= k) return std::nullopt;
    const std::optional<int> row =
        emit(d, k, n.args[1], Index(index.begin(), index.end() - 1));
    if (!row) return std::nullopt;
    const Shape strides = buffer_strides(body_, table);
    Value v;
    v.kind = Value::Kind::gather;
    v.dtype = n.type.dtype;
    v.args = {*row};
    v.buffer = buffer_[at(table)];
    v.at = index.back() * strides[1];
    v.rows = body_.at(table).type.sizes[0];
    v.row_stride = strides[0];
    return push(d, std::move(v));
  }

  // A reduction that only its own kernel reads needs no buffer.
  void drop_unread_stores() {
    std::vector<bool> read(nest_.buffers.size(), false);
    for (const int o : nest_.outputs) read[at(o)] = true;
    for (const Kernel& k : nest_.kernels) {
      if (const auto* loops = std::get_if<LoopKernel>(&k)) {
        for (const Value& v : loops->values) {
          if (v.buffer >= 0) read[at(v.buffer)] = true;
        }
      } else {
        for (const BufferView& o : std::get<ContractionKernel>(k).operands) {
          read[at(o.buffer)] = true;
        }
      }
    }
    for (Kernel& k : nest_.kernels) {
      auto* loops = std::get_if<LoopKernel>(&k);
      if (loops == nullptr) continue;
      for (Stage& s : loops->stages) {
        if (s.kind == Stage::Kind::reduce && !read[at(s.buffer)]) {
          s.buffer = -1;
        }
      }
    }
  }

  const Body& body_;
  std::size_t outputs_;
  Plan plan_;
  Nest nest_;
  std::vector<Slot> kernels_;
  std::vector<int> buffer_;    // per node
  std::vector<int> producer_;  // per root: its kernel, -1 before
  NodeId making_ = -1;         // the root whose stage is being written
  std::vector<std::pair<NodeId, int>> copies_;  // node, output buffer
};

}  // namespace

Shape LoopKernel::extents() const {
  Shape s = outer;
  s.push_back(has_row ? row : 1);
  return s;
}

Nest build_nest(const Body& body, std::size_t program_outputs) {
  return NestBuilder(body, program_outputs).run();
}

}  // namespace assay::compiler
