// How a subject in this process writes: what calls, and who has the results,
// see of storage that a call has written into.
#ifndef ASSAY_HARNESS_FAULTS_MEMORY_H_
#define ASSAY_HARNESS_FAULTS_MEMORY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/program.h"
#include "core/result.h"
#include "core/tensor.h"
#include "core/writes.h"
#include "suite/language/model/fault_spec.h"

namespace assay::harness::faults {

class Memory {
 public:
  // The right results of a call of these tensors, which it names by their
  // numbers; as many as are asked for.
  using Apply = std::function<Result<std::vector<Tensor>>(
      const Node&, const std::vector<Tensor>&, std::size_t)>;

  // What goes wrong with what calls of `aten` write, or return.
  struct Wrong {
    std::string aten = {};
    language::WrongWrite writes = language::WrongWrite::none;
    language::WrongMemory memory = language::WrongMemory::none;
  };
  Memory(const Program& program, Wrong wrong, Apply apply);

  // The value as `reader` sees it, a later value or value_count().
  Tensor seen(int value, int reader, const std::vector<Tensor>& values) const;
  // Takes in the last of `values`.
  Status follow(std::vector<Tensor>* values);

 private:
  using Places = std::vector<std::int64_t>;

  Places places_of(int value, const std::vector<Tensor>& values) const;
  Status follow_view(int id, const std::vector<Tensor>& values);
  void write(int id, const std::vector<Tensor>& values,
             std::map<int, Tensor>* contents) const;
  void clear_beside(int operand, const std::vector<Tensor>& values,
                    Tensor* contents) const;
  void show_earlier(int root, std::vector<Tensor>* values) const;

  const Program& program_;
  Wrong wrong_;
  Apply apply_;
  Storages storages_;
  std::map<int, Places> places_;  // of views, in what made the storage
  // By the value that made a storage: what it holds, and what calls see of it.
  std::map<int, Tensor> contents_, shown_;
};

}  // namespace assay::harness::faults

#endif  // ASSAY_HARNESS_FAULTS_MEMORY_H_
