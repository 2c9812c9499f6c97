#include "runner/sweep/settle.h"

#include <algorithm>
#include <utility>

#include "runner/backend/launch.h"
#include "runner/check/judge.h"
#include "runner/reach/end_leftovers.h"

namespace zs {
namespace {

constexpr int64_t kGraceMs = 2000;
constexpr int64_t kTimeoutMs = 30'000;

// LINES on one line.
std::string OneLine(std::string lines) {
  while (lines.ends_with('\n')) {
    lines.pop_back();
  }
  for (size_t at = 0; (at = lines.find('\n', at)) != std::string::npos;) {
    lines.replace(at, 1, "; ");
  }
  return lines;
}

// The processes of a run on a node, and those that load its checkpoint.
std::vector<std::string> TokensOf(const results::UncleanNode& unclean) {
  const std::string node = "." + std::to_string(unclean.node.node_rank);
  return {unclean.token + node, unclean.token + "-load" + node};
}

// Ends what UNCLEAN's run has left on its node. An error where the node does
// not answer.
Result<CleanupReceipt> EndAll(const results::UncleanNode& unclean,
                              Connection& connection, std::string& record) {
  CleanupReceipt receipt;
  for (const std::string& token : TokensOf(unclean)) {
    ASSIGN_OR_RETURN(
        const Leftovers leftovers,
        EndLeftovers(connection, token, kGraceMs, kTimeoutMs + kGraceMs));
    receipt.left_over += leftovers.stopped.left_over;
    receipt.processes_left += leftovers.stopped.left;
    receipt.shm_left_bytes += leftovers.stopped.shm_left_bytes;
    receipt.note += (receipt.note.empty() ? "" : "; ") + leftovers.stopped.note;
    record += leftovers.record;
  }
  receipt.verified = true;
  return receipt;
}

results::FindingRow FindingOf(const results::UncleanNode& unclean,
                              const CleanupReceipt& receipt,
                              const std::string& record) {
  results::FindingRow finding;
  finding.code = receipt.clean() ? "node_settled" : "node_not_clean";
  finding.severity =
      receipt.clean() ? results::Severity::kInfo : results::Severity::kError;
  finding.node = unclean.node.host;
  finding.message = "run " + std::to_string(unclean.run_id) + " (" +
                    unclean.experiment + ") on " + unclean.node.host +
                    ", looked at again: " + std::to_string(receipt.left_over) +
                    " of its processes lived and " +
                    std::to_string(receipt.processes_left) + " are left";
  finding.evidence = OneLine(record);
  return finding;
}

// What refuses an experiment.
CheckResult NotClean(const results::UncleanNode& unclean,
                     const std::vector<std::string>& reach,
                     const std::string& what) {
  CheckResult result;
  result.name = "clean_up";
  result.node = unclean.node.host;
  result.state = CheckState::kFailed;
  result.found = "run " + std::to_string(unclean.run_id) + " (" +
                 unclean.experiment + "): " + what;
  result.limit =
      "nothing is left of earlier runs; end it by hand or restart the node, "
      "then run again";
  result.repeat = RepeatOn(reach, {"sh", "-c",
                                   "grep -lsz '^ZS_RUN_TOKEN=" + unclean.token +
                                       "' /proc/[0-9]*/environ"});
  return result;
}

}  // namespace

void SetReceipt(const CleanupReceipt& receipt, results::NodeRow& row) {
  row.clean_up_note = receipt.note;
  if (!receipt.verified) {
    return;
  }
  if (receipt.clean() || !receipt.left_nothing()) {
    row.clean = receipt.clean() ? 1 : 0;
  }
  row.left_processes = receipt.processes_left;
  row.left_shm_bytes = receipt.shm_left_bytes;
  row.left_gpu_bytes = receipt.gpu_left_bytes;
  for (const int port : receipt.ports_busy) {
    row.ports_busy +=
        (row.ports_busy.empty() ? "" : ", ") + std::to_string(port);
  }
}

Result<std::vector<CheckResult>> SettleNodes(const Experiment& experiment,
                                             int64_t sweep_id,
                                             int64_t now_unix_ms,
                                             results::Store& store,
                                             AgentPool& agents) {
  std::vector<CheckResult> bad;
  for (const std::string& host : experiment.topology.nodes) {
    ASSIGN_OR_RETURN(const auto unclean_nodes,
                     store.reader().UncleanNodes(host));
    const auto reach = ReachOf(experiment.topology.reach, host);
    for (const results::UncleanNode& unclean : unclean_nodes) {
      const auto agent = agents.Get(host, reach);
      std::string record;
      const auto receipt = agent.ok() ? EndAll(unclean, **agent, record)
                                      : Result<CleanupReceipt>(agent.status());
      if (!receipt.ok()) {
        bad.push_back(NotClean(unclean, reach,
                               "nobody knows what it has left, because the "
                               "node does not answer: " +
                                   receipt.status().message()));
        continue;
      }
      results::NodeRow row = unclean.node;
      SetReceipt(*receipt, row);
      RETURN_IF_ERROR(store.SettleNode(unclean.run_id, row));
      results::FindingRow finding = FindingOf(unclean, *receipt, record);
      finding.at_unix_ms = now_unix_ms;
      RETURN_IF_ERROR(store.AddFindings(sweep_id, 0, {finding}));
      if (!receipt->clean()) {
        bad.push_back(NotClean(unclean, reach, receipt->note));
      }
    }
  }
  return bad;
}

}  // namespace zs
