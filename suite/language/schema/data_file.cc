#include "suite/language/schema/data_file.h"

#include <fstream>
#include <sstream>

namespace assay::language {

std::optional<YamlNode> read_data(const std::filesystem::path& file,
                                  std::vector<Diagnostic>* faults) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) {
    faults->push_back(
        {file.string(), {}, "cannot be read; `assay schemas` makes it"});
    return std::nullopt;
  }
  std::vector<Fault> yaml_faults;
  std::optional<YamlNode> root = parse_yaml(text.str(), &yaml_faults);
  for (Fault& f : yaml_faults) {
    faults->push_back({file.string(), f.pos, std::move(f.message)});
  }
  return root;
}

}  // namespace assay::language
