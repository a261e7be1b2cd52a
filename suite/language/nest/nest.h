// The nest: a spec's value, accuracy and clauses compiled for one call. Names
// are resolved, packs spelled out (ranks are known), static parts folded.
// Nodes refer to one another by position, -1 is none; nothing depends on who
// will evaluate it.
#ifndef ASSAY_SUITE_LANGUAGE_NEST_NEST_H_
#define ASSAY_SUITE_LANGUAGE_NEST_NEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "suite/language/bind/binding.h"
#include "suite/language/functions/functions.h"
#include "suite/language/functions/operators.h"

namespace assay::language {

// Values of index variables, by slot.
inline constexpr int kMaxSlots = 40;
struct Frame {
  std::int64_t slots[kMaxSlots] = {};
};

// Integer expressions over index variables.
struct IndexNode {
  enum class Op {
    constant,  // value
    slot,      // value
    add,
    sub,
    mul,
    floor_div,
    ceil_div,
    mod,
    min,
    max,
    neg,
    abs,      // a, b
    element,  // of an integer tensor: access `value`
    select,   // a is a ValueNode, a condition; b, c
  };
  Op op = Op::constant;
  std::int64_t value = 0;
  int a = -1, b = -1, c = -1;
};

// An element of an operand or of an earlier definition.
struct Access {
  // An operand's value id, or -1 - n for definition n.
  int source = 0;
  DType dtype = DType::f64;
  std::vector<int> index;  // IndexNodes, one per dimension
  Shape sizes, strides;
  std::string text;  // for messages
  // The memory of an operand of type `held`, read as elements of type `dtype`,
  // so many of them along its last dimension as it holds.
  bool stored = false;
  DType held = DType::f64;
  bool is_definition() const { return source < 0; }
  int definition() const { return -1 - source; }
};

struct ValueNode {
  enum class Op {
    integer,  // i64, or the pattern of a u64 where that is the dtype
    real,
    pi,       // constants
    index,    // the number that IndexNode `a` gives
    element,  // access
    inside,   // access where in range, else a
    neg,
    abs,
    sign,
    floor,
    ceil,
    trunc,
    round_even,
    rsqrt,
    square,
    elementary,  // a
    add,
    sub,
    mul,
    div,
    max,
    min,      // a, b
    binary,   // a, b
    special,  // a, b
    bitwise,  // a, b
    after,    // the element of dtype after a toward b
    compare,
    logical_and,
    logical_or,
    logical_not,
    isnan,
    isinf,
    signbit,
    either,  // a or b, whichever
    where,   // a, b, c
    round,   // a to dtype
    reduce,  // reduction
  };
  Op op = Op::real;
  int a = -1, b = -1, c = -1;
  std::int64_t integer = 0;
  double number = 0;
  Elementary elementary = Elementary::exp;
  Binary binary = Binary::pow;
  SpecialFunction special = SpecialFunction::bessel_i;
  Bitwise bitwise = Bitwise::conjunction;
  Comparison comparison = Comparison::eq;
  DType dtype = DType::f64;
  OutOfRange out_of_range = OutOfRange::wraps;
  int access = -1;
  int reduction = -1;
  bool invariant = false;  // the same for every element
  bool integral = false;   // of integers only
};

struct ReductionNode {
  struct Range {
    int slot = 0;
    int from = -1, to = -1;  // IndexNodes; from < 0: zero
  };
  Reduction kind = Reduction::sum;
  std::vector<Range> ranges;
  int body = -1;
  int contraction = -1;  // index into contractions, if it is one
};

// A sum of products of one or two elements whose indices are linear in the
// summation indices: evaluated by tight loops (contraction.h).
struct Contraction {
  struct Factor {
    int access = -1;
    bool guarded = false;  // `inside(.., else 0)`
    // coefficient[dimension][range]
    std::vector<std::vector<std::int64_t>> coefficients;
  };
  std::vector<Factor> factors;
};

struct NestDefinition {
  std::string name;
  Shape extents;  // its indices take slots 0, 1, ...
  int body = -1;
};

struct NestClause {
  std::string id;
  int when = -1;
  int then = -1;  // special values only
};

struct NestAccuracy {
  const Accuracy* spec = nullptr;
  DType measured = DType::f32;
  int ulp = -1, subnormal_ulp = -1, absolute = -1, height = -1;
  int tree = -1;
  int operations = 0;       // of the definition, without reductions
  bool underflows = false;  // anything but additions among them
};

// Everything about one call of a program. Complex numbers are pairs here: the
// result and operands that are complex have a last dimension of 2 more, and the
// type of their parts.
struct Nest {
  int value = 0;  // id of the value that it gives
  Binding binding;
  TensorType type;
  bool is_complex = false;  // the result is
  std::vector<IndexNode> indices;
  std::vector<ValueNode> values;
  std::vector<Access> accesses;
  std::vector<ReductionNode> reductions;
  std::vector<Contraction> contractions;
  std::vector<NestDefinition> definitions;  // the last is `out`
  std::vector<NestClause> special, undefined;
  NestAccuracy accuracy;
  OutOfRange out_of_range = OutOfRange::wraps;
  std::vector<std::string> clauses;  // accuracy, special..., undefined...

  const NestDefinition& out() const { return definitions.back(); }
  const IndexNode& index(int i) const {
    return indices[static_cast<std::size_t>(i)];
  }
  const ValueNode& node(int i) const {
    return values[static_cast<std::size_t>(i)];
  }
  const Access& access(int i) const {
    return accesses[static_cast<std::size_t>(i)];
  }
  const ReductionNode& reduction(int i) const {
    return reductions[static_cast<std::size_t>(i)];
  }
};

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_NEST_NEST_H_
