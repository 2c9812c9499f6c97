#include "engine/train/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/signal_name.h"
#include "engine/api/event.h"
#include "engine/api/exit_code.h"

namespace zs {
namespace {

constexpr unsigned kGrace_s = 5;

// The globals that signal handlers can reach.
volatile sig_atomic_t caught = 0;
std::array<char, 512> last_line;  // what a handler writes before it ends
size_t last_line_size = 0;

void Catch(int signal) {
  caught = signal;
  ::alarm(kGrace_s);
}

void EndNow(int) {
  [[maybe_unused]] const ssize_t n =
      ::write(STDOUT_FILENO, last_line.data(), last_line_size);
  ::_exit(static_cast<int>(EngineExit::kCancelled));
}

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void CatchStopSignals(int rank) {
  const auto exit = static_cast<int>(EngineExit::kCancelled);
  const std::string line =
      EventLine(ErrorEvent{rank, std::string(EngineExitName(exit)),
                           "stopped by a signal while waiting"}) +
      "\n";
  last_line_size = std::min(line.size(), last_line.size());
  std::copy_n(line.begin(), last_line_size, last_line.begin());
  Handle(SIGTERM, Catch);
  Handle(SIGINT, Catch);
  Handle(SIGALRM, EndNow);
  ::signal(SIGPIPE, SIG_IGN);
}

Status StopRequested() {
  return caught == 0 ? OkStatus()
                     : CancelledError("stopped by " + SignalName(caught));
}

}  // namespace zs
