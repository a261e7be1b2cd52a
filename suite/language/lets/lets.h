// Named expressions of a spec. A static let, with or without parameters, is
// replaced by its expression wherever it is named; value definitions go in
// front of the values that read them. After that no let is left.
#ifndef ASSAY_SUITE_LANGUAGE_LETS_LETS_H_
#define ASSAY_SUITE_LANGUAGE_LETS_LETS_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "suite/language/model/spec.h"
#include "suite/language/syntax/yaml_tree.h"

namespace assay::language {

// `name`, `name(p, q...)` or `name[i, j... < shape]`.
struct LetHead {
  std::string name;
  SourcePos pos;
  std::optional<std::vector<std::string>> params;  // of a static let
  std::optional<std::vector<Binder>> indices;      // of a value definition
};

// Nothing after a fault.
std::optional<LetHead> parse_let_head(const LocatedText& text,
                                      std::vector<Fault>* faults);

// A fault without a message only marks a place of which nothing more needs to
// be said.
class Lets {
 public:
  // Who may read a section's value definitions: everything that an output
  // promises, or only its accuracy, so that the value stays as it is.
  enum class Readers { all, accuracy };

  // Reads specs/shared/lets.yaml: heads with parameters only.
  void read_shared(const YamlNode& section, std::vector<Fault>* faults);

  // What follows is about `op`, whose parameters and dtypes are known.
  void enter(const OpSpec& op);

  void read(const YamlNode& section, Readers readers,
            std::vector<Fault>* faults);

  // Once all sections are read: writes out the lets in lets. A let may name any
  // other that does not lead back to it.
  void settle(std::vector<Fault>* faults);

  // Reads the lets of one output's accuracy: its value definitions, which
  // `place` takes.
  std::vector<Definition> read_own(const YamlNode& section,
                                   std::vector<Fault>* faults);

  // Writes out every let in `e`; null stays null.
  void write_out(ExprPtr* e, std::vector<Fault>* faults);

  // Writes out the lets in all that `out` says, and puts the value definitions
  // that it reads before its own, those for its accuracy and `own` after them.
  void place(OutputSpec* out, const std::vector<Definition>& own,
             std::vector<Fault>* faults);

  bool has(const std::string& name) const { return names_.contains(name); }

  // The spec's lets that nothing has named so far, by where they stand.
  const std::map<std::string, SourcePos>& unused() const { return unused_; }

 private:
  struct Let {
    std::optional<std::vector<std::string>> params;
    ExprPtr body;  // null after a fault
    SourcePos pos;
  };

  std::vector<Definition> read_section(const YamlNode& section,
                                       std::vector<Fault>* faults);
  bool is_parameter(const std::string& name) const;
  void check_name(const LetHead& head, std::vector<Fault>* faults) const;
  void add_static(const LetHead& head, ExprPtr body,
                  std::vector<Fault>* faults);
  void settle(const std::string& name, std::set<std::string>* open,
              std::vector<Fault>* faults);
  ExprPtr replacement(const Expr& e, std::vector<Fault>* faults);
  ExprPtr call(const Expr& e, const Let& let, std::vector<Fault>* faults);
  void write_out(Definition* d, std::vector<Fault>* faults);
  void check_index(const std::string& name, SourcePos pos,
                   std::vector<Fault>* faults) const;

  const OpSpec* op_ = nullptr;
  std::map<std::string, Let> statics_;
  std::set<std::string> shared_;     // names of shared lets
  std::set<std::string> names_;      // of all lets but shared ones
  std::set<std::string> unsettled_;  // statics that may still name lets
  std::set<std::string> numbers_;    // parameters that are Python numbers
  std::vector<Definition> values_;   // for all readers, then for accuracy
  std::size_t settled_values_ = 0;
  std::size_t for_all_ = 0;  // how many of them are for all
  std::map<std::string, SourcePos> unused_;
};

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_LETS_LETS_H_
