// The sizes in C++ text. A number that follows from the operands' sizes stands
// in the text only where code is built around it; any other is a constant of
// the launch, `nN`, so that programs that differ in such numbers have the same
// text and share the code that was made of it.
#ifndef ASSAY_COMPILER_TEXT_CPP_CPP_SIZES_H_
#define ASSAY_COMPILER_TEXT_CPP_CPP_SIZES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/text/nest_text.h"
#include "compiler/text/size.h"

namespace assay::compiler {

class CppSizes : public NestText {
 public:
  CppSizes(const Nest& nest, std::optional<Defect> defect, FixedSizes fixed);

 protected:
  // How often variable `d` of a kernel runs: outer.size() is the row's.
  std::string extent(const LoopKernel& k, std::size_t d);
  std::string row_extent(const LoopKernel& k) {
    return extent(k, k.outer.size());
  }
  bool is_fixed(const LoopKernel& k, std::size_t d) const;
  // Whether code is built around all parts of `step` iterations being full
  // ones, so that a loop over a part has no rest.
  bool is_whole(const LoopKernel& k, std::size_t d, int step) const;
  // Whether rows of as few terms as the order has lanes get code of their own.
  bool fixes_short_rows() const { return fixed_ != FixedSizes::ones; }

  std::string size(std::int64_t value, SizeUse use,
                   const std::string& meaning) override;
  std::string number(const LoopKernel& k, const Value& v) override;
  std::string index(int buffer, const IndexExpr& at) override;

  // The type of this kernel's indices.
  virtual const char* index_type() const = 0;

  // To be called where the text of a kernel's body begins; and at its end,
  // which declares there what the body takes from the launch.
  void begin_sizes();
  void end_kernel() override;

  std::vector<SizeParameter> take_sizes() { return std::move(sizes_); }
  std::size_t size_count() const { return sizes_.size(); }

 private:
  std::string add(std::int64_t value, const char* type, std::string meaning);

  FixedSizes fixed_;
  std::set<std::int64_t> rows_;  // lengths that are not fixed, of all kernels
  std::vector<SizeParameter> sizes_;  // of all kernels so far
  // Of this kernel: its first parameter, the place and the text of its
  // declarations, its extents and indices by what they are of.
  std::size_t first_ = 0;
  std::size_t place_ = 0;
  std::vector<std::string> declarations_;
  std::map<std::size_t, std::string> extents_;
  std::map<std::pair<int, std::string>, std::string> indices_;
  // Of the index that is written: the step of the innermost loop, if that must
  // not stand in the text.
  std::int64_t step_ = 0;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CPP_CPP_SIZES_H_
