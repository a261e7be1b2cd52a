#include "harness/faults/kill_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "harness/faults/catalogue.h"
#include "harness/faults/strides.h"
#include "harness/judge/adjudicate.h"
#include "harness/run/interrupt.h"

namespace assay::harness::faults {
namespace {

class Row {
 public:
  Row(const language::SpecSet& specs, const GoldenSource& oracle)
      : adjudicator_(oracle, reference::Numerics::fused, &specs),
        right_(specs) {}

  CaseResult ask(const cases::Case& c, const Fault* fault) {
    const PreparedCase& prepared = prepared_case(c);
    FaultySubject subject(&right_, fault);
    return adjudicator_.result(prepared,
                               subject.run(c.program, prepared.inputs, {}, {}));
  }

  // A right answer is put together element by element. Where an operation of
  // several outputs leaves a choice in the first, elements that are right one
  // by one need not belong together, and nothing can be asked.
  // Nor does anything say which results stand in a relation, which is in the
  // way where right results are needed (`from_right`), to be spoilt or not.
  bool can_be_asked(const cases::Case& c, bool from_right) {
    if (from_right && prepared_case(c).related) return false;
    const auto further = [](const Node& n) {
      return further_output(n).has_value();
    };
    if (std::none_of(c.program.nodes.begin(), c.program.nodes.end(), further)) {
      return true;
    }
    const reference::Golden& golden = prepared_case(c).golden;
    if (golden.outputs.empty()) return true;
    const auto& first = golden.outputs.front().elements;
    return std::none_of(first.begin(), first.end(),
                        [](const auto& e) { return e.pieces != nullptr; });
  }

 private:
  const PreparedCase& prepared_case(const cases::Case& c) {
    std::unique_ptr<PreparedCase>& prepared = prepared_[&c];
    if (prepared == nullptr) prepared = adjudicator_.prepare(c);
    return *prepared;
  }

  Adjudicator adjudicator_;
  RightAnswers right_;
  std::map<const cases::Case*, std::unique_ptr<PreparedCase>> prepared_;
};

// Of what is wrong with strides alone, most cases show nothing, and to ask one
// takes all its right elements.
bool could_show(const language::SpecSet& specs, const cases::Case& c,
                const Fault& fault) {
  return fault.strides == language::WrongStrides::none ||
         shows_strides(specs, c.program, fault.op, fault.strides);
}

bool conforms(const CaseResult& r) {
  return r.status == CellStatus::pass ||
         r.status == CellStatus::quality_warning;
}

}  // namespace

std::int64_t size_of(const cases::Case& c) {
  std::int64_t n = static_cast<std::int64_t>(c.program.nodes.size());
  for (const TensorType& t : c.program.inputs) n += element_count(t.sizes);
  return n;
}

void prefer(std::vector<const cases::Case*>* cases) {
  const auto cost = [](const cases::Case& c) {
    return std::pair(!c.context.empty(), size_of(c));
  };
  std::stable_sort(cases->begin(), cases->end(),
                   [&cost](const cases::Case* a, const cases::Case* b) {
                     return cost(*a) < cost(*b);
                   });
}

RowKills kill_row(const std::string& row,
                  const std::vector<const language::FaultSpec*>& faults,
                  const std::vector<const cases::Case*>& cases,
                  const language::SpecSet& specs, const GoldenSource& oracle,
                  const KillOptions& options) {
  RowKills out;
  out.row = row;
  Row asked(specs, oracle);
  std::vector<const cases::Case*> order;
  for (const cases::Case* c : cases) {
    if (c->must_raise.empty() && asked.can_be_asked(*c, false)) {
      order.push_back(c);
    }
  }
  if (options.control) {
    for (const cases::Case* c : order) {
      if (interrupt_flag()) return out;
      if (!asked.can_be_asked(*c, true)) continue;
      const CaseResult r = asked.ask(*c, nullptr);
      ++out.controls;
      if (conforms(r)) continue;
      out.flagged.push_back(fmt::format(
          "{}: {} {}: {}", c->path, status_name(r.status), r.clause, r.reason));
    }
  }
  const language::OpSpec* op = specs.find_op(row);
  if (op == nullptr) return out;
  for (const language::FaultSpec* spec : faults) {
    WrongImplementation wrong(*spec, *op);
    Kill kill;
    kill.fault = spec;
    for (const cases::Case* c : order) {
      if (interrupt_flag()) return out;
      if (!could_show(specs, *c, wrong.fault())) continue;
      const bool is_spoilt = wrong.fault().definition == nullptr;
      if (!asked.can_be_asked(*c, is_spoilt)) continue;
      ++kill.asked;
      const CaseResult r = asked.ask(*c, &wrong.fault());
      if (r.status == CellStatus::internal_error) {
        kill.failed = fmt::format("{}: {}", c->path, r.reason);
      }
      if (r.status != CellStatus::fail) continue;
      if (kill.killers.empty()) kill.clause = r.clause;
      kill.killers.push_back(c);
      if (!options.all) break;
    }
    if (!options.all && !kill.killers.empty()) {
      const auto at =
          std::find(order.begin(), order.end(), kill.killers.front());
      std::rotate(order.begin(), at, at + 1);
    }
    out.kills.push_back(std::move(kill));
  }
  return out;
}

}  // namespace assay::harness::faults
