#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "runner/observe/diagnose/hardware.h"
#include "runner/observe/diagnose/rules.h"

namespace zs {
namespace {

LineRef LineOf(const NodeFacts& node,
               std::initializer_list<std::string_view> kinds) {
  for (const std::string_view kind : kinds) {
    const auto it = node.lines.find(kind);
    if (it != node.lines.end()) {
      return it->second;
    }
  }
  return {};
}

bool SetTo(const NodeFacts& node, const char* name, std::string_view value) {
  const auto it = node.settings.find(name);
  return it != node.settings.end() && it->second == value;
}

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// The name of the first interface in "[0]ib0:10.0.0.1<0> [1]...".
std::string_view FirstInterface(std::string_view list) {
  const size_t start = list.find(']');
  list = start == std::string_view::npos ? list : list.substr(start + 1);
  return list.substr(0, list.find_first_of(":."));
}

bool AnyHca(const RunFacts& facts) {
  return std::any_of(facts.nodes.begin(), facts.nodes.end(),
                     [](const auto& entry) { return entry.second.hcas > 0; });
}

// What speaks for RDMA devices on a node that uses TCP.
std::string RdmaExpected(const RunFacts& facts, const NodeFacts& node) {
  if (StartsWith(FirstInterface(node.interfaces), "ib")) {
    return "TCP runs over an InfiniBand interface (" +
           std::string(FirstInterface(node.interfaces)) + ")";
  }
  if (node.settings.count("NCCL_IB_HCA") > 0) {
    return "NCCL_IB_HCA is set";
  }
  if (SetTo(node, "NCCL_IB_DISABLE", "1")) {
    return "NCCL_IB_DISABLE=1 is set";
  }
  for (const std::string& plugin : node.plugins) {
    if (plugin.find("IBext") != std::string::npos ||
        plugin.find("RDMA") != std::string::npos ||
        plugin.find("rdma") != std::string::npos) {
      return "the image brings an RDMA plugin (" + plugin + ")";
    }
  }
  return AnyHca(facts) ? "another line of this log lists HCAs" : "";
}

bool UsesTcp(const NodeFacts& node) {
  return node.networks.count("Socket") > 0 ||
         (node.networks.empty() && !node.interfaces.empty());
}

void AddNetwork(const RunFacts& facts, Findings& findings) {
  const int nodes = facts.NodeCount();
  bool told = false;
  for (const auto& [host, node] : facts.nodes) {
    const bool only_tcp =
        node.hcas < 1 || node.rdma_missing || node.networks.count("Socket") > 0;
    if (!UsesTcp(node) || !only_tcp) {
      if (node.hcas > 0 && !node.interfaces.empty() && node.networks.empty()) {
        // falls through to the comparison below: both are listed
      } else {
        continue;
      }
    }
    const std::string reason = RdmaExpected(facts, node);
    const bool one_node = nodes == 1;
    const LineRef at = LineOf(node, {"rdma_missing", "interfaces", "network"});
    if (!reason.empty() && !one_node) {
      Finding finding = MakeFinding(facts, "ib-fallback-socket", at);
      finding.node = host;
      finding.rank = -1;
      finding.meaning += "; " + reason;
      findings.push_back(finding);
    } else if (nodes > 1 && !told) {
      Finding finding = MakeFinding(facts, "socket-expected", at);
      finding.node.clear();
      finding.rank = -1;
      findings.push_back(finding);
      told = true;
    }
  }
}

void AddGdr(const RunFacts& facts, Findings& findings) {
  const bool consumer = IsConsumerGpu(facts.gpus) ||
                        facts.Find("p2p-could-not-enable") != nullptr;
  for (const auto& [host, node] : facts.nodes) {
    int64_t rdma = 0;
    for (const auto& [network, count] : node.channels_net) {
      rdma += network == "Socket" ? 0 : count;
    }
    const bool by_channel = rdma > 0 && node.channels_gdr == 0;
    const bool by_line = node.gdr_disabled > 0 && node.channels_gdr == 0;
    if (!by_channel && !by_line) {
      continue;
    }
    Finding finding = MakeFinding(facts, "gdr-disabled",
                                  LineOf(node, {"gdr_disabled", "net"}));
    finding.node = host;
    finding.rank = -1;
    finding.count = std::max(rdma, node.gdr_disabled);
    if (consumer) {
      finding.severity = Severity::kInfo;
      finding.meaning += "; expected on consumer GPUs";
    }
    findings.push_back(finding);
  }
}

// Whether these GPUs could talk directly, and how that is known.
std::string DirectExpected(const RunFacts& facts, const NodeFacts& node) {
  if (SetTo(node, "NCCL_P2P_DISABLE", "1")) {
    return "NCCL_P2P_DISABLE=1 is set";
  }
  if (const auto it = node.settings.find("NCCL_P2P_LEVEL");
      it != node.settings.end() && (it->second == "LOC" || it->second == "0")) {
    return "NCCL_P2P_LEVEL=" + it->second + " is set";
  }
  if (node.nvls) {
    return "the GPUs are on an NVSwitch";
  }
  return HasNvlink(facts.gpus) ? "these GPUs have NVLink" : "";
}

// Whether all ranks sit on one machine, whatever NCCL takes for nodes.
bool OneHost(const RunFacts& facts) {
  int planned = 0;
  for (const LaunchFact& launch : facts.launches) {
    planned = std::max(planned, launch.nodes);
  }
  return facts.nccl_nodes == 1 || (planned == 1 && facts.Hosts().size() == 1);
}

void AddInsideNode(const RunFacts& facts, Findings& findings) {
  for (const auto& [host, node] : facts.nodes) {
    const std::string reason = DirectExpected(facts, node);
    int64_t net = 0;
    for (const auto& [network, count] : node.channels_net) {
      net += count;
    }
    if (node.channels_shm > 0) {
      Finding finding =
          MakeFinding(facts, "shm-instead-of-p2p", LineOf(node, {"shm"}));
      finding.node = host;
      finding.rank = -1;
      finding.count = node.channels_shm;
      if (reason.empty()) {
        finding.severity = Severity::kInfo;
        finding.confidence = Confidence::kLow;
      } else {
        finding.confidence = Confidence::kHigh;
        finding.meaning += "; " + reason;
      }
      findings.push_back(finding);
    }
    if (OneHost(facts) && net > 0 &&
        node.channels_p2p + node.channels_shm == 0) {
      Finding finding =
          MakeFinding(facts, "net-inside-node", LineOf(node, {"net"}));
      finding.node = host;
      finding.rank = -1;
      finding.count = net;
      if (!reason.empty()) {
        finding.meaning += "; " + reason;
      }
      findings.push_back(finding);
    }
  }
}

void AddHcas(const RunFacts& facts, Findings& findings) {
  std::set<int> counts;
  int64_t fastest = 0;
  for (const auto& [host, node] : facts.nodes) {
    if (node.hcas > 0 && !host.empty()) {
      counts.insert(node.hcas);
    }
    for (const auto& [device, speed] : node.hca_speeds) {
      fastest = std::max(fastest, speed);
    }
  }
  for (const auto& [host, node] : facts.nodes) {
    if (counts.size() > 1 && node.hcas == *counts.begin()) {
      Finding finding =
          MakeFinding(facts, "hca-set-differs", LineOf(node, {"hcas"}));
      finding.node = host;
      finding.meaning += ": " + std::to_string(node.hcas) + " here, " +
                         std::to_string(*counts.rbegin()) + " elsewhere";
      findings.push_back(finding);
    }
    for (const auto& [device, speed] : node.hca_speeds) {
      if (speed > 0 && speed < fastest) {
        Finding finding =
            MakeFinding(facts, "ib-link-degraded", LineOf(node, {"speed"}));
        finding.node = host;
        finding.meaning += ": " + device + " at " +
                           std::to_string(speed / 1000) + " instead of " +
                           std::to_string(fastest / 1000) + " Gb/s";
        findings.push_back(finding);
      }
    }
    const bool ignored = std::any_of(
        node.networks.begin(), node.networks.end(),
        [](const std::string& name) { return StartsWith(name, "IBext"); });
    if (ignored && SetTo(node, "NCCL_IB_DISABLE", "1")) {
      Finding finding = MakeFinding(facts, "ib-disable-ignored-by-plugin",
                                    LineOf(node, {"network"}));
      finding.node = host;
      findings.push_back(finding);
    }
    if (node.smallest_mtu > 0 && node.smallest_mtu < 4) {
      Finding finding = MakeFinding(facts, "mtu-small", LineOf(node, {"mtu"}));
      finding.node = host;
      finding.meaning += ": " + std::to_string(128 << node.smallest_mtu) +
                         " bytes (mtu " + std::to_string(node.smallest_mtu) +
                         ")";
      findings.push_back(finding);
    }
  }
}

// Counters that people paste: each that is not zero.
void AddCounters(const RunFacts& facts, Findings& findings) {
  const int code = SignatureIndex("roce-retransmissions");
  Finding* made = nullptr;
  for (const SignatureFact& fact : facts.signatures) {
    if (fact.signature != code) {
      continue;
    }
    if (made == nullptr) {
      findings.push_back(MakeFinding(facts, "roce-retransmissions", fact.at));
      made = &findings.back();
      made->meaning += ":";
    }
    made->meaning += " " + fact.captures[0] + " " + fact.captures[1];
  }
}

}  // namespace

void AddTransportFindings(const RunFacts& facts, Findings& findings) {
  AddNetwork(facts, findings);
  AddGdr(facts, findings);
  AddInsideNode(facts, findings);
  AddHcas(facts, findings);
  AddCounters(facts, findings);
}

}  // namespace zs
