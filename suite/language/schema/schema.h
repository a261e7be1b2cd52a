// The schemas of ATen's overloads as a release of PyTorch registers them:
// data in specs/schemas, recorded by `assay schemas`, so that specs can be
// checked and drafted without a torch.
#ifndef ASSAY_SUITE_LANGUAGE_SCHEMA_SCHEMA_H_
#define ASSAY_SUITE_LANGUAGE_SCHEMA_SCHEMA_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/torch_version.h"
#include "suite/language/syntax/located_text.h"

namespace assay::language {

struct SchemaArg {
  std::string type;  // without alias annotations: "Tensor?", "int[2]"
  std::string name;
  std::optional<std::string> default_text;  // "None", "[0, 1]", "\"none\""
  bool keyword = false;                     // by name only

  // The part of the type before its length and its question mark.
  std::string base() const { return type.substr(0, type.find_first_of("[?")); }
  bool optional() const { return type.back() == '?'; }
  bool is_tensor() const { return type == "Tensor" || type == "Tensor?"; }
  bool is_tensor_list() const {
    return type.starts_with("Tensor") && is_list();
  }
  bool is_list() const { return type.find('[') != std::string::npos; }
};

struct Schema {
  std::string overload;  // "aten.softmax.int"
  bool core = false;     // tagged as core by PyTorch
  std::vector<SchemaArg> args;
  std::vector<std::string> returns;  // types

  const SchemaArg* arg(std::string_view name) const;
};

// "(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor". An error
// says what is no schema.
Result<Schema> parse_schema(const std::string& overload, std::string_view text);

// By overload.
using SchemaSet = std::map<std::string, Schema>;

// specs/schemas/torch-2.11.yaml in a folder of specs.
std::filesystem::path schema_file(const std::filesystem::path& specs_dir,
                                  TorchVersion torch = kDefaultTorch);

// What is recorded there. Faults name the file.
SchemaSet load_schemas(const std::filesystem::path& file,
                       std::vector<Diagnostic>* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SCHEMA_SCHEMA_H_
