// The part of shared memory that the harness fills for one run: inputs, and
// outputs for subjects that do not allocate them, each fenced on both sides.
// Knows afterwards what was overwritten that should not have been.
#ifndef ASSAY_HARNESS_SUBJECT_ARENA_H_
#define ASSAY_HARNESS_SUBJECT_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "core/writes.h"
#include "harness/wire/shared_memory.h"
#include "harness/wire/wire.h"

namespace assay::harness {

class Arena {
 public:
  Arena(const std::vector<Tensor>& inputs,
        const std::vector<TensorType>& outputs);

  // Sets the file to this arena and zeros: what lay behind it is gone, so that
  // no subject can pass by leaving an earlier case's results in place.
  Status write(SharedMemory* memory) const;

  Json inputs_json() const;
  Json outputs_json() const;
  // Where a subject's own results begin.
  std::int64_t end() const { return static_cast<std::int64_t>(image_.size()); }

  // "P2: ..." for fences, "P3: ..." for inputs that `due` does not say are
  // written. One for each input.
  std::vector<std::string> breaches(const std::byte* now,
                                    const InputWrites& due) const;

  // As they are now.
  std::vector<Tensor> outputs(const std::byte* now) const;
  std::vector<Tensor> inputs(const std::byte* now) const;

 private:
  struct Segment {
    bool output;
    int index;
    std::int64_t begin, end;  // bytes of its storage
    Placed placed;
  };
  Segment& add(bool output, int index, const TensorType& type,
               std::int64_t offset);
  void fill(const Segment& s, const Tensor& input);
  void poison(const Segment& s);
  Json list(bool output) const;
  std::vector<Tensor> tensors(const std::byte* now, bool output) const;
  void check_fence(const std::byte* now, std::int64_t begin, std::int64_t end,
                   const Segment* before, const Segment* after,
                   std::vector<std::string>* found) const;

  std::vector<Segment> segments_;
  std::vector<std::byte> image_;
};

// A strided tensor read from shared memory.
Tensor read_tensor(const TensorType& type, const std::byte* first);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_ARENA_H_
