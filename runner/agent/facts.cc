#include "runner/agent/facts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <random>

#include "base/descriptor.h"
#include "runner/agent/child.h"

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

int UsableCores() {
  // Room for 8192 processors; the plain cpu_set_t has 1024.
  cpu_set_t sets[8];
  if (::sched_getaffinity(0, sizeof sets, sets) != 0) {
    return 0;
  }
  return CPU_COUNT_S(sizeof sets, sets);
}

std::string HostLines() {
  utsname system{};
  ::uname(&system);
  const std::string load = FirstLine("/proc/loadavg");
  return std::string("hostname ") + system.nodename + "\nkernel " +
         system.release + "\nboot_id " + BootId() + "\ncores " +
         std::to_string(UsableCores()) + "\nmemory_bytes " +
         std::to_string(MemoryBytes("MemTotal")) + "\nmemory_available_bytes " +
         std::to_string(MemoryBytes("MemAvailable")) + "\nload_1m " +
         load.substr(0, load.find(' ')) + "\nunix_us " +
         std::to_string(UnixMicros()) + "\n";
}

// 0, or the errno for which no listener can have PORT on every address.
int WhyPortBusy(int port) {
  const Descriptor v6(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (v6.valid()) {
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(static_cast<uint16_t>(port));
    // Without V6ONLY the address stands for version 4 as well.
    const int off = 0;
    ::setsockopt(v6.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    ::setsockopt(v6.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return ::bind(v6.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) == 0
               ? 0
               : errno;
  }
  const Descriptor v4(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(static_cast<uint16_t>(port));
  ::setsockopt(v4.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return ::bind(v4.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) == 0
             ? 0
             : errno;
}

Result<std::string> PortFree(const QueryMsg& query) {
  int port = 0;
  const std::string text = query.args.empty() ? "" : query.args[0];
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), port);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() ||
      port < 1 || port > 65535) {
    return InvalidArgumentError("port '" + text + "': 1 to 65535 is allowed");
  }
  const int error = WhyPortBusy(port);
  if (error == 0) {
    return std::string("free");
  }
  if (error == EADDRINUSE) {
    return std::string("busy");
  }
  return ErrnoError(error, "port " + text);
}

Result<std::string> PickPort() {
  constexpr int kLowest = 20'000;
  int highest = 32'767;
  int first = 0;
  std::ifstream range("/proc/sys/net/ipv4/ip_local_port_range");
  if (range >> first && first - 1 >= kLowest + 1000) {
    highest = first - 1;
  }
  std::random_device random;
  for (int attempt = 0; attempt < 200; ++attempt) {
    const int port =
        kLowest + static_cast<int>(
                      random() % static_cast<unsigned>(highest - kLowest + 1));
    if (WhyPortBusy(port) == 0) {
      return std::to_string(port);
    }
  }
  return ResourceExhaustedError("no free port from " + std::to_string(kLowest) +
                                " to " + std::to_string(highest) + " on " +
                                HostName());
}

Result<std::string> Answer(const QueryMsg& query) {
  if (query.name == "host") {
    return HostLines();
  }
  if (query.name == "port_free") {
    return PortFree(query);
  }
  if (query.name == "pick_port") {
    return PickPort();
  }
  return UnimplementedError("query '" + query.name +
                            "'; this agent knows host, port_free, pick_port");
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

AnswerMsg AnswerQuery(const QueryMsg& query) {
  const Result<std::string> answer = Answer(query);
  return answer.ok() ? AnswerMsg{query.seq, 1, *answer}
                     : AnswerMsg{query.seq, 0, answer.status().message()};
}

}  // namespace zs
