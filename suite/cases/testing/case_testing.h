// What the tests of cases share: specs under suite/testdata, and the
// requirements of a program evaluated apart from the code under test.
#ifndef ASSAY_SUITE_CASES_TESTING_CASE_TESTING_H_
#define ASSAY_SUITE_CASES_TESTING_CASE_TESTING_H_

#include <string>
#include <vector>

#include "suite/cases/expand/expand.h"
#include "suite/language/model/spec.h"

namespace assay::cases {

// The specs in `dir` (from the source root); a failure where it does not load.
const language::SpecSet& specs_of(const std::string& dir);
// Their expansion, made once; of the project's own specs it takes half a
// minute.
const Expansion& expansion_of(const std::string& dir);
// By case of it: is it a standard one by quota, whatever the quick profile
// names?
const std::vector<bool>& standard_by_quota(const std::string& dir);
// That of one row alone, made once.
const Expansion& expansion_of_row(const std::string& dir,
                                  const std::string& row);

const Case* find_case(const Expansion& e, const std::string& path);
// Of the row that the path begins with.
const Case* find_case(const std::string& dir, const std::string& path);

// Every requirement of every node that can be evaluated and does not hold, as
// "bmm/E4". Nodes behind a refused one are not looked at. `undecided` is set
// where one reads elements that the program computes.
std::vector<std::string> broken_promises(const language::SpecSet& specs,
                                         const Case& c, bool* undecided);

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_TESTING_CASE_TESTING_H_
