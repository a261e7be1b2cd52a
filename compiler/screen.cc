#include "compiler/screen.h"

#include <chrono>
#include <utility>

namespace assay::compiler {

Screen::Screen(int launches_before, std::function<Check()> compile)
    : launches_before_(launches_before), compile_(std::move(compile)) {}

bool Screen::passes(const std::vector<TensorRef>& inputs) {
  if (launches_before_ > 0) {
    --launches_before_;
    return false;
  }
  return is_there() && check_(inputs);
}

bool Screen::is_there() {
  if (compile_) {
    coming_ = std::async(std::launch::async, std::exchange(compile_, nullptr));
  }
  const auto now = std::chrono::seconds(0);
  if (coming_.valid() && coming_.wait_for(now) == std::future_status::ready) {
    check_ = coming_.get();
  }
  return static_cast<bool>(check_);
}

}  // namespace assay::compiler
