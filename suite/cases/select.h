// Choice of a small varied subset.
#ifndef ASSAY_SUITE_CASES_SELECT_H_
#define ASSAY_SUITE_CASES_SELECT_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace assay::cases {

struct Candidate {
  std::string key;  // unique; decides between equals by its hash
  std::vector<std::pair<std::string, int>> features;  // name, weight
  int bonus = 0;  // how telling it is in itself
};

// At most `limit` candidates, by greedy cover: the next one is always the one
// with the greatest weight of features not seen yet, plus its bonus. Without
// `fill` it ends when nothing new is left; with it the rest is taken too.
// Depends on the candidates' keys and features, not on their order.
std::vector<std::size_t> select_varied(const std::vector<Candidate>& all,
                                       std::size_t limit, bool fill);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_SELECT_H_
