#include "runner/sweep/machine_findings.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "base/strings.h"
#include "results/stats/bootstrap.h"
#include "results/stats/summary.h"

namespace zs {
namespace {

constexpr double kSameLevel = 0.01;
constexpr double kSlowShare = 0.75;
constexpr size_t kFewestNodes = 3;

// What each node reached in its best run of OP; empty where every run has all
// nodes, which tells none from the others.
std::map<std::string, double> BestOfNodes(const std::vector<LinkRun>& runs,
                                          const std::string& op) {
  std::map<std::string, double> best;
  for (const LinkRun& run : runs) {
    for (const std::string& host : run.hosts) {
      if (run.op == op) {
        best[host] = std::max(best[host], run.busbw_gb_s);
      }
    }
  }
  const bool apart =
      std::any_of(runs.begin(), runs.end(), [&](const LinkRun& run) {
        return run.op == op && run.hosts.size() < best.size();
      });
  return apart ? best : std::map<std::string, double>();
}

// Each operation that a run on several nodes has measured.
Result<std::vector<LinkRun>> LinkRunsOf(const results::Reader& reader,
                                        int64_t sweep_id) {
  std::vector<LinkRun> links;
  ASSIGN_OR_RETURN(
      const auto runs,
      reader.Runs({.measurement = results::MeasurementState::kValid,
                   .sweep_id = sweep_id}));
  for (const results::RunRow& run : runs) {
    ASSIGN_OR_RETURN(const auto points, reader.Bandwidths(run.id));
    if (points.empty()) {
      continue;
    }
    ASSIGN_OR_RETURN(const auto nodes, reader.Nodes(run.id));
    std::map<std::string, std::pair<int64_t, double>> largest;  // size, GB/s
    for (const results::BandwidthRow& point : points) {
      largest[point.op] = std::max(
          largest[point.op], {point.size_bytes, point.busbw_gb_s.value_or(0)});
    }
    LinkRun link;
    for (const results::NodeRow& node : nodes) {
      link.hosts.push_back(node.host);
    }
    for (const auto& [op, point] : largest) {
      if (link.hosts.size() > 1 && point.second > 0) {
        link.op = op;
        link.busbw_gb_s = point.second;
        links.push_back(link);
      }
    }
  }
  return links;
}

results::FindingRow SlowNodeFinding(const SlowNode& slow) {
  results::FindingRow finding;
  finding.code = "slow_node";
  finding.severity = results::Severity::kWarning;
  finding.node = slow.host;
  finding.message =
      slow.host + ": its links carry " +
      StringPrintf("%.3f GB/s at best, those of the other nodes %.3f (%.2fx; ",
                   slow.busbw_gb_s, slow.others_gb_s,
                   slow.busbw_gb_s / slow.others_gb_s) +
      slow.op + ")";
  finding.hint =
      "every run with this node goes at its pace; look at its cable, port and "
      "adapter (ethtool, ethtool -S), or leave it out";
  return finding;
}

results::FindingRow DriftFinding(const std::string& text) {
  results::FindingRow finding;
  finding.code = "sentinel_drift";
  finding.severity = results::Severity::kWarning;
  finding.message = text;
  finding.hint =
      "runs between may owe part of their difference to it; look at clocks, "
      "temperatures and other users, and repeat";
  return finding;
}

}  // namespace

std::string DriftText(const std::string& name,
                      const std::vector<std::vector<double>>& runs) {
  if (runs.size() < 2) {
    return "";
  }
  const auto interval = results::MedianRatio(std::span(runs).last(1),
                                             std::span(runs).first(1), {});
  if (!interval || std::abs(interval->value - 1) <= kSameLevel ||
      (interval->lo <= 1 && interval->hi >= 1)) {
    return "";
  }
  std::string levels;
  for (const std::vector<double>& run : runs) {
    levels += (levels.empty() ? "" : ", ") +
              StringPrintf("%.2f", results::Median(run).value_or(0));
  }
  return "sentinel " + name + ": the machine drifts, step times (ms) " +
         levels + " in order" +
         StringPrintf(": %+.1f%% from the first to the last",
                      100 * (interval->value - 1));
}

std::vector<SlowNode> SlowNodesOf(const std::vector<LinkRun>& runs) {
  std::set<std::string> ops;
  for (const LinkRun& run : runs) {
    ops.insert(run.op);
  }
  std::map<std::string, SlowNode> worst;  // by host
  for (const std::string& op : ops) {
    const auto best = BestOfNodes(runs, op);
    std::vector<double> levels;
    levels.reserve(best.size());
    for (const auto& [host, gb_s] : best) {
      levels.push_back(gb_s);
    }
    const double middle = results::Median(levels).value_or(0);
    for (const auto& [host, gb_s] : best) {
      const bool slow =
          best.size() >= kFewestNodes && gb_s < kSlowShare * middle;
      const auto known = worst.find(host);
      if (slow && (known == worst.end() ||
                   gb_s / middle <
                       known->second.busbw_gb_s / known->second.others_gb_s)) {
        worst[host] = {host, op, gb_s, middle};
      }
    }
  }
  std::vector<SlowNode> slow;
  slow.reserve(worst.size());
  for (const auto& [host, node] : worst) {
    slow.push_back(node);
  }
  return slow;
}

Result<std::vector<results::FindingRow>> MachineFindings(
    const results::Reader& reader, int64_t sweep_id,
    const std::map<std::string, std::vector<std::vector<double>>>& sentinels,
    int64_t at_unix_ms) {
  std::vector<results::FindingRow> findings;
  for (const auto& [name, runs] : sentinels) {
    const std::string text = DriftText(name, runs);
    if (!text.empty()) {
      findings.push_back(DriftFinding(text));
    }
  }
  ASSIGN_OR_RETURN(const std::vector<LinkRun> links,
                   LinkRunsOf(reader, sweep_id));
  for (const SlowNode& node : SlowNodesOf(links)) {
    findings.push_back(SlowNodeFinding(node));
  }
  for (results::FindingRow& finding : findings) {
    finding.at_unix_ms = at_unix_ms;
  }
  return findings;
}

}  // namespace zs
