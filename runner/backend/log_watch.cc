#include "runner/backend/log_watch.h"

#include <algorithm>
#include <array>
#include <utility>

namespace zs {
namespace {

constexpr size_t kMaxFindings = 200;

// What the supervisor alone knows, by RunOutcome::cause. A finding of the logs
// is the root where its order is not behind ORDER.
struct OwnFinding {
  std::string_view cause;
  std::string_view code;
  CauseOrder order;
  std::string_view hint;
};

constexpr OwnFinding kOwnFindings[] = {
    {"rank_exit", "process-exit", CauseOrder::kWait,
     "its last lines stand in its log: runner logs RUN --rank K"},
    {"rank_signal", "process-signal", CauseOrder::kKilled,
     "the kernel counted no kill for want of memory: look at who else may "
     "end processes there"},
    {"oom_killed", "host-oom-kill", CauseOrder::kKilled,
     "host memory, not the GPU's, was full: fewer workers, or less a rank; "
     "`dmesg` on the node has the kernel's account"},
    {"partial_exit", "ranks-left-behind", CauseOrder::kWait,
     "some ranks were done while others waited: look for a rank that left a "
     "loop early"},
    {"start_timeout", "start-timeout", CauseOrder::kWait,
     "look at the ranks that printed nothing; limits.start_s sets the time"},
    {"first_step_timeout", "first-step-timeout", CauseOrder::kWait,
     "the ranks started and no step was done: rendezvous, data or compilation; "
     "limits.first_step_s sets the time"},
    {"hang", "run-hung", CauseOrder::kWait,
     "a rank that still computes while the others wait is the suspect; "
     "limits.hang_s sets the time"},
    {"error_then_hang", "run-hung", CauseOrder::kWait,
     "a rank reported an error and the others did not notice"},
    {"total_timeout", "total-timeout", CauseOrder::kWait,
     "limits.total_s sets the time"},
    {"node_lost", "node-lost", CauseOrder::kHardware,
     "look at the node and its network"},
    {"unreachable", "node-unreachable", CauseOrder::kHardware,
     "try the reach by hand: runner check"},
    {"start_failed", "start-failed", CauseOrder::kSpecific,
     "the program could not be started on that node"},
    {"not_prepared", "not-prepared", CauseOrder::kHardware, ""},
};

results::Severity SeverityOf(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return results::Severity::kInfo;
    case Severity::kWarning:
      return results::Severity::kWarning;
    case Severity::kError:
      break;
  }
  return results::Severity::kError;
}

// The supervisor's finding, in front where it is the root; whether it is.
bool AddOwnFinding(const RunOutcome& ended, const RunDiagnosis& diagnosis,
                   RunRecord& record) {
  for (const OwnFinding& own : kOwnFindings) {
    if (own.cause != ended.cause) {
      continue;
    }
    const bool is_root =
        !diagnosis.has_root || own.order < diagnosis.findings.front().order;
    results::FindingRow row;
    row.code = own.code;
    row.severity = results::Severity::kError;
    row.node = ended.first_failed_node;
    row.message = ended.reason;
    row.hint = own.hint;
    const auto at = is_root ? record.findings.begin() : record.findings.end();
    record.findings.insert(at, std::move(row));
    return is_root;
  }
  return false;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : "; ") + word;
  }
  return text;
}

void ReportNccl(const NcclHealth& nccl, RunRecord& record) {
  record.nccl_health = HealthName(nccl.health);
  if (nccl.health == Health::kUnknown) {
    return;
  }
  std::vector<std::string> words;
  if (!nccl.version.empty()) {
    words.push_back("NCCL " + nccl.version);
  }
  for (const std::string& network : nccl.networks) {
    words.push_back("network " + network);
  }
  for (const auto& [transport, count] : nccl.channels) {
    words.push_back(std::to_string(count) + " channels " + transport);
  }
  results::FindingRow row;
  row.code = "nccl-health";
  row.message = "NCCL " + record.nccl_health +
                (words.empty() ? "" : ": " + Joined(words));
  row.evidence = Joined(nccl.evidence);
  record.findings.push_back(std::move(row));
}

}  // namespace

void LogWatch::Begin(const RunRequest& request, bool tell_commands) {
  std::vector<LogSource> sources;
  for (const NodeRequest& node : request.nodes) {
    for (const RankRequest& rank : node.ranks) {
      processes_.push_back(rank.rank);
      const std::string log = "rank" + std::to_string(rank.rank) + ".log";
      const int is_rank = role_ == ProcessRole::kRank ? rank.rank : -1;
      sources.push_back({log + " (stdout)", node.name, is_rank});
      sources.push_back({log + " (stderr)", node.name, is_rank});
    }
  }
  diagnoser_ = std::make_unique<RunDiagnoser>("run", std::move(sources),
                                              DiagnoseOptions{}, listener_);
  if (!tell_commands) {
    return;
  }
  for (const NodeRequest& node : request.nodes) {
    for (const RankRequest& rank : node.ranks) {
      std::string line = "+";
      for (const std::string& word : rank.argv) {
        line += " " + word;
      }
      std::replace(line.begin(), line.end(), '\n', ' ');
      diagnoser_->Feed(SourceOf(rank.rank, OutputStream::kStderr), line + "\n");
    }
  }
}

void LogWatch::BeginFiles(std::vector<LogSource> sources) {
  streams_ = 1;
  for (size_t i = 0; i < sources.size(); ++i) {
    processes_.push_back(static_cast<int>(i));
  }
  diagnoser_ = std::make_unique<RunDiagnoser>("run", std::move(sources),
                                              DiagnoseOptions{}, listener_);
}

int LogWatch::SourceOf(int process, OutputStream stream) const {
  const auto it = std::find(processes_.begin(), processes_.end(), process);
  if (it == processes_.end()) {
    return -1;
  }
  const int first = streams_ * static_cast<int>(it - processes_.begin());
  return first + (streams_ == 2 && stream == OutputStream::kStderr ? 1 : 0);
}

void LogWatch::Feed(const OutputChunk& chunk) {
  const int source = SourceOf(chunk.rank, chunk.stream);
  if (source < 0) {
    return;
  }
  if (chunk.dropped_bytes > 0) {
    diagnoser_->Feed(source, "\n");  // the line in hand was broken off
  }
  diagnoser_->Feed(source, chunk.bytes);
}

void LogWatch::FeedLine(int process, std::string_view line) {
  const int source = SourceOf(process, OutputStream::kStdout);
  if (source >= 0) {
    diagnoser_->Feed(source, line);
    diagnoser_->Feed(source, "\n");
  }
}

void LogWatch::Finish(int process) {
  const int first = SourceOf(process, OutputStream::kStdout);
  for (int i = 0; first >= 0 && i < streams_; ++i) {
    diagnoser_->Finish(first + i);
  }
}

RunDiagnosis LogWatch::Diagnose() const {
  return diagnoser_ == nullptr ? RunDiagnosis() : diagnoser_->Diagnose();
}

const RunFacts* LogWatch::facts() const {
  return diagnoser_ == nullptr ? nullptr : &diagnoser_->facts();
}

void LogWatch::Report(const RunDiagnosis& diagnosis, const RunOutcome& ended,
                      bool uses_nccl, RunRecord& record) {
  for (const Finding& finding : diagnosis.findings) {
    if (record.findings.size() < kMaxFindings) {
      record.findings.push_back(RowOf(finding));
    }
  }
  const bool failed = ended.state != ProcessState::kExited &&
                      ended.state != ProcessState::kKilled;
  const bool own_root = failed && record.errors.empty() &&
                        AddOwnFinding(ended, diagnosis, record);
  if (diagnosis.has_root && !own_root) {
    record.root_cause = RootCauseText(diagnosis.findings.front());
  }
  if (uses_nccl || diagnosis.nccl.health != Health::kUnknown) {
    ReportNccl(diagnosis.nccl, record);
  }
}

results::FindingRow RowOf(const Finding& finding) {
  results::FindingRow row;
  row.code = finding.code;
  row.severity = SeverityOf(finding.severity);
  row.node = finding.node;
  if (finding.rank >= 0) {
    row.rank = finding.rank;
  }
  row.message = finding.meaning;
  if (finding.secondary) {
    row.message += " (follows from another finding)";
  }
  row.hint = finding.hint;
  row.evidence = finding.quote;
  row.count = finding.count;
  return row;
}

std::string RootCauseText(const Finding& finding) {
  std::string text;
  if (finding.rank >= 0) {
    text = "rank " + std::to_string(finding.rank);
  }
  if (!finding.node.empty()) {
    text += (text.empty() ? "node " : " on ") + finding.node;
  }
  text +=
      (text.empty() ? "" : ": ") + finding.meaning + " [" + finding.code + "]";
  if (!finding.quote.empty()) {
    text += ": '" + finding.quote.substr(0, 200) + "'";
  }
  return text;
}

}  // namespace zs
