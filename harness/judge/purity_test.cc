// Verdicts are pure: what an element may be depends on its own operands alone,
// and a result neither on the order of cases nor on threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "harness/faults/fault.h"
#include "harness/faults/subject.h"
#include "harness/judge/adjudicate.h"
#include "harness/judge/elementwise.h"
#include "harness/records/result_json.h"
#include "harness/run/session.h"
#include "reference/golden/element_ranges.h"
#include "suite/cases/testing/case_testing.h"

namespace assay::harness {
namespace {

constexpr std::int64_t kMostElements = 200;

bool alike(const TensorType& t, const Shape& sizes) {
  if (element_count(t.sizes) == 1) return true;
  return t.sizes == sizes &&
         t.strides == TensorType::contiguous(t.dtype, t.sizes).strides;
}

// Elements in, elements out, place by place.
bool is_in_place(const cases::Case& c) {
  const Program& p = c.program;
  if (!c.must_raise.empty() || p.inputs.empty()) return false;
  const Shape& sizes = p.inputs.front().sizes;
  const std::int64_t n = element_count(sizes);
  if (n < 2 || n > kMostElements || !p.constants.empty()) return false;
  return std::all_of(p.inputs.begin(), p.inputs.end(),
                     [&](const TensorType& t) { return alike(t, sizes); }) &&
         is_elementwise(p, cases::specs_of("specs"));
}

// Case by case, one in `stride` of those of the quick profile.
void for_each_case(
    std::size_t stride,
    const std::function<void(const cases::Case&, const PreparedCase&,
                             const GoldenSource&)>& look) {
  const language::SpecSet& specs = cases::specs_of("specs");
  const auto oracle = live_oracle(specs);
  const Adjudicator adjudicator(*oracle, reference::Numerics::fused, &specs);
  std::size_t number = 0;
  for (const cases::Case& c : cases::expansion_of("specs").cases) {
    if (!c.is_in(cases::Profile::standard) || !is_in_place(c) ||
        number++ % stride != 0)
      continue;
    const auto prepared = adjudicator.prepare(c);
    ASSERT_EQ(prepared->fault, "") << c.path;
    const auto& outputs = prepared->golden.outputs;
    const bool in_place =
        std::all_of(outputs.begin(), outputs.end(), [&](const auto& g) {
          return g.type.sizes == c.program.inputs.front().sizes;
        });
    if (!in_place) continue;
    look(c, *prepared, *oracle);
  }
  EXPECT_GT(number, 500u);
}

// The tensors whose element i is element from[i] of `given`.
std::vector<Tensor> taken(const std::vector<Tensor>& given,
                          const std::vector<std::int64_t>& from) {
  std::vector<Tensor> out;
  for (const Tensor& t : given) {
    out.push_back(t.contiguous());
    if (t.numel() == 1) continue;
    for (std::size_t i = 0; i < from.size(); ++i) {
      out.back().set_bits(static_cast<std::int64_t>(i), t.bits(from[i]));
    }
  }
  return out;
}

bool same(const reference::ElementSet& a, const reference::ElementSet& b) {
  const bool pieces = reference::ranges_of(a) == reference::ranges_of(b);
  return a.lo == b.lo && a.hi == b.hi && a.has_values == b.has_values &&
         a.nan == b.nan && a.any_zero_sign == b.any_zero_sign &&
         a.unspecified == b.unspecified && a.undecided == b.undecided &&
         a.clause == b.clause && pieces;
}

// The sets of `now` are those that `before` has of the elements `from`, where
// `kept` says so.
void expect_sets(const cases::Case& c, const reference::Golden& before,
                 const reference::Golden& now,
                 const std::vector<std::int64_t>& from,
                 const std::function<bool(std::size_t)>& kept) {
  ASSERT_EQ(before.outputs.size(), now.outputs.size()) << c.path;
  for (std::size_t k = 0; k < now.outputs.size(); ++k) {
    const reference::GoldenOutput& a = before.outputs[k];
    const reference::GoldenOutput& b = now.outputs[k];
    ASSERT_EQ(a.elements.size(), from.size()) << c.path;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!kept(i)) continue;
      const auto j = static_cast<std::size_t>(from[i]);
      const bool exact = a.exact[j] == b.exact[i] ||
                         (std::isnan(a.exact[j]) && std::isnan(b.exact[i]));
      ASSERT_TRUE(same(a.elements[j], b.elements[i]) && exact &&
                  a.bound[j] == b.bound[i])
          << c.path << " output " << k << " element " << j;
    }
  }
}

TEST(Purity, PermutedElementsHavePermutedSets) {
  std::mt19937 random(1);
  for_each_case(3, [&](const cases::Case& c, const PreparedCase& prepared,
                       const GoldenSource& oracle) {
    std::vector<std::int64_t> order(
        static_cast<std::size_t>(element_count(c.program.inputs[0].sizes)));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const Result<reference::Golden> now =
        oracle.golden(c.program, taken(prepared.inputs, order), {});
    ASSERT_TRUE(now.ok()) << c.path << ": " << now.error().message;
    expect_sets(c, prepared.golden, *now, order,
                [](std::size_t) { return true; });
  });
}

// Every other element takes the operands of the first or of the last, which
// may be as large, or as much of a NaN, as there are.
TEST(Purity, AnElementsToleranceIsItsOwn) {
  int turn = 0;
  for_each_case(3, [&](const cases::Case& c, const PreparedCase& prepared,
                       const GoldenSource& oracle) {
    const std::int64_t n = element_count(c.program.inputs[0].sizes);
    std::vector<std::int64_t> from(static_cast<std::size_t>(n));
    std::iota(from.begin(), from.end(), 0);
    const std::size_t parity = static_cast<std::size_t>(++turn) % 2;
    for (std::size_t i = parity; i < from.size(); i += 2) {
      from[i] = turn % 4 < 2 ? 0 : n - 1;
    }
    const Result<reference::Golden> now =
        oracle.golden(c.program, taken(prepared.inputs, from), {});
    ASSERT_TRUE(now.ok()) << c.path << ": " << now.error().message;
    expect_sets(c, prepared.golden, *now, from,
                [&](std::size_t i) { return i % 2 != parity; });
  });
}

struct Seen {
  const cases::Case* source;
  std::unique_ptr<PreparedCase> prepared;
  Observation observation;
  std::string alone;  // the result, of one thread and in order
};

std::string text_of(CaseResult r) {
  r.seconds = 0;
  return json_line(to_json(r));
}

TEST(Purity, NeitherOrderNorThreadsChangeAResult) {
  const language::SpecSet& specs = cases::specs_of("specs");
  const auto oracle = live_oracle(specs);
  const Adjudicator adjudicator(*oracle, reference::Numerics::fused, &specs);
  faults::RightAnswers answers(specs);
  std::vector<faults::Fault> wrong = faults::special_value_faults();
  for (faults::Fault& f : faults::elementary_faults()) {
    wrong.push_back(std::move(f));
  }
  std::vector<Seen> all;
  std::size_t number = 0, failing = 0;
  for (const cases::Case& c : cases::expansion_of("specs").cases) {
    if (!c.is_in(cases::Profile::standard) || number++ % 7 != 0 ||
        c.program.inputs.empty() ||
        element_count(c.program.inputs[0].sizes) > kMostElements) {
      continue;
    }
    // A fault of the operation where there is one, and none elsewhere.
    const auto fault = std::find_if(wrong.begin(), wrong.end(), [&](auto& f) {
      return f.spec == c.spec && f.outputs != nullptr;
    });
    if (fault != wrong.end() && fault->op.empty()) {
      fault->op = specs.find_op(fault->spec)->aten;
    }
    answers.forget();
    Seen s{&c, adjudicator.prepare(c), {}, {}};
    faults::FaultySubject subject(&answers,
                                  fault == wrong.end() ? nullptr : &*fault);
    s.observation = subject.run(c.program, s.prepared->inputs, {}, {});
    const CaseResult r = adjudicator.result(*s.prepared, s.observation);
    if (r.status == CellStatus::fail) ++failing;
    s.alone = text_of(r);
    all.push_back(std::move(s));
  }
  EXPECT_GT(all.size(), 200u);
  EXPECT_GT(failing, 10u);

  std::mt19937 random(2);
  for (const unsigned jobs : {1u, 4u}) {
    std::vector<const Seen*> order;
    for (const Seen& s : all) order.push_back(&s);
    std::shuffle(order.begin(), order.end(), random);
    std::atomic<std::size_t> next{0}, differing{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < order.size(); i = next++) {
        const Seen& s = *order[i];
        const auto again = adjudicator.prepare(*s.source);
        const CaseResult r = adjudicator.result(*again, s.observation);
        if (text_of(r) != s.alone) ++differing;
      }
    };
    std::vector<std::thread> threads;
    for (unsigned j = 0; j < jobs; ++j) threads.emplace_back(work);
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(differing, 0u) << jobs << " threads";
  }
}

}  // namespace
}  // namespace assay::harness
