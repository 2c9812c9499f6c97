#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "runner/observe/diagnose/facts.h"
#include "runner/observe/diagnose/line_ref.h"

namespace zs {
namespace {

constexpr size_t kMaxKept = 512;  // of things that can repeat
constexpr size_t kMaxNodes = 4096;
constexpr int kMaxRank = 1 << 20;

}  // namespace

// One overload for each observation of NCCL's.
struct RunFacts::NcclTaker {
  RunFacts& facts;
  const LogLine& line;
  mutable bool taken = true;  // false: the observation is another program's

  LineRef Here() const { return MakeLineRef(facts.sources, line); }

  // Remembers the line as the first of its KIND on NODE.
  void Note(NodeFacts& node, std::string_view kind) const {
    if (node.lines.find(kind) == node.lines.end()) {
      node.lines.emplace(kind, Here());
    }
  }

  static void CountNetwork(NodeFacts& node, const NcclChannel& channel) {
    const std::string_view network = channel.network.substr(0, 64);
    const auto it = node.channels_net.find(network);
    if (it != node.channels_net.end()) {
      it->second += channel.from.lines;
    } else if (node.channels_net.size() < 64) {
      node.channels_net.emplace(network, channel.from.lines);
    }
  }

  template <typename T>
  void operator()(const T&) const {
    taken = false;
  }

  void operator()(const NcclWarning& warning) const {
    facts.Node(warning.from, line);
    if (facts.nccl_warnings.size() < kMaxKept) {
      facts.nccl_warnings.push_back(Here());
    }
  }

  void operator()(const NcclVersion& version) const {
    NodeFacts& node = facts.Node(version.from, line);
    if (node.versions.size() < 16) {
      node.versions.emplace(version.version);
    }
    Note(node, "version");
  }

  void operator()(const NcclSetting& setting) const {
    NodeFacts& node = facts.Node(setting.from, line);
    if (node.settings.size() < kMaxKept) {
      node.settings.emplace(setting.name, setting.value);
    }
    if (node.lines.size() < kMaxKept) {
      Note(node, setting.name);
    }
  }

  void operator()(const NcclBootstrap& bootstrap) const {
    NodeFacts& node = facts.Node(bootstrap.from, line);
    std::pair<std::string, std::string> entry(bootstrap.interface,
                                              bootstrap.address);
    if (node.bootstraps.size() < 64 &&
        std::find(node.bootstraps.begin(), node.bootstraps.end(), entry) ==
            node.bootstraps.end()) {
      node.bootstraps.push_back(std::move(entry));
    }
    Note(node, "bootstrap");
  }

  void operator()(const NcclNetwork& network) const {
    NodeFacts& node = facts.Node(network.from, line);
    if (!network.network.empty() && node.networks.size() < 16) {
      node.networks.emplace(network.network);
      Note(node, "network");
    }
    if (!network.plugin.empty() && node.plugins.size() < 16) {
      node.plugins.emplace(network.plugin);
      Note(node, "plugin");
    }
  }

  void operator()(const NcclInterfaces& interfaces) const {
    NodeFacts& node = facts.Node(interfaces.from, line);
    node.interfaces = interfaces.list.substr(0, 1000);
    Note(node, "interfaces");
  }

  void operator()(const NcclHcas& hcas) const {
    NodeFacts& node = facts.Node(hcas.from, line);
    if (hcas.none_found) {
      node.rdma_missing = true;
      Note(node, "rdma_missing");
    } else if (hcas.count > 0) {
      node.hcas = std::max(node.hcas, hcas.count);
      node.roce = node.roce || hcas.roce;
      if (node.hca_lists.size() < 16) {
        node.hca_lists.emplace(hcas.list);
      }
      Note(node, "hcas");
    }
  }

  void operator()(const NcclHcaSpeed& speed) const {
    NodeFacts& node = facts.Node(speed.from, line);
    if (node.hca_speeds.size() < 64) {
      node.hca_speeds.emplace(speed.device, speed.mbit_per_s);
    }
    Note(node, "speed");
  }

  void operator()(const NcclGdr& gdr) const {
    NodeFacts& node = facts.Node(gdr.from, line);
    (gdr.enabled ? node.gdr_enabled : node.gdr_disabled) += gdr.from.lines;
    Note(node, gdr.enabled ? "gdr_enabled" : "gdr_disabled");
  }

  void operator()(const NcclMtu& mtu) const {
    NodeFacts& node = facts.Node(mtu.from, line);
    if (mtu.roce && mtu.mtu > 0 &&
        (node.smallest_mtu < 0 || mtu.mtu < node.smallest_mtu)) {
      node.smallest_mtu = mtu.mtu;
      Note(node, "mtu");
    }
  }

  void operator()(const NcclChannel& channel) const {
    NodeFacts& node = facts.Node(channel.from, line);
    switch (channel.transport) {
      case Transport::kP2p:
        node.channels_p2p += channel.from.lines;
        break;
      case Transport::kShm:
        node.channels_shm += channel.from.lines;
        Note(node, "shm");
        break;
      case Transport::kNet:
        CountNetwork(node, channel);
        if (channel.gdr) {
          node.channels_gdr += channel.from.lines;
        } else {
          Note(node, "net");
        }
        break;
      default:
        break;
    }
  }

  void operator()(const NcclInit& init) const {
    facts.Node(init.from, line);
    std::string key(init.comm_id.substr(0, 64));
    if (key.empty() || init.rank < 0 || init.rank > kMaxRank) {
      return;
    }
    if (facts.communicators.size() >= kMaxNodes &&
        facts.communicators.find(key) == facts.communicators.end()) {
      return;
    }
    CommunicatorFacts& comm = facts.communicators[std::move(key)];
    if (comm.at.line == 0) {
      comm.at = Here();
    }
    comm.ranks = init.ranks;
    facts.nccl_ranks = std::max(facts.nccl_ranks, init.ranks);
    if (init.phase == InitPhase::kStart && comm.started.size() < 65'536) {
      comm.started.insert(init.rank);
    } else if (init.phase == InitPhase::kComplete) {
      comm.completed.insert(init.rank);
    }
  }

  void operator()(const NcclTopology& topology) const {
    facts.Node(topology.from, line);
    facts.nccl_nodes = std::max(facts.nccl_nodes, topology.nodes);
    facts.nccl_ranks = std::max(facts.nccl_ranks, topology.ranks);
  }

  void operator()(const NcclInitTime& time) const {
    facts.Node(time.from, line);
    if (!(time.total_s <= facts.init_s)) {
      facts.init_s = time.total_s;
      facts.init_kernels_s = time.kernels_s;
      facts.init_at = Here();
    }
  }

  void operator()(const NcclDriver& driver) const {
    NodeFacts& node = facts.Node(driver.from, line);
    if (node.drivers.size() < 16) {
      node.drivers.insert(driver.cuda_version);
    }
    Note(node, "driver");
  }

  void operator()(const NcclNvls& nvls) const {
    NodeFacts& node = facts.Node(nvls.from, line);
    node.nvls = node.nvls || nvls.available;
  }

  void operator()(const NcclOther& other) const {
    facts.Node(other.from, line);
  }
};

NodeFacts& RunFacts::Node(const NcclSpeaker& from, const LogLine& line) {
  std::string_view host = from.host;
  if (host.empty() && line.source < static_cast<int>(sources.size())) {
    host = sources[line.source].node;
  }
  Recent& recent = recent_[host.empty() ? 0 : host.back() % recent_.size()];
  if (recent.node != nullptr && recent.host == host) {
    return *recent.node;
  }
  auto it = nodes.find(host);
  if (it == nodes.end()) {
    if (nodes.size() >= kMaxNodes) {
      host = {};
    }
    it = nodes.try_emplace(std::string(host)).first;
    it->second.first_order = static_cast<int64_t>(nodes.size());
  }
  recent = {it->first, &it->second};
  return it->second;
}

bool RunFacts::TakeNccl(const LogLine& line, const Observation& observation) {
  const NcclTaker taker{*this, line};
  std::visit(taker, observation);
  return taker.taken;
}

}  // namespace zs
