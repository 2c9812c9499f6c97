#include "runner/agent/machine_facts.h"

#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/hash.h"
#include "runner/host/relevant_variable.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

// What stands behind NAME and a SEPARATOR in the first such line of a file,
// without blanks and quotes around it; empty where there is none.
std::string ValueIn(const fs::path& path, std::string_view name,
                    char separator) {
  constexpr std::string_view kAround = " \t\"";
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t at = line.find(separator);
    if (!line.starts_with(name) || at == std::string::npos) {
      continue;
    }
    const size_t first = line.find_first_not_of(kAround, at + 1);
    const size_t last = line.find_last_not_of(kAround);
    return first == std::string::npos ? ""
                                      : line.substr(first, last + 1 - first);
  }
  return "";
}

std::string Line(const std::string& name, const std::string& value) {
  return value.empty() ? "" : name + " " + value + "\n";
}

std::string MemoryGib(const fs::path& root) {
  const long kib =
      std::atol(ValueIn(root / "proc/meminfo", "MemTotal", ':').c_str());
  return kib > 0 ? std::to_string((kib + (1 << 19)) >> 20) : "";
}

}  // namespace

int UsableCores() {
  // Room for 8192 processors; the plain cpu_set_t has 1024.
  cpu_set_t sets[8];
  if (::sched_getaffinity(0, sizeof sets, sets) != 0) {
    return 0;
  }
  return CPU_COUNT_S(sizeof sets, sets);
}

Result<std::string> MachineFacts(const std::vector<std::string>& args) {
  const fs::path root = (args.empty() ? "" : args[0]) + "/";
  std::string lines =
      Line("cpu", ValueIn(root / "proc/cpuinfo", "model name", ':')) +
      Line("cores", std::to_string(UsableCores())) +
      Line("memory_gib", MemoryGib(root)) +
      Line("os", ValueIn(root / "etc/os-release", "PRETTY_NAME", '='));
  for (const auto& [name, value] : RelevantVariables()) {
    const bool one_line = value.find('\n') == std::string::npos;
    lines += "inherited:" + name + " " +
             (one_line ? value : "sha256:" + Sha256Hex(value)) + "\n";
  }
  return lines;
}

}  // namespace zs
