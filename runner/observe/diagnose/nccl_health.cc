#include "runner/observe/diagnose/nccl_health.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace zs {
namespace {

// Sources whose findings speak of the communication.
bool ConcernsNccl(const Finding& finding) {
  const int index = SignatureIndex(finding.code);
  if (index < 0) {
    return false;
  }
  const std::string_view source = Signatures()[index].source;
  return source == "NCCL" || source == "NCCL RAS" || source == "nccl-tests" ||
         source == "sysfs" || finding.code.rfind("watchdog-", 0) == 0 ||
         finding.code == "xid-nvlink" || finding.code == "gpu-lost" ||
         finding.code == "env-name-unknown";
}

void CountChannels(const NodeFacts& node, NcclHealth& health) {
  const auto add = [&health](const std::string& name, int64_t count) {
    if (count > 0) {
      health.channels[name] += count;
    }
  };
  add("P2P", node.channels_p2p);
  add("SHM", node.channels_shm);
  for (const auto& [network, count] : node.channels_net) {
    add("NET/" + network, count);
  }
  add("GDRDMA", node.channels_gdr);
}

void TakeBandwidth(const RunFacts& facts, NcclHealth& health) {
  for (const BandwidthFact& row : facts.bandwidths) {
    if (row.bytes >= health.busbw_bytes) {
      health.busbw_bytes = row.bytes;
      health.busbw_gb_s = row.busbw_gb_s;
      health.busbw_operation = row.operation;
    }
  }
}

}  // namespace

std::string_view HealthName(Health health) {
  switch (health) {
    case Health::kUnknown:
      return "unknown";
    case Health::kHealthy:
      return "healthy";
    case Health::kDegraded:
      return "degraded";
    case Health::kFailed:
      return "failed";
  }
  return "unknown";
}

NcclHealth JudgeNccl(const RunFacts& facts, const Findings& findings) {
  NcclHealth health;
  std::set<std::string> networks;
  for (const auto& [host, node] : facts.nodes) {
    networks.insert(node.networks.begin(), node.networks.end());
    if (!node.versions.empty() && health.version.empty()) {
      health.version = *node.versions.begin();
    }
    if (node.hcas > 0) {
      health.link_layer = node.roce ? "RoCE" : "InfiniBand";
    }
    CountChannels(node, health);
  }
  health.networks.assign(networks.begin(), networks.end());
  health.nodes = facts.NodeCount() > 0 ? facts.NodeCount() : -1;
  health.ranks = facts.nccl_ranks;
  health.init_s = facts.init_s;
  TakeBandwidth(facts, health);
  if (!facts.nodes.empty() || !facts.bandwidths.empty()) {
    health.health = Health::kHealthy;
  }
  for (const Finding& finding : findings) {
    if (!ConcernsNccl(finding) || finding.severity == Severity::kInfo) {
      continue;
    }
    const bool failed = finding.severity == Severity::kError;
    health.health =
        std::max(health.health, failed ? Health::kFailed : Health::kDegraded);
    health.evidence.push_back(
        (finding.node.empty() ? "" : finding.node + ": ") + finding.meaning);
  }
  return health;
}

}  // namespace zs
