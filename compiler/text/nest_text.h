// What the texts of a nest have in common, whatever runs them: scalars, their
// order, the math text that they need. A dialect says how a kernel begins, how
// points are visited, and who reduces a row.
#ifndef ASSAY_COMPILER_TEXT_NEST_TEXT_H_
#define ASSAY_COMPILER_TEXT_NEST_TEXT_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/defects.h"
#include "compiler/nest/nest.h"
#include "compiler/text/contraction_text.h"
#include "compiler/text/size.h"

namespace assay::compiler {

// Lines with indentation.
class Lines {
 public:
  void line(const std::string& text) { text_ += indent_ + text + "\n"; }
  void open(const std::string& text) {
    line(text);
    indent_ += "  ";
  }
  void close(const std::string& text = "}") {
    indent_.resize(indent_.size() - 2);
    line(text);
  }
  const std::string& text() const { return text_; }
  // Between what has been written, at a place that text().size() was, with the
  // indentation of now.
  void insert(std::size_t place, const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& l : lines) all += indent_ + l + "\n";
    text_.insert(place, all);
  }

 private:
  std::string text_;
  std::string indent_;
};

// Buffers that a kernel touches, by number.
struct Touched {
  std::set<int> read, written;
  std::set<int> all() const {
    std::set<int> both = read;
    both.insert(written.begin(), written.end());
    return both;
  }
};

class NestText {
 public:
  NestText(const Nest& nest, std::optional<Defect> defect)
      : nest_(nest), defect_(defect) {}
  virtual ~NestText() = default;
  NestText(const NestText&) = delete;
  NestText& operator=(const NestText&) = delete;

  // The whole text: call it once.
  std::string run();

 protected:
  // The first lines.
  virtual std::string head() const = 0;
  // What computes a product.
  virtual ContractionCall call_of(const NodeKernel& k) const = 0;
  // The kernel that is being written falls into `parts` of a product, which
  // takes in `terms` products of two numbers in all.
  virtual void falls_into(std::int64_t parts, std::int64_t terms) = 0;
  // What follows the kernels.
  virtual std::string tail() const = 0;

  virtual void begin_kernel(const Touched& touched) = 0;
  virtual void end_kernel() { lines_.close(); }
  // Opens whatever visits the points of `outer`. end_points closes it.
  virtual void begin_points(const LoopKernel& k) = 0;
  virtual void end_points() = 0;
  // What a kernel of loops does, between its beginning and its end.
  virtual void loops(const LoopKernel& k) = 0;

  // What the address of buffer `b` is called.
  virtual std::string address(int b) const = 0;
  // An element of buffer `b`, and the result of reducing stage `s`.
  virtual std::string element(int b, const IndexExpr& at);
  virtual std::string reduced(int s) const;
  // A number that follows from sizes, which a dialect may leave to the launch.
  // meaning: what it is, for who reads the text.
  virtual std::string size(std::int64_t value, SizeUse use,
                           const std::string& meaning);
  // An operation of the nest, of operands of dtype `t`.
  virtual std::string applied(const LoopKernel& k, const Value& v, DType t,
                              const std::vector<std::string>& args);
  // A scalar of the nest.
  virtual std::string number(const LoopKernel& k, const Value& v);
  // The place in buffer `b`, or an index that is a value if that is negative.
  virtual std::string index(int b, const IndexExpr& at);

  const Nest& nest() const { return nest_; }
  std::optional<Defect> defect() const { return defect_; }
  const std::string& index_name(std::size_t d) const { return names_[d]; }
  int kernel() const { return kernel_; }
  Lines& lines() { return lines_; }
  const std::vector<std::string>& index_names() const { return names_; }
  void need(std::string_view math_file) { files_.insert(math_file); }
  // Of the formula or loops that are being written: as FormulaText says.
  bool is_scalar() const { return is_scalar_; }
  bool has_fold() const { return has_fold_; }

  // Definitions of those values of `k` that are `needed`, each in terms of
  // those before; and the store of a stage's result, if it has a buffer.
  void values(const LoopKernel& k, const std::vector<bool>& needed);
  // As values, with functions of near operands; farN, which exists, notes what
  // operand N is not.
  void near_values(const LoopKernel& k, const std::vector<bool>& needed);
  void store(const LoopKernel& k, const Stage& s, const std::string& value);
  // Whether an int can hold every index of `k`, those within indices too.
  static bool fits_int(const LoopKernel& k);
  // The name of value number `id`.
  static std::string name(int id) { return "v" + std::to_string(id); }
  // The type of the pointer to buffer `b`, which is called bN, in a kernel.
  std::string pointer_type(int b, const Touched& touched) const;
  // Whether the innermost loop, over `extent`, is to lose its last point.
  bool loses_tail(std::int64_t extent) const {
    return defect_ == Defect::tail_off_by_one && extent > 1 && extent % 8 != 0;
  }

 private:
  void loop_kernel(const LoopKernel& k);
  void contraction(const NodeKernel& node);
  void formula(const NodeKernel& k);
  std::string expression(const LoopKernel& k, const Value& v);
  std::string math() const;
  void use(DType t);

  const Nest& nest_;
  std::optional<Defect> defect_;
  bool near_ = false;
  bool is_scalar_ = false;
  bool has_fold_ = false;
  Lines lines_;
  int kernel_ = 0;
  std::vector<std::string> names_;
  std::set<std::string_view> files_;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_NEST_TEXT_H_
