#include "compiler/text/cuda/cuda_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "compiler/math/math.h"
#include "compiler/text/ceil_div.h"
#include "compiler/text/contraction_text.h"
#include "compiler/text/cuda/cuda_rows.h"
#include "compiler/text/cuda/product_cut.h"
#include "compiler/text/cuda/sm_number.h"

namespace assay::compiler {
namespace {

// The conversions to ue8m0 belong to architecture- and family-specific targets
// from sm_100 on (PTX ISA, cvt), never to plain ones.
bool has_ue8m0(const std::string& target) {
  const bool specific = target.ends_with('a') || target.ends_with('f');
  return specific && sm_number(target) >= 100;
}

class CudaDialect : public CudaRows {
 public:
  CudaDialect(const Nest& nest, std::string target, TensorCores cores,
              std::optional<Defect> defect)
      : CudaRows(nest, defect), target_(std::move(target)), cores_(cores) {}

  std::vector<CudaLaunch> take_launches() { return std::move(launches_); }

 private:
  std::string head() const override {
    return "// Assay CUDA kernels, version 1\n" +
           std::string(has_ue8m0(target_) ? "#define A_HAS_UE8M0\n" : "") +
           std::string(math_text("device"));
  }

  ContractionCall call_of(const NodeKernel& k) const override {
    ContractionCall how = contraction_call(k.node);
    if (const auto cut = tensor_cut(k)) {
      how.math.push_back("packs");
      how.math.push_back("matmul_tensor_cores");
      how.function += "_tensor_cores";
      how.parameters = fmt::format(
          ", {}, {}, {}, {}, {}, {}, {}, {}", cut->tall, cut->wide, cut->step,
          cut->stages, cut->down, cut->across, cut->left, cut->right);
      return how;
    }
    if (const auto product = as_product(k)) {
      how.math.push_back("packs");
      how.math.push_back("matmul_threads");
      if (k.node.op == Op::convolve) {
        how.math.push_back("convolve_threads");
        how.function += "_tiles";
      }
      const Cut cut = cut_of(*product, k.node.type.dtype);
      how.parameters =
          fmt::format(", {}, {}, {}", cut.rows, cut.columns, cut.step);
      return how;
    }
    how.math.push_back(k.node.op == Op::scan      ? "scan_threads"
                       : k.node.op == Op::scatter ? "scatter_threads"
                       : k.node.op == Op::order   ? "order_threads"
                                                  : "contract_threads");
    return how;
  }

  // Of a product as call_of has it.
  std::optional<TensorCut> tensor_cut(const NodeKernel& k) const {
    if (cores_ == TensorCores::off) return std::nullopt;
    return tensor_cut_of(nest(), k, target_);
  }

  void falls_into(std::int64_t, std::int64_t) override {}

  std::string tail() const override { return ""; }

  void begin_kernel(const Touched& touched) override {
    CudaLaunch launch;
    launch.entry = fmt::format("assay_k{}", kernel());
    std::vector<std::string> parameters;
    for (const int b : touched.all()) {
      parameters.push_back(fmt::format("{} b{}", pointer_type(b, touched), b));
      launch.buffers.push_back(b);
    }
    const Kernel& k = nest().kernels[static_cast<std::size_t>(kernel())];
    if (const auto* loops = std::get_if<LoopKernel>(&k)) {
      choose_index_type(*loops);
      plan_rows(*loops);
      plan_points(*loops, touched);
      launch.threads = threads_per_block();
      launch.shared = dynamic_shared(*loops);
      launch.blocks = is_tiled() ? tile_count(*loops)
                                 : ceil_div(element_count(loops->outer),
                                            width() * rows_per_block());
    } else {
      // A formula's points have no plan of their own.
      choose_index_type(std::nullopt);
      no_rows();
      no_points();
      const auto& node = std::get<NodeKernel>(k);
      const NodeKernel called = as_called(node);
      if (const auto cut = tensor_cut(called)) {
        launch.threads = cut->threads();
        launch.shared = cut->shared();
        launch.blocks = cut->blocks(called.node.type.sizes);
      } else {
        launch.blocks = blocks_of(node);
      }
    }
    lines().line("");
    lines().open(fmt::format(
        "extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{",
        launch.threads, launch.entry, fmt::join(parameters, ", ")));
    if (launch.blocks > 0) launches_.push_back(std::move(launch));
  }

  // As the CUDA C++ Programming Guide has it for compute capabilities: 64 KiB
  // of 7.5, and the least that later ones have is 99.
  std::int64_t most_shared() const override {
    return target_.starts_with("sm_75") ? 48 << 10 : 96 << 10;
  }

  static std::int64_t blocks_of(const NodeKernel& k) {
    const Shape& out = k.node.type.sizes;
    if (k.node.op == Op::scan || k.node.op == Op::scatter) {
      return ceil_div(out[0] * out[2], kThreadsPerBlock);
    }
    if (k.node.op == Op::order) return ceil_div(out[1], kThreadsPerBlock);
    // Of the product as call_of has it.
    const auto product = as_product(as_called(k));
    if (!product) return ceil_div(element_count(out), kThreadsPerBlock);
    return blocks_with(cut_of(*product, k.node.type.dtype), product->out);
  }

  // A point, or a row, has the number t in row-major order; so has what a
  // thread takes of points.
  void begin_points(const LoopKernel& k) override {
    number_row(element_count(k.outer) / width());
    std::int64_t inner = 1;
    for (std::size_t d = k.outer.size(); d-- > 0;) {
      const std::int64_t step = d + 1 == k.outer.size() ? width() : 1;
      const std::int64_t extent = k.outer[d] / step;
      if (k.outer[d] == 1) continue;
      if (extent == 0) {
        // Of no points nothing is launched, but the text must compile.
        lines().line(
            fmt::format("const {} {} = 0;", index_type(), index_name(d)));
        continue;
      }
      const bool outermost = inner * extent * width() == element_count(k.outer);
      lines().line(fmt::format("const {} {} = t{}{}{};", index_type(),
                               index_name(d),
                               inner > 1 ? fmt::format(" / {}", inner) : "",
                               outermost ? "" : fmt::format(" % {}", extent),
                               step > 1 ? fmt::format(" * {}", step) : ""));
      if (!k.has_row && d + 1 == k.outer.size() && loses_tail(extent)) {
        lines().line(
            fmt::format("if ({} == {}) return;", index_name(d), extent - 1));
      }
      inner *= extent;
    }
  }
  void end_points() override {}

  void loops(const LoopKernel& k) override {
    if (is_tiled()) {
      tiled_points(k);
      return;
    }
    begin_points(k);
    if (k.has_row) {
      row(k);
    } else {
      points(k);
    }
  }

  std::string address(int b) const override { return fmt::format("b{}", b); }

  std::string target_;
  TensorCores cores_;
  std::vector<CudaLaunch> launches_;
};

}  // namespace

CudaText render_cuda(const Nest& nest, const std::string& target,
                     TensorCores cores, std::optional<Defect> defect) {
  CudaDialect dialect(nest, target, cores, defect);
  CudaText out;
  out.text = dialect.run();
  out.launches = dialect.take_launches();
  return out;
}

}  // namespace assay::compiler
