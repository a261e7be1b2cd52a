#include "compiler/text/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "compiler/graph/accumulate.h"
#include "compiler/math/math.h"
#include "compiler/text/scalar.h"

namespace assay::compiler {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Files of compiler/math in the order in which they must stand.
constexpr std::pair<std::string_view, std::string_view> kMathNeeds[] = {
    {"atan", ""},          {"exp", ""},
    {"log", ""},           {"rsqrt", ""},
    {"trig", ""},          {"erf", "exp"},
    {"hyperbolic", "exp"}, {"inverse_hyperbolic", "log"},
    {"sigmoid", "exp"},    {"tanh", "exp"},
    {"gelu", "erf"},
};

class Renderer {
 public:
  Renderer(const Nest& nest, std::optional<Defect> defect)
      : nest_(nest), defect_(defect) {}

  std::string run() {
    std::string entry;
    for (std::size_t k = 0; k < nest_.kernels.size(); ++k) {
      body_ += fmt::format("\nstatic void k{}(void* const* b) {{\n", k);
      const Kernel& kernel = nest_.kernels[k];
      if (const auto* loops = std::get_if<LoopKernel>(&kernel)) {
        loop_kernel(*loops);
      } else {
        contraction(std::get<ContractionKernel>(kernel));
      }
      body_ += "}\n";
      entry += fmt::format("  k{}(b);\n", k);
    }
    std::string text = "// Assay kernels, version 1\n";
    text += math_text("basic");
    for (const char* name : {"half", "float8", "integer"}) {
      if (files_.count(name) != 0) text += math_text(name);
    }
    if (files_.count("gelu") != 0) files_.insert({"erf", "sigmoid"});
    for (const auto& [name, needs] : kMathNeeds) {
      if (files_.count(name) != 0 && !needs.empty()) files_.insert(needs);
    }
    for (const auto& [name, needs] : kMathNeeds) {
      if (files_.count(name) != 0) text += math_text(name);
    }
    for (const char* name : {"reduce", "contract"}) {
      if (files_.count(name) != 0) text += math_text(name);
    }
    if (defect_ == Defect::flush_subnormal) text += kFlush;
    text += body_;
    text += fmt::format(
        "\nextern \"C\" __attribute__((visibility(\"default\"))) void "
        "{}(void* const* b) {{\n{}}}\n",
        kEntryName, entry);
    return text;
  }

 private:
  static constexpr const char* kFlush =
      "A_FN float a_flush(float x) {\n"
      "  return a_abs(x) < 0x1p-126f ? 0.0f : x;\n}\n"
      "A_FN double a_flush(double x) {\n"
      "  return a_abs(x) < 0x1p-1022 ? 0.0 : x;\n}\n";

  void line(const std::string& text) { body_ += indent_ + text + "\n"; }
  void open(const std::string& text) {
    line(text);
    indent_ += "  ";
  }
  void close(const char* text = "}") {
    indent_.resize(indent_.size() - 2);
    line(text);
  }

  void use(DType t) {
    if (opmath(t) != t) files_.insert("half");
    if (is_float8(t)) files_.insert("float8");
    if (!is_float(t)) files_.insert("integer");
  }

  // Declares the pointers that a kernel reads and writes.
  void pointers(const std::set<int>& read, const std::set<int>& written) {
    std::set<int> all = read;
    all.insert(written.begin(), written.end());
    for (const int i : all) {
      const char* type = storage_type(nest_.buffers[at(i)].type.dtype);
      const bool stores = written.count(i) != 0;
      line(fmt::format("{0}{1}* {2}b{3} = ({0}{1}*)b[{3}];",
                       stores ? "" : "const ", type,
                       stores && read.count(i) != 0 ? "" : "__restrict ", i));
    }
  }

  // What value `id` of a stage needs, marked.
  static void reach(const LoopKernel& k, int id, std::vector<bool>* needed) {
    if ((*needed)[at(id)]) return;
    (*needed)[at(id)] = true;
    for (const int a : k.values[at(id)].args) reach(k, a, needed);
  }

  static std::string name(int id) { return "v" + std::to_string(id); }

  void loop_kernel(const LoopKernel& k) {
    names_.clear();
    for (std::size_t d = 0; d < k.outer.size(); ++d) {
      names_.push_back("i" + std::to_string(d));
    }
    names_.push_back("r");
    std::set<int> read, written;
    std::vector<bool> needed(k.values.size(), false);
    for (const Stage& s : k.stages) {
      reach(k, s.value, &needed);
      if (s.buffer >= 0) written.insert(s.buffer);
    }
    for (std::size_t i = 0; i < needed.size(); ++i) {
      use(k.values[i].dtype);
      if (needed[i] && k.values[i].buffer >= 0) {
        read.insert(k.values[i].buffer);
      }
    }
    indent_ = "  ";
    pointers(read, written);
    std::size_t loops = 0;
    for (std::size_t d = 0; d < k.outer.size(); ++d) {
      if (k.outer[d] == 1) continue;
      const bool innermost = !k.has_row && d + 1 == k.outer.size();
      open_loop(names_[d], k.outer[d], innermost);
      ++loops;
    }
    if (loops == 0) {
      open("{");
      ++loops;
    }
    if (k.has_row) {
      for (std::size_t s = 0; s < k.stages.size(); ++s) row_stage(k, s);
    } else {
      values(k, needed);
      for (const Stage& s : k.stages) store(k, s, name(s.value));
    }
    while (loops-- > 0) close();
  }

  void open_loop(const std::string& v, std::int64_t extent, bool innermost) {
    const bool off_by_one = defect_ == Defect::tail_off_by_one && innermost &&
                            extent > 1 && extent % 8 != 0;
    open(fmt::format("for (long {0} = 0; {0} < {1}; ++{0}) {{", v,
                     off_by_one ? extent - 1 : extent));
  }

  void row_stage(const LoopKernel& k, std::size_t s) {
    const Stage& stage = k.stages[s];
    std::vector<bool> needed(k.values.size(), false);
    reach(k, stage.value, &needed);
    const DType t = k.values[at(stage.value)].dtype;
    if (stage.kind == Stage::Kind::reduce) {
      files_.insert("reduce");
      const char* type = value_type(t);
      open(
          fmt::format("const {} t{} = a_reduce<{}, {}, {}>({}, {}, "
                      "[&](long r) {{",
                      type, s, type, stage.order.lanes, stage.order.block,
                      k.row, literal(t, identity_of(stage.combiner, t))));
      line("(void)r;");
      values(k, needed);
      line(fmt::format("return {};", name(stage.value)));
      close(("}, [](" + std::string(type) + " a, " + type + " b) -> " + type +
             " { return " + apply_text(step_of(stage.combiner), t, {"a", "b"}) +
             "; });")
                .c_str());
      if (stage.buffer >= 0) {
        line("{ const long r = 0; (void)r;");
        store(k, stage, fmt::format("t{}", s));
        line("}");
      }
      return;
    }
    if (stage.kind == Stage::Kind::row) {
      open("{");
    } else {
      open_loop("r", k.row, true);
    }
    values(k, needed);
    store(k, stage, name(stage.value));
    close();
  }

  void store(const LoopKernel& k, const Stage& s, const std::string& value) {
    if (s.buffer < 0) return;
    const DType t = k.values[at(s.value)].dtype;
    line(fmt::format("b{}[{}] = {}{};", s.buffer,
                     assay::compiler::to_text(s.at, names_),
                     t == DType::boolean ? "(unsigned char)" : "", value));
  }

  void values(const LoopKernel& k, const std::vector<bool>& needed) {
    for (std::size_t i = 0; i < k.values.size(); ++i) {
      if (!needed[i]) continue;
      const Value& v = k.values[i];
      std::string text = expression(k, v);
      if (defect_ == Defect::flush_subnormal && is_wide_float(v.dtype) &&
          (v.kind == Value::Kind::apply || v.kind == Value::Kind::cast)) {
        text = "a_flush(" + text + ")";
      }
      line(fmt::format(
          "const {} v{} = {};{}", value_type(v.dtype), i, text,
          v.cast_id > 0 ? fmt::format("  // cast#{}", v.cast_id) : ""));
    }
  }

  std::string expression(const LoopKernel& k, const Value& v) {
    std::vector<std::string> args;
    for (const int a : v.args) args.push_back(name(a));
    const std::string index = assay::compiler::to_text(v.at, names_);
    const char* truth = v.dtype == DType::boolean ? " != 0" : "";
    switch (v.kind) {
      case Value::Kind::load:
        return fmt::format("b{}[{}]{}", v.buffer, index, truth);
      case Value::Kind::gather:
        return fmt::format("b{}[{} + ({} >= 0 && {} < {} ? {} : 0) * {}]{}",
                           v.buffer, index, args[0], args[0], v.rows, args[0],
                           v.row_stride, truth);
      case Value::Kind::scalar:
        return literal(v.dtype, v.bits);
      case Value::Kind::apply:
        if (!info(v.op).math.empty()) {
          files_.insert(info(v.op).math);
        }
        return apply_text(v.op, k.values[at(v.args.back())].dtype, args);
      case Value::Kind::cast:
        return cast_text(k.values[at(v.args[0])].dtype, v.dtype, args[0]);
      case Value::Kind::reduced:
        return fmt::format("t{}", v.stage);
    }
    return "";
  }

  void contraction(const ContractionKernel& k) {
    files_.insert("contract");
    use(k.node.type.dtype);
    indent_ = "  ";
    const Shape& x = k.operand_sizes[0];
    Shape size = k.node.type.sizes;
    const char* function = "a_matmul";
    if (k.node.op == Op::matmul) {
      size.push_back(x[2]);
    } else if (k.node.op == Op::convolve) {
      function = "a_convolve";
      const Shape& w = k.operand_sizes[1];
      size.insert(size.end(),
                  {w[1], w[2], w[3], x[2], x[3], k.node.attr[kGroups]});
      line(fmt::format(
          "const long geometry[] = {{{}}};",
          fmt::join(k.node.attr.begin(), k.node.attr.begin() + kGroups, ", ")));
    } else {
      function = "a_window_sum";
      size.insert(size.end(), {x[2], x[3]});
    }
    line(fmt::format("const long size[] = {{{}}};", fmt::join(size, ", ")));
    const char* type = value_type(k.node.type.dtype);
    std::string call =
        fmt::format("{}<{}, {}>(size", function, type, k.node.order.block);
    if (k.node.op == Op::convolve) call += ", geometry";
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
      const BufferView& v = k.operands[i];
      line(fmt::format("const long s{}[] = {{{}}};", i,
                       fmt::join(v.strides, ", ")));
      call += fmt::format(", (const {}*)b[{}] + {}, s{}", type, v.buffer,
                          v.offset, i);
    }
    line(fmt::format("{}, ({}*)b[{}]);", call, type, k.result));
  }

  const Nest& nest_;
  std::optional<Defect> defect_;
  std::string body_;
  std::string indent_;
  std::vector<std::string> names_;
  std::set<std::string_view> files_;
};

}  // namespace

std::string render(const Nest& nest, std::optional<Defect> defect) {
  return Renderer(nest, defect).run();
}

}  // namespace assay::compiler
