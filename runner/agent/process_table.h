// The processes of this host (or container) as /proc shows them.
#ifndef RUNNER_AGENT_PROCESS_TABLE_H_
#define RUNNER_AGENT_PROCESS_TABLE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zs {

struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';          // as in ps: R, S, D, T, Z ...
  uint64_t start_ticks = 0;  // since boot; with pid it names a process for good
  std::string name;

  // A zombie holds nothing but its number.
  bool alive() const { return state != 'Z' && state != 'X'; }
};

// Every process that can be seen, zombies among them.
std::vector<ProcessInfo> ListProcesses();

std::optional<ProcessInfo> ReadProcess(pid_t pid);

// The first MAX_BYTES of a file of /proc; empty where it cannot be read.
std::string ReadProc(const std::string& path, size_t max_bytes);

// What "PID (NAME) STATE PARENT ..." of a /proc/PID/stat says; NAME may hold
// any bytes, blanks and parentheses too.
std::optional<ProcessInfo> ParseStat(std::string_view text);

// Whether the environment that PID was started with holds ENTRY
// ("NAME=value"). False where it may not be read.
bool StartedWith(pid_t pid, std::string_view entry);

// Sends SIGNAL to PROCESS if that very process still lives (not another that
// got its number since). Never signals pid 1 or below. False: not sent.
bool SignalProcess(const ProcessInfo& process, int signal);

}  // namespace zs

#endif  // RUNNER_AGENT_PROCESS_TABLE_H_
