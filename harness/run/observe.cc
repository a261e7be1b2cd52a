#include "harness/run/observe.h"

#include <algorithm>
#include <chrono>

#include "harness/judge/coherence.h"
#include "harness/judge/judge.h"
#include "harness/run/rows.h"
#include "reference/golden/admits.h"

namespace assay::harness {
namespace {

constexpr std::chrono::milliseconds kDeadline{300'000};

bool returned_whole(const PreparedCase& p, const Observed& o) {
  return o.observation.kind == Observation::Kind::returned && !p.golden.error &&
         metadata_fault(p.golden, o.observation.outputs).empty();
}

void add(std::vector<Place>* places, Place place, std::size_t limit) {
  if (places->size() < limit &&
      std::find(places->begin(), places->end(), place) == places->end()) {
    places->push_back(place);
  }
}

void add_disagreements(const std::vector<const Observed*>& whole,
                       std::size_t limit, std::vector<Place>* places) {
  if (whole.size() < 2) return;
  const auto first = components(whole[0]->observation.outputs);
  for (const Observed* o : whole) {
    const auto other = components(o->observation.outputs);
    for (std::size_t k = 0; k < first.size(); ++k) {
      for (std::int64_t i = 0; i < first[k].numel(); ++i) {
        if (!same_element(first[k].dtype(), first[k].bits(i),
                          other[k].bits(i))) {
          add(places, {static_cast<int>(k), i}, limit);
        }
      }
    }
  }
}

}  // namespace

Observation not_promised() {
  Observation o;
  o.kind = Observation::Kind::unsupported;
  o.detail = "the column promises values, and not to refuse what PyTorch does";
  return o;
}

Observed observe(const PreparedCase& p, const std::string& column,
                 Executor& executor, bool needs_types,
                 const Adjudicator& adjudicator) {
  Observed out;
  out.column = column;
  const Result<Identity> identity = executor.identify();
  const bool asked = p.source->must_raise.empty() || !identity ||
                     promises_errors(identity->facts);
  out.observation = asked
                        ? executor.run(p.source->program, p.inputs,
                                       needs_types ? expected_types(p.golden)
                                                   : std::vector<TensorType>{},
                                       kDeadline)
                        : not_promised();
  if (identity && promises_rows(identity->facts) && adjudicator.specs()) {
    ask_rows(*adjudicator.specs(), p.source->program, p.inputs, needs_types,
             kDeadline, executor, &out.observation);
  }
  out.result = adjudicator.result(p, out.observation);
  out.result.column = column;
  return out;
}

std::vector<Place> places_of_interest(const PreparedCase& p,
                                      const std::vector<Observed>& observed,
                                      const Adjudicator& adjudicator,
                                      std::size_t limit) {
  std::vector<Place> places;
  std::vector<const Observed*> whole;
  Place nearest;
  double most = -1;
  for (const Observed& o : observed) {
    if (!returned_whole(p, o)) continue;
    whole.push_back(&o);
    const Result<reference::Golden> golden =
        adjudicator.golden_for(p, o.observation);
    if (!golden) continue;
    for (const WrongElement& w :
         worst_elements(*golden, o.observation.outputs, 2)) {
      add(&places, {w.output, w.element}, limit);
    }
    for (std::size_t k = 0; k < golden->outputs.size(); ++k) {
      const Tensor got = components(o.observation.outputs[k]);
      for (std::int64_t i = 0; i < got.numel(); ++i) {
        const double e =
            reference::error_over_bound(golden->outputs[k], i, got.bits(i));
        if (e > most) {
          most = e;
          nearest = {static_cast<int>(k), i};
        }
      }
    }
  }
  add_disagreements(whole, limit, &places);
  if (places.empty() && !p.golden.error) {
    for (std::size_t k = 0; k < p.golden.outputs.size() && most < 0; ++k) {
      if (!p.golden.outputs[k].elements.empty()) {
        add(&places, {static_cast<int>(k), 0}, limit);
      }
    }
    if (most >= 0) add(&places, nearest, limit);
  }
  return places;
}

}  // namespace assay::harness
