// Kernels of rows in C++ text: each row's stages one after another, or a strip
// of neighbouring rows at a time where those, and not a row's own elements,
// lie side by side.
#ifndef ASSAY_COMPILER_TEXT_CPP_CPP_ROWS_H_
#define ASSAY_COMPILER_TEXT_CPP_CPP_ROWS_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compiler/text/cpp/cpp_sizes.h"

namespace assay::compiler {

// Whether the row's own elements are apart in memory, and those of its
// neighbours are not.
bool is_in_columns(const LoopKernel& k);

class CppRows : public CppSizes {
 protected:
  using CppSizes::CppSizes;

  // The stages of a row, or of the strip of `width` rows from number `first`
  // of the last outer variable on.
  void row(const LoopKernel& k);
  void strip(const LoopKernel& k);
  // Rows of a strip.
  static constexpr int kStrip = 256;

  // Defines `name`: of `step` iterations, from number `from` on, those before
  // `end`.
  void define_part(const std::string& name, const std::string& from,
                   const std::string& end, int step);
  // Iterations: `v` goes from `from` on to `to`, excluded.
  struct Span {
    std::string v, from, to;
  };
  // A loop nothing in which hangs on what another iteration does.
  void open_vector_loop(const Span& span);
  // Such a loop of the values `needed`, between what `before` and `after` write
  // into it. Where some have a function for near operands, the loop is written
  // twice and computes a strip with those first, then anew with the others if
  // an operand in it was far.
  void vector_loop(const LoopKernel& k, const Span& span,
                   const std::vector<bool>& needed,
                   const std::function<void()>& before,
                   const std::function<void()>& after);
  // Defines those needed values that are the same for all of `variable`, whose
  // loop comes next, and returns the others. Compilers leave a root or a
  // division in the loop.
  std::vector<bool> hoist(const LoopKernel& k, std::size_t variable,
                          std::vector<bool> needed);
  // The extent of variable `d`, whose loop is the innermost, less what a defect
  // takes from it.
  std::string innermost(const LoopKernel& k, std::size_t d);
  std::string element(int b, const IndexExpr& at) override;
  std::string reduced(int s) const override;

 private:
  struct Access {
    int buffer;
    IndexExpr at;
  };
  void row_reduction(const LoopKernel& k, std::size_t s);
  // Opens the loop of `r0` over chunks of a row up to `end`, each of `m`
  // elements.
  void open_chunks(const LoopKernel& k, const std::string& end);
  // The place in the row, of element `q` of a chunk.
  void define_r();
  // Elements of the next row that stage `s` fetches while it computes: what
  // the first stage waits for otherwise.
  std::vector<Access> ahead_of(const LoopKernel& k, std::size_t s) const;
  void fetch(const std::vector<Access>& ahead);
  void short_row(const LoopKernel& k, std::size_t s);
  void strip_reduction(const LoopKernel& k, std::size_t s);
  void find_local(const LoopKernel& k);
  // The operands, in order, that functions of near operands have among the
  // values `needed`; none if the kernel reads what it writes, so that a strip
  // cannot be computed again.
  static std::set<int> near_operands(const LoopKernel& k,
                                     const std::vector<bool>& needed);
  // How many kernels touch buffer `b`.
  int users_of(int b) const;
  const Value* direct(const LoopKernel& k, const Stage& stage) const;

  std::set<int> local_;  // buffers that hold one row, on the stack
  bool in_strip_ = false;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_TEXT_CPP_CPP_ROWS_H_
