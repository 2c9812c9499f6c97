#include "runner/check/network.h"

#include <arpa/inet.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <set>
#include <sstream>

namespace zs {
namespace {

std::vector<std::vector<std::string>> WordLines(std::string_view text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream stream{std::string(text)};
  std::string line;
  while (std::getline(stream, line)) {
    std::istringstream words(line);
    lines.emplace_back(std::istream_iterator<std::string>(words),
                       std::istream_iterator<std::string>());
  }
  return lines;
}

int NumberIn(std::string_view text, int otherwise) {
  int number = otherwise;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() ? number : otherwise;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text.empty() ? "none" : text;
}

bool IsUsable(const NodeInterface& interface) {
  // Tunnels and bridges of virtual machines say "unknown" and work.
  return interface.state != "down" && !interface.networks.empty();
}

std::string Described(const NodeInterface& interface) {
  return interface.name + " (" + interface.state +
         (interface.networks.empty() ? ", no address"
                                     : ", " + Joined(interface.networks)) +
         ")";
}

std::string Described(const NodeAdapter& adapter) {
  return adapter.name + ":" + std::to_string(adapter.port) + " (" +
         adapter.state + ", " + adapter.link + ")";
}

template <typename Items>
std::string AllOf(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) {
    names.push_back(Described(item));
  }
  return Joined(names);
}

// What is wrong with one name of a list: empty where nothing is.
std::string FaultOf(const NcclNames& names, const NcclNames::Entry& entry,
                    const NodeNetwork& network) {
  std::string fault = entry.name + " is not there";
  for (const NodeInterface& interface : network.interfaces) {
    if (!names.Means(entry, interface.name)) {
      continue;
    }
    if (IsUsable(interface)) {
      return "";
    }
    fault = Described(interface);
  }
  return fault;
}

// The interface NAME, which the agent has seen to be up: /sys may be that of
// another network namespace.
NodeInterface& InterfaceNamed(const std::string& name, NodeNetwork& network) {
  for (NodeInterface& interface : network.interfaces) {
    if (interface.name == name) {
      return interface;
    }
  }
  network.interfaces.push_back({name, "up", {}});
  return network.interfaces.back();
}

}  // namespace

bool NodeNetwork::has_active_adapter() const {
  return std::any_of(
      adapters.begin(), adapters.end(),
      [](const NodeAdapter& adapter) { return adapter.state == "ACTIVE"; });
}

std::string NetworkOf(const std::string& address, const std::string& mask) {
  unsigned char host[16] = {};
  unsigned char bits[16] = {};
  const int family =
      address.find(':') == std::string::npos ? AF_INET : AF_INET6;
  const size_t size = family == AF_INET ? 4 : 16;
  if (::inet_pton(family, address.c_str(), host) != 1 ||
      ::inet_pton(family, mask.c_str(), bits) != 1 ||
      (family == AF_INET6 && host[0] == 0xfe && (host[1] & 0xc0) == 0x80)) {
    return "";
  }
  int prefix = 0;
  for (size_t i = 0; i < size; ++i) {
    host[i] &= bits[i];
    prefix += std::popcount(bits[i]);
  }
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(family, host, text, sizeof text);
  return std::string(text) + "/" + std::to_string(prefix);
}

NodeNetwork ParseNetwork(std::string_view lines, std::string_view host) {
  NodeNetwork network;
  for (auto& words : WordLines(lines)) {
    if (words.size() == 3 && words[0] == "interface") {
      network.interfaces.push_back({words[1], words[2], {}});
    } else if (words.size() == 5 && words[0] == "adapter") {
      network.adapters.push_back(
          {words[1], NumberIn(words[2], 1), words[4], words[3]});
    }
  }
  for (const auto& words : WordLines(host)) {
    if (words.size() != 4 || words[0] != "address") {
      continue;
    }
    const std::string name = NetworkOf(words[2], words[3]);
    NodeInterface& interface = InterfaceNamed(words[1], network);
    if (!name.empty()) {
      interface.networks.push_back(name);
    }
  }
  return network;
}

NcclNames NcclNames::Parse(std::string_view text) {
  NcclNames names;
  names.all_but = text.starts_with('^');
  text.remove_prefix(names.all_but ? 1 : 0);
  names.whole = text.starts_with('=');
  text.remove_prefix(names.whole ? 1 : 0);
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size()
                                                       : comma + 1);
    const size_t colon = word.find(':');
    if (!word.empty()) {
      names.entries.push_back(
          {std::string(word.substr(0, colon)),
           colon == std::string_view::npos
               ? -1
               : NumberIn(word.substr(colon + 1), /*otherwise=*/-1)});
    }
  }
  return names;
}

bool NcclNames::Means(const Entry& entry, std::string_view name,
                      int port) const {
  const bool by_name =
      whole ? name == entry.name : name.starts_with(entry.name);
  return by_name && (port == -1 || entry.port == -1 || entry.port == port);
}

bool NcclNames::Takes(std::string_view name, int port) const {
  const bool named =
      std::any_of(entries.begin(), entries.end(),
                  [&](const Entry& entry) { return Means(entry, name, port); });
  return named != all_but;
}

void JudgeSocketNames(const std::string& variable, const std::string& text,
                      const NodeNetwork& network, CheckResult& result) {
  NcclNames names = NcclNames::Parse(text);
  // PyTorch's Gloo and ours take whole names.
  names.whole = names.whole || variable == "GLOO_SOCKET_IFNAME";
  std::vector<std::string> faults;
  std::set<std::string> networks;
  for (const NcclNames::Entry& entry : names.entries) {
    const std::string fault =
        names.all_but ? "" : FaultOf(names, entry, network);
    if (!fault.empty()) {
      faults.push_back(fault);
    }
  }
  for (const NodeInterface& interface : network.interfaces) {
    if (names.Takes(interface.name) && IsUsable(interface) &&
        (interface.name != "lo" || !names.all_but)) {
      networks.insert(interface.networks.begin(), interface.networks.end());
    }
  }
  const bool ok = faults.empty() && !networks.empty();
  result.state = ok ? CheckState::kOk : CheckState::kFailed;
  result.found =
      variable + "=" + text + ": " +
      (ok ? Joined({networks.begin(), networks.end()})
          : Joined(faults) + "; there are " + AllOf(network.interfaces));
  result.limit =
      "interfaces that are up and have addresses in one network on all nodes";
  result.subject = variable;
  result.value = Joined({networks.begin(), networks.end()});
}

void JudgeAdapters(const std::string& text, const NodeNetwork& network,
                   CheckResult& result) {
  const NcclNames names = NcclNames::Parse(text);
  std::vector<std::string> faults;
  std::vector<std::string> links;
  for (const NcclNames::Entry& entry : names.entries) {
    const bool there =
        std::any_of(network.adapters.begin(), network.adapters.end(),
                    [&](const NodeAdapter& adapter) {
                      return names.Means(entry, adapter.name, adapter.port);
                    });
    if (!there && !names.all_but) {
      faults.push_back(entry.name + " is not there");
    }
  }
  for (const NodeAdapter& adapter : network.adapters) {
    if (!names.Takes(adapter.name, adapter.port)) {
      continue;
    }
    (adapter.state == "ACTIVE" ? links : faults)
        .push_back(adapter.state == "ACTIVE" ? adapter.link
                                             : Described(adapter));
  }
  const bool ok = faults.empty() && !links.empty();
  result.state = ok ? CheckState::kOk : CheckState::kFailed;
  result.found =
      "NCCL_IB_HCA=" + text + ": " +
      (ok ? Joined(links)
          : Joined(faults) + "; there are " + AllOf(network.adapters));
  result.limit = "adapters whose ports are ACTIVE, alike on all nodes";
  result.subject = "NCCL_IB_HCA";
  result.value = Joined(links);
}

}  // namespace zs
