// The agent's loop: takes messages from stdin, starts and watches processes,
// sends what they print and how they end to stdout.
#ifndef RUNNER_AGENT_AGENT_LOOP_H_
#define RUNNER_AGENT_AGENT_LOOP_H_

#include <poll.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/descriptor.h"
#include "runner/agent/child.h"
#include "runner/agent/message.h"
#include "runner/agent/outbox.h"
#include "runner/agent/owned_processes.h"
#include "runner/agent/teardown.h"

namespace zs {

// Runs on one thread and must be the only one to wait for children of this
// process. IN and OUT are not owned.
class AgentLoop {
 public:
  struct Ends {
    int in = 0;
    int out = 1;
    int signals = -1;  // a signalfd for SIGCHLD, SIGTERM and SIGINT
  };

  // ON_TOKEN hears of each token before the first process that bears it starts.
  AgentLoop(Ends ends, OwnedProcesses& owned, const Clock& clock,
            std::function<void(const std::string&)> on_token);

  // Until the runner is gone (end of stdin, lost lease), says garbage, or this
  // process is told to end; all that is owned has then been ended. The exit
  // status: 0, or 1 where a process could not be removed.
  int Run();

 private:
  void Poll();
  int TimeoutMs() const;
  void ReadRequests();
  void Handle(const Message& message);
  void Start(const StartMsg& start);
  void Signal(const SignalMsg& message);
  void Stop(const StopMsg& message);
  void Write();
  void TakeSignals();
  void Reap();
  void AdvanceTeardown();
  void CheckLease();
  // The runner is gone: everything ends, and then the agent.
  void Leave(const std::string& why);
  int running() const;

  Ends ends_;
  OwnedProcesses& owned_;
  const Clock& clock_;
  std::function<void(const std::string&)> on_token_;
  FrameDecoder decoder_;
  Outbox outbox_;
  Teardown teardown_;
  std::vector<Child> children_;
  bool stop_wanted_ = false;  // a StoppedMsg is owed
  bool leaving_ = false;
  bool finished_ = false;
  int64_t lease_ns_ = 0;
  int64_t heard_ns_ = 0;  // when the runner was last heard
};

}  // namespace zs

#endif  // RUNNER_AGENT_AGENT_LOOP_H_
