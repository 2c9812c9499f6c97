#include "runner/sweep/record_run.h"

#include <map>
#include <utility>

#include "base/files.h"
#include "runner/sweep/other_cpu.h"
#include "runner/sweep/settle.h"

namespace zs {
namespace {

Status RecordRanks(results::Store& store, const EndedRun& run) {
  std::map<std::string, int> node_ranks;
  for (const std::string& node : run.experiment.topology.nodes) {
    node_ranks.emplace(node, static_cast<int>(node_ranks.size()));
  }
  std::vector<results::RankRow> rows;
  std::vector<results::ArtifactRow> logs;
  std::map<std::string, int> seen;  // processes by node
  for (const RankExit& exit : run.ended.ranks) {
    results::RankRow row;
    row.rank = exit.rank;
    row.node_rank = node_ranks[exit.node];
    row.local_rank = seen[exit.node]++;
    if (exit.pid > 0) {
      row.pid = exit.pid;
    }
    if (exit.ended) {
      row.exit_status = exit.exit_code;
      row.exit_signal = exit.signal;
    }
    row.reason = exit.HowItEnded();
    rows.push_back(std::move(row));
    logs.push_back(
        {.kind = "log",
         .path = run.folder + "/rank" + std::to_string(exit.rank) + ".log",
         .bytes = exit.output_bytes - exit.dropped_bytes});
  }
  for (const std::string& log : run.ended.logs) {
    const auto bytes = FileSizeBytes(log);
    logs.push_back({.kind = "log", .path = log});
    if (bytes.ok()) {
      logs.back().bytes = *bytes;
    }
  }
  for (const std::string& file : run.ended.files) {
    logs.push_back({.kind = "evidence", .path = file});
  }
  RETURN_IF_ERROR(store.AddRanks(run.run_id, rows));
  return store.AddArtifacts(run.run_id, logs);
}

Status RecordNodes(results::Store& store, const EndedRun& run) {
  std::vector<results::NodeRow> rows = NodesOf(run.experiment);
  for (results::NodeRow& row : rows) {
    if (run.ended.ranks.empty()) {
      row.clean = 1;  // it came to nothing being started
    }
    row.other_cpu_pct = OtherCpuPct(run.ended.ranks, row.host);
    for (const RankExit& exit : run.ended.ranks) {
      if (exit.node == row.host && row.in_effect.empty()) {
        row.in_effect = exit.in_effect;
      }
    }
    for (const CleanupReceipt& receipt : run.ended.clean_up) {
      if (receipt.node == row.host) {
        row.contained_by = receipt.containment;
        SetReceipt(receipt, row);
      }
    }
  }
  return store.AddNodes(run.run_id, rows);
}

Status RecordMemory(results::Store& store, const EndedRun& run) {
  std::vector<results::MemoryRow> rows;
  for (const auto& [rank, memory] : run.record.mem_peak_bytes) {
    rows.push_back(memory);
  }
  return store.AddMemory(run.run_id, rows);
}

}  // namespace

void AddAmendedSteps(const RunRecord& record,
                     std::vector<results::StepRow>& rows) {
  if (record.amended) {
    rows = record.steps;
  }
}

std::vector<results::NodeRow> NodesOf(const Experiment& experiment) {
  std::vector<results::NodeRow> rows;
  const Topology& topology = experiment.topology;
  for (size_t i = 0; i < topology.nodes.size(); ++i) {
    rows.push_back({.node_rank = static_cast<int>(i),
                    .host = topology.nodes[i],
                    .ranks = topology.ranks_per_node});
  }
  return rows;
}

std::vector<results::FindingRow> FindingsOf(const EndedRun& run) {
  std::vector<results::FindingRow> findings = run.record.findings;
  for (results::FindingRow& finding : findings) {
    finding.at_unix_ms = run.now_unix_ms;
  }
  for (const auto& [rank, error] : run.record.errors) {
    const bool first = run.record.first_error_rank == rank;
    findings.push_back({.code = error.code,
                        .severity = first ? results::Severity::kError
                                          : results::Severity::kInfo,
                        .rank = rank,
                        .message = error.message,
                        .at_unix_ms = run.now_unix_ms});
  }
  for (const RunFinding& finding : run.ended.findings) {
    findings.push_back({.code = finding.code,
                        .severity = finding.is_error
                                        ? results::Severity::kError
                                        : results::Severity::kWarning,
                        .node = finding.node,
                        .message = finding.message,
                        .hint = finding.hint,
                        .evidence = finding.evidence,
                        .at_unix_ms = run.now_unix_ms});
    if (finding.rank >= 0) {
      findings.back().rank = finding.rank;
    }
  }
  for (const std::string& note : run.ended.notes) {
    findings.push_back({.code = "supervisor_note",
                        .severity = results::Severity::kWarning,
                        .message = note,
                        .at_unix_ms = run.now_unix_ms});
  }
  return findings;
}

Status RecordDetails(results::Store& store, const EndedRun& run) {
  RETURN_IF_ERROR(store.SetEffective(run.run_id, run.record.effective));
  RETURN_IF_ERROR(RecordRanks(store, run));
  RETURN_IF_ERROR(RecordNodes(store, run));
  RETURN_IF_ERROR(RecordMemory(store, run));
  return store.AddFindings(run.sweep_id, run.run_id, FindingsOf(run));
}

}  // namespace zs
