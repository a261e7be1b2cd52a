#include "harness/run/progress.h"

#include <fmt/format.h>

#include <cstdio>

namespace assay::harness {
namespace {

constexpr std::chrono::milliseconds kEvery{100};

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

Progress::Progress(std::size_t total, std::size_t done, bool enabled)
    : total_(total),
      done_(done),
      enabled_(enabled),
      begin_(std::chrono::steady_clock::now()),
      drawn_(begin_) {
  if (enabled_) draw();
}

Progress::~Progress() {
  if (enabled_) put("\r\x1b[K");
}

void Progress::add(const CaseResult& result) {
  ++done_;
  if (result.status >= CellStatus::flaky && !result.known) ++wrong_;
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - drawn_ < kEvery && done_ < total_) return;
  drawn_ = now;
  draw();
}

void Progress::print(const std::string& lines) {
  if (!enabled_ || lines.empty()) return;
  put("\r\x1b[K" + lines);
  draw();
}

void Progress::draw() {
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin_;
  put(fmt::format("\r\x1b[K{} of {} results, {} unlisted failures, {:.0f} s",
                  done_, total_, wrong_, took.count()));
}

}  // namespace assay::harness
