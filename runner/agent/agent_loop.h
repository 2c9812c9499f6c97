// The agent's loop: takes messages from the runner, starts and watches
// processes, and tells what they print and how they end.
#ifndef RUNNER_AGENT_AGENT_LOOP_H_
#define RUNNER_AGENT_AGENT_LOOP_H_

#include <poll.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/descriptor.h"
#include "runner/agent/child.h"
#include "runner/agent/facts.h"
#include "runner/agent/link.h"
#include "runner/agent/login_environment.h"
#include "runner/agent/message.h"
#include "runner/agent/outbox.h"
#include "runner/agent/owned_processes.h"
#include "runner/agent/session.h"
#include "runner/agent/shared_memory.h"
#include "runner/agent/teardown.h"

namespace zs {

// Runs on one thread and must be the only one to wait for children of this
// process.
//
// Without a listener the end of the link is the end of all. With one, a link
// that breaks is waited for: what is to be told is kept, and the next link goes
// on with it, unless the lease runs out first.
class AgentLoop {
 public:
  struct Ends {
    Link link;            // none yet: one will come to the listener
    Descriptor listener;  // where other links come from; -1: nowhere
    SessionRecord record;
    int signals = -1;  // a signalfd for SIGCHLD, SIGTERM and SIGINT; not owned
  };

  // ON_TOKEN hears of each token before the first process that bears it starts.
  AgentLoop(Ends ends, OwnedProcesses& owned, const Clock& clock,
            std::function<void(const std::string&)> on_token);

  // Until the runner takes its leave, is gone, or says garbage, or this process
  // is told to end; all that is owned has then been ended. The exit
  // status: 0, or 1 where a process could not be removed.
  int Run();

 private:
  void Poll();
  int TimeoutMs() const;
  // A link that breaks, and one that takes its place.
  void LoseLink(const std::string& why);
  void Detach();
  void TakeLinkOf();
  void ReadRequests();
  void Handle(const Message& message);
  // Those that every link may bring, also while the agent leaves.
  bool HandleLinkMessage(const Message& message);
  void Open(const OpenMsg& open);
  void SayWhatArrived(size_t bytes);
  void Start(const StartMsg& start);
  Result<Child> StartChild(const StartMsg& start);
  // MOST_MS, or what the lease allows.
  int64_t PatienceMs(int64_t most_ms) const;
  void Answer(const QueryMsg& query);
  void Signal(const SignalMsg& message);
  void Stop(const StopMsg& message);
  void Write();
  void TakeSignals();
  void Reap();
  void AdvanceTeardown();
  void CheckLease();
  // The runner is gone: everything ends, and then the agent.
  void Leave(const std::string& why, int64_t grace_ms);
  int running() const;

  Ends ends_;
  OwnedProcesses& owned_;
  const Clock& clock_;
  std::function<void(const std::string&)> on_token_;
  FrameDecoder decoder_;
  Outbox outbox_;
  Teardown teardown_;
  SharedMemory shared_memory_;
  std::vector<Child> children_;
  // Of this run; an error is kept too, not waited for again by each rank.
  std::optional<Result<LoginEnvironment>> login_;
  Facts facts_;
  bool stop_wanted_ = false;  // a StoppedMsg is owed
  bool opened_ = false;       // the runner has said over this link what it has
  bool ever_opened_ = false;  // over any link
  bool claimed_ = false;      // by a run, whose runner would connect again
  bool said_bye_ = false;
  bool leaving_ = false;
  bool finished_ = false;
  int64_t lease_ns_ = 0;
  int64_t lease_grace_ms_ = 0;
  int64_t heard_ns_ = 0;     // when the runner was last heard
  int64_t received_ = 0;     // numbered messages of the runner
  size_t untold_bytes_ = 0;  // of these, since the runner was last told
};

}  // namespace zs

#endif  // RUNNER_AGENT_AGENT_LOOP_H_
