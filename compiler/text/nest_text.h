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
  // The first lines, and the math text that this dialect adds to reduce.inc
  // and contract.inc, where those are needed.
  virtual std::string head() const = 0;
  virtual std::vector<std::string_view> own_math(std::string_view name) = 0;
  // What follows the kernels.
  virtual std::string tail() const = 0;

  virtual void begin_kernel(const Touched& touched) = 0;
  // Opens whatever visits the points of `outer`. end_points closes it.
  virtual void begin_points(const LoopKernel& k) = 0;
  virtual void end_points() = 0;
  // The call of a reduction up to its first argument, after which come the
  // row's length, the identity, a function of r and one of two operands.
  virtual std::string reduction(const LoopKernel& k, const Stage& stage,
                                const std::string& type) = 0;
  // Opens what is done once per row, with r = 0; and for each r.
  virtual void begin_row(const LoopKernel& k) = 0;
  virtual void begin_elements(const LoopKernel& k) = 0;
  // After a stage that later stages of the kernel read through its buffer.
  virtual void between_stages() = 0;

  // The type of indices, and what the address of buffer `b` is called.
  virtual const char* index_type() const = 0;
  virtual std::string address(int b) const = 0;

  const Nest& nest() const { return nest_; }
  std::optional<Defect> defect() const { return defect_; }
  const std::string& index_name(std::size_t d) const { return names_[d]; }
  int kernel() const { return kernel_; }
  Lines& lines() { return lines_; }
  // The type of the pointer to buffer `b`, which is called bN, in a kernel.
  std::string pointer_type(int b, const Touched& touched) const;
  // Whether the innermost loop, over `extent`, is to lose its last point.
  bool loses_tail(std::int64_t extent) const {
    return defect_ == Defect::tail_off_by_one && extent > 1 && extent % 8 != 0;
  }

 private:
  void loop_kernel(const LoopKernel& k);
  void row_stage(const LoopKernel& k, std::size_t s);
  void reduce_stage(const LoopKernel& k, std::size_t s,
                    const std::vector<bool>& needed);
  void contraction(const NodeKernel& k);
  void formula(const NodeKernel& k);
  void values(const LoopKernel& k, const std::vector<bool>& needed);
  void store(const LoopKernel& k, const Stage& s, const std::string& value);
  std::string expression(const LoopKernel& k, const Value& v);
  std::string math() const;
  void use(DType t);

  const Nest& nest_;
  std::optional<Defect> defect_;
  Lines lines_;
  int kernel_ = 0;
  std::vector<std::string> names_;
  std::set<std::string_view> files_;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_NEST_TEXT_H_
