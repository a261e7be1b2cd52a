// The subject's side of docs/subject-protocol.md in C++: reads requests,
// dispatches them to a Handler, places results in shared memory, and reports
// the floating-point control register around every call (restoring it, so
// that a leak costs one case only).
#ifndef ASSAY_HARNESS_WORKERS_SERVE_H_
#define ASSAY_HARNESS_WORKERS_SERVE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/tensor.h"
#include "harness/wire/returned_layout.h"
#include "harness/wire/wire.h"

namespace assay::harness::worker {

// An answer with "ok": false.
struct Failure {
  // refused, unsupported, internal, out_of_memory, device_lost or died
  std::string kind;
  std::string message;
  std::string exception = {};
  std::vector<std::string> classes = {};
  std::string clause = {};
  std::string lowering = {};  // of a refusal: as Executable's
};

template <class T>
using Outcome = std::variant<T, Failure>;

// A tensor in shared memory: an input, or a place for an output.
struct Region {
  TensorType type;
  std::byte* data = nullptr;  // first element
  std::int64_t storage_offset = 0;
  std::int64_t byte_offset = 0;  // of `data` in the shared memory
};

// A result that is still the subject's own.
struct Produced {
  TensorType type;  // as the harness is to read it
  // Writes the elements, in the layout of `type`, to the place given.
  std::function<void(std::byte*)> write;
  // How it lay when the program returned it, where that is known.
  std::optional<ReturnedLayout> layout = std::nullopt;
};

// What the program may give on other hardware of the same target.
struct Alternatives {
  std::vector<std::string> depends_on;  // instructions whose bits are open
  std::vector<std::vector<Produced>> outputs;
};

class Executable {
 public:
  virtual ~Executable() = default;
  // `outputs` is empty for a subject that allocates its own; a subject that
  // does not writes there and returns nothing.
  virtual Outcome<std::vector<Produced>> run(
      const std::vector<Region>& inputs,
      const std::vector<Region>& outputs) = 0;
  // Of the last run; none where the program has one answer.
  virtual Alternatives take_alternatives() { return {}; }
  // What the last run did to memory that the harness does not see, a line
  // each: "P2: ..." or "P4: ..." (docs/subject-protocol.md).
  virtual std::vector<std::string> take_breaches() { return {}; }
  // What was found wrong with the code instead of executing it, a line each;
  // nothing where it was executed.
  virtual std::optional<std::vector<std::string>> lint() {
    return std::nullopt;
  }
  virtual std::optional<std::string> explain(const std::string& /*kind*/) {
    return std::nullopt;
  }
  // "hand" or "derived" (docs/subject-protocol.md); empty says nothing.
  virtual std::string lowering() { return {}; }
};

struct Hello {
  std::string name;
  std::string version;
  std::string device;
  Json identity = Json::object();
  bool slow_compile = false;
  bool allocates_outputs = true;
  bool writes_operands = true;
  std::string evidence = {};  // how far a pass is shown; empty: ran
  // docs/subject-protocol.md; empty: values and errors
  std::vector<std::string> promises = {};
};

class Handler {
 public:
  virtual ~Handler() = default;
  virtual Outcome<Hello> hello(const std::string& target,
                               const Json& options) = 0;
  virtual Outcome<std::unique_ptr<Executable>> compile(
      const std::string& program, const std::string& target,
      const Json& options) = 0;
};

struct Descriptors {
  int socket = -1;
  int shm = -1;
};

// Takes --socket-fd N and --shm-fd N out of the arguments; nothing and a
// message on standard error where they are not there.
std::optional<Descriptors> take_descriptors(std::vector<std::string>* args);

// Answers requests until quit or the end of the stream. The exit code.
int serve(const Descriptors& descriptors, Handler& handler);

}  // namespace assay::harness::worker

#endif  // ASSAY_HARNESS_WORKERS_SERVE_H_
