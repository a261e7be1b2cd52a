// Accesses: a[i, j], a[i...], list[n][i...], flat(x)[n], concat(list, d)[i...].
#include "reference/compile_scope.h"

namespace assay::reference {

// The index of an access, one entry per index, with whether it came out of a
// pack.
std::vector<std::pair<int, bool>> PlanCompiler::index_list(const Expr& e) {
  std::vector<std::pair<int, bool>> out;
  for (std::size_t n = 1; n < e.args.size(); ++n) {
    if (is_pack(*e.args[n])) {
      for (const int i : pack(*e.args[n])) out.push_back({i, true});
    } else {
      out.push_back({index(*e.args[n]), false});
    }
  }
  return out;
}

int PlanCompiler::make_access(int source, DType dtype, const Shape& sizes,
                              std::vector<std::pair<int, bool>> list,
                              const Expr& e, bool guarded) {
  if (list.size() < sizes.size()) {
    give_up(e, "there are " + std::to_string(list.size()) +
                   " indices for rank " + std::to_string(sizes.size()));
  }
  // The trailing indices apply; a dimension of size 1 repeats. A guard must
  // see the index itself, unless it came out of a pack.
  const std::size_t extra = list.size() - sizes.size();
  Access a;
  a.source = source;
  a.dtype = dtype;
  a.sizes = sizes;
  a.strides = contiguous_strides(sizes);
  a.text = to_string(e);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const auto& [node, from_pack] = list[extra + d];
    const bool repeats = sizes[d] == 1 && (from_pack || !guarded);
    a.index.push_back(repeats ? index_constant(0) : node);
  }
  plan_.accesses.push_back(std::move(a));
  return static_cast<int>(plan_.accesses.size()) - 1;
}

// `otherwise`: the access stands in inside(.., else otherwise).
int PlanCompiler::element(const Expr& e, const Expr* otherwise) {
  const Expr& base = *e.args[0];
  if (base.kind == Expr::Kind::call && base.text == "concat") {
    if (otherwise != nullptr) give_up(e, "a concatenation has no guard");
    return concatenated(e);
  }
  ValueNode node;
  node.op = otherwise ? ValueNode::Op::inside : ValueNode::Op::element;
  int source = 0;
  Shape sizes;
  const TensorArg* tensor = nullptr;
  const bool flat = base.kind == Expr::Kind::call && base.text == "flat";
  const Expr& holder = flat ? *base.args.at(0) : base;
  if (holder.kind == Expr::Kind::name) {
    if (const Actual* a = actual(holder.text)) {
      tensor = std::get_if<TensorArg>(a);
      // A Python number stands in the tensor's place.
      if (tensor == nullptr) return value_name(holder);
    } else if (const int d = find_definition(holder.text); d >= 0) {
      source = -1 - d;
      sizes = plan_.definitions[static_cast<std::size_t>(d)].extents;
      node.dtype = DType::f64;
    } else {
      give_up(holder, "this is neither a tensor nor a definition");
    }
  } else if (holder.kind == Expr::Kind::access &&
             holder.args[0]->kind == Expr::Kind::name) {
    const Actual* a = actual(holder.args[0]->text);
    const auto* list = a ? std::get_if<std::vector<TensorArg>>(a) : nullptr;
    if (list == nullptr) give_up(holder, "this is no list of tensors");
    const std::int64_t n = constant_integer(*holder.args.at(1));
    if (n < 0 || n >= static_cast<std::int64_t>(list->size())) {
      give_up(holder, "the list has no such tensor");
    }
    tensor = &(*list)[static_cast<std::size_t>(n)];
  } else {
    give_up(e, "this cannot be indexed");
  }
  if (tensor != nullptr) {
    source = tensor->ref.id;
    sizes = tensor->type.sizes;
    node.dtype = tensor->type.dtype;
    node.integral = !is_float(node.dtype);
  }
  if (flat) sizes = {element_count(sizes)};
  node.access = make_access(source, node.dtype, sizes, index_list(e), e,
                            otherwise != nullptr);
  if (otherwise != nullptr) node.a = value(*otherwise);
  return add_node(node);
}

// A choice by the index along the dimension, tensor after tensor.
int PlanCompiler::concatenated(const Expr& e) {
  const Expr& call = *e.args[0];
  const Actual* a = actual(call.args.at(0)->text);
  const auto* list = a ? std::get_if<std::vector<TensorArg>>(a) : nullptr;
  if (list == nullptr) give_up(call, "this is no list of tensors");
  std::vector<std::pair<int, bool>> at = index_list(e);
  std::int64_t d = constant_integer(*call.args.at(1));
  if (d < 0) d += static_cast<std::int64_t>(at.size());
  if (d < 0 || d >= static_cast<std::int64_t>(at.size())) {
    give_up(e, "the dimension is out of range");
  }
  const auto dimension = static_cast<std::size_t>(d);
  const int position = at[dimension].first;
  struct Part {
    std::int64_t end;
    int node;
  };
  std::vector<Part> parts;
  std::int64_t start = 0;
  for (const TensorArg& t : *list) {
    // PyTorch skips a tensor of shape [0], whatever the others' rank.
    if (t.type.sizes.size() != at.size()) continue;
    const std::int64_t n = t.type.sizes[dimension];
    if (n == 0) continue;
    at[dimension].first =
        index_binary(IndexNode::Op::sub, position, index_constant(start));
    ValueNode node;
    node.op = ValueNode::Op::element;
    node.dtype = t.type.dtype;
    node.integral = !is_float(node.dtype);
    node.access = make_access(t.ref.id, node.dtype, t.type.sizes, at, e, false);
    start += n;
    parts.push_back({start, add_node(node)});
  }
  // Of an empty result no element is ever evaluated.
  if (parts.empty()) return integer_node(0);
  int whole = parts.back().node;
  for (std::size_t i = parts.size() - 1; i-- > 0;) {
    ValueNode here;
    here.op = ValueNode::Op::index;
    here.a = position;
    here.integral = true;
    ValueNode before;
    before.op = ValueNode::Op::compare;
    before.comparison = Comparison::lt;
    before.a = add_node(here);
    before.b = integer_node(parts[i].end);
    ValueNode choice;
    choice.op = ValueNode::Op::where;
    choice.a = add_node(before);
    choice.b = parts[i].node;
    choice.c = whole;
    whole = add_node(choice);
  }
  return whole;
}

}  // namespace assay::reference
