// Encodings, as ptxas 13.0 wrote them for one-instruction PTX.
#include "ptx/lint/sass.h"

#include <gtest/gtest.h>

namespace assay::ptx {
namespace {

struct Known {
  std::uint64_t low, high;
  int sm;
  std::string_view name;
  SassKind kind;
};

constexpr Known kKnown[] = {
    {0x0000000300007223, 0x004fd00000000002, 75, "FFMA", SassKind::fused},
    {0x0000000500057223, 0x004fca0000000007, 120, "FFMA", SassKind::fused},
    {0x40490fdb00057823, 0x004fca0000000005, 90, "FFMA", SassKind::fused},
    {0x40490fdb00057423, 0x004fca0000000005, 90, "FFMA", SassKind::fused},
    {0x00005c0000007623, 0x000fd00000000003, 75, "FFMA", SassKind::fused},
    {0x0000000404057e23, 0x001fe20008000005, 90, "FFMA", SassKind::fused},
    // Of a division: the quotient, a product with zero added.
    {0x0000000700047223, 0x000fc800000000ff, 90, "FFMA", SassKind::multiply},
    {0x0000000600037c23, 0x000fc800080000ff, 120, "FFMA", SassKind::multiply},
    {0x0000000603047e23, 0x000fc80008000805, 120, "FFMA", SassKind::fused},
    {0x0000000500057220, 0x004fca0000400000, 90, "FMUL", SassKind::multiply},
    {0x40490fdb00057820, 0x004fca0000400000, 90, "FMUL", SassKind::multiply},
    {0x0000000500057221, 0x004fca0000000000, 90, "FADD", SassKind::add},
    {0x40490fdb00057421, 0x004fca0000000000, 90, "FADD", SassKind::add},
    {0x000000040202722b, 0x004fce0000000006, 90, "DFMA", SassKind::fused},
    {0x0000000402027228, 0x004fce0000000000, 90, "DMUL", SassKind::multiply},
    {0x0000000002027229, 0x004fce0000000004, 90, "DADD", SassKind::add},
    {0x0000000300007231, 0x004fd00000000002, 75, "HFMA2", SassKind::fused},
    {0x0000000500057235, 0x004fce0000000004, 80, "HFMA2.MMA", SassKind::fused},
    // A product less zero, a sum of one times a.
    {0x0000000500057235, 0x004fce00001000ff, 80, "HFMA2.MMA",
     SassKind::multiply},
    {0x3c003c0000057835, 0x004fce0000000005, 80, "HFMA2.MMA", SassKind::add},
    {0x3f803f8000057831, 0x004fca0000200005, 120, "HFMA2", SassKind::add},
    // A constant moved to a register.
    {0x00000000ff027431, 0x001fca00000001ff, 120, "HFMA2", SassKind::other},
    // An integer addition there.
    {0x0000000500057235, 0x004fce0000000004, 120, "", SassKind::other},
    {0x0000000300007232, 0x004fd00000000000, 75, "HMUL2", SassKind::multiply},
    {0x2000000500007230, 0x004fca0000000800, 90, "HADD2", SassKind::add},
    {0x0000000402027249, 0x004fca0000000006, 100, "FFMA2", SassKind::fused},
    {0x000000040202724a, 0x004fca0000000000, 100, "FMUL2", SassKind::multiply},
    {0x000000040202724b, 0x004fca0000000000, 100, "FADD2", SassKind::add},
    {0x0000000504047256, 0x002fcc0008400000, 120, "UFMUL", SassKind::multiply},
    {0x0000000000057308, 0x004e240000000000, 90, "MUFU.COS",
     SassKind::function},
    {0x0000000000057308, 0x004e240000000400, 90, "MUFU.SIN",
     SassKind::function},
    {0x0000000000057308, 0x004e240000000800, 90, "MUFU.EX2",
     SassKind::function},
    {0x0000000000057308, 0x004e240000000900, 90, "MUFU.EX2",
     SassKind::function},
    {0x0000000000057308, 0x004e240000000c00, 90, "MUFU.LG2",
     SassKind::function},
    {0x0000000000057308, 0x004e240000001000, 90, "MUFU.RCP",
     SassKind::function},
    {0x0000000000057308, 0x004e240000001400, 90, "MUFU.RSQ",
     SassKind::function},
    {0x0000000200037308, 0x0040640000001800, 90, "MUFU.RCP64H",
     SassKind::function},
    {0x0000000300057308, 0x004e220000001c00, 90, "MUFU.RSQ64H",
     SassKind::function},
    {0x0000000000057308, 0x004e240000002000, 90, "MUFU.SQRT",
     SassKind::function},
    {0x0000000000057308, 0x004e240000002400, 90, "MUFU.TANH",
     SassKind::function},
    {0x000000000000794d, 0x000fea0003800000, 90, "", SassKind::other},
};

TEST(Sass, DecodesWhatRounds) {
  for (const Known& k : kKnown) {
    const Sass s = decode({k.low, k.high}, k.sm);
    EXPECT_EQ(s.name, k.name) << std::hex << k.low << " " << k.high;
    EXPECT_EQ(s.kind, k.kind) << std::hex << k.low << " " << k.high;
  }
}

TEST(Sass, KnowsWhatFlushesAndWhatIsPacked) {
  EXPECT_FALSE(decode({0x0000000500057223, 0x004fca0000000007}, 90).flushes);
  EXPECT_TRUE(decode({0x0000000500057223, 0x004fca0000010007}, 90).flushes);
  EXPECT_TRUE(decode({0x0000000500057221, 0x004fca0000010000}, 90).flushes);
  EXPECT_FALSE(decode({0x0000000500057235, 0x004fce0000010004}, 90).flushes);
  EXPECT_EQ(decode({0x0000000402027249, 0x004fca0000000006}, 100).results, 2u);
  EXPECT_EQ(decode({0x0000000500057223, 0x004fca0000000007}, 100).results, 1u);
}

}  // namespace
}  // namespace assay::ptx
