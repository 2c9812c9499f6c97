#include "runner/supervise/node_link.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace zs {
namespace {

constexpr double kPingEveryS = 5;
// So many pings in a row: the agent, or the way there, does not work any more.
constexpr int kMaxUnansweredPings = 6;
// Beyond the grace: SIGKILL's own time limit in the agent and its way back.
constexpr double kStopExtraS = 20;
constexpr double kLastWordsS = 15;
constexpr double kSweepS = 30;
constexpr double kAskS = 10;

}  // namespace

NodeLink::NodeLink(const NodeRequest& node, std::string token,
                   std::vector<int> ports, AgentPool& pool)
    : node_(node),
      token_(std::move(token)),
      ports_(std::move(ports)),
      pool_(pool),
      next_ping_s_(kPingEveryS),
      wake_s_(kPingEveryS) {
  receipt_.node = node.name;
}

Status NodeLink::Reach() {
  Result<Connection*> connection = pool_.Get(node_.name, node_.reach);
  if (!connection.ok()) {
    lost_why_ = connection.status().message();
    NothingStarted();
    return connection.status();
  }
  connection_ = *connection;
  if (connection_->greeting()) {
    receipt_.containment = connection_->greeting()->containment;
    state_ = LinkState::kReady;
    was_ready_ = true;
  }
  return OkStatus();
}

void NodeLink::NothingStarted() {
  receipt_.verified = true;
  receipt_.note = "the node was not reached; nothing was started there";
  state_ = LinkState::kDone;
}

void NodeLink::Stop(double grace_s, double now_s) {
  if (state_ == LinkState::kReaching) {
    // An agent that answers later waits for the next run.
    NothingStarted();
    return;
  }
  if (state_ != LinkState::kReady && state_ != LinkState::kStopping) {
    return;
  }
  state_ = LinkState::kStopping;
  const double end_s = now_s + grace_s + kStopExtraS;
  give_up_s_ = give_up_s_ ? std::min(*give_up_s_, end_s) : end_s;
  (void)Send(StopMsg{static_cast<int64_t>(grace_s * 1000), token_});
  SetWake(now_s);
}

void NodeLink::AddPolled(std::vector<pollfd>& polled) const {
  const bool idle = connection_ == nullptr || state_ == LinkState::kDone;
  polled.push_back({idle ? -1 : connection_->out_fd(), POLLIN, 0});
  polled.push_back({idle ? -1 : connection_->err_fd(), POLLIN, 0});
  polled.push_back({idle ? -1 : connection_->in_fd(), POLLOUT, 0});
}

size_t NodeLink::Serve(const std::vector<pollfd>& polled, size_t at,
                       double now_s) {
  if (polled[at].revents != 0) {
    unanswered_pings_ = 0;
    connection_->ReadOut();
  }
  if (polled[at + 1].revents != 0) {
    connection_->ReadErr();
    if (state_ == LinkState::kDying && connection_->ended()) {
      Bury(now_s);
    }
  }
  if (polled[at + 2].revents != 0) {
    connection_->Flush();
  }
  return at + 3;
}

std::optional<Message> NodeLink::Take(double now_s) {
  while (connection_ != nullptr && state_ != LinkState::kDone &&
         state_ != LinkState::kDying) {
    std::optional<Message> message = connection_->Next();
    if (!message) {
      if (!connection_->status().ok()) {
        Lose(now_s, connection_->status().message());
      }
      return std::nullopt;
    }
    if (const auto* greeting = std::get_if<GreetingMsg>(&*message)) {
      receipt_.containment = greeting->containment;
      if (state_ == LinkState::kReaching) {
        state_ = LinkState::kReady;
        was_ready_ = true;
      }
    } else if (const auto* stopped = std::get_if<StoppedMsg>(&*message)) {
      OnStopped(*stopped, now_s);
    } else if (const auto* answer = std::get_if<AnswerMsg>(&*message)) {
      OnAnswer(*answer, now_s);
    } else if (!std::holds_alternative<PongMsg>(*message)) {
      return message;
    }
  }
  return std::nullopt;
}

void NodeLink::OnStopped(const StoppedMsg& stopped, double now_s) {
  if (state_ != LinkState::kStopping && state_ != LinkState::kSweeping) {
    return;
  }
  receipt_.verified = true;
  receipt_.left_over += stopped.left_over;
  receipt_.killed += stopped.killed;
  receipt_.processes_left = stopped.left;
  if (!stopped.note.empty()) {
    receipt_.note += (receipt_.note.empty() ? "" : "; ") + stopped.note;
  }
  state_ = LinkState::kAsking;
  AskNextPort(now_s);
}

void NodeLink::AskNextPort(double now_s) {
  if (asked_ports_ == ports_.size()) {
    state_ = LinkState::kDone;
    give_up_s_.reset();
    return;
  }
  give_up_s_ = now_s + kAskS;
  SetWake(now_s);
  (void)Send(QueryMsg{static_cast<int64_t>(asked_ports_),
                      "port_free",
                      {std::to_string(ports_[asked_ports_])}});
}

void NodeLink::OnAnswer(const AnswerMsg& answer, double now_s) {
  if (state_ != LinkState::kAsking ||
      answer.seq != static_cast<int64_t>(asked_ports_)) {
    return;
  }
  if (answer.text != "free") {
    receipt_.ports_busy.push_back(ports_[asked_ports_]);
  }
  ++asked_ports_;
  AskNextPort(now_s);
}

void NodeLink::Lose(double now_s, const std::string& why) {
  const bool sweep_failed = state_ == LinkState::kSweeping;
  lost_why_ += (lost_why_.empty() ? "" : "; ") + why;
  if (sweep_failed) {
    receipt_.note =
        "could not be looked at again; its agent ends what it "
        "owns when its lease runs out";
    state_ = LinkState::kDone;
    return;
  }
  state_ = LinkState::kDying;
  give_up_s_ = now_s + kLastWordsS;
  SetWake(now_s);
  // A peer that talks rubbish has no last words of interest.
  if (connection_->ended() ||
      connection_->status().code() == StatusCode::kDataLoss) {
    Bury(now_s);
  }
}

void NodeLink::Bury(double now_s) {
  lost_why_ += ": " + connection_->Obituary();
  if (!connection_->ended()) {
    connection_->Close(0);
  }
  pool_.Discard(node_.name, node_.reach);
  connection_ = nullptr;
  if (was_ready_) {
    Sweep(now_s);
    return;
  }
  NothingStarted();
}

void NodeLink::Sweep(double now_s) {
  state_ = LinkState::kSweeping;
  give_up_s_ = now_s + kSweepS;
  unanswered_pings_ = 0;
  SetWake(now_s);
  Result<Connection*> connection = pool_.Get(node_.name, node_.reach);
  if (!connection.ok()) {
    Lose(now_s, connection.status().message());
    return;
  }
  connection_ = *connection;
  (void)Send(StopMsg{0, token_});
}

void NodeLink::OnTime(double now_s) {
  if (connection_ == nullptr || state_ == LinkState::kDone) {
    return;
  }
  if (now_s >= next_ping_s_) {
    next_ping_s_ = now_s + kPingEveryS;
    if (connection_->greeting() && state_ != LinkState::kDying) {
      ++unanswered_pings_;
      (void)Send(PingMsg{++ping_seq_});
    }
  }
  if (unanswered_pings_ > kMaxUnansweredPings) {
    unanswered_pings_ = 0;
    Lose(now_s, "the agent has not answered for " +
                    std::to_string(
                        static_cast<int>(kPingEveryS * kMaxUnansweredPings)) +
                    " s");
  } else if (give_up_s_ && now_s >= *give_up_s_) {
    if (state_ == LinkState::kDying) {
      Bury(now_s);
    } else {
      Lose(now_s, "the agent does not end what it was told to end");
    }
  }
  SetWake(now_s);
}

void NodeLink::SetWake(double now_s) {
  wake_s_ = std::max(now_s, next_ping_s_);
  if (give_up_s_) {
    wake_s_ = std::min(wake_s_, *give_up_s_);
  }
}

}  // namespace zs
