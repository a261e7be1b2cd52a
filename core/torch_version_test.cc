#include "core/torch_version.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(TorchVersion, IsReadFromWhatSubjectsSay) {
  EXPECT_EQ(parse_torch_version("2.11.0+cu130"), (TorchVersion{2, 11}));
  EXPECT_EQ(parse_torch_version("2.9"), (TorchVersion{2, 9}));
  for (const char* no : {"", "2", "two", "2.", ".11", "-2.1", "2,11"}) {
    EXPECT_EQ(parse_torch_version(no), std::nullopt) << no;
  }
  EXPECT_LT((TorchVersion{2, 9}), (TorchVersion{2, 11}));
}

TEST(TorchRange, EndsBeforeAReleaseOrBeginsWithIt) {
  const auto before = parse_torch_range("< 2.12");
  const auto since = parse_torch_range(">= 2.12");
  ASSERT_TRUE(before && since);
  for (const TorchVersion v : {TorchVersion{1, 13}, TorchVersion{2, 11},
                               TorchVersion{2, 12}, TorchVersion{3, 0}}) {
    EXPECT_EQ(before->contains(v), v < (TorchVersion{2, 12})) << to_string(v);
    EXPECT_NE(before->contains(v), since->contains(v)) << to_string(v);
  }
  for (const char* no : {"2.12", "<2.12", "<= 2.12", "< 2.12.0", "< two", ""}) {
    EXPECT_FALSE(parse_torch_range(no).has_value()) << no;
  }
}

}  // namespace
}  // namespace assay
