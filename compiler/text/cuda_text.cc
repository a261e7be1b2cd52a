#include "compiler/text/cuda_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "compiler/graph/accumulate.h"
#include "compiler/math/math.h"
#include "compiler/nest/needed.h"
#include "compiler/text/nest_text.h"
#include "compiler/text/scalar.h"

namespace assay::compiler {
namespace {

// Who works on a row.
enum class Rows {
  none,     // there are none: a thread for each point
  threads,  // a thread for each row
  teams,    // as many threads as the order has lanes
  blocks,   // a thread block: as many teams as it has
};

// With so many rows, threads of their own fill a GPU.
constexpr std::int64_t kManyRows = 1 << 14;

// The order that the row's reductions have in common, if it can be that of
// threads of a warp.
std::optional<Order> team_order(const LoopKernel& k) {
  std::optional<Order> common;
  for (const Stage& s : k.stages) {
    if (s.kind != Stage::Kind::reduce) continue;
    if (common && *common != s.order) return std::nullopt;
    common = s.order;
  }
  if (!common || common->lanes < 2 || common->lanes > 32 ||
      !std::has_single_bit(static_cast<unsigned>(common->lanes))) {
    return std::nullopt;
  }
  return common;
}

// Whether elements that lie side by side are neighbours in a row.
bool is_contiguous_along_row(const LoopKernel& k) {
  const auto row = static_cast<int>(k.outer.size());
  return std::any_of(k.values.begin(), k.values.end(), [&](const Value& v) {
    return v.buffer >= 0 &&
           std::any_of(v.at.terms.begin(), v.at.terms.end(),
                       [&](const IndexTerm& t) {
                         return t.factor == 1 && t.atom.variable == row &&
                                t.atom.kind == IndexAtom::Kind::variable;
                       });
  });
}

Rows choose_rows(const LoopKernel& k) {
  if (!k.has_row) return Rows::none;
  const std::optional<Order> order = team_order(k);
  const bool columns =
      element_count(k.outer) >= kManyRows && !is_contiguous_along_row(k);
  if (!order || k.row < order->lanes || columns) return Rows::threads;
  return k.row > order->block ? Rows::blocks : Rows::teams;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// The conversions to ue8m0 belong to architecture- and family-specific targets
// from sm_100 on (PTX ISA, cvt), never to plain ones.
bool has_ue8m0(const std::string& target) {
  const bool specific = target.ends_with('a') || target.ends_with('f');
  return specific && std::atoi(target.c_str() + target.find('_') + 1) >= 100;
}

class CudaDialect : public NestText {
 public:
  CudaDialect(const Nest& nest, std::string target,
              std::optional<Defect> defect)
      : NestText(nest, defect), target_(std::move(target)) {}

  std::vector<CudaLaunch> take_launches() { return std::move(launches_); }

 private:
  std::string head() const override {
    return "// Assay CUDA kernels, version 1\n" +
           std::string(has_ue8m0(target_) ? "#define A_HAS_UE8M0\n" : "") +
           std::string(math_text("device"));
  }

  ContractionCall call_of(const NodeKernel& k) const override {
    ContractionCall how = contraction_call(k.node);
    how.math.push_back(k.node.op == Op::scan      ? "scan_threads"
                       : k.node.op == Op::scatter ? "scatter_threads"
                       : k.node.op == Op::order   ? "order_threads"
                                                  : "contract_threads");
    return how;
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
    lines().line("");
    lines().open(fmt::format(
        "extern \"C\" __global__ void __launch_bounds__({}) "
        "{}({}) {{",
        kThreadsPerBlock, launch.entry, fmt::join(parameters, ", ")));
    const Kernel& k = nest().kernels[static_cast<std::size_t>(kernel())];
    if (const auto* loops = std::get_if<LoopKernel>(&k)) {
      plan(*loops);
      launch.blocks = ceil_div(element_count(loops->outer), points_per_block());
    } else {
      rows_ = Rows::none;
      index_ = "long";
      launch.blocks = blocks_of(std::get<NodeKernel>(k));
    }
    if (launch.blocks > 0) launches_.push_back(std::move(launch));
  }

  void plan(const LoopKernel& k) {
    rows_ = choose_rows(k);
    const std::optional<Order> order = team_order(k);
    lanes_ = order ? order->lanes : 1;
    index_ = fits_int(k) ? "int" : "long";
  }

  std::int64_t points_per_block() const {
    if (rows_ == Rows::teams) return kThreadsPerBlock / lanes_;
    return rows_ == Rows::blocks ? 1 : kThreadsPerBlock;
  }

  static std::int64_t blocks_of(const NodeKernel& k) {
    const Shape& out = k.node.type.sizes;
    if (k.node.op == Op::scan || k.node.op == Op::scatter) {
      return ceil_div(out[0] * out[2], kThreadsPerBlock);
    }
    if (k.node.op == Op::order) return ceil_div(out[1], kThreadsPerBlock);
    if (k.node.op != Op::matmul) {
      return ceil_div(element_count(out), kThreadsPerBlock);
    }
    return out[0] * ceil_div(out[1], 16) * ceil_div(out[2], 16);
  }

  // A point, or a row, has the number t in row-major order.
  void begin_points(const LoopKernel& k) override {
    std::string t = fmt::format("({})blockIdx.x", index_);
    if (points_per_block() > 1) {
      t += fmt::format(" * {} + ({})threadIdx.x", points_per_block(), index_);
    }
    if (rows_ == Rows::teams) t += fmt::format(" / {}", lanes_);
    lines().line(fmt::format("const {} t = {};", index_, t));
    lines().line(
        fmt::format("if (a_beyond(t, {})) return;", element_count(k.outer)));
    std::int64_t inner = 1;
    for (std::size_t d = k.outer.size(); d-- > 0;) {
      const std::int64_t extent = k.outer[d];
      if (extent == 1) continue;
      if (extent == 0) {
        // Of no points nothing is launched, but the text must compile.
        lines().line(fmt::format("const {} {} = 0;", index_, index_name(d)));
        continue;
      }
      const bool outermost = inner * extent == element_count(k.outer);
      lines().line(fmt::format("const {} {} = t{}{};", index_, index_name(d),
                               inner > 1 ? fmt::format(" / {}", inner) : "",
                               outermost ? "" : fmt::format(" % {}", extent)));
      if (!k.has_row && d + 1 == k.outer.size() && loses_tail(extent)) {
        lines().line(
            fmt::format("if ({} == {}) return;", index_name(d), extent - 1));
      }
      inner *= extent;
    }
  }
  void end_points() override {}

  void loops(const LoopKernel& k) override {
    begin_points(k);
    if (k.has_row) {
      for (std::size_t s = 0; s < k.stages.size(); ++s) row_stage(k, s);
      return;
    }
    std::vector<bool> needed(k.values.size(), false);
    for (const Stage& s : k.stages) {
      const std::vector<bool> of_stage = needed_by(k, s);
      for (std::size_t i = 0; i < needed.size(); ++i) {
        needed[i] = needed[i] || of_stage[i];
      }
    }
    values(k, needed);
    for (const Stage& s : k.stages) store(k, s, name(s.value));
  }

  void row_stage(const LoopKernel& k, std::size_t s) {
    const Stage& stage = k.stages[s];
    const std::vector<bool> needed = needed_by(k, stage);
    if (stage.kind == Stage::Kind::reduce) {
      reduce_stage(k, s, needed);
      return;
    }
    if (stage.kind == Stage::Kind::row) {
      begin_row(k);
    } else {
      begin_elements(k);
    }
    values(k, needed);
    store(k, stage, name(stage.value));
    lines().close();
    if (is_read_later(k, s)) between_stages();
  }

  // Whether a stage after number `s` reads what that stores.
  static bool is_read_later(const LoopKernel& k, std::size_t s) {
    for (std::size_t later = s + 1; later < k.stages.size(); ++later) {
      const std::vector<bool> needed = needed_by(k, k.stages[later]);
      for (std::size_t i = 0; i < needed.size(); ++i) {
        if (needed[i] && k.values[i].buffer == k.stages[s].buffer) return true;
      }
    }
    return false;
  }

  void reduce_stage(const LoopKernel& k, std::size_t s,
                    const std::vector<bool>& needed) {
    const Stage& stage = k.stages[s];
    const DType t = k.values[static_cast<std::size_t>(stage.value)].dtype;
    const std::string type = value_type(t);
    need("reduce");
    need("team");
    lines().open(fmt::format("const {} t{} = {}{}, {}, [&]({} r) {{", type, s,
                             reduction(stage, type), k.row,
                             literal(t, identity_of(stage.combiner, t)),
                             index_));
    lines().line("(void)r;");
    values(k, needed);
    lines().line(fmt::format("return {};", name(stage.value)));
    lines().close("}, [](" + type + " a, " + type + " b) -> " + type +
                  " { return " +
                  apply_text(step_of(stage.combiner), t, {"a", "b"}) + "; });");
    if (stage.buffer < 0) return;
    begin_row(k);
    store(k, stage, fmt::format("t{}", s));
    lines().close();
  }

  // The call of a reduction up to its first argument, after which come the
  // row's length, the identity, a function of r and one of two operands.
  std::string reduction(const Stage& stage, const std::string& type) const {
    const char* function = rows_ == Rows::blocks  ? "a_reduce_teams"
                           : rows_ == Rows::teams ? "a_reduce_team"
                                                  : "a_reduce";
    return fmt::format("{}<{}, {}, {}>(", function, type, stage.order.lanes,
                       stage.order.block);
  }

  // The thread's place among those that share its row.
  std::string place() const {
    return rows_ == Rows::blocks ? "(int)threadIdx.x"
                                 : fmt::format("a_lane<{}>()", lanes_);
  }

  // Opens what is done once per row, with r = 0; and for each r.
  void begin_row(const LoopKernel&) {
    const bool shared = rows_ == Rows::teams || rows_ == Rows::blocks;
    lines().open(shared ? "if (" + place() + " == 0) {" : "{");
    lines().line(fmt::format("const {} r = 0;", index_));
    lines().line("(void)r;");
  }

  void begin_elements(const LoopKernel& k) {
    const std::int64_t end = loses_tail(k.row) ? k.row - 1 : k.row;
    if (rows_ == Rows::threads) {
      lines().open(fmt::format("for ({} r = 0; r < {}; ++r) {{", index_, end));
      return;
    }
    lines().open(
        fmt::format("for ({} r = {}; r < {}; r += {}) {{", index_, place(), end,
                    rows_ == Rows::blocks ? kThreadsPerBlock : lanes_));
  }

  // After a stage that later stages of the kernel read through its buffer.
  void between_stages() {
    if (rows_ == Rows::teams) {
      lines().line(fmt::format("a_team_barrier<{}>();", lanes_));
    } else if (rows_ == Rows::blocks) {
      lines().line("__syncthreads();");
    }
  }

  std::string address(int b) const override { return fmt::format("b{}", b); }

  std::string target_;
  Rows rows_ = Rows::none;
  int lanes_ = 1;
  const char* index_ = "int";
  std::vector<CudaLaunch> launches_;
};

}  // namespace

CudaText render_cuda(const Nest& nest, const std::string& target,
                     std::optional<Defect> defect) {
  CudaDialect dialect(nest, target, defect);
  CudaText out;
  out.text = dialect.run();
  out.launches = dialect.take_launches();
  return out;
}

}  // namespace assay::compiler
