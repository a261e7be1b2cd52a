#include "compiler/nest/roots.h"

#include "compiler/nest/view.h"

namespace assay::compiler {
namespace {

// Operations that one reader may recompute for each of several readers, and
// that one expression may hold at most.
constexpr int kCheapOps = 16;
constexpr int kLargestExpression = 160;

class Chooser {
 public:
  explicit Chooser(const Body& body) : body_(body) {}

  Roots run() {
    const std::size_t n = body_.nodes.size();
    roots_.live.assign(n, false);
    roots_.stored.assign(n, false);
    users_.assign(n, 0);
    size_.assign(n, 1);
    costly_.assign(n, false);
    mark_live();
    for (std::size_t i = 0; i < n; ++i) {
      if (roots_.live[i]) visit(static_cast<NodeId>(i));
    }
    for (NodeId o : body_.outputs) {
      while (body_.at(o).op == Op::reshape) o = body_.at(o).args[0];
      if (!is_leaf(o) && !is_view(body_.at(o).op)) set_root(o);
    }
    while (settle_views()) {
    }
    return std::move(roots_);
  }

 private:
  static std::size_t at(NodeId id) { return static_cast<std::size_t>(id); }

  bool is_leaf(NodeId id) const {
    const Op op = body_.at(id).op;
    return op == Op::input || op == Op::constant || op == Op::scalar;
  }
  bool is_buffer(NodeId id) const {
    const Op op = body_.at(id).op;
    return op == Op::input || op == Op::constant || roots_.stored[at(id)];
  }
  // Whether rows can be gathered from where `id` lies already.
  bool is_table(NodeId id) const {
    return is_buffer(view_base(body_, roots_.stored, id, Op::gather)) &&
           strided_view(body_, roots_.stored, id, Op::gather);
  }
  void set_root(NodeId id) {
    roots_.stored[at(id)] = true;
    size_[at(id)] = 1;
    costly_[at(id)] = false;
  }

  void mark_live() {
    for (const NodeId o : body_.outputs) {
      roots_.live[at(o)] = true;
      ++users_[at(o)];
    }
    for (std::size_t i = body_.nodes.size(); i-- > 0;) {
      if (!roots_.live[i]) continue;
      for (const NodeId a : body_.nodes[i].args) {
        roots_.live[at(a)] = true;
        ++users_[at(a)];
      }
    }
  }

  void visit(NodeId id) {
    const GraphNode& n = body_.at(id);
    if (n.op == Op::cat || n.op == Op::reduce || has_own_kernel(n.op)) {
      set_root(id);
      return;
    }
    if (n.op == Op::gather && !is_table(n.args[0])) set_root(n.args[0]);
    bool costly = n.op == Op::map && info(n.scalar).costly;
    int size = 1;
    for (const NodeId a : n.args) {
      size += size_[at(a)];
      costly = costly || costly_[at(a)];
    }
    size_[at(id)] = size;
    costly_[at(id)] = costly;
    const bool shared = users_[at(id)] > 1 && (costly || size > kCheapOps);
    if (!is_leaf(id) && (shared || size > kLargestExpression)) set_root(id);
  }

  // Makes roots until every operand of what has a kernel of its own is a
  // strided view of a buffer; true if it had to.
  bool settle_views() {
    bool changed = false;
    for (std::size_t i = 0; i < body_.nodes.size(); ++i) {
      const GraphNode& n = body_.nodes[i];
      if (!roots_.live[i] || !has_own_kernel(n.op)) continue;
      for (const NodeId a : n.args) {
        const NodeId base = view_base(body_, roots_.stored, a, n.op);
        if (!is_buffer(base)) {
          set_root(base);
          changed = true;
        }
        if (!strided_view(body_, roots_.stored, a, n.op)) {
          set_root(widened_by_product(a, n.op));
          changed = true;
        }
      }
    }
    return changed;
  }

  // What a product widens as it reads it is stored as it is: half the memory,
  // and who computes the product (text/cuda/product_cut.h) is the same for a
  // batch of one, whose operands are views where others' are none.
  NodeId widened_by_product(NodeId id, Op user) const {
    const GraphNode& n = body_.at(id);
    const bool narrow = n.op == Op::widen &&
                        view_base(body_, roots_.stored, id, user) !=
                            view_base(body_, roots_.stored, id, Op::gather);
    return narrow && !is_buffer(n.args[0]) ? n.args[0] : id;
  }

  const Body& body_;
  Roots roots_;
  std::vector<int> users_;
  std::vector<int> size_;
  std::vector<bool> costly_;
};

}  // namespace

Roots choose_roots(const Body& body) { return Chooser(body).run(); }

}  // namespace assay::compiler
