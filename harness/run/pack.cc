#include "harness/run/pack.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/program_text.h"
#include "harness/judge/show.h"

namespace assay::harness {
namespace {

constexpr std::size_t kPackNodes = 240;
// A pack ends after about one spec in so many.
constexpr std::uint64_t kSpecsTogether = 12;
constexpr std::int64_t kPackElements = 1 << 20;

std::int64_t elements(const cases::Case& c) {
  std::int64_t n = 0;
  for (const TensorType& t : c.program.inputs) n += element_count(t.sizes);
  return n;
}

// A rough measure; only its order of magnitude counts.
double weight(const std::vector<const cases::Case*>& cases,
              const std::vector<std::size_t>& unit) {
  double sum = 0;
  for (const std::size_t i : unit) {
    double constants = 0;
    for (const Tensor& t : cases[i]->program.constants) {
      constants += static_cast<double>(t.numel());
    }
    sum += (static_cast<double>(elements(*cases[i])) + constants + 100) *
           static_cast<double>(cases[i]->program.nodes.size() + 1);
  }
  return sum;
}

std::string_view spec_name(const cases::Case& c) {
  return std::string_view(c.path).substr(0, c.path.find('/'));
}

// A pack holds the cases of a few specs, since a compiler's call costs more
// than the code of a case. Where it ends is decided by the name of the spec
// before, not by counting: a change of one spec then leaves the programs of
// all but its neighbours as they were, and in the compiler's cache.
bool ends_pack(const cases::Case& last, const cases::Case& next) {
  const std::string_view spec = spec_name(last);
  return spec != spec_name(next) && fnv1a(spec) % kSpecsTogether == 0;
}

bool can_be_packed(const cases::Case& c) {
  return c.packable && c.must_raise.empty();
}

std::string failure_of(const Observation& o) {
  switch (o.kind) {
    case Observation::Kind::returned:
      return o.breaches.empty()
                 ? "returned the wrong number of outputs"
                 : fmt::format("{}", fmt::join(o.breaches, "; "));
    case Observation::Kind::raised:
      return fmt::format("raised {}: {}", o.error.exception, o.error.message);
    case Observation::Kind::crashed:
      return fmt::format("crashed: {}", o.detail);
    case Observation::Kind::malformed:
      return fmt::format("broke the protocol: {}", o.detail);
    case Observation::Kind::linted:
    case Observation::Kind::unsupported:
    case Observation::Kind::timed_out:
    case Observation::Kind::out_of_memory:
    case Observation::Kind::not_run:
    case Observation::Kind::device_lost:
      break;
  }
  return o.detail;
}

// A program of thirty cases may be too large or too slow without any of them
// being wrong: packing them was our choice. And a remark on its code is one on
// some of them.
bool is_our_doing(const Observation& o) {
  return o.kind == Observation::Kind::unsupported ||
         o.kind == Observation::Kind::linted ||
         o.kind == Observation::Kind::timed_out ||
         o.kind == Observation::Kind::out_of_memory;
}

// How a result of one case in a pack lay. `before` inputs of other cases come
// before its own `count`, and the storages of inputs have their numbers.
ReturnedLayout layout_alone(ReturnedLayout packed, std::int64_t before,
                            std::int64_t count) {
  if (packed.storage == kStorageUntold) return packed;
  const std::int64_t own = packed.storage - before;
  const bool is_own_input = 0 <= own && own < count;
  packed.storage = is_own_input ? own : packed.storage + count;
  return packed;
}

}  // namespace

std::vector<std::vector<std::size_t>> make_packs(
    const std::vector<const cases::Case*>& cases, bool slow) {
  std::vector<std::vector<std::size_t>> packs;
  std::vector<std::size_t> open;
  std::size_t nodes = 0;
  std::int64_t size = 0;
  const auto close = [&] {
    if (!open.empty()) packs.push_back(std::move(open));
    open.clear();
    nodes = 0;
    size = 0;
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const cases::Case& c = *cases[i];
    if (!slow || !can_be_packed(c)) {
      packs.push_back({i});
      continue;
    }
    const std::size_t more = c.program.nodes.size();
    const bool ends = !open.empty() && ends_pack(*cases[open.back()], c);
    if (open.size() == kPackLimit || nodes + more > kPackNodes ||
        size + elements(c) > kPackElements || ends) {
      close();
    }
    open.push_back(i);
    nodes += more;
    size += elements(c);
  }
  close();
  // Heavy ones first, so that no thread is left with one at the end; the
  // others stay in path order.
  constexpr double kHeavy = 1e6;
  std::stable_sort(packs.begin(), packs.end(),
                   [&](const auto& a, const auto& b) {
                     const double wa = weight(cases, a);
                     const double wb = weight(cases, b);
                     return (wa > kHeavy ? wa : 0) > (wb > kHeavy ? wb : 0);
                   });
  return packs;
}

std::vector<Observation> unpack(const Observation& packed,
                                const std::vector<const cases::Case*>& cases) {
  std::vector<Observation> out;
  std::size_t at = 0;
  std::int64_t inputs_before = 0;
  for (const cases::Case* c : cases) {
    const auto inputs = static_cast<std::int64_t>(c->program.inputs.size());
    Observation one;
    one.kind = packed.kind;
    one.torch = packed.torch;
    one.flush = packed.flush;
    one.seconds = packed.seconds / static_cast<double>(cases.size());
    one.evidence = packed.evidence;
    one.lowering = packed.lowering;
    one.remarks = packed.remarks;
    one.depends_on = packed.depends_on;
    // Which of them this case needs is not known.
    if (cases.size() > 1 && packed.depends_on.size() > 1) {
      one.depends_on = {
          fmt::format("some of {}", fmt::join(packed.depends_on, ", "))};
    }
    one.alternatives.resize(packed.alternatives.size());
    const bool returned = packed.kind == Observation::Kind::returned;
    for (std::size_t k = 0; returned && k < c->program.outputs.size();
         ++k, ++at) {
      one.outputs.push_back(packed.outputs[at]);
      if (!packed.layouts.empty()) {
        one.layouts.push_back(
            layout_alone(packed.layouts[at], inputs_before, inputs));
      }
      for (std::size_t a = 0; a < packed.alternatives.size(); ++a) {
        one.alternatives[a].push_back(packed.alternatives[a][at]);
      }
    }
    inputs_before += inputs;
    out.push_back(std::move(one));
  }
  return out;
}

bool conforms(const CaseResult& r) {
  switch (r.status) {
    case CellStatus::pass:
    case CellStatus::quality_warning:
    case CellStatus::hardware:
    case CellStatus::mistrusted:
      return true;
    case CellStatus::internal_error:
      return r.clause != "P0";  // ours, not the subject's
    default:
      return false;
  }
}

CaseResult flaky_result(const CaseResult& good, const CaseResult& bad,
                        const std::string& difference) {
  CaseResult r = bad;
  r.status = CellStatus::flaky;
  r.failure = FailureClass::none;
  r.seconds = good.seconds + bad.seconds;
  r.reason = one_line(fmt::format("{} {}: {}", status_name(bad.status),
                                  difference, bad.reason));
  return r;
}

FailedPack::FailedPack(std::vector<std::size_t> cases, Observation observation)
    : observation_(std::move(observation)),
      description_(fmt::format("a program of {} cases that begins with this "
                               "one {}",
                               cases.size(), failure_of(observation_))),
      first_(cases.front()),
      remaining_(cases.size()),
      explained_(is_our_doing(observation_)) {}

std::vector<Finding> FailedPack::part_failed(
    const std::vector<std::size_t>& cases) {
  explained_ = true;
  remaining_ -= cases.size();
  return close_if_complete();
}

std::vector<Finding> FailedPack::settle(Finding finding) {
  if (!conforms(finding.result)) explained_ = true;
  --remaining_;
  std::vector<Finding> out;
  if (finding.case_index == first_) {
    withheld_ = std::move(finding);
  } else {
    out.push_back(std::move(finding));
  }
  for (Finding& f : close_if_complete()) out.push_back(std::move(f));
  return out;
}

std::vector<Finding> FailedPack::close_if_complete() {
  if (remaining_ > 0 || !withheld_) return {};
  Finding f = std::move(*withheld_);
  withheld_.reset();
  if (!explained_) {
    f.result.status = CellStatus::flaky;
    f.result.reason = one_line(fmt::format(
        "{}; in smaller programs all of them do well", description_));
    Observation whole = observation_;
    whole.outputs.clear();
    f.observations.push_back(std::move(whole));
  }
  std::vector<Finding> out;
  out.push_back(std::move(f));
  return out;
}

}  // namespace assay::harness
