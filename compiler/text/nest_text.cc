#include "compiler/text/nest_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "compiler/math/math.h"
#include "compiler/nest/needed.h"
#include "compiler/nest/work.h"
#include "compiler/text/formula_text.h"
#include "compiler/text/scalar.h"

namespace assay::compiler {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Files of compiler/math in the order in which they must stand, and those that
// each needs before it. What f32 has of a file is in NAME_f32.
struct MathFile {
  std::string_view name;
  std::array<std::string_view, 4> needs = {};
};
constexpr MathFile kMathFiles[] = {
    {"logic"},
    {"e8m0"},
    {"exp_f32"},
    {"log_f32"},
    {"log_short"},
    {"atan_f32"},
    {"erf_f32", {"exp_f32"}},
    {"hyperbolic_f32", {"exp_f32"}},
    {"inverse_hyperbolic_f32", {"log_short"}},
    {"lgamma_f32"},
    {"pow_f32", {"exp_f32", "log_short"}},
    {"sigmoid_f32", {"exp_f32"}},
    {"tanh_f32", {"exp_f32"}},
    {"trig_f32"},
    {"gelu_f32", {"erf_f32", "sigmoid_f32"}},
    {"atan", {"atan_f32"}},
    {"exp", {"exp_f32"}},
    {"log", {"log_f32"}},
    {"rsqrt"},
    {"trig", {"trig_f32"}},
    {"binary", {"atan"}},
    {"erf", {"exp", "erf_f32"}},
    {"hyperbolic", {"exp", "hyperbolic_f32"}},
    {"inverse_hyperbolic", {"log", "inverse_hyperbolic_f32"}},
    {"pow", {"exp", "log", "pow_f32"}},
    {"sigmoid", {"exp", "sigmoid_f32"}},
    {"tanh", {"exp", "tanh_f32"}},
    {"gelu", {"erf", "sigmoid", "gelu_f32"}},
    {"lgamma", {"log", "trig", "lgamma_f32"}},
    {"series", {"exp"}},
    {"bessel", {"log", "trig", "series"}},
    {"zeta", {"log", "pow", "series"}},
    {"polygamma", {"trig", "zeta"}},
    {"gamma_pq", {"lgamma_f32", "pow", "erf", "series"}},
};

// Whether value `id` is what something less its maximum along the row is.
bool is_below(const LoopKernel& k, int id) {
  const Value& v = k.values[at(id)];
  if (v.kind != Value::Kind::apply || v.op != ScalarOp::sub) return false;
  const Value& most = k.values[at(v.args[1])];
  if (most.kind != Value::Kind::reduced) return false;
  const Stage& s = k.stages[at(most.stage)];
  return s.combiner == Combiner::maximum && s.value == v.args[0];
}

// Is a choice made where products are added in one branch and subtracted in
// another, as between the parts of a complex product (product.inc)?
bool chooses_between_signs(const LoopKernel& k) {
  const auto applies = [&k](ScalarOp op) {
    return std::any_of(k.values.begin(), k.values.end(), [op](const Value& v) {
      return v.kind == Value::Kind::apply && v.op == op && is_float(v.dtype);
    });
  };
  return applies(ScalarOp::select) && applies(ScalarOp::add) &&
         applies(ScalarOp::sub);
}

constexpr const char* kFlush =
    "A_FN float a_flush(float x) {\n"
    "  return a_abs(x) < 0x1p-126f ? 0.0f : x;\n}\n"
    "A_FN double a_flush(double x) {\n"
    "  return a_abs(x) < 0x1p-1022 ? 0.0 : x;\n}\n";

bool narrows_a_float(const LoopKernel& k, const std::vector<bool>& needed) {
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    const Value& v = k.values[i];
    const bool casts =
        v.kind == Value::Kind::cast || v.kind == Value::Kind::convert;
    if (needed[i] && casts &&
        narrows_float(k.values[at(v.args[0])].dtype, v.dtype)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string NestText::run() {
  for (const Kernel& kernel : nest_.kernels) {
    if (const auto* loops = std::get_if<LoopKernel>(&kernel)) {
      loop_kernel(*loops);
    } else if (const auto& k = std::get<NodeKernel>(kernel);
               k.node.op == Op::formula) {
      formula(k);
    } else {
      contraction(k);
    }
    ++kernel_;
  }
  return head() + math() + lines_.text() + tail();
}

std::string NestText::math() const {
  std::set<std::string_view> files = files_;
  std::string text(math_text("basic"));
  const auto add = [&](std::string_view file) {
    if (files.count(file) != 0) text += math_text(file);
  };
  for (const char* file : {"loops", "half", "float8", "integer", "product"}) {
    add(file);
  }
  // The last first, so that what is needed adds what it needs.
  for (auto f = std::rbegin(kMathFiles); f != std::rend(kMathFiles); ++f) {
    if (files.count(f->name) != 0) {
      files.insert(f->needs.begin(), f->needs.end());
    }
  }
  for (const MathFile& f : kMathFiles) add(f.name);
  for (const char* file : {"formula",
                           "reduce",
                           "reduce_row",
                           "reduce_column",
                           "transpose",
                           "team",
                           "held",
                           "packs",
                           "running_steps",
                           "scan_loops",
                           "scan_threads",
                           "scatter_loops",
                           "scatter_threads",
                           "order",
                           "order_loops",
                           "order_threads",
                           "contract",
                           "contract_loops",
                           "contract_threads",
                           "narrow",
                           "matmul_threads",
                           "matmul_tensor_cores",
                           "convolve_threads",
                           "microkernel",
                           "narrow_vectors",
                           "pack",
                           "matmul_panels",
                           "convolve_bands"}) {
    add(file);
  }
  if (defect_ == Defect::flush_subnormal) text += kFlush;
  return text;
}

void NestText::use(DType t) {
  if (opmath(t) != t) files_.insert("half");
  if (is_float8(t)) files_.insert("float8");
  if (!is_float(t)) files_.insert("integer");
}

std::string NestText::pointer_type(int b, const Touched& touched) const {
  const bool stores = touched.written.count(b) != 0;
  const bool loads = touched.read.count(b) != 0;
  return fmt::format("{}{}*{}", stores ? "" : "const ",
                     storage_type(nest_.buffers[at(b)].type.dtype),
                     stores && loads ? "" : " __restrict");
}

void NestText::loop_kernel(const LoopKernel& k) {
  names_.clear();
  for (std::size_t d = 0; d < k.outer.size(); ++d) {
    names_.push_back("i" + std::to_string(d));
  }
  names_.push_back("r");
  Touched touched;
  std::vector<bool> needed(k.values.size(), false);
  for (const Stage& s : k.stages) {
    mark_needed(k, s.value, &needed);
    if (s.buffer >= 0) touched.written.insert(s.buffer);
  }
  for (std::size_t i = 0; i < needed.size(); ++i) {
    use(k.values[i].dtype);
    if (needed[i] && k.values[i].buffer >= 0) {
      touched.read.insert(k.values[i].buffer);
    }
  }
  begin_kernel(touched);
  is_scalar_ = narrows_a_float(k, needed);
  loops(k);
  is_scalar_ = false;
  end_kernel();
}

bool NestText::fits_int(const LoopKernel& k) {
  // Threads and steps of loops may go that far beyond the last.
  constexpr std::int64_t kBeyond = 1 << 16;
  std::int64_t most = std::max(element_count(k.outer), k.row) + kBeyond;
  for (const Value& v : k.values) {
    most = std::max(most, largest_inside(v.at, k.extents()));
  }
  for (const Stage& s : k.stages) {
    most = std::max(most, largest_inside(s.at, k.extents()));
  }
  return most <= std::numeric_limits<std::int32_t>::max();
}

std::string NestText::element(int b, const IndexExpr& at) {
  return fmt::format("b{}[{}]", b, index(b, at));
}

std::string NestText::index(int b, const IndexExpr& at) {
  const std::string where = b < 0 ? "in an index" : fmt::format("in b{}", b);
  return to_text(at, names_, [&](std::int64_t v, IndexNumber is) {
    switch (is) {
      case IndexNumber::offset:
        return size(v, SizeUse::offset, "offset " + where);
      case IndexNumber::factor:
        return size(v, SizeUse::index, "stride " + where);
      default:
        return size(v, SizeUse::divisor, "part of a division " + where);
    }
  });
}

std::string NestText::size(std::int64_t value, SizeUse, const std::string&) {
  return std::to_string(value);
}

std::string NestText::applied(const LoopKernel& k, const Value& v, DType t,
                              const std::vector<std::string>& args) {
  if (v.op == ScalarOp::mul && is_wide_float(t) && chooses_between_signs(k)) {
    files_.insert("product");
    return fmt::format("a_product({})", apply_text(v.op, t, args));
  }
  if (v.op == ScalarOp::exp && t == DType::f32 && is_below(k, v.args[0])) {
    return fmt::format("a_exp_below({})", args[0]);
  }
  return apply_text(v.op, t, args);
}

std::string NestText::number(const LoopKernel&, const Value& v) {
  return literal(v.dtype, v.bits);
}

std::string NestText::reduced(int s) const { return fmt::format("t{}", s); }

void NestText::store(const LoopKernel& k, const Stage& s,
                     const std::string& value) {
  if (s.buffer < 0) return;
  const DType t = k.values[at(s.value)].dtype;
  lines_.line(fmt::format("{} = {}{};", element(s.buffer, s.at),
                          t == DType::boolean ? "(unsigned char)" : "", value));
}

void NestText::values(const LoopKernel& k, const std::vector<bool>& needed) {
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    if (!needed[i]) continue;
    const Value& v = k.values[i];
    std::string text = expression(k, v);
    if (defect_ == Defect::flush_subnormal && is_wide_float(v.dtype) &&
        (v.kind == Value::Kind::apply || v.kind == Value::Kind::cast)) {
      text = "a_flush(" + text + ")";
    }
    lines_.line(fmt::format(
        "const {} v{} = {};{}", value_type(v.dtype), i, text,
        v.cast_id > 0 ? fmt::format("  // cast#{}", v.cast_id) : ""));
    if (near_ && v.kind == Value::Kind::apply && has_near(v.op)) {
      lines_.line(fmt::format("far{0} |= a_far(v{0});", v.args[0]));
    }
  }
}

void NestText::near_values(const LoopKernel& k,
                           const std::vector<bool>& needed) {
  near_ = true;
  values(k, needed);
  near_ = false;
}

std::string NestText::expression(const LoopKernel& k, const Value& v) {
  std::vector<std::string> args;
  for (const int a : v.args) args.push_back(name(a));
  const char* truth = v.dtype == DType::boolean ? " != 0" : "";
  switch (v.kind) {
    case Value::Kind::load:
      return element(v.buffer, v.at) + truth;
    case Value::Kind::gather: {
      const std::string table = fmt::format("of b{}", v.buffer);
      std::string at = index(v.buffer, v.at);
      for (std::size_t d = 0; d < v.rows.size(); ++d) {
        const std::string rows =
            size(v.rows[d], SizeUse::wide, "rows " + table);
        const std::string stride =
            size(v.row_strides[d], SizeUse::wide, "stride of rows " + table);
        at += fmt::format(" + ({0} >= 0 && {0} < {1} ? {0} : 0) * {2}", args[d],
                          rows, stride);
      }
      return fmt::format("b{}[{}]{}", v.buffer, at, truth);
    }
    case Value::Kind::scalar:
      return number(k, v);
    case Value::Kind::apply:
      if (!info(v.op).math.empty()) files_.insert(info(v.op).math);
      for (std::size_t a = 0; a < args.size() && args.size() == 2; ++a) {
        const Value& limit = k.values[at(v.args[a])];
        if (limit.kind != Value::Kind::scalar) continue;
        std::string text =
            limit_text(v.op, limit.dtype, args[1 - a], args[a], limit.bits);
        if (!text.empty()) return text;
      }
      if (near_ && has_near(v.op)) {
        return fmt::format("a_near_{}({})", info(v.op).name, args[0]);
      }
      return applied(k, v, k.values[at(v.args.back())].dtype, args);
    case Value::Kind::index:
      return "(a_i64)(" + index(-1, v.at) + ")";
    case Value::Kind::cast:
    case Value::Kind::convert:
      return cast_text(k.values[at(v.args[0])].dtype, v.dtype, args[0]);
    case Value::Kind::reduced:
      return reduced(v.stage);
  }
  return "";
}

void NestText::formula(const NodeKernel& k) {
  std::vector<Shape> strides;
  Touched touched;
  for (const BufferView& v : k.operands) {
    strides.push_back(v.strides);
    touched.read.insert(v.buffer);
  }
  touched.written.insert(k.result);
  begin_kernel(touched);
  const FormulaText text =
      render(*k.node.formula, k.operand_sizes, strides,
             [this](std::int64_t v, const std::string& meaning) {
               return size(v, SizeUse::wide, meaning);
             });
  files_.insert(text.math.begin(), text.math.end());
  for (const DType t : text.types) use(t);
  const auto pointer = [&](const char* qualifier, const std::string& name,
                           int buffer, std::int64_t offset) {
    const char* type = storage_type(nest_.buffers[at(buffer)].type.dtype);
    lines_.line(fmt::format("{0}{1}* const {2} = ({0}{1}*){3} + {4};",
                            qualifier, type, name, address(buffer),
                            size(offset, SizeUse::wide, "offset of " + name)));
  };
  for (std::size_t i = 0; i < k.operands.size(); ++i) {
    pointer("const ", fmt::format("x{}", i), k.operands[i].buffer,
            k.operands[i].offset);
  }
  pointer("", "out", k.result, 0);
  LoopKernel points;
  points.outer = k.node.type.sizes;
  names_.clear();
  for (std::size_t d = 0; d < points.outer.size(); ++d) {
    names_.push_back(fmt::format("i{}", d));
  }
  is_scalar_ = text.is_scalar;
  has_fold_ = text.has_fold;
  begin_points(points);
  is_scalar_ = has_fold_ = false;
  std::string place = "0";
  for (std::size_t d = 0; d < points.outer.size(); ++d) {
    const bool one = points.outer[d] == 1;
    lines_.line(fmt::format("const a_i64 v{} = {};", d, one ? "0" : names_[d]));
    lines_.line(fmt::format("(void)v{};", d));
    place = fmt::format(
        "({}) * {} + v{}", place,
        size(points.outer[d], SizeUse::wide, fmt::format("extent of v{}", d)),
        d);
  }
  lines_.line(
      fmt::format("out[{}] = {}{};", place,
                  k.node.type.dtype == DType::boolean ? "(unsigned char)" : "",
                  text.expression));
  end_points();
  end_kernel();
}

void NestText::contraction(const NodeKernel& node) {
  const NodeKernel k = as_called(node);
  const ContractionCall how = call_of(k);
  files_.insert(how.math.begin(), how.math.end());
  use(k.node.type.dtype);
  Touched touched;
  for (const BufferView& v : k.operands) touched.read.insert(v.buffer);
  touched.written.insert(k.result);
  begin_kernel(touched);
  std::vector<std::string> addresses;
  std::vector<DType> types;
  for (const BufferView& v : k.operands) {
    addresses.push_back(address(v.buffer));
    types.push_back(nest_.buffers[at(v.buffer)].type.dtype);
    use(types.back());
    if (types.back() == k.node.type.dtype || !widens(k.node.op)) continue;
    files_.insert("narrow");
    if (files_.count("microkernel") != 0) files_.insert("narrow_vectors");
  }
  addresses.push_back(address(k.result));
  types.push_back(nest_.buffers[at(k.result)].type.dtype);
  if (how.parts) falls_into(*how.parts, terms_of(k));
  const auto by_launch = [this](std::int64_t v, const std::string& meaning) {
    return size(v, SizeUse::wide, meaning);
  };
  for (const std::string& line :
       contraction_text(k, how, addresses, types, by_launch)) {
    lines_.line(line);
  }
  end_kernel();
}

}  // namespace assay::compiler
