#include "harness/subject/arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace assay::harness {
namespace {

// Four vectors of 512 bits: what a kernel that ignores its tail writes.
constexpr std::int64_t kFence = 256;
constexpr std::byte kFenceByte{0xc3};

// A file up to so many times as long as needed keeps its pages: clearing them
// is cheaper than having both sides fault them in again.
constexpr std::int64_t kKept = 4;

// An element that no kernel returns by accident: a quiet NaN with a payload,
// or a byte pattern that is no bool.
std::uint64_t poison_of(DType t) {
  switch (t) {
    case DType::f64:
      return 0x7ff8a5a5a5a5a5a5u;
    case DType::f32:
      return 0x7fc5a5a5u;
    case DType::f16:
      return 0x7ea5u;
    case DType::bf16:
      return 0x7fe5u;
    default:
      return 0xa5a5a5a5a5a5a5a5u;
  }
}

std::string segment_name(bool output, int index) {
  return fmt::format("{} {}", output ? "output" : "input", index);
}

}  // namespace

Arena::Arena(const std::vector<Tensor>& inputs,
             const std::vector<TensorType>& outputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    add(false, static_cast<int>(i), inputs[i].type, inputs[i].offset);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    add(true, static_cast<int>(i),
        TensorType::contiguous(outputs[i].dtype, outputs[i].sizes), 0);
  }
  const std::int64_t last = segments_.empty() ? 0 : segments_.back().end;
  constexpr std::int64_t kPage = 4096;
  image_.assign(static_cast<std::size_t>(align_up(last + kFence, kPage)),
                kFenceByte);
  for (const Segment& s : segments_) {
    if (s.output) {
      poison(s);
    } else {
      fill(s, inputs[static_cast<std::size_t>(s.index)]);
    }
  }
}

Arena::Segment& Arena::add(bool output, int index, const TensorType& type,
                           std::int64_t offset) {
  const std::int64_t last = segments_.empty() ? 0 : segments_.back().end;
  const std::int64_t begin = align_up(last + kFence, kTensorAlignment);
  const std::int64_t width = size_bytes(type.dtype);
  segments_.push_back({output, index, begin,
                       begin + (offset + type.span()) * width,
                       Placed{type, begin + offset * width, offset}});
  return segments_.back();
}

void Arena::fill(const Segment& s, const Tensor& input) {
  const auto bytes = std::min(static_cast<std::size_t>(s.end - s.begin),
                              input.storage->size());
  if (bytes > 0) {
    std::memcpy(image_.data() + s.begin, input.storage->data(), bytes);
  }
}

void Arena::poison(const Segment& s) {
  const std::uint64_t pattern = poison_of(s.placed.type.dtype);
  const std::int64_t width = size_bytes(s.placed.type.dtype);
  for (std::int64_t at = s.begin; at < s.end; at += width) {
    std::memcpy(image_.data() + at, &pattern, static_cast<std::size_t>(width));
  }
}

Status Arena::write(SharedMemory* memory) const {
  memory->release_old();
  std::int64_t size = memory->file_size();
  if (size < end() || size > kKept * end()) {
    for (const std::int64_t bytes : {std::int64_t{0}, end()}) {
      Status sized = memory->resize(bytes);
      if (!sized) return sized;
    }
    size = end();
  }
  Status mapped = memory->map(size);
  if (!mapped) return mapped;
  std::memcpy(memory->data(), image_.data(), image_.size());
  std::fill(memory->data() + end(), memory->data() + size, std::byte{0});
  return success();
}

Json Arena::list(bool output) const {
  Json out = Json::array();
  for (const Segment& s : segments_) {
    if (s.output == output) out.push_back(to_json(s.placed));
  }
  return out;
}

Json Arena::inputs_json() const { return list(false); }
Json Arena::outputs_json() const { return list(true); }

std::vector<std::string> Arena::breaches(const std::byte* now,
                                         const InputWrites& due) const {
  std::vector<std::string> found;
  const Segment* before = nullptr;
  std::int64_t at = 0;
  for (const Segment& s : segments_) {
    check_fence(now, at, s.begin, before, &s, &found);
    const auto first = static_cast<std::size_t>(s.begin);
    const auto size = static_cast<std::size_t>(s.end - s.begin);
    if (!s.output && !due.at(static_cast<std::size_t>(s.index)) && size > 0 &&
        std::memcmp(now + first, image_.data() + first, size) != 0) {
      found.push_back(fmt::format(
          "P3: {} was written to, though the program does not write to it",
          segment_name(s.output, s.index)));
    }
    before = &s;
    at = s.end;
  }
  check_fence(now, at, end(), before, nullptr, &found);
  return found;
}

void Arena::check_fence(const std::byte* now, std::int64_t begin,
                        std::int64_t end, const Segment* before,
                        const Segment* after,
                        std::vector<std::string>* found) const {
  const std::byte* const wrong = std::find_if(
      now + begin, now + end, [](std::byte b) { return b != kFenceByte; });
  const std::int64_t at = wrong - now;
  if (at == end) return;
  // Blamed on the nearer neighbour.
  if (before != nullptr && (after == nullptr || at - begin < end - at)) {
    found->push_back(fmt::format("P2: written {} bytes past the end of {}",
                                 at - begin + 1,
                                 segment_name(before->output, before->index)));
  } else if (after != nullptr) {
    found->push_back(fmt::format("P2: written {} bytes before the start of {}",
                                 end - at,
                                 segment_name(after->output, after->index)));
  } else {
    found->push_back("P2: written to memory that holds no tensor");
  }
}

std::vector<Tensor> Arena::outputs(const std::byte* now) const {
  return tensors(now, true);
}
std::vector<Tensor> Arena::inputs(const std::byte* now) const {
  return tensors(now, false);
}

std::vector<Tensor> Arena::tensors(const std::byte* now, bool output) const {
  std::vector<Tensor> out;
  for (const Segment& s : segments_) {
    if (s.output == output) {
      out.push_back(read_tensor(s.placed.type, now + s.placed.byte_offset));
    }
  }
  return out;
}

Tensor read_tensor(const TensorType& type, const std::byte* first) {
  Tensor t = Tensor::strided(type);
  if (!t.storage->empty()) {
    std::memcpy(t.storage->data(), first, t.storage->size());
  }
  return t;
}

}  // namespace assay::harness
