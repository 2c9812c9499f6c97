#include "runner/agent/port_holder.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

#include "runner/agent/process_table.h"

namespace zs {
namespace {

constexpr char kListening[] = "0A";

std::string ReadAll(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> WordsOf(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

bool HoldsSocket(pid_t pid, const std::string& link) {
  std::error_code error;
  const std::filesystem::directory_iterator descriptors(
      "/proc/" + std::to_string(pid) + "/fd", error);
  if (error) {
    return false;
  }
  for (const auto& entry : descriptors) {
    if (std::filesystem::read_symlink(entry.path(), error) == link) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<uint64_t> ListenerOn(int port, std::string_view table) {
  // sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode;
  // the port is hexadecimal behind the address's colon.
  std::istringstream lines{std::string(table)};
  std::string line;
  while (std::getline(lines, line)) {
    const std::vector<std::string> words = WordsOf(line);
    if (words.size() < 10 || words[3] != kListening) {
      continue;
    }
    const std::string hex = words[1].substr(words[1].rfind(':') + 1);
    int number = 0;
    uint64_t inode = 0;
    std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
    std::from_chars(words[9].data(), words[9].data() + words[9].size(), inode);
    if (number == port) {
      return inode;
    }
  }
  return std::nullopt;
}

std::string PortHolder(int port) {
  std::optional<uint64_t> inode = ListenerOn(port, ReadAll("/proc/net/tcp"));
  if (!inode) {
    inode = ListenerOn(port, ReadAll("/proc/net/tcp6"));
  }
  if (!inode) {
    return "";
  }
  const std::string link = "socket:[" + std::to_string(*inode) + "]";
  for (const ProcessInfo& process : ListProcesses()) {
    if (HoldsSocket(process.pid, link)) {
      return "pid " + std::to_string(process.pid) + " (" + process.name + ")";
    }
  }
  return "a process that may not be looked at";
}

}  // namespace zs
