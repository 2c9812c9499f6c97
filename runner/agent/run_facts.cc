#include "runner/agent/run_facts.h"

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>

#include "runner/agent/process_table.h"

namespace zs {
namespace {

// The value of ZS_RUN_TOKEN that the process of FOLDER in /proc was started
// with.
std::optional<std::string> TokenIn(const std::filesystem::path& folder) {
  constexpr std::string_view kName = "ZS_RUN_TOKEN=";
  std::ifstream file(folder / "environ", std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), {});
  size_t at = 0;
  while (at < all.size()) {
    const size_t end = all.find('\0', at);
    const std::string_view entry = std::string_view(all).substr(at, end - at);
    if (entry.starts_with(kName)) {
      return std::string(entry.substr(kName.size()));
    }
    at = end == std::string::npos ? all.size() : end + 1;
  }
  return std::nullopt;
}

// The tokens of all processes that have one, by the name in /proc.
std::map<std::string, std::string> Tokens() {
  std::map<std::string, std::string> tokens;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    if (auto token = TokenIn(entry.path())) {
      tokens.emplace(name, *std::move(token));
    }
  }
  return tokens;
}

// Whether an agent is among the ancestors of PROCESS.
bool HasAgent(const std::map<pid_t, ProcessInfo>& all, ProcessInfo process) {
  // No chain of parents is longer than there are processes.
  for (size_t i = 0; i < all.size(); ++i) {
    const auto parent = all.find(process.parent);
    if (parent == all.end()) {
      return false;
    }
    process = parent->second;
    if (process.name.starts_with("agent")) {
      return true;
    }
  }
  return false;
}

std::string Printable(std::string text) {
  for (char& c : text) {
    c = c > ' ' && c < 127 ? c : '_';
  }
  return text;
}

std::string ShmLines() {
  int64_t files = 0;
  int64_t bytes = 0;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/dev/shm", error)) {
    struct stat info {};
    if (IsTrainingShm(entry.path().filename().string()) &&
        ::lstat(entry.path().c_str(), &info) == 0) {
      ++files;
      bytes += int64_t{info.st_blocks} * 512;
    }
  }
  return "shm_files " + std::to_string(files) + "\nshm_bytes " +
         std::to_string(bytes) + "\n";
}

}  // namespace

bool IsTrainingShm(std::string_view name) {
  return name.starts_with("nccl-") || name.starts_with("torch_") ||
         name.starts_with("sem.nccl-");
}

Result<std::string> LeftoverFacts(const std::vector<std::string>&) {
  const std::map<std::string, std::string> tokens = Tokens();
  if (tokens.empty()) {
    return ShmLines();  // what the other processes are does not matter
  }
  std::map<pid_t, ProcessInfo> all;
  for (ProcessInfo& process : ListProcesses()) {
    all.emplace(process.pid, std::move(process));
  }
  std::string lines;
  for (const auto& [pid, process] : all) {
    const auto token = tokens.find(std::to_string(pid));
    if (token != tokens.end() && process.alive()) {
      lines += "process " + token->first +
               (HasAgent(all, process) ? " owned " : " orphan ") +
               Printable(token->second) + " " + Printable(process.name) + "\n";
    }
  }
  return lines + ShmLines();
}

}  // namespace zs
