#include "harness/report/testing/sample_report.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace assay::harness::testing {
namespace {

constexpr const char* kColumns[] = {
    "bundled/cpu-avx512",        "eager@2.10.0/cpu-avx512",
    "eager@2.11.0/cpu-avx512",   "eager@2.12.0/cpu-avx512",
    "eager@2.13.0/cpu-avx512",   "eager@2.14.0/cpu-avx512",
    "eager@2.15.0/cpu-avx512",   "eager@2.11.0/cpu-avx2",
    "inductor@2.11.0/cpu",       "bundled/cuda-sm_75",
    "bundled/cuda-sm_80",        "bundled/cuda-sm_90",
    "inductor@2.11.0/cuda-sm_90"};
constexpr std::size_t kRows = 180;
constexpr const char* kFamilies[] = {"programs", "pointwise", "reduction",
                                     "matmul",   "layout",    "indexing"};
constexpr const char* kDTypes[] = {"f32", "f16-f32", "bf16", "f64", "i32"};

// Each form that judge/show.cc prints.
const Witness kWitnesses[] = {
    {0, 4, "in0=0x3ff0100000000001 (0x1.0100000000001p+0)", "0x3f80 (0x1p+0)",
     "[0x3f81 (0x1.02p+0)]", "0x1.0100000000001p+0 = 1.00390625"},
    {0, 17, "in0=0x40490fdb (0x1.921fb6p+1)", "0x7f800000 (inf)",
     "[0x3f7fffff (0x1.fffffep-1) .. 0x3f800002 (0x1.000004p+0)]",
     "0x1.0000008p+0 = 1.00000003"},
    {1, 0, "", "0x7fc00000 (nan)", "[0x00000000 (0x0p+0)] or nan", "0"},
    {0, 2, "in0=7", "12", "[13]", "13"},
    {0, 9, "in0=0x3f (0x1p-3)", "0x44 (0x1.8p+1)",
     "one of [0x38 (0x1p+0), 0x40 (0x1p+1) .. 0x41 (0x1.2p+1)]",
     "0x1.2p+0 = 1.125"},
    {0, 1, "in0=0x80000001 (-0x1p-149)", "0x80000000 (-0x0p+0)",
     "[0x80000001 (-0x1p-149)] with zero of either sign",
     "-0x1p-149 = -1.40129846e-45"},
    {0, 3, "in0=0x0010000000000000 (0x1p-1022)",
     "0x7fefffffffffffff (0x1.fffffffffffffp+1023)",
     "[0x0000000000000001 (0x0.0000000000001p-1022)]", "0x1p-1074 = 4.94e-324"},
    {0, 0, "", "true", "[false]", ""}};

CellStatus status_of(std::size_t c, std::size_t column) {
  const std::size_t n = c * 7 + column * 13;
  if (column == 8 && n % 5 == 0) return CellStatus::unsupported;
  if (column >= 9 && column <= 11) {  // alike
    return c % 11 == 0 ? CellStatus::hardware : CellStatus::pass;
  }
  if (column == 3 && c % 4 == 0) return CellStatus::fail;  // one version alone
  if (n % 29 == 0) return CellStatus::fail;
  if (n % 997 == 1) return static_cast<CellStatus>(n % 13);
  return CellStatus::pass;
}

CaseResult result_of(std::size_t c, std::size_t column, const CaseInfo& info) {
  CaseResult r;
  r.case_path = info.path;
  r.column = kColumns[column];
  r.status = status_of(c, column);
  r.clause = info.row + (info.kind == CaseKind::errors ? "/E1" : "/A1");
  r.evidence = column >= 9 ? Evidence::emulated : Evidence::ran;
  if (column == 0) {
    const bool derived = info.row.ends_with("7");
    r.lowering = derived ? Lowering::derived : Lowering::hand;
  }
  r.elements = info.kind == CaseKind::errors ? 0 : 64;
  r.error_over_bound = static_cast<double>(c * 31 % 100) / 101.0;
  r.verdict = Verdict::all_conform;
  if (r.status < CellStatus::flaky) return r;
  const std::size_t form = (c + column) % std::size(kWitnesses);
  r.failure = static_cast<FailureClass>(1 + c % 7);
  r.verdict = Verdict::eager_wrong;
  r.witness = kWitnesses[form];
  r.error_over_bound = form == 1 ? std::numeric_limits<double>::infinity()
                                 : 1 + static_cast<double>(c % 1000);
  r.wrong_elements = 1 + static_cast<std::int64_t>(c % 9);
  r.known = c % 3 != 0;
  if (r.known) r.known_link = "https://example.org/finding";
  r.reason = fmt::format("out0[{}]: got {}, {} of 64 wrong", form,
                         r.witness->got, r.wrong_elements);
  if (c % 97 == 0) {
    r.reason += kHostile;
    r.known_link = "javascript:window.hostile=3";
    r.witness->inputs = kHostile;
  }
  return r;
}

PageSweep sweep_of(const char* column, bool broken) {
  PageSweep s;
  s.name = "exp/f32";
  s.column = column;
  s.clause = "exp/A1";
  s.dtype = "f32";
  s.inputs = std::uint64_t{1} << 32;
  for (std::uint64_t p = 0; p < 1024; ++p) {
    const double x = std::sin(static_cast<double>(p) / 40);
    const bool bad = broken && p > 260 && p < 268;
    s.parts.push_back({p, 1 << 22, bad ? 8388605.9 : 0.5 + 0.4 * x * x, p * 10,
                       bad ? 7u : 0u});
  }
  s.worst_at = "0x42b17218 (0x1.62e43p+6 = 88.7228394)";
  s.worst_got = "0x7f800000 (inf)";
  s.worst_right = "0x7f7fffff (0x1.fffffep+127)";
  return s;
}

}  // namespace

void make_sample(std::size_t records, SamplePage* out) {
  Report& r = out->report;
  r.version = "0.1.0";
  r.profile = "full";
  r.header = {{"spec_hash", "12ab"}, {"cpu", kHostile}};
  for (const char* name : kColumns) r.columns.push_back({name, "eager"});
  const std::size_t cases = records / std::size(kColumns) + 1;
  for (std::size_t i = 0; i < cases; ++i) {
    // The cases of a row stand together, as in a run.
    const std::size_t row = i * kRows / cases;
    const auto kind = static_cast<CaseKind>(i % 5);
    CaseInfo info{fmt::format("op_{:03}/{}{}/{}/{}x3", row, "ECBCC"[i % 5], i,
                              kDTypes[i % 5], i % 17),
                  fmt::format("op_{:03}", row), kind};
    out->input.families[info.row] = kFamilies[row % 6];
    r.cases.push_back(info);
    for (std::size_t c = 0; c < std::size(kColumns); ++c) {
      r.results.push_back(result_of(i, c, info));
    }
  }
  r.cases_in_suite = cases;
  out->decision = decide(r);
  out->input.report = &r;
  out->input.decision = &out->decision;
  out->input.runs = {{"run-1", r.header}};
  out->input.program_of = [](const std::string& path) {
    return fmt::format(
        "assay-program 1\n%0 = input f32[{}]\n%1 = aten.exp.default(%0)\n"
        "return %1",
        path.size());
  };
  out->input.sweeps = {sweep_of(kColumns[1], true),
                       sweep_of(kColumns[2], false)};
}

}  // namespace assay::harness::testing
