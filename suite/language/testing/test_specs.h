// The specs of suite/testdata, as tests load them.
#ifndef ASSAY_SUITE_LANGUAGE_TESTING_TEST_SPECS_H_
#define ASSAY_SUITE_LANGUAGE_TESTING_TEST_SPECS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "suite/language/load.h"

namespace assay::language {

inline std::vector<SourceFile> read_testdata(const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path dir =
      fs::path(ASSAY_SOURCE_DIR) / "suite" / "testdata" / folder;
  std::vector<SourceFile> files;
  for (const auto& entry : fs::directory_iterator(dir)) {
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    SourceFile f;
    f.name = entry.path().filename().string();
    f.text = text.str();
    f.role = role_of(f.name, f.text);
    files.push_back(std::move(f));
  }
  std::sort(
      files.begin(), files.end(),
      [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; });
  return files;
}

// The well-formed specs; fails the test where they are not.
inline const SpecSet& good_specs() {
  static const LoadResult result = load_sources(read_testdata("good"));
  for (const Diagnostic& d : result.errors) ADD_FAILURE() << to_string(d);
  return result.specs;
}

}  // namespace assay::language

#endif  // ASSAY_SUITE_LANGUAGE_TESTING_TEST_SPECS_H_
