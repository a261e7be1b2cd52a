#include "harness/run/interrupt.h"

#include <signal.h>
#include <unistd.h>

namespace assay::harness {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr int kExitIncomplete = 3;

extern "C" void on_stop_signal(int) {
  if (interrupted.exchange(true)) _exit(kExitIncomplete);
  static constexpr char kText[] =
      "\nassay: stopping after the cases in flight; again to stop at once\n";
  // Nothing can be done if it fails.
  if (::write(STDERR_FILENO, kText, sizeof kText - 1) < 0) return;
}

// A handler, not SIG_IGN, because that would be inherited by our workers.
extern "C" void on_failed_write(int) {}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  handle(SIGINT, on_stop_signal);
  handle(SIGTERM, on_stop_signal);
  handle(SIGHUP, on_stop_signal);
  handle(SIGPIPE, on_failed_write);
  handle(SIGXFSZ, on_failed_write);
}

const std::atomic<bool>& interrupt_flag() { return interrupted; }

}  // namespace assay::harness
