#include "harness/reduce/search.h"

#include <set>
#include <utility>

#include "core/program_text.h"
#include "core/writes.h"
#include "harness/reduce/passes.h"
#include "suite/language/bind/bind_program.h"

namespace assay::harness {
namespace {

constexpr Pass kPasses[] = {
    offer_outputs, offer_steps, offer_operands,  offer_sizes,
    offer_ranks,   offer_types, offer_arguments, offer_elements,
};

class Search {
 public:
  Search(const Candidate& start, const Examined& first,
         const language::SpecSet& specs, Examiner& examiner,
         const SearchLimits& limits, const Progress& progress)
      : specs_(specs),
        examiner_(examiner),
        limits_(limits),
        progress_(progress),
        examined_(first) {
    best_.candidate = start;
    best_.telling = first.telling;
    types_ = types_of(start, specs).value_or(std::vector<TensorType>{});
    best_.weight = weigh(start, types_);
    seen_.insert(fnv1a(text_of(start)));
  }

  // Passes make room for one another, so all are tried again until none finds
  // anything.
  Reduced run() {
    bool found = true;
    while (found && !over_) {
      found = false;
      for (const Pass pass : kPasses) found = sweep(pass) || found;
    }
    best_.complete = !over_;
    return best_;
  }

 private:
  // Offers of one pass, until none of them is taken. After one was taken the
  // next sweep goes on from there: what failed just before it will mostly fail
  // again, and the last round of all passes leaves nothing out.
  bool sweep(Pass pass) {
    bool any = false;
    std::size_t resume = 0;
    for (bool taken = true; taken && !over_;) {
      taken = false;
      std::size_t position = 0;
      const Candidate from = best_.candidate;
      const std::vector<TensorType> types = types_;
      const Examined examined = examined_;
      pass({from, types, examined, examiner_}, [&](const Make& make) {
        if (position++ < resume) return false;
        const std::optional<Candidate> made = make();
        taken = made && take(*made);
        return taken || over_;
      });
      any = any || taken;
      resume = position == 0 ? 0 : position - 1;
    }
    return any;
  }

  // Makes the candidate the best one if it is smaller and fails.
  bool take(const Candidate& offered) {
    Candidate c = pruned(offered);
    std::optional<std::vector<TensorType>> types = types_of(c, specs_);
    if (!types) return false;
    const Weight weight = weigh(c, *types);
    if (!(weight < best_.weight)) return false;
    if (!seen_.insert(fnv1a(text_of(c))).second) return false;
    if (best_.trials >= limits_.trials || (limits_.stop && limits_.stop())) {
      over_ = true;
      return false;
    }
    ++best_.trials;
    const Examined examined = examiner_.examine(c, best_.telling);
    if (!examined.fails || (best_.telling && !examined.telling)) return false;
    best_.candidate = std::move(c);
    best_.weight = weight;
    best_.telling = examined.telling;
    types_ = std::move(*types);
    examined_ = examined;
    if (progress_) progress_(best_);
    return true;
  }

  const language::SpecSet& specs_;
  Examiner& examiner_;
  const SearchLimits& limits_;
  const Progress& progress_;
  Reduced best_;
  std::vector<TensorType> types_;  // of the best one's values
  Examined examined_;              // of the best one
  std::set<std::uint64_t> seen_;   // hashes of texts
  bool over_ = false;
};

}  // namespace

Reduced search(const Candidate& start, const Examined& first,
               const language::SpecSet& specs, Examiner& examiner,
               const SearchLimits& limits, const Progress& progress) {
  return Search(start, first, specs, examiner, limits, progress).run();
}

std::optional<std::vector<TensorType>> types_of(
    const Candidate& c, const language::SpecSet& specs) {
  if (c.outputs.empty() || c.nodes.empty()) return std::nullopt;
  const Program program = program_of(c);
  if (misused_value(program)) return std::nullopt;
  const Result<language::ProgramTypes> types =
      language::type_program(specs, program, inputs_of(c));
  if (!types) return std::nullopt;
  // What is undecided here the oracle decides.
  if (types->refused != c.must_raise && !types->undecided) return std::nullopt;
  return types->types;
}

}  // namespace assay::harness
