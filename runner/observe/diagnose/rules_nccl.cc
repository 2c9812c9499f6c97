#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/observe/diagnose/rules.h"

namespace zs {
namespace {

constexpr size_t kNone = std::string::npos;

LineRef LineOf(const NodeFacts& node, std::string_view kind) {
  const auto it = node.lines.find(kind);
  return it == node.lines.end() ? LineRef{} : it->second;
}

// "10.0" of an IPv4 address; the address itself otherwise.
std::string Network(std::string_view address) {
  const size_t dot = address.find('.');
  const size_t second = dot == kNone ? kNone : address.find('.', dot + 1);
  return std::string(address.substr(0, second));
}

bool IsIpv6(std::string_view address) {
  return address.find(':') != kNone;
}

bool IsLinkLocal(std::string_view address) {
  return address.rfind("fe80", 0) == 0 || address.rfind("169.254.", 0) == 0;
}

// Nodes of a run that said something about KIND.
template <typename Get>
std::map<std::string, std::vector<std::string>> ByValue(const RunFacts& facts,
                                                        Get get) {
  std::map<std::string, std::vector<std::string>> nodes;
  for (const auto& [host, node] : facts.nodes) {
    if (std::string value = get(node); !value.empty()) {
      nodes[value].push_back(host.empty() ? "?" : host);
    }
  }
  return nodes;
}

std::string Table(const std::map<std::string, std::vector<std::string>>& all) {
  std::string out;
  for (const auto& [value, hosts] : all) {
    out += out.empty() ? "" : "; ";
    for (size_t i = 0; i < hosts.size() && i < 8; ++i) {
      out += (i == 0 ? "" : ", ") + hosts[i];
    }
    out += hosts.size() > 8 ? ", ... " : " ";
    out += value;
  }
  return out;
}

// The hosts with the rarest value: they are the odd ones.
std::string OddOne(const std::map<std::string, std::vector<std::string>>& all) {
  const std::vector<std::string>* rarest = nullptr;
  bool tie = false;
  for (const auto& [value, hosts] : all) {
    if (rarest == nullptr || hosts.size() < rarest->size()) {
      rarest = &hosts;
      tie = false;
    } else if (hosts.size() == rarest->size()) {
      tie = true;
    }
  }
  return rarest == nullptr || tie || rarest->size() != 1 ? "" : rarest->front();
}

void AddComparison(const RunFacts& facts, std::string_view code,
                   std::string_view kind,
                   const std::map<std::string, std::vector<std::string>>& all,
                   Findings& findings) {
  if (all.size() < 2) {
    return;
  }
  const std::string odd = OddOne(all);
  LineRef at;
  for (const auto& [host, node] : facts.nodes) {
    if (at.line == 0 || host == odd) {
      const LineRef here = LineOf(node, kind);
      at = here.line != 0 ? here : at;
    }
  }
  Finding finding = MakeFinding(facts, code, at);
  finding.node = odd;
  finding.rank = -1;
  finding.meaning += ": " + Table(all);
  findings.push_back(finding);
}

void AddBootstrap(const RunFacts& facts, Findings& findings) {
  std::map<std::string, std::vector<std::string>> networks;
  std::map<std::string, std::vector<std::string>> interfaces;
  const NodeFacts* link_local = nullptr;
  std::string link_local_host;
  for (const auto& [host, node] : facts.nodes) {
    if (node.bootstraps.empty() || host.empty()) {
      continue;
    }
    const auto& [interface, address] = node.bootstraps.front();
    networks[IsIpv6(address) ? "IPv6 on " + interface : Network(address)]
        .push_back(host);
    interfaces[interface + " " + address].push_back(host);
    if (IsLinkLocal(address)) {
      link_local = &node;
      link_local_host = host;
    }
  }
  if (networks.size() > 1) {
    AddComparison(facts, "bootstrap-if-mismatch", "bootstrap", interfaces,
                  findings);
    if (link_local != nullptr) {
      Finding& finding = findings.back();
      finding.node = link_local_host;
      finding.quote = LineOf(*link_local, "bootstrap").quote;
      finding.line = LineOf(*link_local, "bootstrap").line;
    }
  }
  if (const SignatureFact* fact = facts.Find("nic-link-local")) {
    Finding finding = MakeFinding(facts, "nic-link-local", fact->at);
    finding.secondary = networks.size() > 1;
    findings.push_back(finding);
  }
}

void AddInterfaces(const RunFacts& facts, Findings& findings) {
  const bool many = facts.NodeCount() > 1;
  if (const SignatureFact* fact = facts.Find("nic-loopback-selected")) {
    Finding finding = MakeFinding(facts, "nic-loopback-selected", fact->at);
    // With a single host in sight its processes do reach each other.
    if (!many || facts.Hosts().size() == 1) {
      finding.severity = Severity::kInfo;
      finding.meaning += " (harmless on one host)";
    }
    finding.rank = -1;
    findings.push_back(finding);
  }
  if (const SignatureFact* fact = facts.Find("nic-virtual-selected")) {
    Finding finding = MakeFinding(facts, "nic-virtual-selected", fact->at);
    const auto it = facts.nodes.find(fact->at.node);
    const bool over_tcp = it == facts.nodes.end() ||
                          it->second.networks.count("Socket") > 0 ||
                          it->second.networks.empty();
    const bool rdma_wanted =
        it != facts.nodes.end() && it->second.rdma_missing &&
        it->second.plugins.size() > it->second.plugins.count("none");
    finding.meaning += ": " + fact->captures[0];
    if (!(over_tcp && (many || rdma_wanted))) {
      finding.severity = Severity::kInfo;
    }
    findings.push_back(finding);
  }
  for (const auto& [pair, at] : facts.connections) {
    const auto& [local, peer] = pair;
    const bool same16 = Network(local) == Network(peer);
    const bool same24 =
        local.substr(0, local.rfind('.')) == peer.substr(0, peer.rfind('.'));
    if (!IsIpv6(local) && same16 && !same24) {
      Finding finding = MakeFinding(facts, "nic-same-subnet-routing", at);
      finding.meaning += ": " + local + " to " + peer;
      findings.push_back(finding);
      break;
    }
  }
}

void AddRetries(const RunFacts& facts, Findings& findings) {
  const int code = SignatureIndex("nccl-connect-retrying");
  const SignatureFact* first = nullptr;
  int64_t count = 0;
  int attempt = 0;
  for (const SignatureFact& fact : facts.signatures) {
    if (fact.signature == code) {
      first = first == nullptr ? &fact : first;
      count += fact.count;
      attempt = std::max(attempt, std::atoi(fact.captures[2].c_str()));
    }
  }
  if (first == nullptr) {
    return;
  }
  Finding finding = MakeFinding(facts, "nccl-connect-retrying", first->at);
  finding.count = count;
  finding.meaning += ": " + first->captures[1];
  if (count < 5 && attempt < 5) {
    finding.severity = Severity::kWarning;  // the peer may only be late
  }
  if (!first->captures[0].empty()) {
    finding.hint += "; peer " + first->captures[0];
  }
  findings.push_back(finding);
}

// "2.19.3" of "2.19.3+cuda12.3": builds for other CUDA versions talk together.
std::string PlainVersion(const std::set<std::string>& versions) {
  const std::string& version = *versions.begin();
  return version.substr(0, version.find('+'));
}

void AddVersions(const RunFacts& facts, Findings& findings) {
  const auto versions = ByValue(facts, [](const NodeFacts& node) {
    return node.versions.empty() ? "" : PlainVersion(node.versions);
  });
  const SignatureFact* said = facts.Find("nccl-version-mismatch");
  if (said != nullptr) {
    findings.push_back(MakeFinding(facts, "nccl-version-mismatch", said->at));
  } else if (facts.nodes.count("") == 0) {
    AddComparison(facts, "nccl-version-mismatch", "version", versions,
                  findings);
  }
  const auto drivers = ByValue(facts, [](const NodeFacts& node) {
    return node.drivers.empty() ? "" : std::to_string(*node.drivers.begin());
  });
  AddComparison(facts, "cuda-driver-differs", "driver", drivers, findings);
}

// The external plugin of a node, "internal" where none was found.
std::string PluginOf(const NodeFacts& node) {
  for (const std::string& plugin : node.plugins) {
    if (plugin != "none") {
      return "external plugin";
    }
  }
  return node.plugins.empty() ? "" : "internal plugin";
}

void AddPlugins(const RunFacts& facts, Findings& findings) {
  const auto networks = ByValue(facts, [](const NodeFacts& node) {
    return node.networks.empty() ? "" : *node.networks.begin();
  });
  const auto plugins = ByValue(facts, PluginOf);
  AddComparison(facts, "net-plugin-mismatch",
                networks.size() > 1 ? "network" : "plugin",
                networks.size() > 1 ? networks : plugins, findings);
  Finding* garbage = FindFinding(findings, "socket-garbage-family");
  if (garbage == nullptr) {
    return;
  }
  garbage->order = CauseOrder::kConsequence;
  if (FindFinding(findings, "net-plugin-mismatch") == nullptr &&
      FindFinding(findings, "nccl-version-mismatch") == nullptr) {
    Finding finding = MakeFinding(facts, "nccl-version-mismatch", LineRef{});
    finding.file = garbage->file;
    finding.line = garbage->line;
    finding.quote = garbage->quote;
    finding.sequence = garbage->sequence;
    finding.confidence = Confidence::kMedium;
    finding.meaning =
        "a peer's address is garbage, as when one node runs "
        "another NCCL version";
    const auto versions = ByValue(facts, [](const NodeFacts& node) {
      return node.versions.empty() ? "" : PlainVersion(node.versions);
    });
    if (!versions.empty()) {
      finding.meaning += "; seen: " + Table(versions);
    }
    findings.push_back(finding);
  }
}

// A communicator that some ranks have started and none completed. Where most
// have, the log is whole, and they wait for the others; else it may be a part.
Finding InitOf(const RunFacts& facts, const CommunicatorFacts& comm) {
  const auto started = static_cast<int>(comm.started.size());
  Finding finding = MakeFinding(facts, "nccl-init-stuck", comm.at);
  finding.meaning =
      std::to_string(started) + " of " + std::to_string(comm.ranks) +
      " ranks have started this communicator, none has completed it in this "
      "log";
  if (4 * started < 3 * comm.ranks) {
    finding.severity = Severity::kInfo;
    return finding;
  }
  std::string silent;
  int last = -1;
  for (int rank = 0; rank < comm.ranks; ++rank) {
    if (comm.started.count(rank) == 0) {
      silent += (silent.empty() ? "" : ", ") + std::to_string(rank);
      last = rank;
    }
  }
  const bool one = started + 1 == comm.ranks;
  finding.node.clear();
  finding.rank = one ? last : -1;
  finding.meaning += "; missing: rank " + silent.substr(0, 200);
  finding.hint = "look at the last lines of the rank" +
                 std::string(one ? "" : "s") + " that is missing, and at its " +
                 "node";
  return finding;
}

void AddInit(const RunFacts& facts, Findings& findings) {
  if (facts.init_s > 30) {
    Finding finding = MakeFinding(facts, "init-slow-kernels", facts.init_at);
    finding.meaning += ": " + std::to_string(facts.init_s) + " s, of which " +
                       std::to_string(facts.init_kernels_s) +
                       " s loading kernels";
    findings.push_back(finding);
  }
  int planned = 0;
  for (const LaunchFact& launch : facts.launches) {
    planned = std::max(planned, launch.nodes);
  }
  if (planned > 0 && facts.nccl_nodes > 0 && planned != facts.nccl_nodes) {
    Finding finding = MakeFinding(facts, "nnodes-exceeds-hosts", LineRef{});
    finding.meaning += ": " + std::to_string(facts.nccl_nodes) +
                       " instead of " + std::to_string(planned);
    findings.push_back(finding);
  }
  for (const auto& [id, comm] : facts.communicators) {
    const auto started = static_cast<int>(comm.started.size());
    if (started > 0 && comm.completed.empty() && started < comm.ranks) {
      findings.push_back(InitOf(facts, comm));
      return;
    }
  }
}

// Warnings that no row knows; of use only where nothing better is there.
void AddUnknownWarnings(const RunFacts& facts, Findings& findings) {
  int added = 0;
  for (const LineRef& at : facts.nccl_warnings) {
    if (facts.matched_lines.count({at.source, at.line}) > 0 || added >= 4) {
      continue;
    }
    const size_t word = at.quote.find("NCCL WARN ");
    const std::string captures[1] = {
        word == kNone ? at.quote : at.quote.substr(word + 10)};
    Finding finding = MakeFinding(facts, "nccl-internal-error", at, captures);
    finding.severity = Severity::kWarning;
    finding.secondary =
        std::any_of(findings.begin(), findings.end(), [](const Finding& other) {
          return other.severity == Severity::kError;
        });
    findings.push_back(finding);
    ++added;
  }
}

}  // namespace

void AddNcclFindings(const RunFacts& facts, Findings& findings) {
  AddBootstrap(facts, findings);
  AddInterfaces(facts, findings);
  AddRetries(facts, findings);
  AddVersions(facts, findings);
  AddPlugins(facts, findings);
  AddInit(facts, findings);
  AddTransportFindings(facts, findings);
  AddUnknownWarnings(facts, findings);
}

}  // namespace zs
