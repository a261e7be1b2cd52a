#include "compiler/text/cuda/cuda_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/nest/needed.h"
#include "compiler/text/ceil_div.h"
#include "compiler/text/cuda/cuda_text.h"
#include "compiler/text/scalar.h"

namespace assay::compiler {
namespace {

// What a thread loads of a tensor, at most: 16 bytes are one instruction. With
// functions to compute, more points at a time have more to do side by side and
// share constants.
constexpr std::int64_t kPackBytes = 16, kPackBytesOfFunctions = 32;
constexpr std::int64_t kMostPoints = 16;
// Points of a tile along either variable, and along the one of which a thread
// has several; the least that is worth a tile.
constexpr std::int64_t kTile = 32;
constexpr std::int64_t kTileThreads = kThreadsPerBlock / kTile;
constexpr std::int64_t kLeastTiled = 16;
constexpr std::size_t kMostTiles = 4;  // 34 KiB of f64

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool has_functions(const LoopKernel& k) {
  return std::any_of(k.values.begin(), k.values.end(), [](const Value& v) {
    return v.kind == Value::Kind::apply && !info(v.op).math.empty();
  });
}

}  // namespace

void CudaPoints::no_points() {
  width_ = 1;
  packs_.clear();
  tiles_.clear();
}

void CudaPoints::plan_points(const LoopKernel& k, const Touched& touched) {
  no_points();
  if (k.has_row || k.outer.empty() || defect() == Defect::tail_off_by_one) {
    return;
  }
  for (const int b : touched.read) {
    if (touched.written.count(b) != 0) return;
  }
  find_tiles(k);
  if (is_tiled()) return;
  const std::int64_t most =
      has_functions(k) ? kPackBytesOfFunctions : kPackBytes;
  for (std::int64_t width = kMostPoints; width > 1; width /= 2) {
    if (k.outer.back() % width != 0) continue;
    std::vector<Pack> packs = find_packs(k, k.outer.size() - 1, width);
    if (packs.empty() || !are_within(packs, width, most)) continue;
    width_ = width;
    packs_ = std::move(packs);
    return;
  }
}

std::vector<CudaPoints::Pack> CudaPoints::find_packs(const LoopKernel& k,
                                                     std::size_t variable,
                                                     std::int64_t width) const {
  std::vector<Pack> packs;
  const auto add = [&](int buffer, const IndexExpr& place, bool stored) {
    if (buffer >= 0 &&
        moves(place, static_cast<int>(variable), width) == Moves::by_one &&
        !place_of(packs, buffer, place)) {
      packs.push_back({buffer, place, stored});
    }
  };
  const std::vector<bool> needed = needed_by_any(k);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const Value& v = k.values[i];
    if (needed[i] && v.kind == Value::Kind::load) add(v.buffer, v.at, false);
  }
  for (const Stage& s : k.stages) add(s.buffer, s.at, true);
  return packs;
}

bool CudaPoints::are_within(const std::vector<Pack>& packs, std::int64_t width,
                            std::int64_t bytes) const {
  return std::all_of(packs.begin(), packs.end(), [&](const Pack& p) {
    return width * size_bytes(nest().buffers[at(p.buffer)].type.dtype) <= bytes;
  });
}

// Loads that are apart along the last variable and neighbours along another.
void CudaPoints::find_tiles(const LoopKernel& k) {
  const std::size_t last = k.outer.size() - 1;
  if (!fits_int(k) || k.outer[last] < kLeastTiled) return;
  const std::vector<bool> needed = needed_by_any(k);
  for (std::size_t d = 0; d < last && tiles_.empty(); ++d) {
    if (k.outer[d] < kLeastTiled) continue;
    across_ = d;
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const Value& v = k.values[i];
      if (!needed[i] || v.kind != Value::Kind::load ||
          place_of(tiles_, v.buffer, v.at) ||
          moves(v.at, static_cast<int>(last), 1) != Moves::otherwise ||
          moves(v.at, static_cast<int>(d), 1) != Moves::by_one) {
        continue;
      }
      tiles_.push_back({v.buffer, v.at, false});
    }
  }
  if (tiles_.size() > kMostTiles) tiles_.resize(kMostTiles);
}

std::optional<std::size_t> CudaPoints::place_of(const std::vector<Pack>& packs,
                                                int b, const IndexExpr& at) {
  for (std::size_t p = 0; p < packs.size(); ++p) {
    if (packs[p].buffer == b && packs[p].at == at) return p;
  }
  return std::nullopt;
}

bool CudaPoints::is_tiled_along(const LoopKernel& k, std::size_t d) const {
  return d == across_ || d + 1 == k.outer.size();
}

std::int64_t CudaPoints::blocks_along(const LoopKernel& k,
                                      std::size_t d) const {
  return is_tiled_along(k, d) ? ceil_div(k.outer[d], kTile) : k.outer[d];
}

std::int64_t CudaPoints::tile_count(const LoopKernel& k) const {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < k.outer.size(); ++d) count *= blocks_along(k, d);
  return count;
}

// The block's place along each variable: of the two of a tile, where it begins.
void CudaPoints::number_tile(const LoopKernel& k) {
  std::int64_t inner = 1;
  for (std::size_t d = k.outer.size(); d-- > 0;) {
    const bool tiled = is_tiled_along(k, d);
    const std::int64_t count = blocks_along(k, d);
    lines().line(fmt::format("const int {}{} = (int)blockIdx.x{} % {}{};",
                             tiled ? "first_" : "", index_name(d),
                             inner > 1 ? fmt::format(" / {}", inner) : "",
                             count, tiled ? fmt::format(" * {}", kTile) : ""));
    inner *= count;
  }
}

void CudaPoints::open_tile(const LoopKernel& k, std::size_t along,
                           std::size_t across) {
  lines().line("#pragma unroll");
  lines().open(
      fmt::format("for (int u = 0; u < {}; u += {}) {{", kTile, kTileThreads));
  lines().line(
      fmt::format("const int {0} = first_{0} + x;", index_name(along)));
  lines().line(
      fmt::format("const int {0} = first_{0} + y + u;", index_name(across)));
  lines().line(fmt::format(
      "if (a_beyond({}, {}) || a_beyond({}, {})) continue;", index_name(along),
      k.outer[along], index_name(across), k.outer[across]));
}

void CudaPoints::tiled_points(const LoopKernel& k) {
  const std::size_t last = k.outer.size() - 1;
  number_tile(k);
  lines().line(fmt::format("const int x = (int)threadIdx.x % {};", kTile));
  lines().line(fmt::format("const int y = (int)threadIdx.x / {};", kTile));
  for (std::size_t p = 0; p < tiles_.size(); ++p) {
    // One place more, so that a column lies in as many banks as it has places.
    const DType t = nest().buffers[at(tiles_[p].buffer)].type.dtype;
    lines().line(fmt::format("__shared__ {} tile{}[{}][{}];", storage_type(t),
                             p, kTile, kTile + 1));
  }
  open_tile(k, across_, last);
  for (std::size_t p = 0; p < tiles_.size(); ++p) {
    lines().line(
        fmt::format("tile{}[y + u][x] = {};", p,
                    NestText::element(tiles_[p].buffer, tiles_[p].at)));
  }
  lines().close();
  lines().line("a_shared_written();");
  open_tile(k, last, across_);
  const std::vector<bool> needed = needed_by_any(k);
  in_tiles_ = true;
  values(k, needed);
  for (const Stage& s : k.stages) store(k, s, name(s.value));
  in_tiles_ = false;
  lines().close();
}

std::string CudaPoints::pack_type(const Pack& p, std::int64_t width) const {
  return fmt::format("a_pack<{}, {}>",
                     storage_type(nest().buffers[at(p.buffer)].type.dtype),
                     width);
}

std::string CudaPoints::element(int b, const IndexExpr& at) {
  const auto packed = in_packs_ ? place_of(packs_, b, at) : std::nullopt;
  if (packed) return fmt::format("p{}.e[u]", *packed);
  const auto tiled = in_tiles_ ? place_of(tiles_, b, at) : std::nullopt;
  if (tiled) return fmt::format("tile{}[x][y + u]", *tiled);
  return NestText::element(b, at);
}

void CudaPoints::points(const LoopKernel& k) {
  const std::vector<bool> needed = needed_by_any(k);
  if (width_ == 1) {
    values(k, needed);
    for (const Stage& s : k.stages) store(k, s, name(s.value));
    return;
  }
  need("packs");
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    const std::string type = pack_type(packs_[p], width_);
    const std::string place =
        packs_[p].stored
            ? ""
            : fmt::format(" = *(const {}*)&{}", type,
                          NestText::element(packs_[p].buffer, packs_[p].at));
    lines().line(fmt::format("{} p{}{};", type, p, place));
  }
  const std::string& last = index_name(k.outer.size() - 1);
  lines().line(fmt::format("const {} first = {};", index_type_, last));
  lines().line("#pragma unroll");
  lines().open(fmt::format("for (int u = 0; u < {}; ++u) {{", width_));
  lines().line(fmt::format("const {} {} = first + u;", index_type_, last));
  lines().line(fmt::format("(void){};", last));
  in_packs_ = true;
  values(k, needed);
  for (const Stage& s : k.stages) store(k, s, name(s.value));
  in_packs_ = false;
  lines().close();
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    if (!packs_[p].stored) continue;
    lines().line(fmt::format("*({}*)&{} = p{};", pack_type(packs_[p], width_),
                             NestText::element(packs_[p].buffer, packs_[p].at),
                             p));
  }
}

}  // namespace assay::compiler
