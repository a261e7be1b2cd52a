// The tables of one device as the PTX machine takes them.
#ifndef ASSAY_HARNESS_WORKERS_APPROXIMATE_RECORDED_DEVICE_H_
#define ASSAY_HARNESS_WORKERS_APPROXIMATE_RECORDED_DEVICE_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "harness/workers/approximate/table.h"
#include "ptx/numbers/approximate.h"

namespace assay::harness::worker {

// ${ASSAY_CACHE:-~/.cache/assay}/approximate, a folder for each device.
std::filesystem::path recordings_folder();

// "NVIDIA H100 80GB HBM3", "sm_90": NVIDIA-H100-80GB-HBM3-sm_90.
std::string recording_name(const std::string& gpu, const std::string& sm);

class RecordedDevice : public ptx::RecordedResults {
 public:
  // All tables of a folder, which are one device's and of the target's
  // generation ("sm_90a"). The error says what there is instead.
  static Result<std::unique_ptr<RecordedDevice>> open(
      const std::filesystem::path& folder, const std::string& target);

  std::optional<std::uint64_t> find(ptx::Approximate function, bool ftz,
                                    std::uint64_t a,
                                    std::uint64_t b) const override;

  const nlohmann::json& device() const { return device_; }
  std::vector<std::string> instructions() const;

 private:
  nlohmann::json device_;
  std::map<std::pair<ptx::Approximate, bool>, std::unique_ptr<Table>> tables_;
};

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_APPROXIMATE_RECORDED_DEVICE_H_
