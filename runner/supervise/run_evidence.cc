// The part of Run that looks at ranks which do not get on, before they are
// ended.
#include <algorithm>
#include <string>
#include <utility>

#include "base/files.h"
#include "results/store/mask.h"
#include "runner/supervise/run.h"

namespace zs {
namespace {

// For the agents' answers to get here.
constexpr double kExtraS = 2;
// From the last node's answer, for the ranks of which it says that they run to
// tell where they are.
constexpr double kTellS = 1;
// Findings of single ranks; the file has them all.
constexpr size_t kMostFindings = 16;

}  // namespace

void Run::GatherEvidence(ProcessState state, std::string cause,
                         std::string reason) {
  if (given_up_ || gathering_) {
    return;
  }
  gathering_ = Gathering{.state = state,
                         .cause = std::move(cause),
                         .reason = std::move(reason),
                         .end_s = Now() + request_.evidence_s + kExtraS};
  const std::string budget_ms =
      std::to_string(static_cast<int64_t>(request_.evidence_s * 1000));
  for (NodeLink& link : links_) {
    if (link.state() != LinkState::kReady) {
      continue;
    }
    AskWhere(link);
    (void)link.Send(QueryMsg{kEvidenceSeq, "evidence", {budget_ms}});
    ++gathering_->awaited;
  }
}

void Run::AskWhere(NodeLink& link) {
  for (const RankRecord& record : records_) {
    const RankExit& exit = record.exit;
    if (request_.status_signal != 0 && exit.started && !exit.ended &&
        exit.node == link.node().name) {
      gathering_->ranks[exit.rank];  // whether it answers or not
      (void)link.Send(SignalMsg{exit.rank, request_.status_signal});
    }
  }
}

void Run::TakeEvidence(const NodeLink& link, const std::string& text) {
  if (!gathering_) {
    return;
  }
  if (--gathering_->awaited == 0) {
    gathering_->end_s = std::min(gathering_->end_s, Now() + kTellS);
  }
  gathering_->text += "=== node " + link.node().name + "\n" + text + "\n";
  for (SeenProcess& process : ParseEvidence(text)) {
    // A process that is a rank's own is known by its number.
    for (const RankRecord& record : records_) {
      if (record.exit.node == link.node().name &&
          record.exit.pid == process.pid) {
        process.rank = record.exit.rank;
      }
    }
    const RankRecord* record = Find(process.rank);
    if (record != nullptr && !record->exit.ended) {
      gathering_->ranks[process.rank].processes.push_back(process);
    }
  }
}

void Run::AtCollective(int rank, const CollectiveState& state) {
  const RankRecord* record = Find(rank);
  if (gathering_ && record != nullptr && !record->exit.ended) {
    gathering_->ranks[rank].collective = state;
  }
}

void Run::CheckEvidence() {
  if (!gathering_ || given_up_) {
    return;
  }
  const bool due =
      gathering_->awaited > 0 ||
      (request_.status_signal != 0 && AnswersAreDue(gathering_->ranks));
  if (due && Now() < gathering_->end_s) {
    return;
  }
  // Of a rank that lost its peer a node that is away may know the cause.
  if (settle_s_ && AnyCut()) {
    return;
  }
  Gathering gathered = *std::exchange(gathering_, std::nullopt);
  evidence_done_ = true;
  const auto suspect = FindSuspect(gathered.ranks, request_.status_signal != 0);
  if (suspect) {
    NameSuspect(*suspect, gathered);
    if (gathered.state == ProcessState::kFailed && gathered.cause.empty() &&
        request_.status_signal != 0) {
      // The others have ended because of one that is there and does not answer.
      gathered.state = ProcessState::kHung;
    }
  }
  TellStates(gathered);
  KeepEvidence(gathered);
  GiveUp(gathered.state, gathered.cause, gathered.reason);
}

void Run::NameSuspect(const Suspect& suspect, Gathering& gathered) {
  const RankExit& exit = Find(suspect.rank)->exit;
  const std::string who =
      "rank " + std::to_string(suspect.rank) + " on " + exit.node;
  if (!gathered.reason.empty()) {
    gathered.reason += "; suspect: " + who + " " + suspect.why;
    outcome_.first_failed_rank = suspect.rank;
    outcome_.first_failed_node = exit.node;
  }
  outcome_.findings.push_back(
      {.code = "hang_suspect",
       .is_error = true,
       .node = exit.node,
       .rank = suspect.rank,
       .message = who + " " + suspect.why,
       .hint = "evidence.txt beside the run's logs has the stacks of all ranks",
       .evidence = Describe(gathered.ranks[suspect.rank].collective)});
}

void Run::TellStates(const Gathering& gathered) {
  size_t told = 0;
  for (const auto& [rank, seen] : gathered.ranks) {
    if (++told > kMostFindings) {
      return;
    }
    std::string message = "rank " + std::to_string(rank) + ":";
    for (const SeenProcess& process : seen.processes) {
      message += " " + process.name + " (process " +
                 std::to_string(process.pid) + ", state " + process.state +
                 ", in " + process.wchan + ")";
    }
    const std::string where = Describe(seen.collective);
    outcome_.findings.push_back(
        {.code = "rank_state",
         .node = Find(rank)->exit.node,
         .rank = rank,
         .message = message + (where.empty() ? "" : " " + where)});
  }
}

void Run::KeepEvidence(const Gathering& gathered) {
  if (request_.artifact_folder.empty()) {
    return;
  }
  std::string text = gathered.reason + "\n\n";
  for (const auto& [rank, seen] : gathered.ranks) {
    text += "rank " + std::to_string(rank) + ": " + Describe(seen.collective) +
            "\n";
  }
  const std::string path = request_.artifact_folder + "/evidence.txt";
  const Status written = WriteFileAtomically(
      path, results::MaskSecrets(text + "\n" + gathered.text));
  if (written.ok()) {
    outcome_.files.push_back(path);
  } else {
    outcome_.notes.push_back(written.message());
  }
}

}  // namespace zs
