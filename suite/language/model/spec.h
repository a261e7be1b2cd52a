// The model of a loaded spec: what specs/*.yaml say, checked.
#ifndef ASSAY_SUITE_LANGUAGE_MODEL_SPEC_H_
#define ASSAY_SUITE_LANGUAGE_MODEL_SPEC_H_

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/dtype.h"
#include "core/float_bits.h"
#include "core/program.h"
#include "core/tensor.h"
#include "core/torch_version.h"
#include "suite/language/model/solved.h"
#include "suite/language/syntax/expr.h"

namespace assay::language {

struct DimPattern {
  std::string symbol;  // empty where `fixed` is set
  bool pack = false;   // `A...`
  std::optional<std::int64_t> fixed;
};
using ShapePattern = std::vector<DimPattern>;

struct Param {
  enum class Kind {
    tensor,
    tensors,
    number,
    integer,
    integers,
    numbers,
    boolean,
    dtype,
    string
  };
  std::string name;
  Kind kind = Kind::tensor;
  std::string dtype_symbol;  // tensor, tensors
  std::optional<ShapePattern> shape;
  bool scalar = false;  // a Python number may stand in its place
  bool optional = false;
  bool keyword = false;
  std::optional<Arg> default_value;
  std::vector<std::string> one_of;
  std::string schema_name;  // ATen's name, where it cannot be `name`
  // Of a tensor that stands for the memory in which it lies: the parameter that
  // says from which element on. Left out, that is the tensor's first.
  std::string memory_from;
  // By a requirement, or for the sizes of a result: of it, or of its tensors.
  bool elements_read = false;
  SourcePos pos;
};

// The element types that cases sweep for a symbol, or the symbol it follows.
struct DTypeSymbol {
  std::vector<DType> types;
  std::string follows;
  SourcePos pos;
};

struct Requirement {
  std::string id;  // "E1"
  ExprPtr that;
  std::vector<std::string> raises;
  std::string message;  // regular expression, empty: any
  std::string phase;    // "compile", "run" or empty: either
  std::string source;
  bool derive = true;
  SourcePos pos;
  // Of a clause of specs/shared/kernels.yaml: those that it refuses.
  std::vector<DType> types = {};

  // Does a public report tell of calls that break it unnoticed?
  bool is_reported() const { return source.starts_with("pytorch#"); }
};

struct Accuracy {
  enum class Bound { exact, correctly_rounded, cast, tolerance, dot };
  std::string id;                   // "A1"
  std::vector<DType> for_dtypes;    // empty: all
  ExprPtr when;                     // null: always
  std::optional<TorchRange> torch;  // of PyTorch's releases; nothing: all
  Bound bound = Bound::exact;
  ExprPtr ulp, abs, subnormal_ulp, height;  // null where not given
  // The height of the summation tree that is expected; conformance does not
  // depend on it. Null where none is declared.
  ExprPtr tree;
  // Where ulp and dot are measured: "opmath", "result", or a dtype's name.
  std::string measured_in = "opmath";
  bool any_zero_sign = false;
  // No result lies outside, however far the error reaches: least, greatest.
  std::optional<std::pair<double, double>> range;
  // For casts and correct rounding; nothing: any policy is accepted.
  std::optional<Overflow> overflow = Overflow::standard;
  SourcePos pos;
};

struct Special {
  std::string id;  // "S1"
  ExprPtr when, then;
  SourcePos pos;
};

struct Undefined {
  std::string id;  // "U1"
  ExprPtr when;
  std::string why;
  SourcePos pos;
};

// What is promised of one output.
struct OutputSpec {
  std::string name;  // empty where the operation has one output
  ExprPtr result_dtype;
  ExprPtr result_shape;
  ExprPtr layout;  // which strides (bind/layout.h); null: none are promised
  // No element is promised by itself: the form's relations decide together.
  // Then `value` is a placeholder, and `undefined` takes every element.
  bool open = false;
  std::string value_id;           // "V1"
  std::vector<Definition> value;  // the last defines `out`
  std::vector<Accuracy> accuracy;
  std::vector<Special> special;
  std::vector<Undefined> undefined;
  SourcePos pos;
};

// One meaning of the operation: its own shapes, and itself the first output.
struct Form : OutputSpec {
  std::string id;  // "F1", empty where the spec has a single form
  ExprPtr when;    // null: always
  std::map<std::string, ShapePattern> shapes;  // replaces Param::shape
  std::vector<OutputSpec> further;             // may read the first by name
  // Where a list of tensors comes back: how many, and the symbol that is a
  // member's number in what is said of each.
  ExprPtr length;
  std::string member;
  // What holds of all outputs together, element by element: each is like one
  // more output, of truth values, that reads the others and must be true.
  std::vector<OutputSpec> relations;
  // Do sizes of results, or whether this form is chosen, hang on elements of
  // operands?
  bool sizes_depend = false;

  bool is_list() const { return length != nullptr; }
  // What the spec says, once for all members of a list: how many a call
  // returns, bound_outputs (bind/form.h) tells.
  std::size_t output_count() const { return 1 + further.size(); }
  // The outputs, and after them the relations.
  const OutputSpec& output(std::size_t k) const {
    if (is_list()) return *this;
    if (k >= output_count()) return relations[k - output_count()];
    return k == 0 ? *this : further[k - 1];
  }
  // What relations call an output.
  const std::string& output_name(std::size_t k) const;
};

// A literal operand: a number, a bit pattern, or steps from one of them.
struct Literal {
  enum class Base { number, bits, largest, smallest_normal, smallest };
  Base base = Base::number;
  bool integral = false;  // written as an integer: `integer` is exact
  bool negative = false;  // of largest, smallest_normal, smallest
  double number = 0;
  std::int64_t integer = 0;
  std::uint64_t bits = 0;
  std::optional<DType> bits_dtype;
  std::int64_t steps = 0;  // next(v, steps)
};

struct Generator {
  enum class Kind {
    uniform,
    normal,
    log_uniform,
    integers,
    arange,
    linspace,
    values,
    formula,
    special,
    all_bits,
    powers_of_two
  };
  Kind kind = Kind::normal;
  double a = 0, b = 1;  // the two numbers of the generators that take two
  std::vector<Literal> values;
  ExprPtr formula;
  std::vector<std::string> formula_index;
  std::int64_t next = 0;  // each element is moved so many places
};

enum class Layout {
  contiguous,
  transposed,
  offset,
  strided,
  expanded,
  permuted,
  channels_last
};

// The share of a case's elements that may admit a lazy answer (zero, infinity,
// the input as it is) before the case is mistrusted, unless its clause allows
// more (docs/accuracy.md, Vacuity).
constexpr double kVacuousShare = 0.05;
// The most that a clause can allow. Where nothing is defined, or relations
// decide, it says that any answer is admitted.
constexpr double kAnyAnswer = 0.5;

struct Boundary {
  std::string id;  // "B1"
  std::map<std::string, std::vector<Literal>> operands;
  // In place of them, `{solved: f}`: one operand, its values by type.
  std::string solved;
  std::map<DType, std::vector<Literal>> solved_values;
  std::map<std::string, Arg> attrs;
  std::vector<DType> dtypes;  // empty: every float or integer type of the spec
  double vacuous = kVacuousShare;
  std::string why;
  SourcePos pos;
};

// Sizes by symbol; a dimension has one entry, a pack any number. A tensor
// parameter without a shape is bound by its name, a list of tensors by member:
// "tensors.0", "tensors.1".
using SymbolSizes = std::map<std::string, Shape>;

struct CaseGroup {
  std::string id;  // "C1"
  std::vector<SymbolSizes> shapes;
  std::map<std::string, std::vector<DType>> dtypes;
  std::vector<std::map<std::string, Arg>> attrs;
  std::map<std::string, Generator> inputs;
  std::vector<Layout> layouts;
  std::map<std::string, std::vector<Arg>> scalars;
  bool all_contexts = false;
  std::vector<std::string> contexts;
  bool standard = true;  // in the standard profile, not the full one alone
  double vacuous = kVacuousShare;
  // The rounding errors of its sums have no sign in common.
  bool unbiased = false;
  SourcePos pos;
};

// What an operation omits whose requirements are about real operands alone, and
// which takes complex ones.
inline constexpr const char* kComplexOperands = "complex";

struct OpSpec {
  std::string file;
  std::string name;
  std::string aten;  // "aten.bmm.default"
  std::string doc, source;
  std::vector<Param> params;
  // Arguments of ATen's, or kComplexOperands, with why.
  std::map<std::string, std::string> omits;
  std::string writes;  // the parameter that the result is written into, or none
  ExprPtr only;        // of which cases are meant; null: of all that are there
  std::map<std::string, DTypeSymbol> dtypes;
  std::vector<Requirement> requires_;
  std::vector<Form> forms;  // at least one
  std::vector<Boundary> boundaries;
  std::vector<CaseGroup> cases;
  // Of the text that says all this: its file, and what operations share.
  std::uint64_t hash = 0;

  const Param* param(const std::string& name) const;
  // Is the result written into a tensor that is there for nothing else?
  bool writes_out() const { return writes == "out"; }
  // Does a requirement ask where operands lie in memory?
  bool places_read = false;
  // Do the sizes of its results hang on elements of its operands, in some form?
  bool sizes_depend() const;
  // Does a requirement, or the size of a result, hang on elements of any
  // parameter?
  bool reads_elements() const;
  // The same in all forms.
  std::size_t output_count() const { return forms.front().output_count(); }
  bool returns_list() const { return forms.front().is_list(); }
  // Do relations decide about its results, in some form?
  bool has_relations() const;
  // Of complex operands alone: the same overload may have another spec, of real
  // ones.
  bool is_of_complex() const;
};

// 0.0 and the releases of PyTorch in which the promises of an operation change,
// in order: from each of them to the next nothing changes.
std::vector<TorchVersion> editions(const OpSpec& op);

// A call inside a program or a context, arguments still by name.
struct StepArg;
using StepArgList = std::vector<StepArg>;
struct StepArg {
  // A bare name (input, const or step; "rest..." in contexts), or a literal.
  // A list of integers is a literal, and so is []; other lists nest.
  std::variant<std::string, Arg, StepArgList> value;
};
struct Step {
  std::string name;
  std::string op;  // "aten.add.Tensor"; in contexts also "op"
  std::vector<StepArg> args;
  std::vector<std::pair<std::string, StepArg>> kwargs;
  SourcePos pos;
};

struct TensorDecl {
  std::string name;
  DType dtype = DType::f32;
  Shape sizes;
  Layout layout = Layout::contiguous;
  Generator data;
  SourcePos pos;
};

// One combination of a program spec's axes, fully substituted.
struct ProgramVariant {
  std::vector<std::pair<std::string, std::string>> axes;  // name, value
  std::vector<TensorDecl> inputs, consts;
  std::vector<Step> steps;
  std::vector<std::string> returns;
  std::string raises;  // "bmm/E4" or empty
  int device = 0;      // Program::device
};

struct ProgramSpec {
  std::string file;
  std::string name;
  std::string doc, source;
  std::vector<ProgramVariant> variants;
  bool standard = true;  // in the standard profile, not the full one alone
};

struct ContextSpec {
  std::string name, doc;
  std::string applies_to;  // any float int bool
  bool named = false;      // not among `contexts: all`
  bool writes = false;     // for calls that write into in0, which is known by
                           // all its names afterwards
  bool resizes = false;    // of these, for calls that give it other sizes
  std::optional<bool> views;  // for calls that return views of in0, or copies
                              // of what one would show; false: for all others
  bool everywhere = false;  // around calls of each case group, whether it asks
                            // for contexts or not
  std::vector<Step> steps;
  std::vector<std::string> returns;
};

// A case of the quick profile, without its row: "C1/f32/17"; "." is the only
// case of a program without axes.
struct QuickCase {
  std::string name;
  SourcePos pos;
};
// Of a row that is not there, all cases of the standard profile.
struct QuickCases {
  std::string file;
  std::map<std::string, std::vector<QuickCase>> rows;
};

struct SpecSet {
  std::vector<OpSpec> ops;  // sorted by name
  std::vector<ProgramSpec> programs;
  std::vector<ContextSpec> contexts;
  SolvedSet solved;
  QuickCases quick;
  std::uint64_t hash = 0;  // of all files' text
  // Where operations stand in `ops`, by overload; index() makes it. Without it,
  // or where `ops` has changed since, they are searched for.
  std::unordered_map<std::string, std::size_t> by_aten, by_complex_aten;

  void index();
  // That of a call with a complex operand or of any other, where the overload
  // has one for each; null if it has none.
  const OpSpec* find_aten(const std::string& aten,
                          bool of_complex = false) const;
  const OpSpec* find_op(const std::string& name) const;
};

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_MODEL_SPEC_H_
