#include "harness/workers/approximate/recorded_device.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <set>

namespace assay::harness::worker {
namespace {

namespace fs = std::filesystem;

std::string names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code failed;
  for (const auto& e : fs::directory_iterator(folder, failed)) {
    if (e.is_directory()) names.insert(e.path().filename().string());
  }
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out.empty() ? "nothing" : out;
}

// "sm_90a" is sm_90's.
bool is_of(const std::string& target, const std::string& sm) {
  const std::size_t end = target.find_last_of("0123456789");
  return end != std::string::npos && target.substr(0, end + 1) == sm;
}

}  // namespace

fs::path recordings_folder() {
  const char* cache = std::getenv("ASSAY_CACHE");
  if (cache != nullptr && *cache != '\0')
    return fs::path(cache) / "approximate";
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr && *home != '\0' ? home : "/tmp") / ".cache" /
         "assay" / "approximate";
}

std::string recording_name(const std::string& gpu, const std::string& sm) {
  std::string name = gpu + "-" + sm;
  for (char& c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) == 0 && c != '_' && c != '.') c = '-';
  }
  return name;
}

Result<std::unique_ptr<RecordedDevice>> RecordedDevice::open(
    const fs::path& folder, const std::string& target) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    return Error{fmt::format(
        "{} has no recording of {} but of {}: make one on that GPU with "
        "`assay approximate`",
        folder.parent_path().string(), folder.filename().string(),
        names_in(folder.parent_path()))};
  }
  auto out = std::make_unique<RecordedDevice>();
  for (const auto& e : fs::directory_iterator(folder, failed)) {
    if (e.path().extension() != ".table") continue;
    Result<std::unique_ptr<Table>> table = Table::open(e.path());
    if (!table) return table.error();
    const TableHead& head = (*table)->head();
    const std::string sm = head.device.value("sm", "");
    if (!is_of(target, sm)) {
      return Error{fmt::format("{} was recorded on {}, and the target is {}",
                               e.path().string(), sm, target)};
    }
    if (out->tables_.empty()) out->device_ = head.device;
    if (out->device_ != head.device) {
      return Error{fmt::format(
          "{} was recorded on {}, other tables there on {}: record all on one",
          e.path().string(), head.device.dump(), out->device_.dump())};
    }
    const ApproximateInstruction& i = (*table)->instruction();
    out->tables_[{i.function, i.ftz}] = std::move(*table);
  }
  if (failed || out->tables_.empty()) {
    return Error{
        fmt::format("{} holds no table that can be read", folder.string())};
  }
  return out;
}

std::optional<std::uint64_t> RecordedDevice::find(ptx::Approximate function,
                                                  bool ftz, std::uint64_t a,
                                                  std::uint64_t) const {
  const auto table = tables_.find({function, ftz});
  if (table == tables_.end()) return std::nullopt;
  return table->second->find(a);
}

std::vector<std::string> RecordedDevice::instructions() const {
  std::vector<std::string> out;
  for (const auto& [key, table] : tables_) {
    out.emplace_back(table->instruction().name);
  }
  return out;
}

}  // namespace assay::harness::worker
