#include "runner/agent/system_facts.h"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace zs {
namespace {

namespace fs = std::filesystem;

std::string RootIn(const std::vector<std::string>& args) {
  return args.empty() ? "" : args[0];
}

// Empty where the file cannot be read.
std::string FirstLineOf(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// What is in FOLDER, sorted; nothing where there is no such folder.
std::vector<fs::path> EntriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// "ACTIVE" of "4: ACTIVE".
std::string PortState(const std::string& line) {
  const size_t word = line.find_first_not_of(' ', line.find(':') + 1);
  return word == std::string::npos ? "" : line.substr(word);
}

std::string AdapterLines(const fs::path& root) {
  std::string lines;
  for (const fs::path& adapter : EntriesOf(root / "sys/class/infiniband")) {
    for (const fs::path& port : EntriesOf(adapter / "ports")) {
      const std::string state = FirstLineOf(port / "state");
      if (!state.empty()) {
        lines += "adapter " + adapter.filename().string() + " " +
                 port.filename().string() + " " +
                 FirstLineOf(port / "link_layer") + " " + PortState(state) +
                 "\n";
      }
    }
  }
  return lines;
}

// "13.0" of the folder /usr/local/cuda-13.0 behind the link LINK.
std::string CudaVersion(const fs::path& link) {
  constexpr std::string_view kName = "cuda";
  std::error_code error;
  const fs::path folder = fs::canonical(link, error);
  if (error || !fs::is_directory(folder, error)) {
    return "";
  }
  std::string name = folder.filename().string();
  const size_t at = name.rfind(kName);
  if (at != std::string::npos) {
    name.erase(0, at + kName.size());
  }
  name.erase(0, name.find_first_not_of('-'));
  return name.empty() ? "without a number" : name;
}

// "2.28.9" of the first libnccl.so.2.28.9 in FOLDER.
std::string NcclVersionIn(const fs::path& folder) {
  constexpr std::string_view kLibrary = "libnccl.so.";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("libnccl.so.2.")) {
      return name.substr(kLibrary.size());
    }
  }
  return "";
}

std::string NcclVersion(const fs::path& root) {
  std::vector<fs::path> folders = EntriesOf(root / "usr/lib");
  folders.push_back(root / "usr/lib64");
  for (const fs::path& folder : folders) {
    std::string version = NcclVersionIn(folder);
    if (!version.empty()) {
      return version;
    }
  }
  return "";
}

std::string VersionLine(const char* name, const std::string& version) {
  return version.empty() ? "" : std::string(name) + " " + version + "\n";
}

}  // namespace

Result<std::string> NetworkFacts(const std::vector<std::string>& args) {
  const fs::path root = RootIn(args) + "/";
  std::string lines;
  for (const fs::path& interface : EntriesOf(root / "sys/class/net")) {
    const std::string state = FirstLineOf(interface / "operstate");
    if (!state.empty()) {
      lines +=
          "interface " + interface.filename().string() + " " + state + "\n";
    }
  }
  return lines + AdapterLines(root);
}

Result<std::string> VersionFacts(const std::vector<std::string>& args) {
  const fs::path root = RootIn(args) + "/";
  utsname system{};
  ::uname(&system);
  return VersionLine("kernel", system.release) +
         VersionLine("driver",
                     FirstLineOf(root / "sys/module/nvidia/version")) +
         VersionLine("cuda", CudaVersion(root / "usr/local/cuda")) +
         VersionLine("nccl", NcclVersion(root));
}

}  // namespace zs
