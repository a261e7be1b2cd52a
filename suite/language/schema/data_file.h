// The files of specs/schemas.
#ifndef ASSAY_SUITE_LANGUAGE_SCHEMA_DATA_FILE_H_
#define ASSAY_SUITE_LANGUAGE_SCHEMA_DATA_FILE_H_

#include <filesystem>
#include <optional>
#include <vector>

#include "suite/language/syntax/yaml_tree.h"

namespace assay::language {

// Nothing, and a fault, where the file cannot be read or is no YAML.
std::optional<YamlNode> read_data(const std::filesystem::path& file,
                                  std::vector<Diagnostic>* faults);

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_SCHEMA_DATA_FILE_H_
