#include "runner/agent/evidence.h"

#include <algorithm>
#include <string_view>

#include "base/clock.h"
#include "base/spawn.h"
#include "runner/agent/run_briefly.h"

namespace zs {
namespace {

constexpr size_t kMaxBytes = size_t{512} << 10;
constexpr size_t kMaxFileBytes = size_t{64} << 10;
constexpr int64_t kMaxToolMs = 4000;
constexpr int64_t kMinToolMs = 300;

std::string ReadProcFile(pid_t pid, const char* name) {
  return ReadProc("/proc/" + std::to_string(pid) + "/" + name, kMaxFileBytes);
}

// The value of NAME among entries "NAME=value" that end with END.
std::string ValueOf(std::string_view entries, std::string_view name, char end) {
  for (size_t at = 0; at < entries.size();) {
    const size_t stop = std::min(entries.find(end, at), entries.size());
    const std::string_view entry = entries.substr(at, stop - at);
    if (entry.starts_with(name)) {
      return std::string(entry.substr(name.size()));
    }
    at = stop + 1;
  }
  return "";
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.size() < 9 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

std::string Line(const ProcessInfo& process) {
  const std::string rank =
      ValueOf(ReadProcFile(process.pid, "environ"), "RANK=", '\0');
  const std::string threads =
      ValueOf(ReadProcFile(process.pid, "status"), "Threads:\t", '\n');
  const std::string wchan = ReadProcFile(process.pid, "wchan");
  return "process " + std::to_string(process.pid) + " " +
         (IsNumber(rank) ? rank : "-1") + " " + process.state + " " +
         (IsNumber(threads) ? threads : "0") + " " +
         (wchan.empty() || wchan == "0" ? "-" : wchan) + " " + process.name +
         "\n";
}

// How to get the stacks of PROCESS on this host; empty: by nothing.
std::vector<std::string> ToolFor(const ProcessInfo& process) {
  const std::string pid = std::to_string(process.pid);
  const std::vector<std::string> env = OwnEnvironment();
  if (process.name.starts_with("python") &&
      FindProgram("py-spy", env, "").ok()) {
    return {"py-spy", "dump", "--nonblocking", "--pid", pid};
  }
  if (FindProgram("gdb", env, "").ok()) {
    return {"gdb",
            "-nx",
            "-batch",
            "-ex",
            "set debuginfod enabled off",
            "-ex",
            "thread apply all bt 30",
            "-p",
            pid};
  }
  return {};
}

std::string Stacks(const ProcessInfo& process, int64_t left_ms) {
  std::string text;
  if (const std::string kernel = ReadProcFile(process.pid, "stack");
      !kernel.empty()) {
    text += "kernel stack:\n" + kernel;
  }
  std::vector<std::string> tool = ToolFor(process);
  if (tool.empty()) {
    return text + "neither py-spy nor gdb is on this host\n";
  }
  if (left_ms < kMinToolMs) {
    return text + "no time was left for " + tool[0] + "\n";
  }
  tool.insert(tool.begin(), std::to_string(std::min(left_ms, kMaxToolMs)));
  const Result<std::string> printed = RunBriefly(tool);
  return text + tool[1] + ": " +
         (printed.ok() ? *printed : printed.status().message()) + "\n";
}

}  // namespace

std::string Evidence(const std::vector<ProcessInfo>& processes,
                     int64_t budget_ms) {
  const Clock& clock = RealClock();
  const int64_t end_ns = clock.monotonic_ns() + budget_ms * 1'000'000;
  std::string text;
  for (const ProcessInfo& process : processes) {
    text += Line(process);
  }
  for (const ProcessInfo& process : processes) {
    text += "--- " + std::to_string(process.pid) + " " + process.name + "\n";
    text += Stacks(process, (end_ns - clock.monotonic_ns()) / 1'000'000);
    if (text.size() > kMaxBytes) {
      text.resize(kMaxBytes);
      break;
    }
  }
  return text;
}

}  // namespace zs
