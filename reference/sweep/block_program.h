// The value of a pointwise operation as a list of loops over blocks of lanes,
// with which sweeps evaluate billions of elements. It encloses the exact value;
// lanes where it cannot are marked as hard.
#ifndef ASSAY_REFERENCE_SWEEP_BLOCK_PROGRAM_H_
#define ASSAY_REFERENCE_SWEEP_BLOCK_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "reference/plan/nest.h"
#include "reference/sweep/engine.h"

namespace assay::reference {

// The arrays of a short program stay in the first-level cache.
inline constexpr std::size_t kBlock = 512;

// A float format that the loops can round to.
std::optional<NarrowFormat> narrow_format(DType t);

// What an accuracy clause grants at each lane, as Tolerance (ulp.h) says it.
struct BlockTolerance {
  double ulp[kBlock] = {};
  double subnormal_ulp[kBlock] = {};  // the same where none is declared
  double absolute[kBlock] = {};
};

// A value of `hard`: nothing is promised for the lane.
inline constexpr unsigned char kUnspecified = 2;

// An element that is right at a lane, and the exact value it is nearest to.
struct RightElement {
  std::size_t lane = 0;
  double rounded = 0;
  double exact = 0;
};

struct BlockResult {
  double rounded[kBlock];      // the element nearest to the exact value
  unsigned char hard[kBlock];  // 0, kUnspecified, or else: not known
  bool any_hard = false;       // a lane is hard or unspecified
  // One element for all, which is all that is known: neither what it encloses
  // nor what is granted was worked out.
  bool common = false;
  Lanes exact = {own, own};  // encloses it, until the next block
  BlockTolerance tolerance;
  // What else is right where the definition leaves a choice (`either`):
  // rounded and exact have the least.
  std::vector<RightElement> others;

  double middle(std::size_t i) const {
    const double lo = exact.lo[i], hi = exact.hi[i];
    // Half of each, so that the sum does not overflow; next to an infinity the
    // other end.
    if (lo == hi || hi > 0x1p1023) return lo;
    return lo < -0x1p1023 ? hi : lo / 2 + hi / 2;
  }

  double own[kBlock];  // where no loops made an enclosure
};

class BlockProgram {
 public:
  // What the operands' lanes are: elements, or all numbers between two.
  enum class Operands { elements, ranges };

  // The program of a nest whose operands are one-dimensional and equally long.
  // An error names what the loops cannot do.
  static Result<BlockProgram> compile(const Nest& nest, const Engine& engine,
                                      Operands operands = Operands::elements);

  // `operands`: lanes of each operand in turn; n <= kBlock. Nothing is written
  // to them. Not for two threads at once.
  void run(const std::vector<Lanes>& operands, std::size_t n, BlockResult* out);

  // The value ids of the operands, in the order that `run` takes.
  const std::vector<int>& sources() const { return sources_; }

 private:
  class Compiler;
  struct Register {
    bool point = true;
    bool narrow = false;  // a point of at most 24 significant bits
    int operand = -1;     // of `sources_`: no storage of its own
    bool constant = false;
    double lo = 0, hi = 0;  // of a constant
  };
  struct Step {
    ValueNode::Op op = ValueNode::Op::real;
    bool root = false;  // operands are narrow points: rounding once more is
                        // innocuous
    Elementary elementary = Elementary::exp;
    Binary binary = Binary::pow;
    Comparison comparison = Comparison::eq;
    NarrowFormat format = {};
    int a = -1, b = -1, c = -1, out = -1;
    int branch = 0;  // whose marks are the step's
    // Of a choice: the branches that b and c were computed in.
    int b_branch = 0, c_branch = 0;
  };

  // A lane that cannot be decided is hard where its branch is taken, so that
  // each branch of a choice has its own marks; those of 0, outside of any, are
  // the result's.
  unsigned char* marks(int branch, BlockResult* out) {
    if (branch == 0) return out->hard;
    return branch_marks_.data() + static_cast<std::size_t>(branch - 1) * kBlock;
  }

  double* scratch(std::size_t k) {
    return storage_.data() + (2 * registers_.size() + k) * kBlock;
  }
  void execute(const Step& s, std::size_t n, unsigned char* hard);
  void take_marks(const Step& s, std::size_t n, BlockResult* out);
  void binary(const Step& s, std::size_t n);
  void elementary(const Step& s, std::size_t n, unsigned char* hard);

  const Engine* engine_ = nullptr;
  NarrowFormat format_ = {};
  std::vector<Register> registers_;
  std::vector<Step> steps_;
  std::vector<int> sources_;
  std::vector<Lanes> lanes_;     // by register
  std::vector<double> storage_;  // what lanes_ point into, and scratch
  std::vector<int> undefined_;
  bool marks_ = false;  // a step may mark lanes as hard
  int branches_ = 0;    // without 0
  std::vector<unsigned char> branch_marks_;
  int body_ = -1, ulp_ = -1, subnormal_ulp_ = -1, absolute_ = -1;
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_SWEEP_BLOCK_PROGRAM_H_
