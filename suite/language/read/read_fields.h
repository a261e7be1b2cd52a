// Reading single values and mappings of a spec strictly: what is missing,
// unknown, of another kind or out of range becomes a fault, and reading goes
// on.
#ifndef ASSAY_SUITE_LANGUAGE_READ_READ_FIELDS_H_
#define ASSAY_SUITE_LANGUAGE_READ_READ_FIELDS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "suite/language/model/spec.h"
#include "suite/language/syntax/expr.h"
#include "suite/language/syntax/yaml_tree.h"

namespace assay::language {

using Faults = std::vector<Fault>;

// A mapping whose keys must all be known.
class Fields {
 public:
  // `what` names the mapping in messages: "a parameter".
  Fields(const YamlNode& node, std::string what, std::vector<std::string> known,
         Faults* faults);

  bool has(const std::string& name) const;
  const YamlNode* find(const std::string& name) const;      // or null
  const YamlNode* required(const std::string& name) const;  // fault if absent

  // Faults for keys that do not stand in the order of `known`.
  void check_order() const;

  bool is_map() const { return node_.is_map(); }
  SourcePos pos() const { return node_.pos; }

 private:
  const YamlNode& node_;
  std::string what_;
  std::vector<std::string> known_;
  Faults* faults_;
};

// Each returns nothing after a fault. `what` says what was expected:
// "the name of a dtype".
std::optional<std::string> read_text(const YamlNode& n, const char* what,
                                     Faults* faults);
std::optional<std::string> read_identifier(const YamlNode& n, const char* what,
                                           Faults* faults);
std::optional<bool> read_bool(const YamlNode& n, Faults* faults);
std::optional<std::int64_t> read_integer(const YamlNode& n, const char* what,
                                         Faults* faults);
std::optional<double> read_number(const YamlNode& n, const char* what,
                                  Faults* faults);
std::optional<DType> read_dtype(const YamlNode& n, Faults* faults);
std::vector<DType> read_dtypes(const YamlNode& n, Faults* faults);
std::optional<std::string> read_choice(const YamlNode& n, const char* what,
                                       const std::vector<std::string>& known,
                                       Faults* faults);
// One text, or a list of texts.
std::vector<std::string> read_texts(const YamlNode& n, const char* what,
                                    Faults* faults);
ExprPtr read_expr(const YamlNode& n, Faults* faults);

// The entries of a list; a fault where the node is none.
const std::vector<YamlNode>& read_list(const YamlNode& n, const char* what,
                                       Faults* faults);

// Calls `each` for every clause of a section, after checking that ids are
// `letter` and a number, in rising order.
void read_clauses(
    const YamlNode& n, char letter, const char* section, Faults* faults,
    const std::function<void(const std::string& id, const YamlNode& key,
                             const YamlNode& body)>& each);

bool is_identifier(const std::string& s);
std::vector<std::string> dtype_names();

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_READ_READ_FIELDS_H_
