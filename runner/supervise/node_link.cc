#include "runner/supervise/node_link.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace zs {
namespace {

constexpr double kLongestPingS = 5;
// An agent on this host answers at once, or its host is very busy.
constexpr double kLocalSilenceS = 30;
// One try to connect again, and the pauses between them.
constexpr double kTryS = 10;
constexpr double kFirstPauseS = 0.25;
constexpr double kLongestPauseS = 4;
// Beyond the grace: SIGKILL's own time limit in the agent and its way back.
constexpr double kStopExtraS = 20;
// A link that is broken when its node is to be stopped: at least.
constexpr double kCutStopS = 3;
// Where the user does not wait any longer.
constexpr double kHurryS = 5;

}  // namespace

NodeLink::NodeLink(const NodeRequest& node, const RunLimits& limits,
                   std::string token, std::vector<int> ports, AgentPool& pool)
    : node_(node),
      token_(std::move(token)),
      limits_(limits),
      pool_(pool),
      // More than half of the lease is left to connect again.
      silence_s_(node.reach.empty() ? kLocalSilenceS : 0.4 * limits.lease_s),
      ping_every_s_(std::min(kLongestPingS, silence_s_ / 5)),
      next_ping_s_(ping_every_s_),
      wake_s_(ping_every_s_) {
  receipt_.node = node.name;
  for (const int port : ports) {
    questions_.push_back({0, "port_free", {std::to_string(port)}});
  }
  if (node.uses_gpus) {
    questions_.push_back(
        {0,
         "run",
         {"8000", "nvidia-smi", "--query-compute-apps=pid,used_memory",
          "--format=csv,noheader,nounits"}});
  }
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
    BecomeReady();
  }
  return OkStatus();
}

void NodeLink::BecomeReady() {
  receipt_.containment = connection_->greeting()->containment;
  receipt_.gpus_used = node_.uses_gpus;
  state_ = LinkState::kReady;
  was_ready_ = true;
  if (connection_->resumable()) {
    (void)Send(LeaseMsg{static_cast<int64_t>(limits_.lease_s * 1000),
                        static_cast<int64_t>(limits_.grace_s * 1000)});
  }
}

void NodeLink::Stop(double grace_s, double now_s) {
  if (state_ == LinkState::kReaching) {
    // An agent that answers later waits for the next run.
    NothingStarted();
    return;
  }
  const bool cut = state_ == LinkState::kCut;
  LinkState& state = cut ? before_cut_ : state_;
  if (state != LinkState::kReady && state != LinkState::kStopping) {
    return;
  }
  state = LinkState::kStopping;
  stop_grace_s_ = grace_s;
  GiveUpAt(now_s +
           (cut ? std::max(grace_s, kCutStopS) : grace_s + kStopExtraS));
  (void)Send(StopMsg{static_cast<int64_t>(grace_s * 1000), token_});
  SetWake(now_s);
}

void NodeLink::StopNow(double now_s) {
  Stop(0, now_s);
  hurried_ = true;
  switch (state_) {
    case LinkState::kCut:
      Abandon(now_s, "it was not waited for any longer");
      break;
    case LinkState::kAsking:
    case LinkState::kDying:
    case LinkState::kSweeping:
      GiveUpAt(now_s + kHurryS);
      break;
    case LinkState::kReaching:
    case LinkState::kReady:
    case LinkState::kStopping:
    case LinkState::kDone:
      break;
  }
  SetWake(now_s);
}

void NodeLink::GiveUpAt(double at_s) {
  give_up_s_ = give_up_s_ ? std::min(*give_up_s_, at_s) : at_s;
}

double NodeLink::Patience(double limit_s) const {
  return hurried_ ? std::min(limit_s, kHurryS) : limit_s;
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
    // A try to connect again may print whatever it likes: only the greeting
    // counts (Restored).
    if (state_ != LinkState::kCut) {
      heard_s_ = now_s;
    }
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
    if (std::holds_alternative<GreetingMsg>(*message)) {
      if (state_ == LinkState::kReaching) {
        BecomeReady();
      } else if (state_ == LinkState::kCut) {
        Restored(now_s);
      }
    } else if (const auto* stopped = std::get_if<StoppedMsg>(&*message)) {
      OnStopped(*stopped, now_s);
    } else if (const auto* answer = std::get_if<AnswerMsg>(&*message);
               answer != nullptr && answer->seq != kEvidenceSeq) {
      OnAnswer(*answer, now_s);
    } else if (!std::holds_alternative<PongMsg>(*message)) {
      return message;
    }
  }
  return std::nullopt;
}

bool NodeLink::CanReattach() const {
  return connection_->resumable() &&
         connection_->status().code() != StatusCode::kDataLoss &&
         (state_ == LinkState::kReady || state_ == LinkState::kStopping ||
          state_ == LinkState::kAsking);
}

void NodeLink::Cut(double now_s, const std::string& why) {
  cut_why_ = why + ": " + connection_->Obituary();
  before_cut_ = state_;
  state_ = LinkState::kCut;
  connection_->HangUp();
  trying_ = false;
  tries_ = 0;
  pause_s_ = kFirstPauseS;
  next_try_s_ = now_s;
  if (before_cut_ == LinkState::kReady) {
    give_up_s_.reset();
  } else {
    GiveUpAt(now_s + (hurried_ ? 0 : std::max(stop_grace_s_, kCutStopS)));
  }
  SetWake(now_s);
}

void NodeLink::OnCutTime(double now_s) {
  if (now_s >= heard_s_ + limits_.lease_s) {
    Abandon(now_s, "it could not be reached again within its lease");
    return;
  }
  if (give_up_s_ && now_s >= *give_up_s_) {
    Abandon(now_s, "it could not be reached again to be stopped");
    return;
  }
  if (trying_ && now_s >= try_end_s_) {
    FailTry(now_s);
  }
  if (!trying_ && now_s >= next_try_s_) {
    trying_ = true;
    ++tries_;
    try_end_s_ = now_s + kTryS;
    if (!connection_->Reattach().ok()) {
      FailTry(now_s);
    }
  }
}

void NodeLink::FailTry(double now_s) {
  connection_->HangUp();
  trying_ = false;
  next_try_s_ = now_s + pause_s_;
  pause_s_ = std::min(2 * pause_s_, kLongestPauseS);
}

void NodeLink::Restored(double now_s) {
  outages_.push_back({now_s - heard_s_, tries_, cut_why_});
  heard_s_ = now_s;
  state_ = before_cut_;
  trying_ = false;
  if (state_ == LinkState::kStopping) {
    give_up_s_ = now_s + stop_grace_s_ + kStopExtraS;
  } else if (state_ == LinkState::kAsking) {
    AwaitAnswer(now_s);
  }
  SetWake(now_s);
}

void NodeLink::Abandon(double now_s, const std::string& why) {
  lost_why_ = cut_why_ + "; " + why;
  state_ = LinkState::kDying;
  Bury(now_s);
}

void NodeLink::OnTime(double now_s) {
  if (connection_ == nullptr || state_ == LinkState::kDone) {
    return;
  }
  if (state_ == LinkState::kCut) {
    OnCutTime(now_s);
    SetWake(now_s);
    return;
  }
  const bool speaks =
      connection_->greeting().has_value() && state_ != LinkState::kDying;
  if (now_s >= next_ping_s_) {
    next_ping_s_ = now_s + ping_every_s_;
    if (speaks) {
      (void)Send(PingMsg{++ping_seq_, connection_->received()});
    }
  }
  if (speaks && now_s > heard_s_ + silence_s_) {
    Lose(now_s, "nothing was heard of the agent for " +
                    std::to_string(std::lround(now_s - heard_s_)) + " s");
    if (state_ == LinkState::kDying) {
      Bury(now_s);  // there will be no last words
    }
  } else if (give_up_s_ && now_s >= *give_up_s_) {
    if (state_ == LinkState::kDying) {
      Bury(now_s);
    } else {
      Lose(now_s,
           state_ == LinkState::kAsking
               ? "the agent does not answer what was asked in the end"
               : "the agent does not end what it was told to end",
           /*for_good=*/true);
      if (state_ == LinkState::kDying) {
        Bury(now_s);  // it lives, so it has no last words
      }
    }
  }
  SetWake(now_s);
}

void NodeLink::SetWake(double now_s) {
  if (state_ == LinkState::kCut) {
    wake_s_ = std::max(now_s, std::min(heard_s_ + limits_.lease_s,
                                       trying_ ? try_end_s_ : next_try_s_));
  } else {
    wake_s_ = std::max(now_s, next_ping_s_);
  }
  if (give_up_s_) {
    wake_s_ = std::min(wake_s_, *give_up_s_);
  }
}

}  // namespace zs
