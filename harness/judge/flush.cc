#include "harness/judge/flush.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include "core/float_bits.h"
#include "harness/judge/judge.h"
#include "reference/golden/element_ranges.h"

namespace assay::harness {
namespace {

using reference::ElementRange;
using reference::ElementSet;

// The numbers of `t` next to its subnormal ones, as positions in their order.
struct Gap {
  std::int64_t above;  // the smallest normal number
  std::int64_t below;  // that of the other sign
};

std::optional<Gap> gap_of(DType t) {
  if (!is_float(t) || !float_format(t).has_negative_zero()) {
    return std::nullopt;
  }
  std::int64_t above = 1;
  if (!is_subnormal_bits(t, from_ordinal(t, above))) return std::nullopt;
  // Subnormal numbers are as many as significands: halve the way to infinity.
  std::int64_t last = above;
  std::int64_t beyond = ordinal(t, largest_bits(t));
  while (beyond - last > 1) {
    const std::int64_t middle = last + (beyond - last) / 2;
    (is_subnormal_bits(t, from_ordinal(t, middle)) ? last : beyond) = middle;
  }
  // -0 is -1, so that -x is at -1 - x.
  return Gap{beyond, -1 - beyond};
}

// Ordinals of the range's values once they are flushed.
void flush_range(std::int64_t lo, std::int64_t hi, const Gap& gap, DType t,
                 std::vector<ElementRange>* out) {
  const auto add = [&](std::int64_t from, std::int64_t to) {
    if (from <= to)
      out->push_back({from_ordinal(t, from), from_ordinal(t, to)});
  };
  add(lo, std::min(hi, gap.below));
  if (lo <= -1 && hi > gap.below) add(-1, -1);
  if (hi >= 0 && lo < gap.above) add(0, 0);
  add(std::max(lo, gap.above), hi);
}

void flush_output(reference::GoldenOutput* out) {
  const DType t = out->type.dtype;
  const auto gap = gap_of(t);
  if (!gap) return;
  for (std::size_t i = 0; i < out->elements.size(); ++i) {
    ElementSet& set = out->elements[i];
    if (!set.has_values || set.unspecified) continue;
    std::vector<ElementRange> ranges;
    for (const ElementRange& r : reference::ranges_of(set)) {
      flush_range(ordinal(t, r.lo), ordinal(t, r.hi), *gap, t, &ranges);
    }
    reference::put_ranges(t, std::move(ranges), &set);
    // Zero is where the value was; the bound reaches what is admitted now.
    const double smallest = decode_float(t, from_ordinal(t, gap->above));
    if (std::fabs(out->exact[i]) < smallest) {
      out->exact[i] = std::copysign(0.0, out->exact[i]);
      out->bound[i] = std::max(out->bound[i], smallest);
    }
  }
}

bool does_well(const CaseResult& r) {
  return r.status == CellStatus::pass ||
         r.status == CellStatus::quality_warning;
}

struct Reading {
  const PreparedCase* prepared;
  bool flush_results;
};

}  // namespace

reference::Golden flushed(const reference::Golden& golden) {
  reference::Golden out = golden;
  for (reference::GoldenOutput& o : out.outputs) flush_output(&o);
  return out;
}

std::optional<std::vector<Tensor>> without_subnormals(
    const std::vector<Tensor>& inputs) {
  std::vector<Tensor> out = inputs;
  bool any = false;
  for (Tensor& whole : out) {
    if (!is_float(component(whole.dtype()))) continue;
    // A copy of a tensor shares its storage.
    whole.storage = std::make_shared<std::vector<std::byte>>(*whole.storage);
    Tensor t = components(whole);
    const std::int64_t n = t.numel();
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t bits = t.bits(i);
      if (!is_subnormal_bits(t.dtype(), bits)) continue;
      t.set_bits(i, bits & sign_bit_mask(t.dtype()));
      any = true;
    }
  }
  if (!any) return std::nullopt;
  return out;
}

FlushJudgement judge_flush(const PreparedCase& prepared, const Observation& o,
                           const Flush& flush, const Adjudicator& adjudicator,
                           const language::SpecSet& specs) {
  FlushJudgement out{adjudicator.result(prepared, o), Flushing::unseen};
  if (o.kind != Observation::Kind::returned || !o.alternatives.empty() ||
      !prepared.fault.empty() || prepared.golden.error) {
    return out;
  }
  const bool kept = does_well(out.result);
  if (!kept && out.result.status != CellStatus::fail) return out;
  cases::Case zeroed;
  std::unique_ptr<PreparedCase> prepared_zeroed;
  std::vector<Reading> readings;
  if (flush.results) readings.push_back({&prepared, true});
  if (auto inputs =
          flush.operands ? without_subnormals(prepared.inputs) : std::nullopt) {
    zeroed = *prepared.source;
    zeroed.make_inputs = [inputs] { return *inputs; };
    prepared_zeroed = adjudicator.prepare(zeroed);
    readings.push_back({prepared_zeroed.get(), false});
    if (flush.results) readings.push_back({prepared_zeroed.get(), true});
  }
  bool otherwise = readings.empty();  // right as one who flushes, too
  for (const Reading& r : readings) {
    const PreparedCase& edition = adjudicator.edition(*r.prepared, o);
    const Result<reference::Golden> golden = adjudicator.golden_for(edition, o);
    if (!golden || golden->error) continue;
    CaseResult result =
        judge(*edition.source, edition.inputs,
              r.flush_results ? flushed(*golden) : *golden, o, &specs);
    if (!does_well(result)) continue;
    if (!kept) return {std::move(result), Flushing::flushed};
    otherwise = true;
  }
  if (kept && !otherwise) out.seen = Flushing::kept;
  return out;
}

}  // namespace assay::harness
