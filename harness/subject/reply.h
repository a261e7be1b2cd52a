// Reads a subject's replies, trusting nothing in them.
#ifndef ASSAY_HARNESS_SUBJECT_REPLY_H_
#define ASSAY_HARNESS_SUBJECT_REPLY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "harness/subject/child.h"
#include "harness/subject/observation.h"
#include "harness/subject/subject.h"
#include "harness/wire/wire.h"

namespace assay::harness {

struct HelloReply {
  std::string name, version, device;
  std::map<std::string, std::string> facts;
  bool slow_compile = false;
  bool allocates_outputs = true;
  bool writes_operands = true;  // where a program does
  Evidence evidence = Evidence::ran;
};

// The error is a breach of the protocol or the subject's own message. Names
// and identity are printed everywhere, so they are short and printable.
Result<HelloReply> read_hello(const Json& reply);

// "inductor@2.15.0+numerics=strict/cpu"
std::string column_name(const HelloReply& hello, const SubjectConfig& config);

// The observation of an exchange that gave no "ok": true; nothing otherwise.
// `phase` names the request where the reply does not.
std::optional<Observation> failed(const Exchange& exchange,
                                  const std::string& phase);

// "P1: ..." if the reply's control register shows a leak.
std::optional<std::string> leaked_control(const Json& reply,
                                          const std::string& phase);

// "P2: ..." and "P4: ...": what a subject says that the compiled code did to
// memory which only the subject sees.
std::vector<std::string> read_breaches(const Json& reply);

// "M1: ..." where an output of a run's reply has a negative size, as some of
// PyTorch's kernels return them. Such a tensor has no elements to be read.
std::optional<std::string> negative_sizes(const Json& reply);

// The tensors of a run's reply: all inside [scratch, file_size).
Result<std::vector<Placed>> read_outputs(const Json& reply,
                                         std::int64_t scratch,
                                         std::int64_t file_size);
// How `outputs` lay when the program returned them; empty where the subject
// does not say.
Result<std::vector<ReturnedLayout>> read_layouts(
    const Json& reply, const std::vector<Placed>& outputs);
// What a subject that runs nothing says of the code.
std::vector<std::string> read_lint(const Json& reply);
// By what a compiled or refused program was lowered; untold where the reply
// says nothing.
Result<Lowering> read_lowering(const Json& reply);
// What else the program might have returned: as many tensors each as `count`.
Result<std::vector<std::vector<Placed>>> read_alternatives(
    const Json& reply, std::size_t count, std::int64_t scratch,
    std::int64_t file_size);
// The instructions that decide which; never empty where there are any.
std::vector<std::string> read_depends_on(const Json& reply);

// "M1: ..." where an output has more elements than any program here returns:
// a stride of 0 needs no memory, and reading its elements all of it.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 30;
std::optional<std::string> oversized(const std::vector<Placed>& outputs);

// "M1: ..." where results are not of the number or types that were due.
std::vector<std::string> metadata_breaches(
    const std::vector<Tensor>& outputs, const std::vector<TensorType>& expected,
    std::size_t count);

Observation malformed(std::string detail);
Observation not_run(std::string detail);

// An option as it travels: SubjectConfig holds JSON texts, and plain words
// for strings.
Json option_json(const std::string& value);
Json options_json(const std::map<std::string, std::string>& options);

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_SUBJECT_REPLY_H_
