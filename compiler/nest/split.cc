#include "compiler/nest/split.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/nest/needed.h"

namespace assay::compiler {
namespace {

// Joins in sequence as many results as there may be.
constexpr Order kSequence = {1, 1 << 30};

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

bool is_long(const LoopKernel& k, const SplitRule& rule) {
  const auto reads_points = [](const Stage& s) {
    return s.kind != Stage::Kind::row;
  };
  if (!k.has_row || k.stages.empty() ||
      k.stages.front().kind != Stage::Kind::reduce ||
      std::any_of(k.stages.begin() + 1, k.stages.end(), reads_points)) {
    return false;
  }
  const Order& order = k.stages.front().order;
  const std::int64_t many = order == kColumnOrder ? rule.columns : rule.rows;
  return element_count(k.outer) > 0 && element_count(k.outer) < many &&
         k.row / order.block >= rule.least_blocks;
}

class Splitter {
 public:
  Splitter(Nest* nest, LoopKernel* whole)
      : nest_(*nest),
        whole_(*whole),
        block_(whole->stages.front().order.block),
        blocks_(whole->row / block_),
        rest_(whole->row % block_) {}

  // The kernels that come before `whole`, which becomes the one that joins.
  std::vector<Kernel> run() {
    const Stage& stage = whole_.stages.front();
    Shape sizes = whole_.outer;
    sizes.push_back(blocks_ + (rest_ > 0 ? 1 : 0));
    nest_.buffers.push_back(
        {Buffer::Kind::temporary, 0,
         TensorType::contiguous(whole_.values[at(stage.value)].dtype, sizes)});
    std::vector<Kernel> parts = {full_blocks()};
    if (rest_ > 0) parts.push_back(last_block());
    join(sizes.back());
    return parts;
  }

 private:
  int partials() const { return static_cast<int>(nest_.buffers.size()) - 1; }

  // Of the partial results: that of block number `block` of the row whose outer
  // variables are `first` and following.
  IndexExpr place(int first, const IndexExpr& block) const {
    const Shape strides = contiguous_strides(nest_.buffers.back().type.sizes);
    IndexExpr p = block;
    for (std::size_t d = 0; d < whole_.outer.size(); ++d) {
      p = p + IndexExpr::variable(first + static_cast<int>(d)) * strides[d];
    }
    return p;
  }

  // Reduces part of each row: `variables` says what those of `whole` are
  // there.
  LoopKernel part(Shape outer, std::int64_t row,
                  const std::vector<IndexExpr>& variables, IndexExpr to) const {
    LoopKernel k;
    k.outer = std::move(outer);
    k.has_row = true;
    k.row = row;
    k.values = whole_.values;
    k.stages = {whole_.stages.front()};
    drop_unneeded(&k);
    for (Value& v : k.values) {
      v.at = substitute(v.at, variables, k.extents());
    }
    k.stages[0].buffer = partials();
    k.stages[0].at = std::move(to);
    return k;
  }

  // The block is the outermost variable, so that rows that lie side by side
  // stay so.
  LoopKernel full_blocks() const {
    Shape outer = whole_.outer;
    outer.insert(outer.begin(), blocks_);
    std::vector<IndexExpr> variables;
    const int count = static_cast<int>(outer.size());
    for (int v = 1; v <= count; ++v)
      variables.push_back(IndexExpr::variable(v));
    const IndexExpr block = IndexExpr::variable(0);
    variables.back() = block * block_ + variables.back();
    return part(std::move(outer), block_, variables, place(1, block));
  }

  LoopKernel last_block() const {
    std::vector<IndexExpr> variables;
    const int count = static_cast<int>(whole_.outer.size());
    for (int v = 0; v <= count; ++v)
      variables.push_back(IndexExpr::variable(v));
    variables.back() = IndexExpr::number(blocks_ * block_) + variables.back();
    return part(whole_.outer, rest_, variables,
                place(0, IndexExpr::number(blocks_)));
  }

  void join(std::int64_t count) {
    Stage& stage = whole_.stages.front();
    Value partial;
    partial.dtype = whole_.values[at(stage.value)].dtype;
    partial.buffer = partials();
    partial.at =
        place(0, IndexExpr::variable(static_cast<int>(whole_.outer.size())));
    whole_.row = count;
    stage.value = static_cast<int>(whole_.values.size());
    stage.order = kSequence;
    whole_.values.push_back(std::move(partial));
    drop_unneeded(&whole_);
  }

  Nest& nest_;
  LoopKernel& whole_;
  std::int64_t block_, blocks_, rest_;
};

}  // namespace

void split_reductions(Nest* nest, const SplitRule& rule) {
  std::vector<Kernel> kernels;
  for (Kernel& kernel : nest->kernels) {
    auto* loops = std::get_if<LoopKernel>(&kernel);
    if (loops != nullptr && is_long(*loops, rule)) {
      std::vector<Kernel> parts = Splitter(nest, loops).run();
      std::move(parts.begin(), parts.end(), std::back_inserter(kernels));
    }
    kernels.push_back(std::move(kernel));
  }
  nest->kernels = std::move(kernels);
}

}  // namespace assay::compiler
