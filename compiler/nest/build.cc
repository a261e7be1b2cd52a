// One greedy rule: a root joins the latest kernel over the same domain in which
// everything it reads is at hand, else it opens a kernel of its own.
#include "compiler/nest/build.h"

#include <algorithm>
#include <iterator>

#include "compiler/nest/collapse.h"
#include "compiler/nest/draft.h"
#include "compiler/nest/pieces.h"
#include "compiler/nest/split.h"

namespace assay::compiler {
namespace {

// Of a window, in its last dimension, to be computed side by side.
constexpr std::int64_t kLeastResults = 8;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Shape without_ones(const Shape& shape) {
  Shape out;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(out),
               [](std::int64_t s) { return s != 1; });
  return out;
}

// The index into `domain` as one into `shape`, which differs in dimensions of
// size 1 alone.
Index spread(const Index& index, const Shape& domain, const Shape& shape) {
  Index out;
  std::size_t next = 0;
  for (const std::int64_t s : shape) {
    while (s != 1 && domain[next] == 1) ++next;
    out.push_back(s == 1 ? IndexExpr::number(0) : index[next++]);
  }
  return out;
}

class NestBuilder {
 public:
  explicit NestBuilder(const Body& body)
      : body_(body),
        place_{body, choose_roots(body),
               std::vector<int>(body.nodes.size(), -1),
               std::vector<int>(body.nodes.size(), -1), -1} {}

  Nest run() {
    make_buffers();
    for (std::size_t i = 0; i < body_.nodes.size(); ++i) {
      if (place_.roots.live[i] && place_.roots.stored[i])
        make_root(static_cast<NodeId>(i));
    }
    place_.making = -1;
    for (const auto& [node, buffer] : copies_) {
      const Shape& shape = body_.at(node).type.sizes;
      store(node, {buffer, contiguous_strides(shape), 0}, false);
    }
    for (auto& slot : kernels_) {
      if (auto* draft = std::get_if<Draft>(&slot)) {
        LoopKernel loops = draft->take();
        collapse(&loops);
        nest_.kernels.push_back(std::move(loops));
      } else {
        nest_.kernels.push_back(std::get<NodeKernel>(slot));
      }
    }
    drop_unread_stores();
    split_reductions(&nest_, kSplitForCores);
    return std::move(nest_);
  }

 private:
  using Slot = std::variant<Draft, NodeKernel>;

  // Where a node's elements go: buffer[start + sum of index * stride].
  struct Target {
    int buffer = 0;
    Shape strides;
    std::int64_t start = 0;
  };

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
      if (!place_.roots.live[i]) continue;
      if (n.op == Op::input) {
        place_.buffer[i] =
            add_buffer(Buffer::Kind::input, static_cast<int>(n.attr[0]),
                       body_.inputs[at(static_cast<int>(n.attr[0]))]);
      } else if (n.op == Op::constant) {
        place_.buffer[i] =
            add_buffer(Buffer::Kind::constant, static_cast<int>(n.attr[0]),
                       row_major(static_cast<NodeId>(i)));
      }
    }
    for (std::size_t i = 0; i < body_.outputs.size(); ++i) {
      const NodeId o = body_.outputs[i];
      const int b =
          add_buffer(Buffer::Kind::output, static_cast<int>(i), row_major(o));
      nest_.outputs.push_back(b);
      // A root is written straight to the first output that is it, perhaps in
      // another shape.
      NodeId base = o;
      while (body_.at(base).op == Op::reshape &&
             !place_.roots.stored[at(base)]) {
        base = body_.at(base).args[0];
      }
      if (place_.roots.stored[at(base)] && place_.buffer[at(base)] < 0) {
        place_.buffer[at(base)] = b;
      } else {
        copies_.emplace_back(o, b);
      }
    }
    for (std::size_t i = 0; i < body_.nodes.size(); ++i) {
      if (place_.roots.live[i] && place_.roots.stored[i] &&
          place_.buffer[i] < 0) {
        place_.buffer[i] = add_buffer(Buffer::Kind::temporary, 0,
                                      row_major(static_cast<NodeId>(i)));
      }
    }
  }

  void make_root(NodeId id) {
    const GraphNode& n = body_.at(id);
    place_.making = id;
    if (n.op == Op::reduce) {
      reduce(id);
    } else if (n.op == Op::cat) {
      cat(id);
    } else if (n.op == Op::formula && formula(id)) {
      return;
    } else if (has_own_kernel(n.op)) {
      contraction(id);
    } else {
      // The buffer may hold the same elements in another shape.
      place_.producer[at(id)] = store(
          id, {place_.buffer[at(id)], contiguous_strides(n.type.sizes), 0},
          true);
    }
  }

  void contraction(NodeId id) {
    NodeKernel k;
    k.node = body_.at(id);
    k.result = place_.buffer[at(id)];
    for (const NodeId a : k.node.args) {
      const std::vector<bool>& stored = place_.roots.stored;
      BufferView view = *strided_view(body_, stored, a, k.node.op);
      view.buffer = place_.buffer[at(view_base(body_, stored, a, k.node.op))];
      k.operands.push_back(std::move(view));
      k.operand_sizes.push_back(body_.at(a).type.sizes);
    }
    place_.producer[at(id)] = static_cast<int>(kernels_.size());
    kernels_.push_back(std::move(k));
  }

  void cat(NodeId id) {
    const GraphNode& n = body_.at(id);
    const auto dim = static_cast<std::size_t>(n.attr[0]);
    Target to = {place_.buffer[at(id)], contiguous_strides(n.type.sizes), 0};
    for (const NodeId part : n.args) {
      place_.producer[at(id)] =
          std::max(place_.producer[at(id)], store(part, to, false));
      to.start += body_.at(part).type.sizes[dim] * to.strides[dim];
    }
  }

  // Loops for a formula; false where it takes more.
  bool formula(NodeId id) {
    const GraphNode& n = body_.at(id);
    if (element_count(n.type.sizes) == 0) return false;
    for (const NodeId a : n.args) {
      if (element_count(body_.at(a).type.sizes) == 0) return false;
    }
    const Target to = {place_.buffer[at(id)], contiguous_strides(n.type.sizes),
                       0};
    const bool has_folds = !folds_of(*n.formula).empty();
    // Written out, a window's results lie side by side in a vector.
    const bool is_window = folds_windows(*n.formula) && !n.type.sizes.empty() &&
                           n.type.sizes.back() >= kLeastResults;
    if (has_folds && !is_window && folds(id, to)) return true;
    if (pointwise(id, to)) return true;
    return is_window && folds(id, to);
  }

  // All of it at every point.
  bool pointwise(NodeId id, const Target& to) {
    if (in_pieces(id, to)) return true;
    // On its own first: does it fit at all?
    Draft alone(body_.at(id).type.sizes, {}, false);
    Stage stage;
    stage.buffer = to.buffer;
    const int next = static_cast<int>(kernels_.size());
    if (!alone.add_stage(place_, next, id, alone.point(), stage, id)) {
      return false;
    }
    place_.producer[at(id)] = store(id, to, true);
    return true;
  }

  // A kernel for each piece of the last dimension, where it falls into some.
  bool in_pieces(NodeId id, const Target& to) {
    const GraphNode& n = body_.at(id);
    if (n.type.sizes.empty() || !folds_of(*n.formula).empty()) return false;
    const std::int64_t extent = n.type.sizes.back();
    std::vector<std::int64_t> starts = pieces_of(
        *n.formula, static_cast<int>(n.type.sizes.size()) - 1, extent);
    if (starts.size() == 1) return false;
    starts.push_back(extent);
    std::vector<Draft> made;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      Shape domain = n.type.sizes;
      domain.back() = starts[i + 1] - starts[i];
      Draft piece(domain, {}, false);
      Index here = piece.point();
      here.back() = here.back() + IndexExpr::number(starts[i]);
      Stage stage;
      stage.buffer = to.buffer;
      stage.at = offset_of(here, to.strides) + IndexExpr::number(to.start);
      const int k = static_cast<int>(kernels_.size() + i);
      place_.in_piece = true;
      const bool fits = piece.add_stage(place_, k, id, here, stage, -1);
      place_.in_piece = false;
      if (!fits) return false;
      made.push_back(std::move(piece));
    }
    for (Draft& piece : made) kernels_.push_back(std::move(piece));
    place_.producer[at(id)] = static_cast<int>(kernels_.size()) - 1;
    return true;
  }

  // The domain of a formula's folds: its own dimensions of more than one
  // element, and those of the box that all its folds run over, which form the
  // row. Nothing where they have none in common.
  std::optional<Shape> fold_domain(const GraphNode& n, Shape* row_dims) const {
    const std::optional<Shape> box = folded_box(*n.formula);
    if (!box) return std::nullopt;
    Shape domain = without_ones(n.type.sizes);
    for (const std::int64_t s : *box) {
      row_dims->push_back(static_cast<std::int64_t>(domain.size()));
      domain.push_back(s);
    }
    return domain;
  }

  bool folds(NodeId id, const Target& to) {
    const GraphNode& n = body_.at(id);
    Shape row_dims;
    const std::optional<Shape> domain = fold_domain(n, &row_dims);
    if (!domain) return false;
    const auto try_in = [&](const Draft& draft, int k) -> std::optional<Draft> {
      Draft trial = draft;
      const Index here =
          spread(trial.row_start(), trial.row_shape(), n.type.sizes);
      Stage stage;
      stage.buffer = to.buffer;
      stage.at = offset_of(here, to.strides);
      if (!trial.add_folds(place_, k, id, here, stage)) return std::nullopt;
      return trial;
    };
    for (int k = static_cast<int>(kernels_.size()); k-- > 0;) {
      const auto* draft = std::get_if<Draft>(&kernels_[at(k)]);
      if (draft == nullptr || draft->domain() != *domain ||
          draft->row_dims() != row_dims || !draft->kernel().has_row) {
        continue;
      }
      if (std::optional<Draft> made = try_in(*draft, k)) {
        kernels_[at(k)] = std::move(*made);
        place_.producer[at(id)] = k;
        return true;
      }
    }
    const int k = static_cast<int>(kernels_.size());
    std::optional<Draft> made = try_in(Draft(*domain, row_dims, true), k);
    if (!made) return false;
    kernels_.push_back(std::move(*made));
    place_.producer[at(id)] = k;
    return true;
  }

  // The row dimensions that a later reduction wants over this domain, if they
  // are the last ones: then its loads stay in order.
  Shape row_hint(NodeId from, const Shape& domain) const {
    for (std::size_t i = at(from) + 1; i < body_.nodes.size(); ++i) {
      const GraphNode& n = body_.nodes[i];
      if (!place_.roots.live[i]) continue;
      if (n.op == Op::formula) {
        Shape row_dims;
        const auto folded = fold_domain(n, &row_dims);
        if (folded && *folded == domain) return row_dims;
        continue;
      }
      if (n.op != Op::reduce || n.attr.empty() ||
          body_.at(n.args[0]).type.sizes != domain) {
        continue;
      }
      const auto rank = static_cast<std::int64_t>(domain.size());
      const auto count = static_cast<std::int64_t>(n.attr.size());
      return n.attr.front() == rank - count ? n.attr : Shape{};
    }
    return {};
  }

  // Stores `id` at every point of its shape; returns the kernel's place.
  // `is_root`: other nodes may read it from that kernel.
  int store(NodeId id, const Target& to, bool is_root) {
    const Shape& shape = body_.at(id).type.sizes;
    if (element_count(shape) == 0) return -1;
    const Shape extents = without_ones(shape);
    for (int k = static_cast<int>(kernels_.size()); k-- > 0;) {
      const auto* draft = std::get_if<Draft>(&kernels_[at(k)]);
      if (draft == nullptr) continue;
      const bool per_point = without_ones(draft->domain()) == extents;
      const bool per_row = !per_point && draft->kernel().has_row &&
                           without_ones(draft->row_shape()) == extents;
      if (!per_point && !per_row) continue;
      if (try_store(id, to, k, per_row, is_root)) return k;
    }
    const Shape rows = is_root ? row_hint(id, shape) : Shape{};
    kernels_.push_back(Draft(shape, rows, !rows.empty()));
    const int k = static_cast<int>(kernels_.size()) - 1;
    try_store(id, to, k, false, is_root);
    return k;
  }

  bool try_store(NodeId id, const Target& to, int k, bool per_row,
                 bool is_root) {
    Draft trial = std::get<Draft>(kernels_[at(k)]);
    const Index here = per_row ? spread(trial.row_start(), trial.row_shape(),
                                        body_.at(id).type.sizes)
                               : spread(trial.point(), trial.domain(),
                                        body_.at(id).type.sizes);
    Stage stage;
    stage.kind = per_row ? Stage::Kind::row : Stage::Kind::point;
    stage.buffer = to.buffer;
    stage.at = offset_of(here, to.strides) + IndexExpr::number(to.start);
    if (!trial.add_stage(place_, k, id, here, stage, is_root ? id : -1)) {
      return false;
    }
    kernels_[at(k)] = std::move(trial);
    return true;
  }

  void reduce(NodeId id) {
    const GraphNode& n = body_.at(id);
    const Shape& domain = body_.at(n.args[0]).type.sizes;
    if (element_count(n.type.sizes) == 0) return;
    for (int k = static_cast<int>(kernels_.size()); k-- > 0;) {
      const auto* draft = std::get_if<Draft>(&kernels_[at(k)]);
      if (draft == nullptr || draft->domain() != domain ||
          draft->row_dims() != n.attr || !draft->kernel().has_row) {
        continue;
      }
      if (try_reduce(id, k)) return;
    }
    kernels_.push_back(Draft(domain, n.attr, true));
    try_reduce(id, static_cast<int>(kernels_.size()) - 1);
  }

  bool try_reduce(NodeId id, int k) {
    const GraphNode& n = body_.at(id);
    Draft trial = std::get<Draft>(kernels_[at(k)]);
    Stage stage;
    stage.kind = Stage::Kind::reduce;
    stage.combiner = n.combiner;
    stage.order = n.order;
    stage.buffer = place_.buffer[at(id)];
    stage.at = offset_of(trial.row_start(), contiguous_strides(n.type.sizes));
    const Index here = trial.point();
    if (!trial.add_stage(place_, k, n.args[0], here, stage, id)) return false;
    kernels_[at(k)] = std::move(trial);
    place_.producer[at(id)] = k;
    return true;
  }

  // What only its own kernel reads, and not through the buffer, needs none.
  void drop_unread_stores() {
    std::vector<bool> read(nest_.buffers.size(), false);
    for (const int o : nest_.outputs) read[at(o)] = true;
    for (const Kernel& k : nest_.kernels) {
      if (const auto* loops = std::get_if<LoopKernel>(&k)) {
        for (const Value& v : loops->values) {
          if (v.buffer >= 0) read[at(v.buffer)] = true;
        }
      } else {
        for (const BufferView& o : std::get<NodeKernel>(k).operands) {
          read[at(o.buffer)] = true;
        }
      }
    }
    for (Kernel& k : nest_.kernels) {
      auto* loops = std::get_if<LoopKernel>(&k);
      if (loops == nullptr) continue;
      for (std::size_t s = loops->stages.size(); s-- > 0;) {
        Stage& stage = loops->stages[s];
        if (stage.buffer < 0 || read[at(stage.buffer)]) continue;
        if (stage.kind == Stage::Kind::reduce) {
          stage.buffer = -1;
        } else if (loops->stages.size() > 1) {
          drop_stage(loops, static_cast<int>(s));
        }
      }
    }
  }

  static void drop_stage(LoopKernel* k, int s) {
    k->stages.erase(k->stages.begin() + s);
    for (Value& v : k->values) {
      if (v.kind == Value::Kind::reduced && v.stage > s) --v.stage;
    }
  }

  const Body& body_;
  Placement place_;
  Nest nest_;
  std::vector<Slot> kernels_;
  std::vector<std::pair<NodeId, int>> copies_;  // node, output buffer
};

}  // namespace

Nest build_nest(const Body& body) { return NestBuilder(body).run(); }

}  // namespace assay::compiler
