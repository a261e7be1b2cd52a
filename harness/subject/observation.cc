#include "harness/subject/observation.h"

namespace assay::harness {

TorchVersion followed_release(const std::map<std::string, std::string>& facts) {
  const auto fact = facts.find("torch");
  if (fact == facts.end()) return kDefaultTorch;
  return parse_torch_version(fact->second).value_or(kDefaultTorch);
}

Flush declared_flush(const std::map<std::string, std::string>& facts) {
  const auto fact = facts.find("declares");
  if (fact == facts.end()) return {};
  const auto has = [&](const char* word) {
    return fact->second.find(word) != std::string::npos;
  };
  return {has("flush_subnormals"), has("subnormals_are_zero")};
}

bool promises_errors(const std::map<std::string, std::string>& facts) {
  const auto fact = facts.find("promises");
  return fact == facts.end() ||
         fact->second.find("errors") != std::string::npos;
}

bool promises_rows(const std::map<std::string, std::string>& facts) {
  const auto fact = facts.find("promises");
  return fact != facts.end() && fact->second.find("rows") != std::string::npos;
}

}  // namespace assay::harness
