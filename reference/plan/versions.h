// What storage holds when. A call that writes into a tensor writes into what
// its base and its other views hold, too: each value that is read afterwards
// has a version, whose elements are elements of other values, the last that
// were written there.
#ifndef ASSAY_REFERENCE_PLAN_VERSIONS_H_
#define ASSAY_REFERENCE_PLAN_VERSIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "core/writes.h"
#include "reference/plan/nest.h"

namespace assay::reference {

class Versions {
 public:
  struct Element {
    int value = 0;
    std::int64_t element = 0;
  };

  explicit Versions(const Program& program)
      : program_(&program), storages_(program) {}

  // What `value` is for the reader, a later value, and at the end: `value`
  // itself, or the id of a version, from value_count() on. Requires that what
  // comes before is followed.
  int seen(int value, int reader, const Shape& sizes);
  int seen(int value, const Shape& sizes) {
    return seen(value, program_->value_count(), sizes);
  }
  // Takes in the next node, which reads what `seen` says. An error where it is
  // no view of single elements, writes to one twice, or reads one that it
  // writes for another.
  Status follow(const Nest& nest);

  bool is_version(int id) const { return id >= program_->value_count(); }
  const std::vector<Element>& elements(int version) const {
    return versions_[static_cast<std::size_t>(version -
                                              program_->value_count())];
  }
  // An id beside those of versions for elements that lie in no value: bytes of
  // `value`, or of a version, as elements of another type.
  int hold(int value, Tensor elements);
  const Tensor* held(int id) const {
    const auto found = held_.find(id);
    return found == held_.end() ? nullptr : &found->second;
  }
  // The value whose contents at the end a value or version is, if there is one:
  // of others nobody has observed anything.
  std::optional<int> at_end(int id) const;

 private:
  using Elements = std::vector<Element>;

  Elements places_of(int value, const Shape& sizes) const;
  Result<Elements> view_of(const Nest& nest) const;
  // Does another operand share elements with what is written, and not all of
  // them in their order?
  bool overlaps(const Nest& nest, int operand, const Elements& written) const;

  const Program* program_;
  Storages storages_;
  // Of views, and of what a call that wrote returned: where its elements lie in
  // the value that made the storage.
  std::map<int, Elements> places_;
  // By the value that made a storage, what it holds, up to where it was written
  // to: the last that was.
  std::map<int, Elements> contents_;
  std::vector<Elements> versions_;
  std::vector<std::pair<int, int>> made_of_;  // by version: value, last write
  std::map<std::pair<int, int>, int> ids_;    // by the same
  std::map<int, Tensor> held_;                // by id
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_PLAN_VERSIONS_H_
