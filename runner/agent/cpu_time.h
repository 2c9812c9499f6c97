// How busy this host's processors are.
#ifndef RUNNER_AGENT_CPU_TIME_H_
#define RUNNER_AGENT_CPU_TIME_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace zs {

// Since the host started, summed over its processors.
struct CpuTime {
  int64_t busy_us = 0;  // in programs and the kernel
  int64_t all_us = 0;   // and idle
};

// From /proc/stat; nullopt where the kernel does not tell. In a container it is
// still of the whole host.
std::optional<CpuTime> HostCpuTime();

// The first line of /proc/stat (proc(5)): "cpu" and the ticks in user, nice,
// system, idle, iowait, irq, softirq and steal; what stands behind is part of
// the first two. TICKS_PER_S is the kernel's USER_HZ.
std::optional<CpuTime> ParseCpuLine(std::string_view line, int64_t ticks_per_s);

}  // namespace zs

#endif  // RUNNER_AGENT_CPU_TIME_H_
