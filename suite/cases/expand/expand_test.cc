#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/float_bits.h"
#include "core/program_text.h"
#include "core/special_values.h"
#include "suite/cases/quota.h"
#include "suite/cases/testing/case_testing.h"
#include "suite/language/model/literal.h"

namespace assay::cases {
namespace {

constexpr const char* kDir = "suite/testdata/cases";

const Case& get(const std::string& path) {
  const Case* c = find_case(expansion_of(kDir), path);
  if (c == nullptr) {
    ADD_FAILURE() << "no case " << path;
    return expansion_of(kDir).cases.at(0);
  }
  return *c;
}

TEST(Expand, GivesTheSameCasesEveryTime) {
  const Expansion again = expand(specs_of(kDir));
  const Expansion& first = expansion_of(kDir);
  ASSERT_EQ(again.cases.size(), first.cases.size());
  for (std::size_t n = 0; n < again.cases.size(); ++n) {
    const Case &a = first.cases[n], &b = again.cases[n];
    EXPECT_EQ(a.path, b.path);
    EXPECT_EQ(a.profile, b.profile);
    EXPECT_EQ(to_text(a.program), to_text(b.program));
    const auto x = a.make_inputs(), y = b.make_inputs(), z = a.make_inputs();
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_EQ(*x[k].storage, *y[k].storage) << a.path;
      EXPECT_EQ(*x[k].storage, *z[k].storage) << a.path;
    }
  }
}

TEST(Expand, AddingCasesReshufflesNothing) {
  language::SpecSet specs = specs_of(kDir);
  for (language::OpSpec& op : specs.ops) {
    if (op.name != "neg") continue;
    language::CaseGroup more = op.cases[0];
    more.id = "C9";
    more.shapes = {{{"S", {6}}}};
    op.cases.insert(op.cases.begin(), more);
  }
  const Expansion larger = expand(specs);
  std::size_t compared = 0;
  for (const Case& c : expansion_of(kDir).cases) {
    if (!c.must_raise.empty() || !c.context.empty()) continue;
    const Case* same = find_case(larger, c.path);
    ASSERT_NE(same, nullptr) << c.path;
    const auto a = c.make_inputs(), b = same->make_inputs();
    for (std::size_t n = 0; n < a.size(); ++n) {
      EXPECT_TRUE(identical(a[n], b[n])) << c.path;
    }
    ++compared;
  }
  EXPECT_GT(compared, 50u);
}

TEST(Expand, PathsReadAsTheCaseDoes) {
  const Case& c = get("add/C3/f16/17/b=0.5,alpha=3");
  EXPECT_EQ(to_text(c.program),
            "assay-program 1\n"
            "%0 = input f16[17]\n"
            "%1 = aten.add.Tensor(%0, 0.5, alpha=3)\n"
            "return %1\n");
  EXPECT_EQ(get("add/C3/f16/17/b=2").program.nodes[0].args[1],
            Arg(std::int64_t{2}));
  EXPECT_EQ(get("add/C1/f32-f16/3x5_5").program.inputs[1].dtype, DType::f16);
  EXPECT_EQ(get("neg/C3/f32/0d").program.inputs[0].sizes, Shape());
  EXPECT_EQ(get("neg/C3/f32/3x17/transposed").program.inputs[0].strides,
            (Shape{1, 3}));
  EXPECT_EQ(get("cat/C2/f32-f16/7_9").program.inputs.size(), 2u);
}

TEST(Expand, LayoutsKeepTheValues) {
  const Tensor plain = get("neg/C3/f32/3x17").make_inputs()[0];
  for (const char* layout : {"transposed", "offset", "strided"}) {
    const Tensor other =
        get(std::string("neg/C3/f32/3x17/") + layout).make_inputs()[0];
    EXPECT_TRUE(identical(plain, other)) << layout;
    EXPECT_NE(std::pair(plain.type.strides, plain.offset),
              std::pair(other.type.strides, other.offset));
  }
}

TEST(Expand, SpecialValuesMeetInPointwiseOperations) {
  const std::size_t many = special_values(DType::f16).size();
  const std::string length = std::to_string(many * many);
  const auto inputs = get("add/C2/f16/" + length).make_inputs();
  std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::int64_t n = 0; n < inputs[0].numel(); ++n) {
    pairs.emplace(inputs[0].bits(n), inputs[1].bits(n));
  }
  EXPECT_EQ(pairs.size(), many * many);
}

TEST(Expand, SpecialValuesAreScatteredWhereTheOperationReduces) {
  const Tensor a = get("bmm/C2/f32/1x9x17_1x17x8").make_inputs()[0];
  std::set<std::uint64_t> met;
  for (std::int64_t row = 0; row < 9; ++row) {
    int unusual = 0;
    for (std::int64_t k = 0; k < 17; ++k) {
      const std::uint64_t bits = a.bits(row * 17 + k);
      const double v = std::abs(decode_float(DType::f32, bits));
      if (v > 1e-6 && v < 6) continue;
      ++unusual;
      met.insert(bits);
    }
    EXPECT_LE(unusual, 1) << "one value cannot hide another: row " << row;
  }
  EXPECT_GE(met.size(), 8u);
}

// Every literal at some place of a whole vector and at some place of the
// tail, whichever number of lanes a vector has.
TEST(Expand, BoundariesMeetVectorBodyAndTail) {
  const struct {
    std::vector<std::string> paths;
    DType dtype;
    std::set<double> literals;
  } kCases[] = {
      {{"neg/B1/f32/39"}, DType::f32, {0x1p-149, 0x1p-126, 0x1.fffffep127, 1}},
      {{"neg/B1/f16/39"}, DType::f16, {0x1p-24, 0x1p-14, 65504, 1}},
      {{"neg/B2/f32/39/part1", "neg/B2/f32/39/part2"},
       DType::f32,
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
      {{"neg/B2/i32/39/part1", "neg/B2/i32/39/part2"},
       DType::i32,
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
  };
  for (const auto& c : kCases) {
    for (const std::int64_t lanes : {8, 16, 32}) {
      std::set<double> body, tail;
      for (const std::string& path : c.paths) {
        const Tensor x = get(path).make_inputs()[0];
        const std::int64_t vectors = x.numel() / lanes * lanes;
        EXPECT_LT(vectors, x.numel()) << "no tail";
        for (std::int64_t n = 0; n < x.numel(); ++n) {
          (n < vectors ? body : tail).insert(x.number(n));
        }
      }
      EXPECT_EQ(body, c.literals) << c.paths[0] << " " << lanes;
      EXPECT_EQ(tail, c.literals) << c.paths[0] << " " << lanes;
    }
  }
}

TEST(Expand, BoundaryOperandsStandSideBySide) {
  const auto inputs = get("add/B1/f32/39").make_inputs();
  std::set<std::pair<double, double>> pairs;
  for (std::int64_t n = 0; n < 39; ++n) {
    pairs.emplace(inputs[0].number(n), inputs[1].number(n));
  }
  const double max = 0x1.fffffep127;
  EXPECT_EQ(pairs, (std::set<std::pair<double, double>>{
                       {max, max}, {1, 0x1.000002p0}, {0x1p-126, 0x1p-149}}));
}

TEST(Expand, BoundariesOfReductionsTakeTheirFirstShape) {
  const Tensor a = get("bmm/B1/f32/2x3x5_2x5x4").make_inputs()[0];
  std::multiset<std::string> met;
  for (std::int64_t n = 0; n < a.numel(); ++n) {
    if (std::isnan(a.number(n))) met.insert("nan");
    if (a.number(n) == 0x1.fffffep127) met.insert("max");
    if (a.number(n) == 0x1p-149) met.insert("smallest");
  }
  EXPECT_EQ(met, (std::multiset<std::string>{"max", "max", "nan", "nan",
                                             "smallest", "smallest"}));
}

TEST(Expand, BoundaryAttributesAreUsed) {
  const Case& c = get("_to_copy/B1/f32/39/dtype=f16");
  EXPECT_EQ(c.program.nodes[0].kwargs[0].second, Arg(DType::f16));
}

TEST(Expand, ProgramsBecomeOneCasePerCombination) {
  const Case& c = get("round_trip/f16/transposed");
  EXPECT_EQ(to_text(c.program).substr(0, 67),
            "assay-program 1\n"
            "%0 = input f32[4, 5] strides[1, 4]\n"
            "%1 = const f32[5");
  EXPECT_EQ(c.program.outputs.size(), 2u);
  const Tensor x = c.make_inputs()[0];
  EXPECT_EQ(x.number(1), static_cast<float>(4) / 7.0F) << "row 0, column 1";
  const Case& plain = get("round_trip/f16/contiguous");
  EXPECT_TRUE(identical(plain.make_inputs()[0], x));
  EXPECT_TRUE(identical(plain.program.constants[0], c.program.constants[0]))
      << "what a program captures does not depend on the axes";
}

TEST(Expand, RefusedProgramsNameTheirPromiseAndControl) {
  const Case& c = get("mixed");
  EXPECT_EQ(c.must_raise, "bmm/E4");
  EXPECT_EQ(c.control, "mixed_fixed");
  EXPECT_FALSE(c.packable);
}

// A twin that stands in a context for nothing else need not tell a lazy answer
// from the right one; one that a group asked for has to.
TEST(Expand, ControlsInContextsMayTellNothing) {
  std::map<double, std::size_t> shares;
  for (const Case& c : expansion_of(kDir).cases) {
    if (c.context.empty() || c.must_raise.empty()) continue;
    const Case& control = get(c.control);
    if (!control.context.empty()) ++shares[control.vacuous];
  }
  EXPECT_THAT(shares,
              testing::ElementsAre(
                  testing::Pair(language::kVacuousShare, testing::Gt(0u)),
                  testing::Pair(1.0, testing::Gt(0u))));
}

language::SpecSet changed(
    const std::string& op,
    const std::function<void(language::OpSpec*)>& change) {
  language::SpecSet specs = specs_of(kDir);
  for (language::OpSpec& spec : specs.ops) {
    if (spec.name == op) change(&spec);
  }
  return specs;
}

TEST(Expand, OnlyCasesAloneAreUnbiased) {
  const Expansion e = expand(
      changed("neg", [](language::OpSpec* s) { s->cases[0].unbiased = true; }));
  std::size_t unbiased = 0;
  for (const Case& c : e.cases) {
    const bool expected = c.spec == "neg" && c.clause == "C1" &&
                          c.context.empty() && c.must_raise.empty();
    EXPECT_EQ(c.unbiased, expected) << c.path;
    if (c.unbiased) ++unbiased;
  }
  EXPECT_GT(unbiased, 0u);
}

TEST(Expand, CasesTakeTheirClausesShareIntoAnyCompany) {
  const Expansion e = expand(changed("neg", [](language::OpSpec* s) {
    s->cases[0].vacuous = 0.25;
    s->boundaries[0].vacuous = 0.5;
  }));
  const std::map<std::string, double> shares = {
      {"C1", 0.25}, {"B1", 0.5}, {"B3", 0.1}};
  std::set<std::string> contexts, controls;
  std::map<std::string, std::size_t> met;
  for (const Case& c : e.cases) {
    if (!c.context.empty()) controls.insert(c.control);
  }
  for (const Case& c : e.cases) {
    if (c.spec != "neg" || !c.must_raise.empty()) continue;
    if (c.vacuous == 1.0 && controls.count(c.path) != 0) continue;
    const auto it = shares.find(c.clause);
    EXPECT_EQ(c.vacuous,
              it == shares.end() ? language::kVacuousShare : it->second)
        << c.path;
    ++met[c.clause];
    if (c.clause == "C1" && !c.context.empty()) contexts.insert(c.context);
  }
  EXPECT_GE(contexts.size(), 2u);
  EXPECT_GT(met["B1"], 0u);
  EXPECT_GT(met["C2"], 0u);
}

TEST(Expand, FewNarrowIntegersAreInCompanyBesideTheOthers) {
  const auto hosts = [](bool few, DType type) {
    const Expansion e = expand(changed("neg", [&](language::OpSpec* s) {
      s->dtypes.at("T").types = {DType::f32, DType::f16, type};
      if (few) s->cases[0].shapes.push_back({{"S", {3}}});
    }));
    std::set<std::string> bases;
    for (const Case& c : e.cases) {
      if (c.spec != "neg" || c.context != "widen_int") continue;
      if (c.must_raise.empty()) bases.insert(c.path);
    }
    return bases;
  };
  EXPECT_THAT(hosts(true, DType::i16),
              ::testing::IsSupersetOf(
                  {"neg/C1/i16/17/widen_int", "neg/C1/i16/3/widen_int"}));
  EXPECT_EQ(hosts(false, DType::i16).size() + 1,
            hosts(true, DType::i16).size());
  EXPECT_EQ(hosts(true, DType::i32).count("neg/C1/i32/3/widen_int"), 0u);
}

TEST(Expand, SolvedBoundariesFillOneVectorOfEachType) {
  struct Solved {
    std::string path;
    // As values(): the hardest, boundaries, and their neighbours.
    std::vector<std::uint64_t> values;
  };
  const std::vector<Solved> all = {
      {"neg/B3/f16/39", {0x498b, 0x498c, 0x498a, 0x498d}},
      {"neg/B3/f32/39",
       {0xc16912cd, 0xc16912cc, 0xc16912ce, 0x42b17217, 0x42b17218, 0x42b17216,
        0x42b17219, 0xc2aeac50, 0xc2aeac4f, 0xc2aeac51, 0xc2aeac4e, 0xc2cff1b5,
        0xc2cff1b4, 0xc2cff1b6, 0xc2cff1b3}}};
  std::size_t quick = 0;
  for (const Case& c : expansion_of(kDir).cases) {
    if (c.clause == "B3" && c.spec == "neg")
      quick += c.is_in(Profile::standard) ? 1 : 0;
  }
  EXPECT_EQ(quick, all.size());
  for (const Solved& s : all) {
    const Case& c = get(s.path);
    EXPECT_EQ(c.vacuous, 0.1);
    const Tensor x = c.make_inputs().at(0);
    ASSERT_EQ(x.numel(), kBoundaryBody + kBoundaryTail);
    for (std::int64_t n = 0; n < x.numel(); ++n) {
      const auto at =
          static_cast<std::size_t>(n < kBoundaryBody ? n : n - kBoundaryBody);
      EXPECT_EQ(x.bits(n), s.values[at % s.values.size()])
          << s.path << " " << n;
    }
  }
}

// Faults that only expansion can find.
void expect_error(const language::SpecSet& specs, const std::string& part) {
  const Expansion e = expand(specs);
  EXPECT_THAT(e.errors, ::testing::Contains(::testing::HasSubstr(part)));
}

TEST(ExpandErrors, NameWhatToDo) {
  expect_error(
      changed("bmm",
              [](language::OpSpec* s) { s->cases[0].shapes[0].erase("K"); }),
      "no size is given for K (parameter a): add it to `shapes`");
  expect_error(changed("cat",
                       [](language::OpSpec* s) {
                         s->cases[0].attrs = {{{"dim", std::int64_t{5}}}};
                       }),
               "is refused by the operation's own requirement E2");
  expect_error(changed("neg",
                       [](language::OpSpec* s) {
                         language::Generator g;
                         g.kind = language::Generator::Kind::values;
                         language::Literal half;
                         half.number = 0.5;
                         g.values = {half};
                         s->cases[0].inputs["x"] = g;
                       }),
               "0.500000 is no element of i32");
  expect_error(changed("neg",
                       [](language::OpSpec* s) {
                         s->boundaries[0].dtypes = {DType::i32};
                       }),
               "a literal is no element of i32");
  language::SpecSet specs = specs_of(kDir);
  for (language::ProgramSpec& p : specs.programs) {
    for (language::ProgramVariant& v : p.variants) {
      v.raises = v.raises.empty() ? "bmm/E1" : "";
    }
  }
  expect_error(specs, "should be refused by bmm/E1, but nothing refuses it");
  expect_error(specs, "is refused by bmm/E4, but names no `raises`");
}

// lerp of complex numbers has a spec; lerp_ has none, and does not refuse them.
TEST(Expand, FormsThatWriteRefuseNoComplexNumbersThatTheOperationTakes) {
  for (const char* row : {"lerp_", "lerp_out", "addcdiv_"}) {
    const Expansion& e = expansion_of_row("specs", row);
    EXPECT_GT(e.cases.size(), 100u) << row;
    for (const Case& c : e.cases) {
      for (const TensorType& t : c.program.inputs) {
        EXPECT_FALSE(is_complex(t.dtype)) << c.path;
      }
    }
  }
}

}  // namespace
}  // namespace assay::cases
