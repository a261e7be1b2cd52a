// The records of exhaustive sweeps in a folder, as a page shows them.
#ifndef ASSAY_HARNESS_RECORDED_SWEEP_FOLDER_H_
#define ASSAY_HARNESS_RECORDED_SWEEP_FOLDER_H_

#include <filesystem>
#include <vector>

#include "core/result.h"
#include "harness/report/page.h"
#include "suite/language/model/spec.h"

namespace assay::harness {

// In name order; other files are passed over. What the specs do not know any
// more is shown without clause and values.
Result<std::vector<PageSweep>> read_sweeps(const std::filesystem::path& folder,
                                           const language::SpecSet& specs);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_RECORDED_SWEEP_FOLDER_H_
