// What a fuzzing run found: every failure once, reduced to its smallest
// program and written as a spec, with a count of those like it.
#ifndef ASSAY_HARNESS_FUZZ_FINDINGS_H_
#define ASSAY_HARNESS_FUZZ_FINDINGS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/fuzz/column.h"
#include "harness/judge/adjudicate.h"
#include "harness/reduce/failure.h"
#include "harness/reduce/search.h"

namespace assay::harness {

struct FuzzFinding {
  std::size_t column = 0;
  std::uint64_t number = 0;  // of the first program that shows it
  Failure failure;           // of the smallest program, if it was reduced
  std::string reason;
  std::set<std::string> ops;  // that the smallest program calls
  Candidate smallest;
  bool reduced = false;
  std::size_t times = 1;
  std::filesystem::path file;
};

struct FindingsSetup {
  const language::SpecSet& specs;
  const Adjudicator& adjudicator;
  const std::vector<FuzzColumn>& columns;
  std::uint64_t seed = 0;
  std::filesystem::path out;  // a folder that is there
  SearchLimits limits;
  double seconds = 120;  // for one reduction
};

class Findings {
 public:
  explicit Findings(FindingsSetup setup) : setup_(std::move(setup)) {}

  // A program that a column fails, not yet reduced. An error is a file that
  // could not be written.
  Status add(std::size_t column, std::uint64_t number, const Candidate& c,
             const CaseResult& result, const Observation& observation);
  // Two executions of one compiler that give different bits.
  Status add_difference(std::size_t column, std::uint64_t number,
                        const Candidate& c);

  const std::vector<FuzzFinding>& found() const { return found_; }
  // Failures of what `known` lists, by column and clause.
  const std::map<std::pair<std::size_t, std::string>, std::size_t>& known()
      const {
    return known_;
  }

 private:
  bool count_if_known(std::size_t column, const CaseResult& result,
                      const Candidate& c);
  bool count_if_like_another(const FuzzFinding& f);
  Status keep(FuzzFinding f);
  SearchLimits limits() const;
  void reduce(Examiner& examiner, FuzzFinding* f) const;

  FindingsSetup setup_;
  std::vector<FuzzFinding> found_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> known_;
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_FUZZ_FINDINGS_H_
