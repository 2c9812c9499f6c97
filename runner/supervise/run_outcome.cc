// The parts of Run that put into words how it ended.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

#include "runner/supervise/run.h"

namespace zs {
namespace {

// One decimal below ten, none above.
std::string Seconds(double s) {
  const double rounded = s < 10 ? std::round(s * 10) / 10 : std::round(s);
  std::string text = std::to_string(rounded);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) {
    text.pop_back();
  }
  return text + " s";
}

// "rank 0 on a, rank 3 on b"; of many the first four.
std::string NameRanks(const std::vector<const RankRecord*>& records) {
  std::string names;
  for (size_t i = 0; i < records.size() && i < 4; ++i) {
    names += (i == 0 ? "rank " : ", rank ") +
             std::to_string(records[i]->exit.rank) + " on " +
             records[i]->exit.node;
  }
  if (records.size() > 4) {
    names += " and " + std::to_string(records.size() - 4) + " more";
  }
  return names;
}

// The records for which HOLDS is true.
template <typename Predicate>
std::vector<const RankRecord*> Where(const std::vector<RankRecord>& records,
                                     Predicate holds) {
  std::vector<const RankRecord*> found;
  for (const RankRecord& record : records) {
    if (holds(record)) {
      found.push_back(&record);
    }
  }
  return found;
}

}  // namespace

std::string Run::HangReason() const {
  return "no step for " + Seconds(deadlines_.step_limit_s()) + " after step " +
         std::to_string(deadlines_.last_step()) + "; still running: " +
         NameRanks(Where(records_, [](const RankRecord& record) {
           return !record.exit.ended;
         }));
}

void Run::OnLimit(const Deadlines::Expiry& expiry) {
  const RunLimits& limits = request_.limits;
  const auto running =
      Where(records_, [](const RankRecord& r) { return !r.exit.ended; });
  switch (expiry.limit) {
    case Limit::kReach: {
      std::string silent;
      for (const NodeLink& link : links_) {
        if (link.state() == LinkState::kReaching) {
          silent += (silent.empty() ? "" : ", ") + link.node().name;
        }
      }
      return GiveUp(
          ProcessState::kNotStarted, "unreachable",
          "no answer within " + Seconds(limits.reach_s) + " from: " + silent);
    }
    case Limit::kStart:
      return GatherEvidence(
          ProcessState::kTimedOut, "start_timeout",
          "not started within " + Seconds(limits.start_s) + ": " +
              NameRanks(Where(records_, [this](const RankRecord& r) {
                return deadlines_.not_started().contains(r.exit.rank);
              })));
    case Limit::kFirstStep:
      return GatherEvidence(ProcessState::kTimedOut, "first_step_timeout",
                            "no first step within " +
                                Seconds(limits.first_step_s) +
                                " of the start of the ranks");
    case Limit::kHang:
      return GatherEvidence(ProcessState::kHung, "hang", HangReason());
    case Limit::kTotal:
      return GiveUp(ProcessState::kTimedOut, "total_timeout",
                    "the run took longer than " + Seconds(limits.total_s) +
                        "; still running: " + NameRanks(running));
    case Limit::kExitSpread:
      return GatherEvidence(
          ProcessState::kFailed, "partial_exit",
          NameRanks(Where(records_,
                          [](const RankRecord& r) { return r.exit.ended; })) +
              ": exit 0 already, and " + Seconds(limits.exit_spread_s) +
              " later there still ran: " + NameRanks(running));
    case Limit::kAfterError:
      return GatherEvidence(ProcessState::kHung, "error_then_hang", "");
  }
}

void Run::FinishReason() {
  if (outcome_.cause.empty()) {
    const RankRecord* first = FirstFailed(records_, request_.consequence_exits);
    outcome_.cause = first->exit.oom_kills > 0 ? "oom_killed"
                     : first->exit.signal != 0 ? "rank_signal"
                                               : "rank_exit";
    outcome_.reason = FailureReason(*first);
    outcome_.first_failed_rank = first->exit.rank;
    outcome_.first_failed_node = first->exit.node;
    for (const RunFinding& finding : outcome_.findings) {
      if (finding.code == "hang_suspect") {
        outcome_.cause =
            outcome_.state == ProcessState::kHung ? "hang" : outcome_.cause;
        outcome_.reason += "; suspect: " + finding.message;
        outcome_.first_failed_rank = finding.rank;
        outcome_.first_failed_node = finding.node;
      }
    }
  }
  if (outcome_.cause == "error_then_hang") {
    const auto reported =
        Where(records_, [](const RankRecord& r) { return !r.error.empty(); });
    outcome_.first_failed_rank = reported[0]->exit.rank;
    outcome_.first_failed_node = reported[0]->exit.node;
    outcome_.reason = NameRanks({reported[0]}) + " reported '" +
                      reported[0]->error + "' and " +
                      Seconds(request_.limits.after_error_s) +
                      " later the run had not ended";
  }
  for (const NodeLink& link : links_) {
    if (!link.lost()) {
      continue;
    }
    const std::string what =
        "node " + link.node().name + ": " + link.lost_why();
    if (outcome_.reason.empty()) {
      outcome_.first_failed_node = link.node().name;
      outcome_.reason = what;
    } else if (outcome_.reason != what) {
      outcome_.notes.push_back(what);
    }
  }
  if (outcome_.reason.empty() && !outcome_.notes.empty()) {
    outcome_.reason = outcome_.notes.back();
  }
}

void Run::FinishLink(const NodeLink& link) {
  const std::string& node = link.node().name;
  CleanupReceipt& receipt = outcome_.clean_up.emplace_back(link.receipt());
  if (receipt.gpus_used) {
    std::vector<int64_t> of_ranks;
    for (const RankExit& exit : outcome_.ranks) {
      if (exit.node == node) {
        of_ranks.push_back(exit.pid);
      }
    }
    SetGpuLeft(link.gpu_processes(), of_ranks, receipt);
  }
  for (const Outage& outage : link.outages()) {
    outcome_.findings.push_back(
        {.code = "link_lost",
         .node = node,
         .message = "the connection to " + node + " was broken for " +
                    Seconds(outage.seconds) + " and came back at try " +
                    std::to_string(outage.tries) +
                    "; nothing of its output is missing",
         .hint = "look at the network between this host and " + node,
         .evidence = outage.why});
  }
  if (link.lost() && launched_) {
    outcome_.findings.push_back(
        {.code = "link_lost",
         .is_error = true,
         .node = node,
         .message = "the connection to " + node + " was lost for good",
         .hint = "see that " + node +
                 " runs and can be reached; limits.lease_s says how long a "
                 "node is waited for",
         .evidence = link.lost_why()});
  }
}

void Run::TakeKeptRecord(const NodeLink& link) {
  std::istringstream lines(link.kept_record());
  std::string what;
  std::string line;
  while (lines >> what) {
    int64_t rank = 0;
    int code = 0;
    int signal = 0;
    int64_t phase = 0;
    if (what == "exited" && lines >> rank >> code >> signal >> phase) {
      RankRecord* record = Find(rank);
      if (record != nullptr && !record->exit.ended) {
        record->exit.ended = true;
        record->exit.exit_code = code;
        record->exit.signal = signal;
        record->exit.stopped_by_us = phase != 0;
        record->exit.ended_s = Now();
      }
    }
    std::getline(lines, line);
  }
}

void Run::TellOfLog(const RankLog& log, const Status& status) {
  if (status.ok()) {
    return;
  }
  std::string what;
  if (log.lost_bytes() > 0 || log.kept().empty()) {
    what = "; " + std::to_string(log.lost_bytes()) +
           " bytes of the log are missing";
  }
  for (size_t i = 0; i < log.kept().size(); ++i) {
    what += (i == 0 ? "; its end lies beside it in " : ", ") + log.kept()[i];
  }
  outcome_.findings.push_back(
      {.code = "log_incomplete",
       .message = log.path() + ": " + status.message() + what,
       .hint = "look whether the file system is full: df " +
               request_.artifact_folder});
}

void Run::FinishLogs() {
  for (RankRecord& record : records_) {
    record.log->Close();
    TellOfLog(*record.log, record.log->status());
  }
  for (NodeLog& log : node_logs_) {
    log.Close();
    TellOfLog(log.raw(), log.status());
    if (!log.path().empty() && log.status().ok()) {
      outcome_.logs.push_back(log.path());
    }
  }
}

void Run::Finish() {
  // What a lost node has kept may still say how its ranks ended.
  for (const NodeLink& link : links_) {
    TakeKeptRecord(link);
  }
  FinishReason();
  FinishLogs();
  for (RankRecord& record : records_) {
    record.exit.last_lines = record.LastLines();
    outcome_.ranks.push_back(std::move(record.exit));
  }
  std::sort(
      outcome_.ranks.begin(), outcome_.ranks.end(),
      [](const RankExit& a, const RankExit& b) { return a.rank < b.rank; });
  for (const NodeLink& link : links_) {
    FinishLink(link);
  }
  outcome_.timings.clean_s = Now();
}

}  // namespace zs
