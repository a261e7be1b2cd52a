#include "harness/goldens/cached_source.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <utility>

#include "core/program_text.h"
#include "harness/goldens/golden_bytes.h"

namespace assay::harness {
namespace {

// Of the elements, row-major; the type is said beside it.
void add_elements(const Tensor& t, std::string* to) {
  const Tensor flat = t.contiguous();
  const auto bytes = static_cast<std::size_t>(flat.numel()) *
                     static_cast<std::size_t>(size_bytes(flat.dtype()));
  if (bytes == 0) return;
  to->append(reinterpret_cast<const char*>(flat.storage->data()) +
                 flat.offset * size_bytes(flat.dtype()),
             bytes);
}

std::string specs_of(const Program& program, const language::SpecSet& specs) {
  std::set<std::uint64_t> hashes;
  for (const Node& node : program.nodes) {
    for (const bool of_complex : {false, true}) {
      const language::OpSpec* op = specs.find_aten(node.op, of_complex);
      if (op != nullptr) hashes.insert(op->hash);
    }
  }
  std::string out;
  for (const std::uint64_t h : hashes) out += fmt::format("{:016x} ", h);
  return out;
}

}  // namespace

CachedGoldens::CachedGoldens(const GoldenSource& oracle,
                             const language::SpecSet& specs, std::string build,
                             std::filesystem::path folder, std::uint64_t limit,
                             double dear)
    : oracle_(oracle),
      specs_(specs),
      build_(std::move(build)),
      dear_(dear),
      store_(std::move(folder), limit) {}

CachedGoldens::~CachedGoldens() {
  if (stats_.kept > 0) store_.trim();
}

StoreKey CachedGoldens::key(const Program& program,
                            const std::vector<Tensor>& inputs,
                            const reference::OracleOptions& o) const {
  std::string text = fmt::format(
      "{}\n{}\n{} {} {} {} {}\n{}", build_, specs_of(program, specs_),
      static_cast<int>(o.numerics), to_string(o.torch), o.elided_casts,
      o.first_precision, o.last_precision, to_text(program));
  // The program says how many elements each input has.
  for (const Tensor& t : inputs) add_elements(t, &text);
  for (const auto& [value, t] : o.observed) {
    text += fmt::format("\n%{} {} {}\n", value, dtype_name(t.dtype()),
                        fmt::join(t.sizes(), ","));
    add_elements(t, &text);
  }
  return key_of(text);
}

Result<reference::Golden> CachedGoldens::golden(
    const Program& program, const std::vector<Tensor>& inputs,
    const reference::OracleOptions& options) const {
  const StoreKey at = key(program, inputs, options);
  if (const std::optional<std::string> bytes = store_.get(at)) {
    if (std::optional<reference::Golden> there = golden_from_bytes(*bytes)) {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++stats_.read;
      return std::move(*there);
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  Result<reference::Golden> made = oracle_.golden(program, inputs, options);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
  const bool dear = made && took.count() >= dear_;
  const Result<bool> kept =
      dear ? store_.put(at, golden_to_bytes(*made)) : Result<bool>(false);
  const std::lock_guard<std::mutex> lock(mutex_);
  ++stats_.made;
  if (kept && *kept) ++stats_.kept;
  if (!kept && stats_.fault.empty()) stats_.fault = kept.error().message;
  return made;
}

CachedGoldens::Stats CachedGoldens::stats() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stats_;
}

}  // namespace assay::harness
