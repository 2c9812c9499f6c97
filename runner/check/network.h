// The interfaces and adapters that NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME and
// NCCL_IB_HCA name: whether they are there, up, and in one network.
#ifndef RUNNER_CHECK_NETWORK_H_
#define RUNNER_CHECK_NETWORK_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/check/result.h"

namespace zs {

struct NodeInterface {
  std::string name;
  std::string state;                  // of /sys/class/net: "up", "down", ...
  std::vector<std::string> networks;  // "10.77.0.0/24", of its addresses
};

// A port of an InfiniBand or RoCE adapter.
struct NodeAdapter {
  std::string name;
  int port = 1;
  std::string state;  // "ACTIVE", "DOWN", ...
  std::string link;   // "InfiniBand" or "Ethernet"
};

struct NodeNetwork {
  std::vector<NodeInterface> interfaces;
  std::vector<NodeAdapter> adapters;

  bool has_active_adapter() const;
};

// LINES and HOST are the agent's answers to "network" and "host"
// (runner/agent/facts.h). Lines that are not understood are left out.
NodeNetwork ParseNetwork(std::string_view lines, std::string_view host);

// "10.77.0.0/24" of an address and a mask; empty where they are none, or
// where the address holds on its link alone (fe80::/10).
std::string NetworkOf(const std::string& address, const std::string& mask);

// NCCL's list of names: "eth,ib0" prefixes, "=eth0" whole names, "^docker" all
// but these, "^=eth3" likewise; "mlx5_0:1" a port. From its documentation of
// NCCL_SOCKET_IFNAME and NCCL_IB_HCA.
struct NcclNames {
  struct Entry {
    std::string name;
    int port = -1;  // any
  };
  bool all_but = false;
  bool whole = false;
  std::vector<Entry> entries;

  static NcclNames Parse(std::string_view text);
  // Whether ENTRY alone means NAME and PORT; all_but is left aside.
  bool Means(const Entry& entry, std::string_view name, int port = -1) const;
  // Whether the list as a whole takes NAME and PORT.
  bool Takes(std::string_view name, int port = -1) const;
};

// Each judges the value TEXT of VARIABLE on one node. Good results have the
// networks (the links of adapters) as their value, to be compared over nodes.
void JudgeSocketNames(const std::string& variable, const std::string& text,
                      const NodeNetwork& network, CheckResult& result);
void JudgeAdapters(const std::string& text, const NodeNetwork& network,
                   CheckResult& result);

}  // namespace zs

#endif  // RUNNER_CHECK_NETWORK_H_
