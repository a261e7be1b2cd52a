#include "core/text.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Text, ShapesTypesAndIndicesAreSpelledAlike) {
  EXPECT_EQ(shape_text({}), "[]");
  EXPECT_EQ(shape_text({2, 3}), "[2, 3]");
  EXPECT_EQ(type_text(DType::f16, {2, 3}), "f16[2, 3]");
  EXPECT_EQ(index_text({2, 3}, 5), "[1, 2]");
  EXPECT_EQ(index_text({}, 0), "[]");
  EXPECT_EQ(index_text({2, 0}, 0), "[]");
}

TEST(Text, EditsAreCounted) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("softmax", "softmax"), 0u);
  EXPECT_EQ(edit_distance("softmax", "SoftMax"), 0u);
  EXPECT_EQ(edit_distance("softmax", "sotfmax"), 1u);  // transposed
  EXPECT_EQ(edit_distance("exp", "expm1"), 2u);
  EXPECT_EQ(edit_distance("sin", "cos"), 3u);
}

}  // namespace
}  // namespace assay
