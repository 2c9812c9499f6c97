#include "runner/cli/signals.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace zs {
namespace {

// What a handler may touch; signals leave no other way than globals.
struct SignalState {
  std::atomic<StopSource*> stop = nullptr;
  std::atomic<bool> stop_after = false;
  std::atomic<int> interrupts = 0;
  std::atomic<int> signal = 0;
};

SignalState& State() {
  static SignalState state;
  return state;
}

void Say(std::string_view text) {
  // Nothing can be done where stderr is gone.
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, text.data(), text.size());
}

void OnSignal(int signal) {
  SignalState& state = State();
  if (signal == SIGUSR1) {
    state.stop_after = true;
    Say("\nrunner: asked to stop after this experiment\n");
    return;
  }
  state.signal = signal;
  StopSource* stop = state.stop;
  if (signal != SIGINT) {
    stop->Stop(StopKind::kGently);
    return;
  }
  switch (++state.interrupts) {
    case 1:
      state.stop_after = true;
      Say("\nrunner: stopping after this experiment; press Ctrl-C again to "
          "stop it now\n");
      break;
    case 2:
      Say("\nrunner: stopping this experiment\n");
      stop->Stop(StopKind::kGently);
      break;
    default:
      Say("\nrunner: killing this experiment\n");
      stop->Stop(StopKind::kNow);
  }
}

}  // namespace

SignalWatch::SignalWatch(StopSource& stop) {
  State().stop = &stop;
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    ::sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

SignalWatch::~SignalWatch() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    std::signal(signal, SIG_DFL);
  }
  State().stop = nullptr;
}

const std::atomic<bool>& SignalWatch::stop_after() const {
  return State().stop_after;
}

int SignalWatch::signal() const {
  return State().signal;
}

}  // namespace zs
