#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "runner/observe/diagnose/rules.h"

namespace zs {
namespace {

const TimeoutFact* FirstTimeout(const RunFacts& facts) {
  const TimeoutFact* first = nullptr;
  for (const auto& [rank, all] : facts.timeouts) {
    for (const TimeoutFact& timeout : all) {
      const bool earlier = first == nullptr ||
                           timeout.at.source < first->at.source ||
                           (timeout.at.source == first->at.source &&
                            timeout.at.line < first->at.line);
      first = earlier ? &timeout : first;
    }
  }
  return first;
}

// A rank that has enqueued less than what others wait for, and does not wait
// itself: it never came. -1 where nobody is known to be behind.
int RankBehind(const RunFacts& facts, int64_t sequence, int64_t& enqueued) {
  int behind = -1;
  for (const auto& [group, ranks] : facts.progress) {
    for (const auto& [rank, work] : ranks) {
      if (rank >= 0 && work.first >= 0 && work.first < sequence &&
          facts.timeouts.count(rank) == 0 &&
          (behind < 0 || work.first < enqueued)) {
        behind = rank;
        enqueued = work.first;
      }
    }
  }
  return behind;
}

// Every rank waits in one collective, and not all in the same one.
bool Desynchronised(const RunFacts& facts) {
  if (facts.timeouts.size() < 2) {
    return false;
  }
  const TimeoutFact& first = facts.timeouts.begin()->second.front();
  bool differ = false;
  for (const auto& [rank, all] : facts.timeouts) {
    if (rank < 0 || all.size() != 1) {
      return false;  // several groups: their numbers do not compare
    }
    differ |= all.front().sequence != first.sequence ||
              all.front().operation != first.operation;
  }
  return differ;
}

std::string Waits(int rank, const TimeoutFact& timeout) {
  return "rank " + std::to_string(rank) + " in " + timeout.operation + " #" +
         std::to_string(timeout.sequence);
}

// Of a known world, the one rank that reports no timeout; -1 otherwise.
int OnlySilentRank(const RunFacts& facts) {
  const int world = std::max(facts.world, facts.nccl_ranks);
  if (world < 2 || facts.timeouts.count(-1) > 0 ||
      static_cast<int>(facts.timeouts.size()) != world - 1) {
    return -1;
  }
  for (int rank = 0; rank < world; ++rank) {
    if (facts.timeouts.count(rank) == 0) {
      return rank;
    }
  }
  return -1;
}

std::string_view CodeForSilent(const RunFacts& facts) {
  if (facts.series.empty() &&
      facts.Find("watchdog-preprocessing-on-rank0") != nullptr) {
    return "watchdog-preprocessing-on-rank0";
  }
  const bool saving =
      !facts.checkpoints.empty() &&
      facts.checkpoints.back().action == CheckpointAction::kSaving;
  return saving ? "watchdog-rank-private-work" : "watchdog-collective-timeout";
}

void AddDesync(const RunFacts& facts, const TimeoutFact& first,
               Findings& findings) {
  Finding finding = MakeFinding(facts, "watchdog-collective-desync", first.at);
  finding.rank = -1;
  std::string where;
  int shown = 0;
  for (const auto& [rank, all] : facts.timeouts) {
    if (++shown <= 8) {
      where += (where.empty() ? "" : ", ") + Waits(rank, all.front());
    }
  }
  finding.meaning += ": " + where;
  findings.push_back(finding);
  Finding wait = MakeFinding(facts, "watchdog-collective-timeout", first.at);
  wait.order = CauseOrder::kConsequence;
  findings.push_back(wait);
}

// Nothing but the bare fact is known: most such timeouts have their cause in
// the program of a rank that is elsewhere, few in the network.
void AddBare(const RunFacts& facts, const TimeoutFact& first,
             Findings& findings) {
  Finding elsewhere =
      MakeFinding(facts, "watchdog-rank-private-work", first.at);
  elsewhere.rank = -1;
  findings.push_back(elsewhere);
  Finding wait = MakeFinding(facts, "watchdog-collective-timeout", first.at);
  wait.order = CauseOrder::kConsequence;
  findings.push_back(wait);
}

void AddSameOperation(const RunFacts& facts, const TimeoutFact& first,
                      Findings& findings) {
  int64_t enqueued = 0;
  int suspect = RankBehind(facts, first.sequence, enqueued);
  const bool behind = suspect >= 0;
  suspect = behind ? suspect : OnlySilentRank(facts);
  const std::string_view code = suspect >= 0 || !facts.series.empty()
                                    ? CodeForSilent(facts)
                                    : "watchdog-collective-timeout";
  Finding finding = MakeFinding(facts, code, first.at);
  finding.rank = suspect;
  finding.node = suspect >= 0 && suspect != first.at.rank ? "" : finding.node;
  finding.meaning += ": " + std::to_string(facts.timeouts.size()) +
                     " rank(s) wait in " + first.operation + " #" +
                     std::to_string(first.sequence);
  if (behind) {
    finding.hint = "rank " + std::to_string(suspect) +
                   " has not entered it (last enqueued: #" +
                   std::to_string(enqueued) + "): look there first";
  } else if (suspect >= 0) {
    finding.hint = "rank " + std::to_string(suspect) +
                   " reports no timeout: look there first";
  } else {
    finding.confidence = Confidence::kMedium;
    finding.hint +=
        "; where all ranks report the same number all have arrived: suspect "
        "the network or a GPU of one node (Xid, port counters)";
  }
  if (first.ran_ms > 3 * first.timeout_ms) {
    finding.hint +=
        "; it ran far beyond its limit: the host was frozen or "
        "the watchdog blocked";
  }
  findings.push_back(finding);
}

void AddTimeouts(const RunFacts& facts, Findings& findings) {
  const TimeoutFact* first = FirstTimeout(facts);
  if (first == nullptr) {
    return;
  }
  if (first->sequence < 0 && facts.timeouts.size() == 1) {
    AddBare(facts, *first, findings);
  } else if (Desynchronised(facts)) {
    int64_t enqueued = 0;
    if (RankBehind(facts, first->sequence, enqueued) >= 0) {
      AddSameOperation(facts, *first, findings);
    } else {
      AddDesync(facts, *first, findings);
    }
  } else {
    AddSameOperation(facts, *first, findings);
  }
}

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

// Exceptions that only repeat what another line says better.
bool IsConsequence(std::string_view type) {
  for (const std::string_view end :
       {"ChildFailedError", "SignalException", "DistBackendError",
        "DistNetworkError", "DistStoreError", "BrokenPipeError",
        "ConnectionResetError", "KeyboardInterrupt", "EOFError",
        "CalledProcessError", "SystemExit", "ProcessRaisedException",
        "ProcessExitedException"}) {
    if (EndsWith(type, end)) {
      return true;
    }
  }
  return type.find("Rendezvous") != std::string_view::npos;
}

// A failure that was there before: an exception right after it in the same
// stream is its consequence ("NoneType has no attribute" after a dataset that
// was not found).
bool FollowsSpecific(const Findings& findings, const RunFacts& facts,
                     const PythonFact& error) {
  return std::any_of(
      findings.begin(), findings.end(), [&](const Finding& finding) {
        return finding.severity == Severity::kError &&
               finding.order <= CauseOrder::kSpecific &&
               finding.file == facts.sources[error.at.source].path &&
               finding.line < error.at.line;
      });
}

void AddPython(const RunFacts& facts, Findings& findings) {
  std::set<std::string> seen;
  for (const PythonFact& error : facts.python) {
    const bool matched =
        facts.matched_lines.count({error.at.source, error.at.line}) > 0;
    if (EndsWith(error.type, "ChildFailedError") ||
        (matched && !error.type.empty())) {
      continue;  // the catalogue or torchrun's report says it better
    }
    if (!seen.insert(error.type + error.message).second) {
      continue;  // all ranks raise alike: the first one speaks
    }
    Finding finding = MakeFinding(facts, "python-exception", error.at);
    finding.meaning = error.type + ": " + error.message;
    if (!error.frame.empty()) {
      finding.hint = "raised at " + error.frame;
    }
    if (IsConsequence(error.type) || FollowsSpecific(findings, facts, error)) {
      finding.order = CauseOrder::kConsequence;
    }
    findings.push_back(finding);
  }
}

}  // namespace

void AddWaitFindings(const RunFacts& facts, Findings& findings) {
  AddTimeouts(facts, findings);
  AddPython(facts, findings);
}

}  // namespace zs
