// The parts of AgentLoop that carry out what a run asks of it.
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "runner/agent/agent_loop.h"
#include "runner/agent/evidence.h"

namespace zs {
namespace {

constexpr int64_t kMs = 1'000'000;
// For the files of a login shell, and for looking at processes; both less where
// the lease is short, since meanwhile nothing else is heard or said.
constexpr int64_t kLoginShellMs = 10'000;
constexpr int64_t kEvidenceMs = 10'000;
// Of a lease: the runner takes an agent for lost that is quiet for 0.4 of it.
constexpr int64_t kQuietShare = 4;

}  // namespace

void AgentLoop::Start(const StartMsg& start) {
  if (stop_wanted_) {
    outbox_.Send(StartFailedMsg{start.id, "the node is being stopped"});
    return;
  }
  shared_memory_.NoteWhatIsThere();
  owned_.AddToken(start.token);
  on_token_(start.token);
  Result<Child> child = StartChild(start);
  if (!child.ok()) {
    outbox_.Send(StartFailedMsg{start.id, child.status().message()});
    return;
  }
  outbox_.Send(
      StartedMsg{start.id, child->pid(), UnixMicros(), child->in_effect()});
  ends_.record.Started(start.token, start.id, child->pid());
  children_.push_back(*std::move(child));
}

Result<Child> AgentLoop::StartChild(const StartMsg& start) {
  const LoginEnvironment* login = nullptr;
  if (start.login_shell != 0) {
    if (!login_) {
      login_ =
          ReadLoginEnvironment(static_cast<int>(PatienceMs(kLoginShellMs)));
    }
    RETURN_IF_ERROR(login_->status());
    login = &**login_;
  }
  return Child::Start(start, {owned_.join_fd(), owned_.MemoryEvents()}, login);
}

int64_t AgentLoop::PatienceMs(int64_t most_ms) const {
  return lease_ns_ == 0 ? most_ms
                        : std::min(most_ms, lease_ns_ / kMs / kQuietShare);
}

void AgentLoop::Answer(const QueryMsg& query) {
  if (query.name != "evidence") {
    outbox_.Send(facts_.Answer(query));
    return;
  }
  const int64_t ms = query.args.empty() ? 0 : std::atoll(query.args[0].c_str());
  outbox_.Send(
      AnswerMsg{query.seq, 1,
                Evidence(owned_.Members(),
                         std::clamp<int64_t>(ms, 0, PatienceMs(kEvidenceMs)))});
}

void AgentLoop::Signal(const SignalMsg& message) {
  const int signal = static_cast<int>(message.signal);
  if (message.id < 0) {
    owned_.Signal(signal);
    return;
  }
  for (const Child& child : children_) {
    // Not yet waited for, so the number is still its own.
    if (child.id() == message.id && child.running() && child.pid() > 1) {
      ::kill(-child.pid(), signal);
    }
  }
}

void AgentLoop::Stop(const StopMsg& message) {
  owned_.AddToken(message.token);
  stop_wanted_ = true;
  shared_memory_.Look(owned_.Members());
  teardown_.Begin(std::clamp<int64_t>(message.grace_ms, 0, 3'600'000),
                  running());
}

}  // namespace zs
