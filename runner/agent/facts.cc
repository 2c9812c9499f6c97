#include "runner/agent/facts.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <vector>

#include "runner/agent/child.h"
#include "runner/agent/machine_facts.h"
#include "runner/agent/path_facts.h"
#include "runner/agent/port_facts.h"
#include "runner/agent/run_briefly.h"
#include "runner/agent/run_facts.h"
#include "runner/agent/session.h"
#include "runner/agent/system_facts.h"

namespace zs {
namespace {

std::string FirstLine(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The value in kB behind NAME in /proc/meminfo, as bytes.
int64_t MemoryBytes(const std::string& name) {
  std::ifstream file("/proc/meminfo");
  std::string key;
  int64_t value = 0;
  std::string unit;
  while (file >> key >> value) {
    if (key == name + ":") {
      return value * 1024;
    }
    std::getline(file, unit);
  }
  return 0;
}

// ADDRESS as text; empty for what is no IP address.
std::string AddressText(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address != nullptr && address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    ::inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
  } else if (address != nullptr && address->sa_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
    ::inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
  }
  return text;
}

// "address eth0 10.77.0.1 255.255.255.0" for each interface that is up.
std::string AddressLines() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) {
    return "";
  }
  std::string lines;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    const std::string address = AddressText(one->ifa_addr);
    if (!address.empty() && (one->ifa_flags & IFF_UP) != 0) {
      lines += std::string("address ") + one->ifa_name + " " + address + " " +
               AddressText(one->ifa_netmask) + "\n";
    }
  }
  ::freeifaddrs(all);
  return lines;
}

Result<std::string> HostFacts(const std::vector<std::string>&) {
  utsname system{};
  ::uname(&system);
  const std::string load = FirstLine("/proc/loadavg");
  return std::string("hostname ") + system.nodename + "\nkernel " +
         system.release + "\nboot_id " + BootId() + "\ncores " +
         std::to_string(UsableCores()) + "\nmemory_bytes " +
         std::to_string(MemoryBytes("MemTotal")) + "\nmemory_available_bytes " +
         std::to_string(MemoryBytes("MemAvailable")) + "\nload_1m " +
         load.substr(0, load.find(' ')) + "\nunix_us " +
         std::to_string(UnixMicros()) + "\n" + AddressLines();
}

Result<std::string> Record(const std::vector<std::string>& args) {
  if (args.size() != 1) {
    return InvalidArgumentError("'record' needs a run's token");
  }
  return RecordOfRun(args[0]);
}

// What, besides files, decides whether a program finds its libraries.
std::string LoaderSurroundings() {
  std::string text = BootId();
  for (const char* name : {"LD_LIBRARY_PATH", "LD_PRELOAD"}) {
    const char* const value = std::getenv(name);
    text += std::string(" ") + name + "=" + (value == nullptr ? "" : value);
  }
  return text;
}

}  // namespace

std::string BootId() {
  return FirstLine("/proc/sys/kernel/random/boot_id");
}

std::string HostName() {
  utsname system{};
  ::uname(&system);
  return system.nodename;
}

Result<std::string> Facts::Listen(const QueryMsg& query) {
  listener_.Reset();
  if (query.name == "unlisten") {
    return std::string("done");
  }
  std::vector<std::string> args = query.args;
  const bool any = args.size() == 2 && args[1] == "any";
  args.resize(std::min<size_t>(args.size(), any ? 1 : args.size()));
  std::string instead;
  if (!any || args[0] != "0") {
    Result<Descriptor> wanted = OpenListener(args);
    if (wanted.ok()) {
      listener_ = *std::move(wanted);
      return "port " + args[0] + "\n";
    }
    if (!any) {
      return wanted.status();
    }
    instead = "instead " + wanted.status().message() + "\n";
  }
  ASSIGN_OR_RETURN(args[0], PickPort({}));
  ASSIGN_OR_RETURN(listener_, OpenListener(args));
  return "port " + args[0] + "\n" + instead;
}

AnswerMsg Facts::Answer(const QueryMsg& query) {
  using Handler = Result<std::string> (*)(const std::vector<std::string>&);
  static const std::map<std::string, Handler> kHandlers = {
      {"host", HostFacts},        {"limits", LimitFacts},
      {"path", PathFacts},        {"hash", HashFile},
      {"space", FreeSpace},       {"port_free", PortFree},
      {"pick_port", PickPort},    {"connect", ConnectTo},
      {"run", RunBriefly},        {"leftovers", LeftoverFacts},
      {"record", Record},         {"network", NetworkFacts},
      {"versions", VersionFacts}, {"machine", MachineFacts},
  };
  using FileHandler =
      Result<std::string> (FileStore::*)(const std::vector<std::string>&) const;
  static const std::map<std::string, FileHandler> kFileHandlers = {
      {"stored", &FileStore::Stored},
      {"put", &FileStore::Put},
      {"keep", &FileStore::Keep},
  };
  Result<std::string> answer = UnimplementedError("");
  const auto handler = kHandlers.find(query.name);
  const auto of_files = kFileHandlers.find(query.name);
  if (query.name == "listen" || query.name == "unlisten") {
    answer = Listen(query);
  } else if (handler != kHandlers.end()) {
    answer = handler->second(query.args);
  } else if (of_files != kFileHandlers.end()) {
    answer = (files_.*of_files->second)(query.args);
  } else if (query.name == "starts") {
    answer = files_.Starts(query.args, LoaderSurroundings());
  } else {
    std::string known = "listen, unlisten, stored, put, keep, starts";
    for (const auto& [name, function] : kHandlers) {
      known += ", " + name;
    }
    answer = UnimplementedError("query '" + query.name +
                                "'; this agent knows " + known);
  }
  return answer.ok() ? AnswerMsg{query.seq, 1, *answer}
                     : AnswerMsg{query.seq, 0, answer.status().message()};
}

}  // namespace zs
