#include "compiler/text/cpp/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/nest/needed.h"
#include "compiler/text/cpp/contraction_on_cpu.h"
#include "compiler/text/cpp/cpp_rows.h"
#include "compiler/text/scalar.h"

namespace assay::compiler {
namespace {

// Tiles of transposed operands: so many elements along the operand's own
// fastest variable, and along the kernel's.
constexpr int kTileAcross = 32;
constexpr int kTileAlong = 64;
// Terms of a product that take as long as an element of a loop.
constexpr int kTermsPerElement = 16;

class CppDialect : public CppRows {
 public:
  using CppRows::CppRows;

  CppText make() {
    CppText out;
    out.text = run();
    out.sizes = take_sizes();
    out.kernels = std::move(ranges_);
    return out;
  }

 private:
  std::string head() const override { return "// Assay kernels, version 3\n"; }

  ContractionCall call_of(const NodeKernel& k) const override {
    return contraction_on_cpu(k);
  }

  void falls_into(std::int64_t parts, std::int64_t terms) override {
    ranges_.back().parts = parts;
    ranges_.back().work = terms / kTermsPerElement;
  }

  std::string tail() const override {
    std::string names;
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      names += fmt::format("k{}, ", k);
    }
    return fmt::format(
        "\ntypedef void (*a_kernel)(void* const*, const long*, long, long);\n"
        "extern \"C\" __attribute__((visibility(\"default\")))\n"
        "const a_kernel {}[] = {{{}0}};\n",
        kEntryName, names);
  }

  void begin_kernel(const Touched& touched) override {
    ranges_.emplace_back();
    ranges_.back().first_size = size_count();
    lines().line("");
    lines().open(fmt::format(
        "static void k{}(void* const* b, const long* n, long begin, "
        "long end) {{",
        kernel()));
    begin_sizes();
    const Kernel& k = nest().kernels[static_cast<std::size_t>(kernel())];
    index_ = "long";
    if (std::holds_alternative<NodeKernel>(k)) return;
    if (fits_int(std::get<LoopKernel>(k))) index_ = "int";
    for (const int b : touched.all()) {
      const std::string type = pointer_type(b, touched);
      const std::string bare = type.substr(0, type.find('*') + 1);
      lines().line(fmt::format("{} b{} = ({})b[{}];", type, b, bare, b));
    }
  }

  void begin_points(const LoopKernel& k) override {
    open_ = 0;
    ranges_.back().work = element_count(k.extents());
    for (std::size_t d = 0; d < k.outer.size(); ++d) {
      open_outer(k, d, !k.has_row && d + 1 == k.outer.size());
    }
  }
  void end_points() override {
    while (open_-- > 0) lines().close();
  }

  // Defect race-on-output, before the outermost loop, which is that of variable
  // d in steps of `step`: what a part writes is counted from the part's own
  // begin. Buffers that the kernel reads, too, are left alone, so that it stays
  // within them.
  void race(const LoopKernel& k, std::size_t d, int step) {
    if (defect() != Defect::race_on_output) return;
    std::map<int, std::int64_t> strides;
    for (const Stage& s : k.stages) {
      const bool read =
          std::any_of(k.values.begin(), k.values.end(),
                      [&](const Value& v) { return v.buffer == s.buffer; });
      if (s.buffer < 0 || read || !s.at.is_affine()) continue;
      const std::int64_t stride = s.at.factor_of(static_cast<int>(d));
      if (stride != 0) strides.emplace(s.buffer, stride);
    }
    for (const auto& [b, stride] : strides) {
      lines().line(fmt::format("b{} -= begin * {};", b, step * stride));
    }
  }

  // The loop of variable d, in full; in the outermost, the part that is asked
  // for.
  void open_outer(const LoopKernel& k, std::size_t d, bool is_innermost) {
    if (k.outer[d] == 1) return;
    const Span span = span_of(k, d, is_innermost);
    if (is_innermost) {
      open_vector_loop(span);
    } else {
      lines().open(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{",
                               index_, span.v, span.from, span.to));
    }
    ++open_;
  }

  Span span_of(const LoopKernel& k, std::size_t d, bool is_innermost) {
    const std::string& v = index_name(d);
    if (open_ > 0) {
      return {v, "0", is_innermost ? innermost(k, d) : extent(k, d)};
    }
    race(k, d, 1);
    ranges_.back().parts = k.outer[d];
    std::string end = fmt::format("({})end", index_);
    if (is_innermost && loses_tail(k.outer[d])) {
      end = fmt::format("(end < {0} ? end : {0})", innermost(k, d));
    }
    return {v, fmt::format("({})begin", index_), end};
  }

  void loops(const LoopKernel& k) override {
    ranges_.back().work =
        element_count(k.extents()) * static_cast<std::int64_t>(k.stages.size());
    if (is_in_columns(k)) {
      columns(k);
    } else if (k.has_row) {
      begin_points(k);
      if (open_ == 0) open_block();
      row(k);
      end_points();
    } else if (const std::optional<std::size_t> across = transposed(k)) {
      tiles(k, *across);
    } else if (k.outer.empty()) {
      begin_points(k);
      open_block();
      points(k, all_needed(k));
      end_points();
    } else {
      open_ = 0;
      const std::size_t last = k.outer.size() - 1;
      for (std::size_t d = 0; d < last; ++d) open_outer(k, d, false);
      const std::vector<bool> rest = hoist(k, last, all_needed(k));
      if (k.outer[last] == 1) {
        points(k, rest);
      } else {
        vector_loop(
            k, span_of(k, last, true), rest, [] {}, [&] { stores(k); });
      }
      end_points();
    }
  }

  void open_block() {
    lines().open("{");
    ++open_;
  }

  static std::vector<bool> all_needed(const LoopKernel& k) {
    std::vector<bool> needed(k.values.size(), false);
    for (const Stage& s : k.stages) {
      const std::vector<bool> more = needed_by(k, s);
      for (std::size_t i = 0; i < needed.size(); ++i) {
        needed[i] = needed[i] || more[i];
      }
    }
    return needed;
  }

  // The stages at one point, of whose values `needed` are not there yet.
  void points(const LoopKernel& k, const std::vector<bool>& needed) {
    values(k, needed);
    stores(k);
  }
  void stores(const LoopKernel& k) {
    for (const Stage& s : k.stages) store(k, s, name(s.value));
  }

  void columns(const LoopKernel& k) {
    open_ = 0;
    const std::size_t last = k.outer.size() - 1;
    for (std::size_t d = 0; d < last; ++d) open_outer(k, d, false);
    open_steps(k, last, "first", kStrip);
    define_part("width", "first", extent(k, last), kStrip);
    strip(k);
    end_points();
  }

  // A loop of `v` over the extent of variable d in steps of `step`; in the
  // outermost, the steps that are asked for.
  void open_steps(const LoopKernel& k, std::size_t d, const std::string& v,
                  int step) {
    std::string from = "0", to = extent(k, d);
    if (open_ == 0) {
      race(k, d, step);
      ranges_.back().parts = (k.outer[d] + step - 1) / step;
      from = fmt::format("({})begin * {}", index_, step);
      to = fmt::format("({0})(end * {1} < {2} ? end * {1} : {2})", index_, step,
                       to);
    }
    lines().open(fmt::format("for ({0} {1} = {2}; {1} < {3}; {1} += {4}) {{",
                             index_, v, from, to, step));
    ++open_;
  }

  // The variable along which operands are contiguous that are not so along the
  // innermost one, if there is any.
  static std::optional<std::size_t> transposed(const LoopKernel& k) {
    if (k.outer.size() < 2) return std::nullopt;
    for (const Value& v : k.values) {
      for (std::size_t d = 0; d + 1 < k.outer.size(); ++d) {
        if (is_across(k, v, d) && k.outer[d] >= 8 && k.outer.back() >= 8) {
          return d;
        }
      }
    }
    return std::nullopt;
  }

  static bool is_across(const LoopKernel& k, const Value& v, std::size_t d) {
    if (v.kind != Value::Kind::load || !v.at.is_affine()) return false;
    bool along = false, across = false;
    for (const IndexTerm& t : v.at.terms) {
      const auto variable = static_cast<std::size_t>(t.atom.variable);
      along = along || (variable + 1 == k.outer.size() && t.factor > 1);
      across = across || (variable == d && t.factor == 1);
    }
    return along && across;
  }

  // Both sides are read and written along their own lines of cache: a tile of
  // each operand that lies across is copied first.
  void tiles(const LoopKernel& k, std::size_t across) {
    open_ = 0;
    const std::size_t along = k.outer.size() - 1;
    for (std::size_t d = 0; d < along; ++d) {
      if (d != across) open_outer(k, d, false);
    }
    const std::string& p = index_name(across);
    const std::string& q = index_name(along);
    open_steps(k, across, "p0", kTileAcross);
    open_steps(k, along, "q0", kTileAlong);
    define_part("pn", "p0", extent(k, across), kTileAcross);
    define_part("qn", "q0", innermost(k, along), kTileAlong);
    tiled_.clear();
    std::vector<int> copied;
    for (std::size_t i = 0; i < k.values.size(); ++i) {
      if (is_across(k, k.values[i], across)) {
        copied.push_back(static_cast<int>(i));
      }
    }
    for (const int i : copied) {
      const Value& v = k.values[static_cast<std::size_t>(i)];
      lines().line(fmt::format("alignas(64) {} c{}[{}][{}];",
                               storage_type(v.dtype), i, kTileAcross,
                               kTileAlong));
      const std::int64_t stride = v.at.factor_of(static_cast<int>(along));
      need("transpose");
      lines().open("{");
      lines().line(fmt::format("const {0} {1} = p0, {2} = q0;", index_, p, q));
      lines().line(fmt::format(
          "a_transpose<{}, {}>(&{}, {}, pn, qn, c{}[0]);",
          storage_type(v.dtype), kTileAlong, element(v.buffer, v.at),
          size(stride, SizeUse::wide, fmt::format("stride in b{}", v.buffer)),
          i));
      lines().close();
    }
    for (const int i : copied) tiled_.push_back({i, &k});
    lines().open(fmt::format("for ({} p = 0; p < pn; ++p) {{", index_));
    lines().line(fmt::format("const {} {} = p0 + p;", index_, p));
    const std::vector<bool> rest = hoist(k, along, all_needed(k));
    vector_loop(
        k, {"q", "0", "qn"}, rest,
        [&] { lines().line(fmt::format("const {} {} = q0 + q;", index_, q)); },
        [&] { stores(k); });
    lines().close();
    tiled_.clear();
    end_points();
  }

  std::string element(int b, const IndexExpr& at) override {
    for (const auto& [i, k] : tiled_) {
      const Value& v = k->values[static_cast<std::size_t>(i)];
      if (v.buffer == b && v.at == at) return fmt::format("c{}[p][q]", i);
    }
    return CppRows::element(b, at);
  }

  const char* index_type() const override { return index_; }
  std::string address(int b) const override { return fmt::format("b[{}]", b); }

  const char* index_ = "long";
  int open_ = 0;  // loops
  std::vector<KernelRange> ranges_;
  std::vector<std::pair<int, const LoopKernel*>> tiled_;
};

}  // namespace

CppText render(const Nest& nest, FixedSizes fixed,
               std::optional<Defect> defect) {
  return CppDialect(nest, defect, fixed).make();
}

}  // namespace assay::compiler
