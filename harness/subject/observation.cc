#include "harness/subject/observation.h"

namespace assay::harness {

TorchVersion followed_release(const std::map<std::string, std::string>& facts) {
  const auto fact = facts.find("torch");
  if (fact == facts.end()) return kDefaultTorch;
  return parse_torch_version(fact->second).value_or(kDefaultTorch);
}

}  // namespace assay::harness
