#include "harness/goldens/golden_bytes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

namespace assay::harness {
namespace {

using reference::ElementRange;
using reference::ElementSet;
using reference::Golden;
using reference::GoldenError;
using reference::GoldenOutput;

static_assert(std::endian::native == std::endian::little,
              "what one machine writes another may read");

// The flags of an element, a bit each.
enum Flag : unsigned char {
  kHasValues = 1,
  kNan = 2,
  kAnyZeroSign = 4,
  kUnspecified = 8,
  kUndecided = 16
};

unsigned char flags_of(const ElementSet& e) {
  return static_cast<unsigned char>(
      (e.has_values ? kHasValues : 0) | (e.nan ? kNan : 0) |
      (e.any_zero_sign ? kAnyZeroSign : 0) |
      (e.unspecified ? kUnspecified : 0) | (e.undecided ? kUndecided : 0));
}

class Writer {
 public:
  void word(std::uint64_t value, std::size_t width = 8) {
    char raw[8];
    std::memcpy(raw, &value, sizeof raw);
    out_.append(raw, width);
  }
  void text(const std::string& s) {
    word(s.size());
    out_ += s;
  }
  void texts(const std::vector<std::string>& list) {
    word(list.size());
    for (const std::string& s : list) text(s);
  }
  // value(i) of all i below `count`; said once where all are the same.
  template <class Value>
  void column(std::size_t count, std::size_t width, const Value& value) {
    bool same = true;
    for (std::size_t i = 1; same && i < count; ++i) same = value(i) == value(0);
    word(same ? 1 : 0, 1);
    const std::size_t said = same ? std::min<std::size_t>(count, 1) : count;
    for (std::size_t i = 0; i < said; ++i) word(value(i), width);
  }
  void doubles(const std::vector<double>& list) {
    word(list.size());
    column(list.size(), 8, [&](std::size_t i) {
      return std::bit_cast<std::uint64_t>(list[i]);
    });
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// After the first thing that is not there all is zero, and ok() says so.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

  std::uint64_t word(std::size_t width = 8) {
    std::uint64_t value = 0;
    if (!has(width)) return 0;
    std::memcpy(&value, rest_.data(), width);
    rest_.remove_prefix(width);
    return value;
  }
  // A number of things that take a byte each, at the least.
  std::size_t count() {
    const std::uint64_t n = word();
    return has(n) ? static_cast<std::size_t>(n) : 0;
  }
  std::string text() {
    const std::size_t n = count();
    std::string s(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return s;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> list(count());
    for (std::string& s : list) s = text();
    return list;
  }
  template <class Take>
  void column(std::size_t count, std::size_t width, const Take& take) {
    const bool same = word(1) != 0;
    if (count == 0) return;
    if (!same && !has(count * width)) return;
    std::uint64_t value = same ? word(width) : 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!same) value = word(width);
      take(i, value);
    }
  }
  // `most` elements, or none.
  std::vector<double> doubles(std::size_t most) {
    const std::uint64_t n = word();
    if (n != 0 && n != most) ok_ = false;
    if (!ok_) return {};
    std::vector<double> list(static_cast<std::size_t>(n));
    column(list.size(), 8, [&](std::size_t i, std::uint64_t bits) {
      list[i] = std::bit_cast<double>(bits);
    });
    return list;
  }

 private:
  bool has(std::uint64_t bytes) {
    ok_ = ok_ && bytes <= rest_.size();
    return ok_;
  }

  std::string_view rest_;
  bool ok_ = true;
};

void put_pieces(const GoldenOutput& out, std::size_t width, Writer* w) {
  const auto in_pieces = static_cast<std::uint64_t>(
      std::count_if(out.elements.begin(), out.elements.end(),
                    [](const ElementSet& e) { return e.pieces != nullptr; }));
  w->word(in_pieces);
  for (std::size_t i = 0; i < out.elements.size(); ++i) {
    if (out.elements[i].pieces == nullptr) continue;
    w->word(i);
    w->word(out.elements[i].pieces->size());
    for (const ElementRange& r : *out.elements[i].pieces) {
      w->word(r.lo, width);
      w->word(r.hi, width);
    }
  }
}

void take_pieces(Reader* r, std::size_t width, GoldenOutput* out) {
  const std::size_t in_pieces = r->count();
  for (std::size_t k = 0; k < in_pieces && r->ok(); ++k) {
    const std::uint64_t at = r->word();
    std::vector<ElementRange> ranges(r->count());
    for (ElementRange& range : ranges) {
      range.lo = r->word(width);
      range.hi = r->word(width);
    }
    if (at >= out->elements.size()) continue;
    out->elements[static_cast<std::size_t>(at)].pieces =
        std::make_shared<const std::vector<ElementRange>>(std::move(ranges));
  }
}

void put_output(const GoldenOutput& out, Writer* w) {
  const auto width = static_cast<std::size_t>(size_bytes(out.type.dtype));
  const std::size_t n = out.elements.size();
  const auto element = [&](std::size_t i) -> const ElementSet& {
    return out.elements[i];
  };
  w->word(static_cast<std::uint64_t>(out.type.dtype), 1);
  w->word(out.is_complex ? 1 : 0, 1);
  w->word(out.type.sizes.size(), 1);
  for (const std::int64_t s : out.type.sizes) {
    w->word(static_cast<std::uint64_t>(s));
  }
  w->texts(out.clauses);
  w->word(n);
  w->column(n, width, [&](std::size_t i) { return element(i).lo; });
  w->column(n, width, [&](std::size_t i) { return element(i).hi; });
  w->column(n, 1, [&](std::size_t i) { return flags_of(element(i)); });
  w->column(n, 2, [&](std::size_t i) { return element(i).clause; });
  put_pieces(out, width, w);
  w->doubles(out.exact);
  w->doubles(out.bound);
  w->doubles(out.tree);
  w->doubles(out.spread);
}

// More elements than any case has.
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 28;

bool take_output(Reader* r, GoldenOutput* out) {
  const std::uint64_t dtype = r->word(1);
  if (dtype >= kAllDTypes.size()) return false;
  out->is_complex = r->word(1) != 0;
  Shape sizes(static_cast<std::size_t>(r->word(1)));
  for (std::int64_t& s : sizes) s = static_cast<std::int64_t>(r->word());
  std::uint64_t due = 1;
  for (const std::int64_t s : sizes) {
    if (s < 0 || static_cast<std::uint64_t>(s) > kMostElements) return false;
    due *= static_cast<std::uint64_t>(s);
    if (due > kMostElements) return false;
  }
  out->type = TensorType::contiguous(static_cast<DType>(dtype), sizes);
  out->clauses = r->texts();
  if (r->word() != due || !r->ok()) return false;
  const auto width = static_cast<std::size_t>(size_bytes(out->type.dtype));
  const auto n = static_cast<std::size_t>(due);
  out->elements.resize(n);
  r->column(n, width, [&](std::size_t i, auto v) { out->elements[i].lo = v; });
  r->column(n, width, [&](std::size_t i, auto v) { out->elements[i].hi = v; });
  r->column(n, 1, [&](std::size_t i, std::uint64_t v) {
    ElementSet& e = out->elements[i];
    e.has_values = (v & kHasValues) != 0;
    e.nan = (v & kNan) != 0;
    e.any_zero_sign = (v & kAnyZeroSign) != 0;
    e.unspecified = (v & kUnspecified) != 0;
    e.undecided = (v & kUndecided) != 0;
  });
  bool named = true;
  r->column(n, 2, [&](std::size_t i, std::uint64_t v) {
    out->elements[i].clause = static_cast<std::uint16_t>(v);
    named = named && v < std::max<std::size_t>(out->clauses.size(), 1);
  });
  take_pieces(r, width, out);
  out->exact = r->doubles(n);
  out->bound = r->doubles(n);
  out->tree = r->doubles(n);
  out->spread = r->doubles(n);
  return r->ok() && named && out->exact.size() == n && out->bound.size() == n;
}

}  // namespace

std::string golden_to_bytes(const Golden& golden) {
  Writer w;
  w.word(static_cast<std::uint64_t>(golden.precision));
  w.word(golden.error ? 1 : 0, 1);
  if (golden.error) {
    w.text(golden.error->clause);
    w.texts(golden.error->raises);
    w.text(golden.error->message);
    w.text(golden.error->phase);
  }
  w.word(golden.outputs.size());
  for (const GoldenOutput& out : golden.outputs) put_output(out, &w);
  return w.take();
}

std::optional<Golden> golden_from_bytes(std::string_view bytes) {
  Reader r(bytes);
  Golden golden;
  golden.precision = static_cast<int>(r.word());
  if (r.word(1) != 0) {
    GoldenError& e = golden.error.emplace();
    e.clause = r.text();
    e.raises = r.texts();
    e.message = r.text();
    e.phase = r.text();
  }
  golden.outputs.resize(r.count());
  for (GoldenOutput& out : golden.outputs) {
    if (!take_output(&r, &out)) return std::nullopt;
  }
  if (!r.at_end()) return std::nullopt;
  return golden;
}

}  // namespace assay::harness
