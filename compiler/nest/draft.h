// A loop kernel that is being written: the stages of roots are added to it one
// by one, or it turns out that a stage does not fit.
#ifndef ASSAY_COMPILER_NEST_DRAFT_H_
#define ASSAY_COMPILER_NEST_DRAFT_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/nest/nest.h"
#include "compiler/nest/roots.h"
#include "compiler/nest/view.h"

namespace assay::compiler {

// Where the body's values are.
struct Placement {
  const Body& body;
  Roots roots;
  std::vector<int> buffer;    // per node: of inputs, constants and roots
  std::vector<int> producer;  // per root: its kernel, -1 before
  NodeId making = -1;         // the root whose stage is being written
  bool in_piece = false;      // of it, a piece between places where it changes
};

// A formula's folds, and the extents that all of them have in common, if they
// are numbers.
std::vector<int> folds_of(const Formula& f);
std::optional<Shape> folded_box(const Formula& f);
// Whether those are so few terms that they may be written out.
bool folds_windows(const Formula& f);

class Draft {
 public:
  // Loops over `domain`; its dimensions `row_dims`, in rising order, form the
  // rows. With has_row and no row_dims each point is a row of one.
  Draft(const Shape& domain, const Shape& row_dims, bool has_row);

  const Shape& domain() const { return domain_; }
  const Shape& row_dims() const { return row_dims_; }
  // `domain` with the row's dimensions at size 1.
  Shape row_shape() const;
  // Index of the point in `domain`, and the same at the start of its row.
  const Index& point() const { return point_; }
  const Index& row_start() const { return row_start_; }

  const LoopKernel& kernel() const { return kernel_; }
  LoopKernel take() { return std::move(kernel_); }

  // Adds the stage with the value of `source` at `index` in kernel number k.
  // False if the stage does not fit; the draft is then of no further use. Later
  // stages may read the result as `root`, unless that is negative.
  bool add_stage(const Placement& p, int k, NodeId source, const Index& index,
                 Stage stage, NodeId root);

  // The same of formula `id`, whose folds run over the row. `stage` says where
  // its element at `index`, which is that of the row, goes.
  bool add_folds(const Placement& p, int k, NodeId id, const Index& index,
                 Stage stage);

 private:
  friend class FormulaDraft;

  // A kernel takes no further stage when it has this many, or values.
  static constexpr std::size_t kMostStages = 8;
  static constexpr std::size_t kMostValues = 400;

  int push(Value v);
  std::optional<int> emit(const Placement& p, int k, NodeId id,
                          const Index& index);
  std::optional<int> emit_new(const Placement& p, int k, NodeId id,
                              const Index& index);
  std::optional<int> gather(const Placement& p, int k, const GraphNode& n,
                            const Index& index);
  std::optional<int> emit_formula(const Placement& p, int k, NodeId id,
                                  const Index& index);
  std::optional<int> local(NodeId id, Value loaded);

  Shape domain_;
  Shape row_dims_;
  LoopKernel kernel_;
  Index point_;
  Index row_start_;
  std::map<std::pair<NodeId, std::string>, int> memo_;
  std::map<NodeId, int> stage_of_;  // roots made here
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_NEST_DRAFT_H_
