// What this host is: the facts that an experiment file may ask for as
// `machine`, and that every run records.
#ifndef RUNNER_HOST_MACHINE_H_
#define RUNNER_HOST_MACHINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace zs {

struct Gpu {
  std::string name;          // "NVIDIA H200"
  int64_t memory_bytes = 0;  // in all
};

struct Machine {
  std::string host;
  int cores = 1;             // that this process may use
  int64_t memory_bytes = 0;  // in all, less where a cgroup allows less
  std::string cpu;           // model name; empty: unknown
  std::string kernel;        // "Linux 6.1.0-18-amd64 x86_64"
  std::string os;            // "Debian GNU/Linux 12 (bookworm)"
  std::string gpu_driver;    // empty: none
  std::vector<Gpu> gpus;
};

// Looks at this host. GPUs are those that nvidia-smi lists within five
// seconds; none where it is missing or fails.
Machine ThisMachine();

// The `machine` of experiment files: {cores, memory_bytes, gpus: [{name,
// memory_bytes}]}. Only what may decide what is run.
Json MachineForFile(const Machine& machine);

// All of it, for the record.
Json ToJson(const Machine& machine);

// What nvidia-smi printed for `--query-gpu=name,memory.total,driver_version
// --format=csv,noheader,nounits`; lines it does not understand are left out.
void ReadGpuLines(std::string_view text, Machine& machine);

}  // namespace zs

#endif  // RUNNER_HOST_MACHINE_H_
