// Ctrl-C and friends: once, the experiment at hand is finished; twice, it is
// stopped now. SIGUSR1 (`runner stop`): the experiment at hand is finished.
#ifndef RUNNER_CLI_SIGNALS_H_
#define RUNNER_CLI_SIGNALS_H_

#include <atomic>

#include "runner/supervise/stop_source.h"

namespace zs {

// While it lives, SIGINT, SIGTERM and SIGHUP of this process are requests to
// stop, and SIGPIPE is ignored. One at a time.
class SignalWatch {
 public:
  // STOP outlives it.
  explicit SignalWatch(StopSource& stop);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // Set by the first SIGINT and by SIGUSR1: start no further experiment.
  const std::atomic<bool>& stop_after() const;

  // The signal that asked to stop, 0 where none did; SIGUSR1 is none, since it
  // ends a sweep in good order.
  int signal() const;
};

}  // namespace zs

#endif  // RUNNER_CLI_SIGNALS_H_
