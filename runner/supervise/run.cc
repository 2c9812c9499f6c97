#include "runner/supervise/run.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "runner/supervise/check_request.h"

namespace zs {
namespace {

// How long what a node has kept while it could not be reached may take to
// arrive.
constexpr double kCatchUpS = 2;

std::vector<int> AllRanks(const RunRequest& request) {
  std::vector<int> ranks;
  for (const NodeRequest& node : request.nodes) {
    for (const RankRequest& rank : node.ranks) {
      ranks.push_back(rank.rank);
    }
  }
  return ranks;
}

// Whether our stop explains this end. A signal that had not been sent yet is
// somebody else's.
bool StoppedByUs(const ExitedMsg& exited) {
  switch (static_cast<StopPhase>(exited.phase)) {
    case StopPhase::kNone:
      return false;
    case StopPhase::kTerm:
      return exited.signal == 0 || exited.signal == SIGTERM;
    case StopPhase::kKill:
      break;
  }
  return true;
}

}  // namespace

Run::Run(const RunRequest& request, AgentPool& agents, RunObserver& observer,
         const StopSource& stop)
    : request_(request),
      agents_(agents),
      observer_(observer),
      stop_(stop),
      begin_ns_(RealClock().monotonic_ns()),
      deadlines_(request.limits, AllRanks(request)),
      secrets_(request.secrets) {}

double Run::Now() const {
  return static_cast<double>(RealClock().monotonic_ns() - begin_ns_) * 1e-9;
}

RunOutcome Run::Execute() {
  if (const Status status = CheckRequest(request_); !status.ok()) {
    outcome_.cause = "bad_request";
    outcome_.reason = status.message();
    return std::move(outcome_);
  }
  Begin();
  Loop();
  Finish();
  return std::move(outcome_);
}

std::string Run::LogPath(const std::string& name) const {
  return request_.artifact_folder.empty()
             ? ""
             : request_.artifact_folder + "/" + name + ".log";
}

void Run::Begin() {
  for (const NodeRequest& node : request_.nodes) {
    for (const RankRequest& rank : node.ranks) {
      index_[rank.rank] = records_.size();
      RankRecord& record = records_.emplace_back();
      record.exit.rank = rank.rank;
      record.exit.node = node.name;
      record.redactors.assign(2, Redactor(secrets_));
      record.log = std::make_unique<RankLog>(
          LogPath("rank" + std::to_string(rank.rank)), request_.log_cap_bytes);
    }
    const size_t k = links_.size();
    const std::string number = std::to_string(k);
    links_.emplace_back(node, request_.limits, request_.token + "." + number,
                        k == 0 ? request_.ports : std::vector<int>(), agents_);
    links_.back().set_index(k);
    gpu_samplers_.emplace_back(static_cast<int>(k));
    node_logs_.emplace_back(LogPath("node" + number), request_.log_cap_bytes);
  }
  if (stop_.kind() != StopKind::kNone) {
    return;  // CheckStop ends it before anything is reached
  }
  for (NodeLink& link : links_) {
    if (const Status status = link.Reach(); !status.ok()) {
      GiveUp(ProcessState::kNotStarted, "unreachable",
             "node " + link.node().name + ": " + status.message());
    }
  }
}

void Run::Loop() {
  for (;;) {
    CheckStop();
    TakeMessages();
    Launch();
    CheckEnd();
    CheckLimits();
    CheckEvidence();
    if (Over()) {
      return;
    }
    Poll();
  }
}

bool Run::Over() const {
  return given_up_ &&
         std::all_of(links_.begin(), links_.end(), [](const NodeLink& link) {
           return link.state() == LinkState::kDone;
         });
}

void Run::Launch() {
  const bool all_ready = std::all_of(
      links_.begin(), links_.end(),
      [](const NodeLink& link) { return link.state() == LinkState::kReady; });
  if (launched_ || given_up_ || !all_ready) {
    return;
  }
  launched_ = true;
  outcome_.timings.reached_s = Now();
  deadlines_.Reached();
  deadlines_.Launched(Now());
  for (NodeLink& link : links_) {
    for (const RankRequest& rank : link.node().ranks) {
      const Status sent = link.Send(StartMsg{
          rank.rank, link.token(), link.node().cwd, rank.argv, rank.env,
          request_.login_shell ? 1 : 0, request_.process_limits});
      if (sent.code() == StatusCode::kOutOfRange) {
        GiveUp(ProcessState::kNotStarted, "start_failed",
               "rank " + std::to_string(rank.rank) + " on " + link.node().name +
                   ": " + sent.message());
        return;
      }
    }
    StartGpuSampler(link);
  }
}

void Run::Poll() {
  std::vector<pollfd> polled;
  polled.push_back({stop_.fd(), POLLIN, 0});
  for (const NodeLink& link : links_) {
    link.AddPolled(polled);
  }
  if (::poll(polled.data(), polled.size(), TimeoutMs()) > 0) {
    if (polled[0].revents != 0) {
      stop_.Clear();
    }
    size_t at = 1;
    for (NodeLink& link : links_) {
      at = link.Serve(polled, at, Now());
    }
  }
  for (NodeLink& link : links_) {
    link.OnTime(Now());
  }
}

int Run::TimeoutMs() const {
  double wake_s = Now() + 3600;
  for (const NodeLink& link : links_) {
    if (link.state() != LinkState::kDone) {
      wake_s = std::min(wake_s, link.wake_s());
    }
  }
  if (settle_s_ && AnyCut()) {
    // The link wakes up by itself.
  } else if (gathering_) {
    wake_s = std::min(wake_s, gathering_->end_s);
  } else if (settle_s_) {
    wake_s = std::min(wake_s, *settle_s_);
  }
  const auto expiry = deadlines_.Next();
  if (!given_up_ && !gathering_ && expiry) {
    const bool counts = expiry->limit == Limit::kTotal;
    wake_s = std::min(
        wake_s,
        counts ? expiry->at_s
               : std::max(expiry->at_s, AnyCut() ? wake_s : calm_until_s_));
  }
  return static_cast<int>(std::ceil(std::max(0.0, wake_s - Now()) * 1000));
}

void Run::TakeMessages() {
  for (NodeLink& link : links_) {
    while (const std::optional<Message> message = link.Take(Now())) {
      Handle(link, *message);
    }
    if (link.lost()) {
      OnLost();
    }
  }
}

void Run::Handle(NodeLink& link, const Message& message) {
  if (TakeOfGpuSampler(link, message)) {
    return;
  }
  if (const auto* output = std::get_if<OutputMsg>(&message)) {
    OnOutput(link, *output);
  } else if (const auto* started = std::get_if<StartedMsg>(&message)) {
    OnStarted(*started);
  } else if (const auto* failed = std::get_if<StartFailedMsg>(&message)) {
    OnStartFailed(*failed);
  } else if (const auto* exited = std::get_if<ExitedMsg>(&message)) {
    OnExited(link, *exited);
  } else if (const auto* answer = std::get_if<AnswerMsg>(&message)) {
    TakeEvidence(link, answer->text);
  } else if (const auto* note = std::get_if<NoteMsg>(&message)) {
    // An agent says why it leaves; its end follows and gives the reason.
    outcome_.notes.push_back("node " + link.node().name + ": " + note->text);
    GiveUp(ProcessState::kLost, "node_lost", "");
  }
}

RankRecord* Run::Find(int64_t rank) {
  const auto found = index_.find(rank);
  return found == index_.end() ? nullptr : &records_[found->second];
}

void Run::OnStarted(const StartedMsg& started) {
  RankRecord* record = Find(started.id);
  if (record == nullptr || record->exit.started) {
    return;
  }
  record->exit.started = true;
  record->exit.pid = started.pid;
  record->exit.in_effect = started.in_effect;
  record->exit.started_s = Now();
  if (++started_ == records_.size()) {
    outcome_.timings.started_s = Now();
  }
}

void Run::OnStartFailed(const StartFailedMsg& failed) {
  const RankRecord* record = Find(failed.id);
  if (record == nullptr) {
    return;
  }
  if (!given_up_) {
    outcome_.first_failed_rank = record->exit.rank;
    outcome_.first_failed_node = record->exit.node;
  }
  GiveUp(ProcessState::kNotStarted, "start_failed",
         "rank " + std::to_string(record->exit.rank) + " on " +
             record->exit.node + ": " + failed.why);
}

void Run::OnExited(const NodeLink& link, const ExitedMsg& exited) {
  RankRecord* record = Find(exited.id);
  if (record == nullptr || record->exit.ended) {
    return;
  }
  DeliverRest(link, *record, exited.unix_us);
  RankExit& exit = record->exit;
  exit.ended = true;
  exit.ended_s = Now();
  exit.exit_code = static_cast<int>(exited.code);
  exit.signal = static_cast<int>(exited.signal);
  exit.oom_kills = exited.oom_kills;
  exit.stopped_by_us = StoppedByUs(exited);
  exit.user_cpu_s = static_cast<double>(exited.user_cpu_us) * 1e-6;
  exit.system_cpu_s = static_cast<double>(exited.system_cpu_us) * 1e-6;
  exit.peak_rss_bytes = exited.peak_rss_bytes;
  exit.host_busy_cpu_s = static_cast<double>(exited.host_busy_cpu_us) * 1e-6;
  exit.host_all_cpu_s = static_cast<double>(exited.host_all_cpu_us) * 1e-6;
  exit.last_lines = record->LastLines();
  ++ended_;
  observer_.OnRankExit(exit, *this);
  if (exit.exit_code == 0 && exit.signal == 0) {
    RankStarted(exit.rank);
    deadlines_.RankExitedZero(Now());
    return;
  }
  if (!FailedByItself(exit) || given_up_) {
    return;
  }
  const RankRecord* first = FirstFailed(records_, request_.consequence_exits);
  const auto& codes = request_.consequence_exits;
  const bool consequence = first->exit.signal == 0 &&
                           std::find(codes.begin(), codes.end(),
                                     first->exit.exit_code) != codes.end();
  if (consequence && ended_ < records_.size()) {
    settle_s_ = settle_s_ ? settle_s_ : Now() + request_.settle_s;
    return;
  }
  GiveUp(ProcessState::kFailed, "", "");
}

void Run::OnLost() {
  GiveUp(launched_ ? ProcessState::kLost : ProcessState::kNotStarted,
         launched_ ? "node_lost" : "unreachable", "");
}

void Run::CheckStop() {
  const StopKind kind = stop_.kind();
  if (kind == stop_seen_) {
    return;
  }
  stop_seen_ = kind;
  const bool now = kind == StopKind::kNow;
  if (!given_up_) {
    GiveUp(ProcessState::kKilled, "stopped", "stopped on request");
  }
  if (!now) {
    StopNodes(request_.limits.grace_s);
    return;
  }
  for (NodeLink& link : links_) {
    link.StopNow(Now());
  }
}

void Run::CheckEnd() {
  if (given_up_ || gathering_) {
    return;
  }
  const bool all = ended_ == records_.size();
  if (settle_s_ && !all && (Now() < *settle_s_ || AnyCut())) {
    return;  // a node that is away may know the cause
  }
  if (settle_s_ && !all && !evidence_done_) {
    // All that ended say that another rank does not answer: which?
    GatherEvidence(ProcessState::kFailed, "", "");
  } else if (settle_s_) {
    GiveUp(ProcessState::kFailed, "", "");
  } else if (all) {
    GiveUp(ProcessState::kExited, "ok",
           "all " + std::to_string(ended_) + " ranks ended with exit 0");
  }
}

void Run::CheckLimits() {
  if (AnyCut()) {
    deadlines_.Alive(Now());
    calm_until_s_ = Now() + kCatchUpS;
  }
  const auto expiry = deadlines_.Next();
  if (!given_up_ && !gathering_ && expiry && Now() >= expiry->at_s &&
      (expiry->limit == Limit::kTotal || Now() >= calm_until_s_)) {
    OnLimit(*expiry);
  }
}

bool Run::AnyCut() const {
  return std::any_of(links_.begin(), links_.end(), [](const NodeLink& link) {
    return link.state() == LinkState::kCut;
  });
}

void Run::GiveUp(ProcessState state, std::string cause, std::string reason) {
  if (given_up_) {
    return;
  }
  given_up_ = true;
  if (gathering_ && state == ProcessState::kFailed) {
    // A rank's own end, while it was looked at, changes nothing.
    state = gathering_->state;
    cause = gathering_->cause;
    reason = gathering_->reason;
  }
  outcome_.state = state;
  outcome_.cause = std::move(cause);
  outcome_.reason = std::move(reason);
  outcome_.timings.ended_s = Now();
  StopNodes(request_.limits.grace_s);
}

void Run::StopNodes(double grace_s) {
  for (NodeLink& link : links_) {
    link.Stop(grace_s, Now());
  }
}

}  // namespace zs
