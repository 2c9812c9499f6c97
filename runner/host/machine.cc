#include "runner/host/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/files.h"
#include "base/strings.h"
#include "runner/host/command_output.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

// Without nvidia-persistenced the driver is loaded first, GPU by GPU.
constexpr double kGpuQueryS = 30;
// As the kernel names PCI devices: display controllers of NVIDIA's.
constexpr std::string_view kNvidiaVendor = "0x10de";
constexpr std::string_view kDisplayClass = "0x03";

int UsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
  return std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
}

// The rest of the line of TEXT that begins with KEY, without SKIP characters
// before and quotes around it; empty where there is none.
std::string ValueOf(std::string_view text, std::string_view key,
                    std::string_view skip) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(key)) {
      std::string_view value = line.substr(key.size());
      value.remove_prefix(
          std::min(value.find_first_not_of(skip), value.size()));
      value = value.substr(0, value.find_last_not_of(" \"\r\t") + 1);
      return std::string(value);
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

std::optional<int64_t> Integer(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) {
    return std::nullopt;
  }
  return value;
}

std::string FileText(const std::string& path) {
  const auto text = ReadFile(path, int64_t{4} << 20);
  return text.ok() ? *text : std::string();
}

// The memory limit of this process's cgroup, where one is set (v2, v1).
std::optional<int64_t> CgroupMemoryLimit() {
  for (const char* path : {"/sys/fs/cgroup/memory.max",
                           "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    if (const auto limit = Integer(FileText(path))) {
      return limit;
    }
  }
  return std::nullopt;
}

int64_t UsableMemory() {
  const auto total_kib =
      Integer(ValueOf(FileText("/proc/meminfo"), "MemTotal:", " "));
  const int64_t total = total_kib.value_or(0) * 1024;
  const auto limit = CgroupMemoryLimit();
  return limit.has_value() && *limit > 0 ? std::min(total, *limit) : total;
}

}  // namespace

void ReadGpuLines(std::string_view text, Machine& machine) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const size_t driver_at = line.rfind(',');
    if (driver_at == std::string_view::npos || driver_at == 0) {
      continue;
    }
    const size_t memory_at = line.rfind(',', driver_at - 1);
    if (memory_at == std::string_view::npos) {
      continue;
    }
    const auto mib =
        Integer(Trimmed(line.substr(memory_at + 1, driver_at - memory_at - 1)));
    if (!mib.has_value()) {
      continue;
    }
    machine.gpus.push_back(
        {std::string(Trimmed(line.substr(0, memory_at))), *mib << 20});
    machine.gpu_driver = Trimmed(line.substr(driver_at + 1));
  }
}

std::string ThisHost() {
  utsname name{};
  return ::uname(&name) == 0 ? name.nodename : "";
}

GpuHardware GpuHardwareIn(const std::string& root) {
  std::error_code error;
  const fs::directory_iterator of_driver(root + "/proc/driver/nvidia/gpus",
                                         error);
  // A container has these entries of its host too, but not the device.
  if (!error && of_driver != fs::directory_iterator() &&
      fs::exists(root + "/dev/nvidiactl", error)) {
    return GpuHardware::kDriven;
  }
  bool any = false;
  for (const auto& device :
       fs::directory_iterator(root + "/sys/bus/pci/devices", error)) {
    any = true;
    const std::string folder = device.path().string();
    if (FileText(folder + "/vendor").starts_with(kNvidiaVendor) &&
        FileText(folder + "/class").starts_with(kDisplayClass)) {
      return GpuHardware::kThere;
    }
  }
  return any ? GpuHardware::kNone : GpuHardware::kUnknown;
}

Status SetGpus(const Result<std::string>& listed, GpuHardware hardware,
               Machine& machine) {
  if (listed.ok()) {
    ReadGpuLines(*listed, machine);
    return OkStatus();
  }
  const bool missing = listed.status().code() == StatusCode::kNotFound;
  const bool slow = listed.status().code() == StatusCode::kDeadlineExceeded;
  if (missing ? hardware != GpuHardware::kDriven
              : !slow && hardware == GpuHardware::kNone) {
    return OkStatus();
  }
  return FailedPreconditionError(
      "the GPUs of this host: " + listed.status().message() +
      "; whether there are any is unknown, and an experiment file may ask for "
      "it. Run nvidia-smi by hand until it answers (is the driver loaded, does "
      "a "
      "GPU need a reset, is nvidia-persistenced running?)");
}

Result<Machine> ThisMachine() {
  Machine machine;
  utsname name{};
  machine.host = ThisHost();
  if (::uname(&name) == 0) {
    machine.kernel =
        std::string(name.sysname) + " " + name.release + " " + name.machine;
  }
  machine.cores = UsableCores();
  machine.memory_bytes = UsableMemory();
  machine.cpu = ValueOf(FileText("/proc/cpuinfo"), "model name", "\t: ");
  machine.os = ValueOf(FileText("/etc/os-release"), "PRETTY_NAME=", "\"");
  const auto listed = CommandOutput(
      {"nvidia-smi", "--query-gpu=name,memory.total,driver_version",
       "--format=csv,noheader,nounits"},
      kGpuQueryS);
  RETURN_IF_ERROR(SetGpus(
      listed, listed.ok() ? GpuHardware::kDriven : GpuHardwareIn(""), machine));
  return machine;
}

Json MachineForFile(const Machine& machine) {
  Json gpus = Json::array();
  for (const Gpu& gpu : machine.gpus) {
    gpus.push_back({{"name", gpu.name}, {"memory_bytes", gpu.memory_bytes}});
  }
  return {{"cores", machine.cores},
          {"memory_bytes", machine.memory_bytes},
          {"gpus", std::move(gpus)}};
}

Json ToJson(const Machine& machine) {
  Json json = MachineForFile(machine);
  json["host"] = machine.host;
  json["cpu"] = machine.cpu;
  json["kernel"] = machine.kernel;
  json["os"] = machine.os;
  json["gpu_driver"] = machine.gpu_driver;
  return json;
}

}  // namespace zs
