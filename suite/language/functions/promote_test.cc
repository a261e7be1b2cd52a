// Promotion against the answers of torch.result_type (PyTorch 2.11.0), for
// every pair of dtypes in every pair of ranks.
#include "suite/language/functions/promote.h"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>

#include "suite/language/bind/bind.h"

namespace assay::language {
namespace {

using Rank = PromotionOperand::Rank;

// "-": PyTorch refuses.
std::vector<std::optional<DType>> row(const char* text) {
  std::vector<std::optional<DType>> out;
  std::istringstream in(text);
  for (std::string word; in >> word;) out.push_back(parse_dtype(word));
  return out;
}

// Rows and columns in the order of kAllDTypes.
constexpr const char* kSameRank[] = {
    "f64 f64 f64 f64 - - - - - f64 f64 f64 f64 f64 f64 f64 f64 f64",
    "f64 f32 f32 f32 - - - - - f32 f32 f32 f32 f32 f32 f32 f32 f32",
    "f64 f32 f16 f32 - - - - - f16 f16 f16 f16 f16 f16 f16 f16 f16",
    "f64 f32 f32 bf16 - - - - - bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16",
    "- - - - f8e4m3fn - - - - - - - - - - - - -",
    "- - - - - f8e5m2 - - - - - - - - - - - -",
    "- - - - - - f8e4m3fnuz - - - - - - - - - - -",
    "- - - - - - - f8e5m2fnuz - - - - - - - - - -",
    "- - - - - - - - f8e8m0fnu - - - - - - - - -",
    "f64 f32 f16 bf16 - - - - - u8 i16 i16 i32 i64 - - - u8",
    "f64 f32 f16 bf16 - - - - - i16 i8 i16 i32 i64 - - - i8",
    "f64 f32 f16 bf16 - - - - - i16 i16 i16 i32 i64 - - - i16",
    "f64 f32 f16 bf16 - - - - - i32 i32 i32 i32 i64 - - - i32",
    "f64 f32 f16 bf16 - - - - - i64 i64 i64 i64 i64 - - - i64",
    "f64 f32 f16 bf16 - - - - - - - - - - u16 - - -",
    "f64 f32 f16 bf16 - - - - - - - - - - - u32 - -",
    "f64 f32 f16 bf16 - - - - - - - - - - - - u64 -",
    "f64 f32 f16 bf16 - - - - - u8 i8 i16 i32 i64 - - - bool",
};
// Row: a tensor with dimensions; column: a 0-d tensor.
constexpr const char* kZeroDim[] = {
    "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64",
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32",
    "f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16",
    "bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 "
    "bf16 bf16 bf16 bf16",
    "f8e4m3fn f8e4m3fn f8e4m3fn f8e4m3fn f8e4m3fn f8e4m3fn f8e4m3fn f8e4m3fn "
    "f8e4m3fn f8e4m3fn f8e4m3fn f8e4m3fn f8e4m3fn f8e4m3fn f8e4m3fn f8e4m3fn "
    "f8e4m3fn f8e4m3fn",
    "f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 "
    "f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2",
    "f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz "
    "f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz "
    "f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz f8e4m3fnuz",
    "f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz "
    "f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz "
    "f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz f8e5m2fnuz",
    "f8e8m0fnu f8e8m0fnu f8e8m0fnu f8e8m0fnu f8e8m0fnu f8e8m0fnu f8e8m0fnu "
    "f8e8m0fnu f8e8m0fnu f8e8m0fnu f8e8m0fnu f8e8m0fnu f8e8m0fnu f8e8m0fnu "
    "f8e8m0fnu f8e8m0fnu f8e8m0fnu f8e8m0fnu",
    "f64 f32 f16 bf16 - - - - - u8 u8 u8 u8 u8 u8 u8 u8 u8",
    "f64 f32 f16 bf16 - - - - - i8 i8 i8 i8 i8 i8 i8 i8 i8",
    "f64 f32 f16 bf16 - - - - - i16 i16 i16 i16 i16 i16 i16 i16 i16",
    "f64 f32 f16 bf16 - - - - - i32 i32 i32 i32 i32 i32 i32 i32 i32",
    "f64 f32 f16 bf16 - - - - - i64 i64 i64 i64 i64 i64 i64 i64 i64",
    "f64 f32 f16 bf16 - - - - - u16 u16 u16 u16 u16 u16 u16 u16 u16",
    "f64 f32 f16 bf16 - - - - - u32 u32 u32 u32 u32 u32 u32 u32 u32",
    "f64 f32 f16 bf16 - - - - - u64 u64 u64 u64 u64 u64 u64 u64 u64",
    "f64 f32 f16 bf16 - - - - - u8 i8 i16 i32 i64 - - - bool",
};
// Row: a bool, an int, a float; column: a tensor.
constexpr const char* kNumber[] = {
    "f64 f32 f16 bf16 f8e4m3fn f8e5m2 f8e4m3fnuz f8e5m2fnuz f8e8m0fnu u8 i8 "
    "i16 i32 i64 u16 u32 u64 bool",
    "f64 f32 f16 bf16 f8e4m3fn f8e5m2 f8e4m3fnuz f8e5m2fnuz f8e8m0fnu u8 i8 "
    "i16 i32 i64 u16 u32 u64 i64",
    "f64 f32 f16 bf16 f8e4m3fn f8e5m2 f8e4m3fnuz f8e5m2fnuz f8e8m0fnu f32 f32 "
    "f32 f32 f32 f32 f32 f32 f32",
};

void expect_pair(PromotionOperand a, PromotionOperand b,
                 std::optional<DType> wanted) {
  for (const auto& operands :
       {std::vector{a, b}, std::vector{b, a}, std::vector{a, b, a}}) {
    EXPECT_EQ(promote(operands), wanted)
        << dtype_name(a.dtype) << " " << static_cast<int>(a.rank) << ", "
        << dtype_name(b.dtype) << " " << static_cast<int>(b.rank);
  }
}

TEST(Promote, TensorsOfOneRank) {
  for (std::size_t i = 0; i < kAllDTypes.size(); ++i) {
    const std::vector<std::optional<DType>> wanted = row(kSameRank[i]);
    ASSERT_EQ(wanted.size(), kAllDTypes.size());
    for (std::size_t j = 0; j < kAllDTypes.size(); ++j) {
      EXPECT_EQ(promote_types(kAllDTypes[i], kAllDTypes[j]), wanted[j]);
      for (const Rank r : {Rank::dimensioned, Rank::zero_dim}) {
        expect_pair({kAllDTypes[i], r}, {kAllDTypes[j], r}, wanted[j]);
      }
    }
  }
}

TEST(Promote, ZeroDimensionalTensorsCountLess) {
  for (std::size_t i = 0; i < kAllDTypes.size(); ++i) {
    const std::vector<std::optional<DType>> wanted = row(kZeroDim[i]);
    for (std::size_t j = 0; j < kAllDTypes.size(); ++j) {
      expect_pair({kAllDTypes[i], Rank::dimensioned},
                  {kAllDTypes[j], Rank::zero_dim}, wanted[j]);
    }
  }
}

TEST(Promote, NumbersCountLeast) {
  const DType defaults[] = {DType::boolean, DType::i64, DType::f32};
  for (std::size_t n = 0; n < 3; ++n) {
    const std::vector<std::optional<DType>> wanted = row(kNumber[n]);
    for (std::size_t j = 0; j < kAllDTypes.size(); ++j) {
      for (const Rank r : {Rank::dimensioned, Rank::zero_dim}) {
        expect_pair({kAllDTypes[j], r}, {defaults[n], Rank::number}, wanted[j]);
      }
    }
  }
}

TEST(Promote, ComplexNumbersAreAboveAll) {
  for (const DType t : kAllDTypes) {
    if (is_float8(t)) continue;
    const bool wide = t == DType::f64;
    EXPECT_EQ(promote_types(DType::c64, t), wide ? DType::c128 : DType::c64);
    EXPECT_EQ(promote_types(t, DType::c128), DType::c128);
    EXPECT_FALSE(represents(t, DType::c64));
  }
  EXPECT_EQ(
      promote({{DType::f64, Rank::dimensioned}, {DType::c64, Rank::zero_dim}}),
      DType::c128);
  EXPECT_EQ(
      promote({{DType::c64, Rank::dimensioned}, {DType::f64, Rank::zero_dim}}),
      DType::c64);
  EXPECT_TRUE(represents(DType::c64, DType::c64));
  EXPECT_TRUE(represents(DType::c128, DType::c64));
  EXPECT_FALSE(represents(DType::c64, DType::c128));
}

TEST(Promote, AllRanksAtOnce) {
  EXPECT_EQ(promote({{DType::u8, Rank::dimensioned},
                     {DType::f16, Rank::zero_dim},
                     {DType::f32, Rank::number}}),
            DType::f16);
  EXPECT_EQ(
      promote({{DType::boolean, Rank::number}, {DType::i64, Rank::number}}),
      DType::i64);
}

}  // namespace
}  // namespace assay::language
