#include "engine/train/stop_signal.h"

#include <signal.h>

#include "base/signal_name.h"

namespace zs {
namespace {

// The one global: a signal handler can reach nothing else.
volatile sig_atomic_t caught = 0;

void Catch(int signal) {
  caught = signal;
}

}  // namespace

void CatchStopSignals() {
  struct sigaction action = {};
  action.sa_handler = Catch;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

Status StopRequested() {
  return caught == 0 ? OkStatus()
                     : CancelledError("stopped by " + SignalName(caught));
}

}  // namespace zs
