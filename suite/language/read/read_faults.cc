#include "suite/language/read/read_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/glob.h"
#include "suite/language/bind/element_reads.h"
#include "suite/language/check/check_op.h"
#include "suite/language/read/read_fields.h"
#include "suite/language/read/read_op.h"
#include "suite/language/sugar/operations.h"
#include "suite/language/sugar/yaml_edit.h"
#include "suite/language/syntax/expr.h"

namespace assay::language {
namespace {

constexpr const char* kExcept =
    "operations that are left out, lists of them by reason";

// An operation of one tensor, `out[i...]` being the expression.
constexpr const char* kPointwise = R"(
op: pointwise
aten: aten.step_of_a_fault.default
doc: a step of a wrong implementation
params: {{{0}: {{tensor: T, shape: [S...]}}}}
dtypes: {{T: [f64, f32, f16, bf16, u8, i8, i16, i32, i64, bool]}}
result: {{dtype: T, shape: shape({0})}}
value: {{V1: out}}
accuracy:
  A1: {{for: [f64, f32, f16, bf16], bound: correctly_rounded}}
  A2: {{for: [u8, i8, i16, i32, i64, bool], bound: exact}}
cases: {{C1: {{shapes: [[1]]}}}}
)";

using Op = std::shared_ptr<const OpSpec>;

class Reader {
 public:
  Reader(const std::map<std::string, YamlNode>& operations,
         const Shared& shared, Faults* faults)
      : operations_(operations), shared_(shared), faults_(faults) {}

  void read(const YamlNode& key, const YamlNode& body,
            std::vector<FaultSpec>* out) {
    std::vector<std::string> known = {"doc",      "source",  "of",    "except",
                                      "operands", "results", "reads", "writes",
                                      "memory",   "strides"};
    const std::vector<std::string>& sections = operation_sections();
    // Neither what is called nor the cases.
    for (const char* section :
         {"let", "let_accuracy", "result", "forms", "outputs", "value",
          "accuracy", "special", "undefined", "without"}) {
      known.emplace_back(section);
    }
    const std::size_t before = faults_->size();
    const Fields f(body, fmt::format("fault '{}'", key.text.text), known,
                   faults_);
    if (!f.is_map() || faults_->size() != before) return;
    FaultSpec fault;
    fault.name = key.text.text;
    fault.pos = key.pos;
    if (const YamlNode* n = f.required("doc")) {
      fault.doc = read_text(*n, "a text", faults_).value_or("");
    }
    if (const YamlNode* n = f.find("source")) {
      fault.source = read_text(*n, "a text", faults_).value_or("");
    }
    const std::vector<std::string> rows = rows_of(f);
    const bool defines = std::any_of(
        body.fields.begin(), body.fields.end(), [&](const auto& field) {
          const std::string& name = field.first.text.text;
          return name == "without" ||
                 (name != "doc" && name != "source" && name != "writes" &&
                  std::count(sections.begin(), sections.end(), name) != 0);
        });
    const int kinds = (f.has("operands") ? 1 : 0) + (f.has("results") ? 1 : 0) +
                      (f.has("reads") ? 1 : 0) + (f.has("writes") ? 1 : 0) +
                      (f.has("memory") ? 1 : 0) + (f.has("strides") ? 1 : 0) +
                      (defines ? 1 : 0);
    if (kinds != 1) {
      say(key.pos,
          fmt::format("fault '{}' must say what goes wrong in one way: "
                      "operands, results, reads, writes, memory, strides, or "
                      "sections of an operation",
                      fault.name));
      return;
    }
    if (const YamlNode* n = f.find("results")) {
      fault.results = pointwise("result", *n);
    }
    if (const YamlNode* n = f.find("operands")) {
      if (!n->is_map()) fault.operands[""] = pointwise("operand", *n);
      for (const auto& [name, text] : n->fields) {
        fault.operands[name.text.text] = pointwise("operand", text);
      }
    }
    if (const YamlNode* n = f.find("reads")) {
      fault.storage_order =
          read_choice(*n, "a way to read", {"storage_order"}, faults_)
              .has_value();
    }
    if (const YamlNode* n = f.find("writes")) fault.writes = wrong_write(*n);
    if (const YamlNode* n = f.find("memory")) fault.memory = wrong_memory(*n);
    if (const YamlNode* n = f.find("strides")) {
      fault.strides = wrong_strides(*n);
    }
    for (const std::string& row : rows) {
      if (fault.writes != WrongWrite::none &&
          field(operations_.at(row), "writes") == nullptr) {
        say(f.find("writes")->pos, row + " writes into no operand");
      }
      add(fault, row, body, defines, out);
    }
  }

 private:
  void say(SourcePos pos, std::string message) {
    faults_->push_back({pos, std::move(message)});
  }

  // Do relations alone say what it returns, or nothing does, in all its forms?
  static bool is_open(const YamlNode& op) {
    if (field(op, "relations") != nullptr || is_undefined(op)) return true;
    const YamlNode* forms = field(op, "forms");
    return forms != nullptr &&
           std::all_of(forms->fields.begin(), forms->fields.end(),
                       [](const auto& form) { return is_open(form.second); });
  }

  static bool is_undefined(const YamlNode& op) {
    const YamlNode* undefined = field(op, "undefined");
    if (undefined == nullptr) return false;
    return std::any_of(undefined->fields.begin(), undefined->fields.end(),
                       [](const auto& clause) {
                         const YamlNode* when = field(clause.second, "when");
                         return when != nullptr && when->text.text == "true";
                       });
  }

  WrongWrite wrong_write(const YamlNode& n) {
    const auto what = read_choice(n, "what becomes of what is written",
                                  {"lost", "late", "early"}, faults_);
    if (!what) return WrongWrite::none;
    return *what == "lost"   ? WrongWrite::lost
           : *what == "late" ? WrongWrite::late
                             : WrongWrite::early;
  }

  WrongMemory wrong_memory(const YamlNode& n) {
    const auto where = read_choice(n, "where a result lies",
                                   {"copied", "shared", "alone"}, faults_);
    if (!where) return WrongMemory::none;
    return *where == "copied"   ? WrongMemory::copied
           : *where == "shared" ? WrongMemory::shared
                                : WrongMemory::alone;
  }

  WrongStrides wrong_strides(const YamlNode& n) {
    const auto order = read_choice(n, "what becomes of the operand's order",
                                   {"lost", "kept"}, faults_);
    if (!order) return WrongStrides::none;
    return *order == "lost" ? WrongStrides::lost : WrongStrides::kept;
  }

  // Of the operations that a pattern names, or of those that promise strides by
  // one of some rules.
  std::vector<std::string> rows_of(const Fields& f) {
    const YamlNode* of = f.required("of");
    if (of == nullptr) return {};
    std::vector<std::string> rows =
        of->is_map() ? rows_by_layout(*of) : rows_by_name(*of);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const YamlNode* except = f.find("except");
    if (except == nullptr) return rows;
    if (!except->is_map()) {
      say(except->pos,
          fmt::format("expected {}, found {}", kExcept, except->describe()));
    }
    for (const auto& [why, patterns] : except->fields) {
      for (const std::string& pattern :
           read_texts(patterns, "a pattern of operations", faults_)) {
        const auto gone = std::erase_if(rows, [&](const std::string& row) {
          return glob(row, pattern) || glob(without_writing(row), pattern);
        });
        if (gone == 0) {
          say(patterns.pos, fmt::format("'{}' is none of the operations that "
                                        "the fault is of; remove it",
                                        pattern));
        }
      }
    }
    return rows;
  }

  std::vector<std::string> rows_by_name(const YamlNode& of) {
    std::vector<std::string> rows;
    for (const std::string& pattern :
         read_texts(of, "a pattern of operations", faults_)) {
      const std::size_t before = rows.size();
      // Of these nobody knows a right result to spoil.
      const bool any = pattern.find('*') != std::string::npos;
      for (const auto& [row, tree] : operations_) {
        if (any && is_open(tree)) continue;
        if (glob(row, pattern)) rows.push_back(row);
      }
      if (rows.size() == before) {
        say(of.pos, fmt::format("no operation is called '{}'", pattern));
      }
    }
    return rows;
  }

  std::vector<std::string> rows_by_layout(const YamlNode& of) {
    const Fields f(of, "the operations", {"layout"}, faults_);
    const YamlNode* layout = f.required("layout");
    if (layout == nullptr) return {};
    std::vector<std::string> rows;
    for (const std::string& rule :
         read_texts(*layout, "a rule of layouts", faults_)) {
      const std::size_t before = rows.size();
      for (const auto& [row, tree] : operations_) {
        if (!is_open(tree) && promises(tree, rule)) rows.push_back(row);
      }
      if (rows.size() == before) {
        say(layout->pos, fmt::format("no result is promised '{}'", rule));
      }
    }
    return rows;
  }

  static bool names(const YamlNode& layout, std::string_view rule) {
    Faults none;  // the operation's own reading says them
    const ExprPtr e = read_expr(layout, &none);
    return e != nullptr &&
           any_part(*e, [rule](const Expr& p) { return p.text == rule; });
  }

  // Does a rule name what is promised of a result, in whatever case?
  static bool promises(const YamlNode& op, std::string_view rule) {
    if (const YamlNode* result = field(op, "result")) {
      const YamlNode* layout = field(*result, "layout");
      if (layout != nullptr && names(*layout, rule)) return true;
    }
    for (const char* several : {"outputs", "forms"}) {
      const YamlNode* inner = field(op, several);
      if (inner == nullptr) continue;
      for (const auto& [key, body] : inner->fields) {
        if (promises(body, rule)) return true;
      }
    }
    return false;
  }

  // An operation that writes into its operand is like the one that does not,
  // whose name this is; itself if it does not write.
  std::string without_writing(const std::string& row) const {
    const bool writes = field(operations_.at(row), "writes") != nullptr;
    for (const std::string_view end : {"_", "_out"}) {
      if (writes && row.ends_with(end)) {
        return row.substr(0, row.size() - end.size());
      }
    }
    return row;
  }

  // A fault is judged by what it returns: its operation promises strides, and
  // those of a view follow from the value that the fault replaces.
  Op checked(const YamlNode& tree) {
    auto op = std::make_shared<OpSpec>(read_op(tree, shared_, faults_).op);
    for (Form& form : op->forms) {
      form.layout = nullptr;
      for (OutputSpec& out : form.further) out.layout = nullptr;
    }
    mark_reads(op.get());
    check_op(*op, faults_);
    return op;
  }

  Op pointwise(const char* parameter, const YamlNode& n) {
    if (!read_text(n, "an expression", faults_)) return nullptr;
    Faults none;
    auto tree = parse_yaml(fmt::format(kPointwise, parameter), &none);
    constexpr std::string_view kElement = "out[i...] = ";
    YamlNode definition = n;
    definition.text.text = std::string(kElement) + n.text.text;
    definition.text.at.insert(definition.text.at.begin(), kElement.size(),
                              n.pos);
    *field(field(&*tree, "value"), "V1") = std::move(definition);
    return checked(*tree);
  }

  void add(FaultSpec fault, const std::string& row, const YamlNode& body,
           bool defines, std::vector<FaultSpec>* out) {
    const YamlNode& tree = operations_.at(row);
    fault.row = row;
    if (const YamlNode* aten = field(tree, "aten")) {
      fault.aten = aten->text.text;
    }
    if (defines) {
      YamlNode entry = body;
      for (const char* own : {"doc", "source", "of", "except"}) {
        take(&entry, own);
      }
      const std::size_t before = faults_->size();
      fault.definition =
          checked(overlaid(tree, std::move(entry), shared_, faults_));
      for (std::size_t i = before; i < faults_->size(); ++i) {
        Fault& f = (*faults_)[i];
        if (!f.message.empty()) {
          f.message += fmt::format(" (in fault '{}' of {})", fault.name, row);
        }
      }
    }
    for (const auto& [name, op] : fault.operands) {
      const YamlNode* params = field(tree, "params");
      if (name.empty() || (params && field(*params, name))) continue;
      say(fault.pos, fmt::format("{} has no parameter '{}'", row, name));
    }
    out->push_back(std::move(fault));
  }

  const std::map<std::string, YamlNode>& operations_;
  const Shared& shared_;
  Faults* faults_;
};

}  // namespace

std::vector<FaultSpec> read_faults(
    const YamlNode& root, const std::map<std::string, YamlNode>& operations,
    const Shared& shared, Faults* faults) {
  std::vector<FaultSpec> out;
  if (!root.is_map()) {
    faults->push_back(
        {root.pos, "expected faults by name, found " + root.describe()});
    return out;
  }
  Reader reader(operations, shared, faults);
  for (const auto& [key, body] : root.fields) reader.read(key, body, &out);
  return out;
}

}  // namespace assay::language
