// What this host is: the facts that an experiment file may ask for as
// `machine`, and that every run records.
#ifndef RUNNER_HOST_MACHINE_H_
#define RUNNER_HOST_MACHINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

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

// Whether nvidia-smi, where it fails, may be believed to find no GPU.
enum class GpuHardware {
  kNone,     // the kernel knows its devices, and no GPU of NVIDIA's among them
  kThere,    // it has one, which a driver need not have
  kDriven,   // NVIDIA's driver has one, and this process its device
  kUnknown,  // it does not tell
};

// Looks at this host. No GPU is where there is no nvidia-smi and no driver, or
// where nvidia-smi fails and the kernel has none either. kFailedPrecondition,
// with what nvidia-smi said and what to do, where it does not list the GPUs
// that may be there within half a minute: a GPU machine must not pass for one
// without.
Result<Machine> ThisMachine();

// The same of GPUs alone, by what nvidia-smi LISTED, or failed to.
Status SetGpus(const Result<std::string>& listed, GpuHardware hardware,
               Machine& machine);

// What the kernel's files below ROOT ("" but for tests) tell.
GpuHardware GpuHardwareIn(const std::string& root);

// This host's name.
std::string ThisHost();

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
