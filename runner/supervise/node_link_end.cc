// The parts of NodeLink that lead to its receipt: the questions in the end, and
// the second agent that looks where the first one was lost.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "runner/supervise/node_link.h"

namespace zs {
namespace {

constexpr double kLastWordsS = 15;
constexpr double kSweepS = 30;
// A script has eight seconds of it (see RunAndRead), and a second to die.
constexpr double kAskS = 12;

}  // namespace

void NodeLink::NothingStarted() {
  receipt_.verified = true;
  receipt_.note = "the node was not reached; nothing was started there";
  state_ = LinkState::kDone;
}

void NodeLink::OnStopped(const StoppedMsg& stopped, double now_s) {
  if (state_ != LinkState::kStopping && state_ != LinkState::kSweeping) {
    return;
  }
  receipt_.verified = stopped.left >= 0;
  receipt_.left_over += stopped.left_over;
  receipt_.killed += stopped.killed;
  receipt_.processes_left = std::max<int64_t>(0, stopped.left);
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
  AwaitAnswer(now_s);
  questions_[asked_].seq = static_cast<int64_t>(asked_);
  (void)Send(questions_[asked_]);
}

void NodeLink::AwaitAnswer(double now_s) {
  give_up_s_ = now_s + Patience(kAskS);
  SetWake(now_s);
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
  if (!for_good && !swept_ && CanReattach()) {
    Cut(now_s, why);
    return;
  }
  lost_why_ += (lost_why_.empty() ? "" : "; ") + why;
  if (swept_) {
    // The last agent of all: another one would do as it did.
    DropConnection();
    receipt_.verified = false;
    receipt_.note =
        "could not be looked at again; its agent ends what it "
        "owns when its lease runs out";
    state_ = LinkState::kDone;
    return;
  }
  state_ = LinkState::kDying;
  give_up_s_ = now_s + Patience(kLastWordsS);
  SetWake(now_s);
  // A peer that talks rubbish has no last words of interest.
  if (connection_->ended() ||
      connection_->status().code() == StatusCode::kDataLoss) {
    Bury(now_s);
  }
}

void NodeLink::DropConnection() {
  if (connection_ == nullptr) {
    return;
  }
  if (!connection_->ended()) {
    connection_->Close(0);
  }
  pool_.Discard(node_.name, node_.reach);
  connection_ = nullptr;
}

void NodeLink::Bury(double now_s) {
  lost_why_ += ": " + connection_->Obituary();
  DropConnection();
  if (was_ready_) {
    Sweep(now_s);
    return;
  }
  NothingStarted();
}

void NodeLink::Sweep(double now_s) {
  state_ = LinkState::kSweeping;
  swept_ = true;
  asked_ = 0;
  receipt_.ports_busy.clear();
  give_up_s_ = now_s + Patience(kSweepS);
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

}  // namespace zs
