// The table of operations against ATen's schemas, read as plain text.
#include "compiler/ops/operation.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace assay::compiler {
namespace {

struct SchemaArgument {
  std::string name;
  bool required = true;
  bool by_name = false;  // behind the star
};

// The schema of every overload, read from lines like
//   aten.elu.default: "(Tensor self, Scalar alpha=1) -> Tensor"
std::map<std::string, std::vector<SchemaArgument>> schemas() {
  std::map<std::string, std::vector<SchemaArgument>> out;
  std::ifstream in(std::string(ASSAY_SOURCE_DIR) +
                   "/specs/schemas/torch-2.11.yaml");
  const std::regex overload("  (aten[^:]*): \"\\((.*)\\) ->.*");
  const std::regex argument(" ([a-z_0-9]+)(=(\\[[^\\]]*\\]|[^,]*))?(,|$)");
  std::smatch line;
  for (std::string text; std::getline(in, text);) {
    if (!std::regex_match(text, line, overload)) continue;
    const std::string all = line[2];
    const std::size_t star = all.find("*, ");
    for (std::sregex_iterator m(all.begin(), all.end(), argument), end;
         m != end; ++m) {
      const bool by_name = static_cast<std::size_t>(m->position()) > star;
      out[line[1]].push_back({(*m)[1], !(*m)[2].matched, by_name});
    }
  }
  return out;
}

TEST(Operation, HasParametersInTheOrderOfATen) {
  const auto known = schemas();
  ASSERT_GT(known.size(), 1000u);
  for (const Family family : families()) {
    for (const Operation& o : family) {
      if (o.aten.starts_with("assay.")) continue;  // none of ATen's
      const auto schema = known.find(std::string(o.aten));
      ASSERT_NE(schema, known.end()) << o.aten;
      const std::vector<std::string> ours = o.parameters();
      std::size_t next = 0;
      for (const SchemaArgument& a : schema->second) {
        if (next < ours.size() && ours[next] == a.name) {
          ++next;
          continue;
        }
        EXPECT_FALSE(a.required) << o.aten << " lacks " << a.name;
        // What is passed by position has the places of those before it.
        EXPECT_TRUE(a.by_name || next == ours.size())
            << o.aten << ' ' << a.name;
      }
      EXPECT_EQ(next, ours.size()) << o.aten;
    }
  }
}

TEST(Operation, IsStatedOnce) {
  std::set<std::string_view> seen;
  for (const Family family : families()) {
    for (const Operation& o : family) {
      EXPECT_TRUE(seen.insert(o.aten).second) << o.aten;
      EXPECT_EQ(find_operation(o.aten), &o);
    }
  }
}

}  // namespace
}  // namespace assay::compiler
