#include "runner/supervise/node_link.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
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
constexpr double kLastWordsS = 15;
constexpr double kSweepS = 30;
constexpr double kAskS = 10;

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
  state_ = LinkState::kReady;
  was_ready_ = true;
  if (connection_->resumable()) {
    (void)Send(LeaseMsg{static_cast<int64_t>(limits_.lease_s * 1000),
                        static_cast<int64_t>(limits_.grace_s * 1000)});
  }
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
  LinkState& state = state_ == LinkState::kCut ? before_cut_ : state_;
  if (state != LinkState::kReady && state != LinkState::kStopping) {
    return;
  }
  state = LinkState::kStopping;
  stop_grace_s_ = grace_s;
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
    heard_s_ = now_s;
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

void NodeLink::OnStopped(const StoppedMsg& stopped, double now_s) {
  if (state_ != LinkState::kStopping && state_ != LinkState::kSweeping) {
    return;
  }
  receipt_.verified = true;
  receipt_.left_over += stopped.left_over;
  receipt_.killed += stopped.killed;
  receipt_.processes_left = stopped.left;
  receipt_.shm_left_bytes = stopped.shm_left_bytes;
  if (stopped.shm_removed > 0) {
    receipt_.note += (receipt_.note.empty() ? "" : "; ") +
                     std::to_string(stopped.shm_removed) +
                     " files in /dev/shm removed";
  }
  if (!stopped.note.empty()) {
    receipt_.note += (receipt_.note.empty() ? "" : "; ") + stopped.note;
  }
  state_ = LinkState::kAsking;
  if (lost()) {
    questions_.insert(questions_.begin(), {0, "record", {token_}});
  }
  AskNext(now_s);
}

void NodeLink::AskNext(double now_s) {
  if (asked_ == questions_.size()) {
    state_ = LinkState::kDone;
    give_up_s_.reset();
    return;
  }
  give_up_s_ = now_s + kAskS;
  SetWake(now_s);
  questions_[asked_].seq = static_cast<int64_t>(asked_);
  (void)Send(questions_[asked_]);
}

void NodeLink::OnAnswer(const AnswerMsg& answer, double now_s) {
  if (state_ != LinkState::kAsking ||
      answer.seq != static_cast<int64_t>(asked_)) {
    return;
  }
  const QueryMsg& question = questions_[asked_];
  if (question.name == "record") {
    kept_record_ = answer.ok != 0 ? answer.text : "";
  } else if (question.name == "run") {
    if (answer.ok != 0 && answer.text.starts_with("exit 0\n")) {
      gpu_processes_ = answer.text.substr(7);
    }
  } else if (answer.text != "free") {
    receipt_.ports_busy.push_back(std::atoi(question.args[0].c_str()));
  }
  ++asked_;
  AskNext(now_s);
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
  give_up_s_.reset();
  SetWake(now_s);
}

void NodeLink::OnCutTime(double now_s) {
  if (now_s >= heard_s_ + limits_.lease_s) {
    Abandon(now_s, "it could not be reached again within its lease");
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
    give_up_s_ = now_s + kAskS;
  }
  SetWake(now_s);
}

void NodeLink::Abandon(double now_s, const std::string& why) {
  lost_why_ = cut_why_ + "; " + why;
  state_ = LinkState::kDying;
  Bury(now_s);
}

void NodeLink::Lose(double now_s, const std::string& why, bool for_good) {
  if (state_ == LinkState::kCut) {
    if (connection_->gone()) {
      Abandon(now_s, why);
    } else if (trying_) {
      FailTry(now_s);
      SetWake(now_s);
    }
    return;
  }
  if (!for_good && CanReattach()) {
    Cut(now_s, why);
    return;
  }
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
  heard_s_ = now_s;
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
      Lose(now_s, "the agent does not end what it was told to end",
           /*for_good=*/true);
    }
  }
  SetWake(now_s);
}

void NodeLink::SetWake(double now_s) {
  if (state_ == LinkState::kCut) {
    wake_s_ = std::max(now_s, std::min(heard_s_ + limits_.lease_s,
                                       trying_ ? try_end_s_ : next_try_s_));
    return;
  }
  wake_s_ = std::max(now_s, next_ping_s_);
  if (give_up_s_) {
    wake_s_ = std::min(wake_s_, *give_up_s_);
  }
}

}  // namespace zs
