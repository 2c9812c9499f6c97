#include "runner/agent/agent_loop.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/signal_name.h"
#include "runner/agent/write_pieces.h"

namespace zs {
namespace {

constexpr int64_t kMs = 1'000'000;
// Of a flood, so that one process does not keep the others waiting.
constexpr size_t kReadAtOnceBytes = size_t{256} << 10;
// Where the runner is gone nobody waits for a polite end.
constexpr int64_t kLeaveGraceMs = 2000;
// Until the first message says how long the runner's lease is.
constexpr int64_t kFirstLeaseNs = 10'000 * kMs;
// Received without having said so, after which the runner may forget it.
constexpr size_t kSayAfterBytes = size_t{1} << 20;

}  // namespace

AgentLoop::AgentLoop(Ends ends, OwnedProcesses& owned, const Clock& clock,
                     std::function<void(const std::string&)> on_token)
    : ends_(std::move(ends)),
      owned_(owned),
      clock_(clock),
      on_token_(std::move(on_token)),
      outbox_(/*keep=*/ends_.listener.valid()),
      teardown_(owned, clock),
      lease_ns_(ends_.listener.valid() ? kFirstLeaseNs : 0),
      heard_ns_(clock.monotonic_ns()) {}

int AgentLoop::Run() {
  while (!finished_) {
    Poll();
    AdvanceTeardown();
    CheckLease();
    Write();
  }
  const bool clean = teardown_.report().left == 0;
  if (said_bye_ && clean) {
    ends_.record.Forget();
  }
  if (ends_.link.front.valid()) {
    (void)!::write(ends_.link.front.get(), &kFrontEnded, 1);
  }
  return clean ? 0 : 1;
}

void AgentLoop::Poll() {
  std::vector<pollfd> polled;
  polled.push_back({ends_.signals, POLLIN, 0});
  const bool deaf = leaving_ && !ends_.listener.valid();
  const bool mute = !opened_ || outbox_.pending().empty();
  polled.push_back({deaf ? -1 : ends_.link.in.get(), POLLIN, 0});
  polled.push_back({mute ? -1 : ends_.link.out.get(), POLLOUT, 0});
  polled.push_back({ends_.listener.get(), POLLIN, 0});
  const size_t first = polled.size();
  for (const Child& child : children_) {
    polled.push_back({child.fd(1), POLLIN, 0});
    polled.push_back({child.fd(2), POLLIN, 0});
  }
  if (::poll(polled.data(), polled.size(), TimeoutMs()) <= 0) {
    return;
  }
  for (size_t i = first; i < polled.size(); ++i) {
    if (polled[i].revents != 0) {
      children_[(i - first) / 2].Read(static_cast<int>((i - first) % 2) + 1,
                                      kReadAtOnceBytes, outbox_);
    }
  }
  // Last, since these change the list of children.
  if (polled[0].revents != 0) {
    TakeSignals();
  }
  if (polled[1].revents != 0) {
    ReadRequests();
  }
  if (polled[3].revents != 0) {
    TakeLinkOf();
  }
}

int AgentLoop::TimeoutMs() const {
  int64_t wake = INT64_MAX;
  if (teardown_.running()) {
    wake = teardown_.wake_ns();
  }
  if (lease_ns_ > 0 && !leaving_) {
    wake = std::min(wake, heard_ns_ + lease_ns_);
  }
  if (wake == INT64_MAX) {
    return -1;
  }
  const int64_t ms = (wake - clock_.monotonic_ns() + kMs - 1) / kMs;
  return static_cast<int>(std::clamp<int64_t>(ms, 0, 1'000'000));
}

void AgentLoop::LoseLink(const std::string& why) {
  if (ends_.listener.valid()) {
    Detach();
    if (claimed_) {
      return;
    }
  }
  outbox_.Discard();
  Leave(why, kLeaveGraceMs);
}

void AgentLoop::Detach() {
  if (ends_.link.front.valid()) {
    (void)!::write(ends_.link.front.get(), &kFrontDetached, 1);
  }
  ends_.link = Link();
  decoder_ = FrameDecoder();
  opened_ = false;
}

void AgentLoop::TakeLinkOf() {
  Result<Link> link = TakeLink(ends_.listener.get());
  if (link.ok()) {
    Detach();  // the newest connection is the one that works
    ends_.link = *std::move(link);
  }
}

void AgentLoop::ReadRequests() {
  char bytes[65536];
  const ssize_t n = ::read(ends_.link.in.get(), bytes, sizeof bytes);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
    return;
  }
  if (n <= 0) {
    LoseLink("the runner is gone");
    return;
  }
  heard_ns_ = clock_.monotonic_ns();
  decoder_.Feed({bytes, static_cast<size_t>(n)});
  for (;;) {
    const Result<std::optional<Frame>> frame = decoder_.Next();
    if (!frame.ok()) {
      Leave(frame.status().message(), kLeaveGraceMs);
      return;
    }
    if (!frame->has_value()) {
      heard_ns_ = clock_.monotonic_ns();  // what was asked may have taken long
      return;
    }
    const Result<Message> message = ParseMessage(**frame);
    if (!message.ok()) {
      Leave(message.status().message(), kLeaveGraceMs);
      return;
    }
    if (IsNumbered(*message)) {
      ++received_;
      SayWhatArrived((*frame)->payload.size());
    }
    if (!HandleLinkMessage(*message) && !leaving_) {
      Handle(*message);
    }
  }
}

void AgentLoop::SayWhatArrived(size_t bytes) {
  untold_bytes_ += bytes;
  if (untold_bytes_ > kSayAfterBytes && ends_.listener.valid()) {
    untold_bytes_ = 0;
    outbox_.Send(PongMsg{0, UnixMicros(), received_});
  }
}

bool AgentLoop::HandleLinkMessage(const Message& message) {
  if (const auto* open = std::get_if<OpenMsg>(&message)) {
    Open(*open);
  } else if (const auto* ping = std::get_if<PingMsg>(&message)) {
    outbox_.Acknowledge(ping->received);
    outbox_.Send(PongMsg{ping->seq, UnixMicros(), received_});
  } else {
    return false;
  }
  return true;
}

void AgentLoop::Open(const OpenMsg& open) {
  if (ends_.listener.valid() && !outbox_.Resume(open.received)) {
    Leave("the runner says that it has " + std::to_string(open.received) +
              " messages, which cannot be",
          kLeaveGraceMs);
    return;
  }
  if (!std::exchange(ever_opened_, true)) {
    lease_ns_ = std::clamp<int64_t>(open.lease_ms, 0, 86'400'000) * kMs;
  }
  opened_ = true;
  outbox_.Send(GreetingMsg{::getpid(), HostName(), BootId(),
                           std::string(owned_.containment()), received_});
}

void AgentLoop::Handle(const Message& message) {
  if (const auto* start = std::get_if<StartMsg>(&message)) {
    Start(*start);
  } else if (const auto* signal = std::get_if<SignalMsg>(&message)) {
    Signal(*signal);
  } else if (const auto* stop = std::get_if<StopMsg>(&message)) {
    Stop(*stop);
  } else if (const auto* query = std::get_if<QueryMsg>(&message)) {
    Answer(*query);
  } else if (const auto* lease = std::get_if<LeaseMsg>(&message)) {
    if (ends_.listener.valid()) {
      claimed_ = true;
      lease_ns_ = std::clamp<int64_t>(lease->lease_ms, 1, 86'400'000) * kMs;
      lease_grace_ms_ = std::clamp<int64_t>(lease->grace_ms, 0, 3'600'000);
    }
  } else if (std::holds_alternative<ByeMsg>(message)) {
    said_bye_ = true;
    Leave("the runner has taken its leave", kLeaveGraceMs);
  } else {
    Leave("the runner sent a message that only agents send", kLeaveGraceMs);
  }
}

void AgentLoop::Write() {
  while (opened_ && ends_.link.out.valid() && !outbox_.pending().empty()) {
    const ssize_t n = WritePieces(ends_.link.out.get(), outbox_.Pieces());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0 && errno == EAGAIN) {
      return;
    }
    if (n < 0) {
      LoseLink("the runner does not read any more");
      return;
    }
    outbox_.Written(static_cast<size_t>(n));
  }
}

void AgentLoop::TakeSignals() {
  signalfd_siginfo info;
  while (::read(ends_.signals, &info, sizeof info) ==
         static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo != SIGCHLD) {
      Leave("the agent was told to end by " +
                SignalName(static_cast<int>(info.ssi_signo)),
            kLeaveGraceMs);
    }
  }
  Reap();
}

void AgentLoop::Reap() {
  int status = 0;
  rusage usage{};
  pid_t pid;
  while ((pid = ::wait4(-1, &status, WNOHANG, &usage)) > 0) {
    for (Child& child : children_) {
      if (child.pid() == pid && child.running()) {
        ExitedMsg exited = child.Ended(status, usage, outbox_);
        exited.phase = static_cast<int64_t>(teardown_.phase());
        outbox_.Send(exited);
        ends_.record.Exited(exited);
      }
    }
  }
}

void AgentLoop::AdvanceTeardown() {
  if (!teardown_.running() || !teardown_.Step(running())) {
    return;
  }
  Reap();  // orphans that the last look made ours
  for (Child& child : children_) {
    child.Read(1, kReadAtOnceBytes, outbox_);
    child.Read(2, kReadAtOnceBytes, outbox_);
    outbox_.Flush(child.id());
  }
  children_.clear();
  login_.reset();  // its files may change until the next run
  owned_.ForgetTokens();
  StoppedMsg report = teardown_.report();
  const SharedMemory::Left left = shared_memory_.Remove();
  report.shm_removed = left.removed;
  report.shm_left_bytes = left.left_bytes;
  ends_.record.Stopped(report);
  if (std::exchange(stop_wanted_, false)) {
    outbox_.Send(report);
  }
  finished_ = leaving_;
}

void AgentLoop::CheckLease() {
  // What has arrived and not been read counts as heard.
  pollfd link{ends_.link.in.get(), POLLIN, 0};
  if (lease_ns_ > 0 && !leaving_ &&
      clock_.monotonic_ns() >= heard_ns_ + lease_ns_ &&
      ::poll(&link, 1, /*timeout=*/0) <= 0) {
    Leave("nothing was heard of the runner for " +
              std::to_string(lease_ns_ / (1000 * kMs)) + " s",
          ends_.listener.valid() ? std::max(lease_grace_ms_, kLeaveGraceMs)
                                 : kLeaveGraceMs);
  }
}

void AgentLoop::Leave(const std::string& why, int64_t grace_ms) {
  if (leaving_) {
    return;
  }
  leaving_ = true;
  outbox_.Send(NoteMsg{why});
  ends_.record.Leaving(why);
  shared_memory_.Look(owned_.Members());
  teardown_.Begin(grace_ms, running());
}

int AgentLoop::running() const {
  return static_cast<int>(
      std::count_if(children_.begin(), children_.end(),
                    [](const Child& child) { return child.running(); }));
}

}  // namespace zs
