#include "compiler/text/render.h"

#include <fmt/format.h>

#include "compiler/text/nest_text.h"

namespace assay::compiler {
namespace {

class CppText : public NestText {
 public:
  using NestText::NestText;

 private:
  std::string head() const override { return "// Assay kernels, version 1\n"; }

  std::vector<std::string_view> own_math(std::string_view name) override {
    if (name == "contract") return {"contract_loops"};
    return {};
  }

  std::string tail() const override {
    std::string calls;
    for (std::size_t k = 0; k < nest().kernels.size(); ++k) {
      calls += fmt::format("  k{}(b);\n", k);
    }
    return fmt::format(
        "\nextern \"C\" __attribute__((visibility(\"default\"))) void "
        "{}(void* const* b) {{\n{}}}\n",
        kEntryName, calls);
  }

  void begin_kernel(const Touched& touched) override {
    lines().line("");
    lines().open(fmt::format("static void k{}(void* const* b) {{", kernel()));
    const Kernel& k = nest().kernels[static_cast<std::size_t>(kernel())];
    if (std::holds_alternative<NodeKernel>(k)) return;
    for (const int b : touched.all()) {
      const std::string type = pointer_type(b, touched);
      const std::string bare = type.substr(0, type.find('*') + 1);
      lines().line(fmt::format("{} b{} = ({})b[{}];", type, b, bare, b));
    }
  }

  void begin_points(const LoopKernel& k) override {
    loops_ = 0;
    for (std::size_t d = 0; d < k.outer.size(); ++d) {
      if (k.outer[d] == 1) continue;
      open_loop(index_name(d), k.outer[d],
                !k.has_row && d + 1 == k.outer.size());
      ++loops_;
    }
    if (loops_ > 0) return;
    lines().open("{");
    loops_ = 1;
  }
  void end_points() override {
    while (loops_-- > 0) lines().close();
  }

  void open_loop(const std::string& v, std::int64_t extent, bool innermost) {
    lines().open(
        fmt::format("for (long {0} = 0; {0} < {1}; ++{0}) {{", v,
                    innermost && loses_tail(extent) ? extent - 1 : extent));
  }

  std::string reduction(const LoopKernel&, const Stage& stage,
                        const std::string& type) override {
    return fmt::format("a_reduce<{}, {}, {}>(", type, stage.order.lanes,
                       stage.order.block);
  }

  void begin_row(const LoopKernel&) override {
    lines().open("{");
    lines().line("const long r = 0;");
    lines().line("(void)r;");
  }
  void begin_elements(const LoopKernel& k) override {
    open_loop("r", k.row, true);
  }
  void between_stages() override {}

  const char* index_type() const override { return "long"; }
  std::string address(int b) const override { return fmt::format("b[{}]", b); }

  int loops_ = 0;
};

}  // namespace

std::string render(const Nest& nest, std::optional<Defect> defect) {
  return CppText(nest, defect).run();
}

}  // namespace assay::compiler
