#include "harness/certify/flush_seen.h"

#include <fmt/format.h>

namespace assay::harness {
namespace {

std::string key_of(const JudgedCase& j) {
  std::string key = j.duty.source->spec;
  for (const Tensor& t : j.observations.front().observation.outputs) {
    key += fmt::format(" {}", dtype_name(t.dtype()));
  }
  return key;
}

}  // namespace

void FlushSeen::add(const JudgedCase& j) {
  if (j.flushing == Flushing::unseen) return;
  Seen& s = seen_[key_of(j)];
  const bool kept = j.flushing == Flushing::kept;
  if (++(kept ? s.kept : s.flushed) == 1) {
    (kept ? s.kept_in : s.flushed_in) = j.duty.source->path;
  }
}

void FlushSeen::tell(Objections* out) const {
  for (const auto& [key, s] : seen_) {
    if (s.kept == 0 || s.flushed == 0) continue;
    out->add(Objection::flush,
             fmt::format("{}: in {} cases and not in {} others", key, s.flushed,
                         s.kept),
             fmt::format("flushed in {}, kept in {}", s.flushed_in, s.kept_in));
  }
}

std::string FlushSeen::summary() const {
  std::size_t kept = 0, flushed = 0;
  for (const auto& [key, s] : seen_) {
    kept += s.kept;
    flushed += s.flushed;
  }
  return fmt::format(
      "subnormal numbers are flushed in {} of {} cases that "
      "show it",
      flushed, kept + flushed);
}

}  // namespace assay::harness
