// Fakes for the harness's tests: cases that negate a few numbers, an oracle
// that knows their answer, and a subject that does as it is told. A case is
// told from another by the first element of its input, also when packed.
#ifndef ASSAY_HARNESS_TESTING_FAKES_H_
#define ASSAY_HARNESS_TESTING_FAKES_H_

#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/float_bits.h"
#include "harness/judge/golden_source.h"
#include "harness/subject/executor.h"
#include "suite/cases/case.h"

namespace assay::harness::fakes {

inline constexpr std::int64_t kLength = 4;

inline reference::ElementSet point(DType t, double value) {
  const std::uint64_t bits = encode_float(t, value);
  reference::ElementSet e;
  e.lo = e.hi = bits;
  return e;
}

inline reference::ElementSet range(DType t, double lo, double hi) {
  reference::ElementSet e;
  e.lo = encode_float(t, lo);
  e.hi = encode_float(t, hi);
  return e;
}

inline reference::ElementSet only_nan() {
  reference::ElementSet e;
  e.has_values = false;
  e.nan = true;
  return e;
}

inline Tensor f32(const std::vector<double>& values, Shape sizes = {}) {
  if (sizes.empty()) sizes = {static_cast<std::int64_t>(values.size())};
  Tensor t = Tensor::zeros(DType::f32, std::move(sizes));
  for (std::size_t i = 0; i < values.size(); ++i) {
    t.set_number(static_cast<std::int64_t>(i), values[i]);
  }
  return t;
}

// A golden with one f32 output of these sets.
inline reference::Golden golden_of(std::vector<reference::ElementSet> sets,
                                   std::vector<std::string> clauses = {
                                       "neg/A1"}) {
  reference::GoldenOutput out;
  out.type = TensorType::contiguous(DType::f32,
                                    {static_cast<std::int64_t>(sets.size())});
  for (const reference::ElementSet& s : sets) {
    out.exact.push_back(s.has_values ? decode_float(DType::f32, s.lo)
                                     : std::nan(""));
    out.bound.push_back(s.has_values ? std::abs(decode_float(DType::f32, s.hi) -
                                                decode_float(DType::f32, s.lo))
                                     : 0);
  }
  out.elements = std::move(sets);
  out.clauses = std::move(clauses);
  reference::Golden g;
  g.outputs.push_back(std::move(out));
  return g;
}

inline reference::Golden refusal(std::string clause,
                                 std::vector<std::string> raises,
                                 std::string message = {},
                                 std::string phase = {}) {
  reference::Golden g;
  g.error = reference::GoldenError{std::move(clause), std::move(raises),
                                   std::move(message), std::move(phase)};
  return g;
}

inline Program negation() {
  Program p;
  p.inputs.push_back(TensorType::contiguous(DType::f32, {kLength}));
  p.nodes.push_back({"aten.neg.default", {ValueRef{0}}, {}});
  p.outputs.push_back({1});
  return p;
}

inline std::vector<double> numbers_of(int id) {
  return {static_cast<double>(id), 0.5, -2, 1e-3};
}

// Case number `id` of a row.
inline cases::Case negation_case(int id, const std::string& row = "neg") {
  cases::Case c;
  char suffix[16];
  std::snprintf(suffix, sizeof suffix, "%04d", id);
  c.path = row + "/C1/f32/" + suffix;
  c.spec = row;
  c.clause = "C1";
  c.program = negation();
  c.make_inputs = [id] { return std::vector<Tensor>{f32(numbers_of(id))}; };
  return c;
}

inline std::vector<const cases::Case*> pointers(
    const std::vector<cases::Case>& cases) {
  std::vector<const cases::Case*> out;
  for (const cases::Case& c : cases) out.push_back(&c);
  return out;
}

// Knows negation, or says what `answer` says if that is set.
class FakeOracle : public GoldenSource {
 public:
  using Answer = std::function<Result<reference::Golden>(
      const Program&, const std::vector<Tensor>&,
      const reference::OracleOptions&)>;
  Answer answer;
  std::string vacuous;
  double enough_share = 1;       // from which a case is not vacuous
  std::set<int> without_golden;  // case numbers
  mutable std::atomic<int> asked{0};

  Result<reference::Golden> golden(
      const Program& p, const std::vector<Tensor>& inputs,
      const reference::OracleOptions& options) const override {
    ++asked;
    if (answer) return answer(p, inputs, options);
    const int id = static_cast<int>(inputs[0].number(0));
    if (without_golden.count(id) != 0) return Error{"undecided"};
    std::vector<reference::ElementSet> sets;
    for (std::int64_t i = 0; i < inputs[0].numel(); ++i) {
      sets.push_back(point(DType::f32, -inputs[0].number(i)));
    }
    return golden_of(std::move(sets));
  }
  std::string vacuity(const reference::Golden&, const Program&,
                      const std::vector<Tensor>&, double share) const override {
    return share < enough_share ? vacuous : "";
  }
};

// What a fake subject does with the case of that number.
enum class Deed {
  wrong,          // one element off, always
  wrong_in_pack,  // only in a packed program
  crash,          // and takes the packed program with it
  crash_in_pack,
  raise,
  hang,
  breach,  // leaks the floating-point environment
};

struct FakeSubject {
  std::map<int, Deed> deeds;
  std::atomic<int> programs{0};
  std::atomic<int> largest{0};  // nodes in one program
  std::atomic<int> running{0};
  std::atomic<int> most_running{0};
  std::function<void()> on_run;  // called before each run
};

class FakeExecutor : public Executor {
 public:
  explicit FakeExecutor(std::shared_ptr<FakeSubject> subject)
      : subject_(std::move(subject)) {}

  Result<Identity> identify() override {
    Identity identity;
    identity.column = "fake/cpu";
    return identity;
  }

  Observation run(const Program& p, const std::vector<Tensor>& inputs,
                  const std::vector<TensorType>&,
                  std::chrono::milliseconds) override {
    ++subject_->programs;
    const int now = ++subject_->running;
    int most = subject_->most_running;
    while (now > most &&
           !subject_->most_running.compare_exchange_weak(most, now)) {
    }
    int largest = subject_->largest;
    const int nodes = static_cast<int>(p.nodes.size());
    while (nodes > largest &&
           !subject_->largest.compare_exchange_weak(largest, nodes)) {
    }
    if (subject_->on_run) subject_->on_run();
    Observation o = answer(p, inputs);
    --subject_->running;
    return o;
  }

 private:
  Observation answer(const Program& p, const std::vector<Tensor>& inputs) {
    const bool packed = p.nodes.size() > 1;
    Observation o;
    o.seconds = 0.25;
    for (const Node& node : p.nodes) {
      const int input = std::get<ValueRef>(node.args[0]).id;
      const Tensor& x = inputs[static_cast<std::size_t>(input)];
      Tensor y = Tensor::zeros(DType::f32, x.sizes());
      for (std::int64_t i = 0; i < x.numel(); ++i) {
        y.set_number(i, -x.number(i));
      }
      const auto deed = subject_->deeds.find(static_cast<int>(x.number(0)));
      if (deed != subject_->deeds.end()) {
        switch (deed->second) {
          case Deed::wrong_in_pack:
            if (!packed) break;
            [[fallthrough]];
          case Deed::wrong:
            y.set_bits(1, step(DType::f32, y.bits(1), 1));
            break;
          case Deed::crash_in_pack:
            if (!packed) break;
            [[fallthrough]];
          case Deed::crash:
            return failed(Observation::Kind::crashed, "signal 11");
          case Deed::raise: {
            Observation raised = failed(Observation::Kind::raised, "");
            raised.error = {"RuntimeError", {"RuntimeError"}, "", "no", "run"};
            return raised;
          }
          case Deed::hang:
            return failed(Observation::Kind::timed_out, "run, 60 s");
          case Deed::breach:
            o.breaches = {"P1: flush-to-zero left on"};
            break;
        }
      }
      o.outputs.push_back(std::move(y));
    }
    return o;
  }

  static Observation failed(Observation::Kind kind, std::string detail) {
    Observation o;
    o.kind = kind;
    o.detail = std::move(detail);
    return o;
  }

  std::shared_ptr<FakeSubject> subject_;
};

}  // namespace assay::harness::fakes

#endif  // ASSAY_HARNESS_TESTING_FAKES_H_
