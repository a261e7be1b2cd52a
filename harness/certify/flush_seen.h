// Over all cases: does a product flush subnormal numbers as consistently as a
// declaration promises?
#ifndef ASSAY_HARNESS_CERTIFY_FLUSH_SEEN_H_
#define ASSAY_HARNESS_CERTIFY_FLUSH_SEEN_H_

#include <map>
#include <string>

#include "harness/certify/objections.h"
#include "harness/certify/records_check.h"

namespace assay::harness {

class FlushSeen {
 public:
  void add(const JudgedCase& judged);

  // Operations that flush in some cases of a dtype and not in others.
  void tell(Objections* out) const;
  // "subnormal numbers are flushed in 12 of 30 cases that show it"
  std::string summary() const;

 private:
  struct Seen {
    std::size_t kept = 0, flushed = 0;
    std::string kept_in, flushed_in;  // the first case of each
  };
  std::map<std::string, Seen> seen_;  // by operation and dtypes of its results
};

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_CERTIFY_FLUSH_SEEN_H_
