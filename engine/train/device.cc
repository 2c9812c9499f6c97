#include "engine/train/device.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/files.h"
#include "engine/ops/cpu_ops.h"

namespace zs {
namespace {

// The cores that this process may run on.
int UsableCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0
             ? std::max(CPU_COUNT(&cores), 1)
             : 1;
}

// The file that keeps the fastest GEMM algorithms between runs: ZS_GEMM_CACHE,
// or one below HOME; empty where neither is set.
std::string GemmCachePath() {
  if (const char* path = std::getenv("ZS_GEMM_CACHE")) {
    return path;
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr) {
    return "";
  }
  const std::string folder = std::string(home) + "/.cache/zerosweep";
  return MakeFolders(folder).ok() ? folder + "/gemm_algorithms" : "";
}

}  // namespace

int Threads(const RunConfig& config, const RankEnvironment& env) {
  return config.threads_per_rank > 0
             ? config.threads_per_rank
             : std::max(UsableCores() / env.local_world_size, 1);
}

Result<Device> OpenDevice(const RunConfig& config, const RankEnvironment& env) {
  Device device;
  device.threads = Threads(config, env);
  if (config.device == "cpu") {
    device.cpu = MakeCpuOps(device.threads);
    return device;
  }
  ASSIGN_OR_RETURN(device.cuda,
                   OpenCudaBackend({.device = env.local_rank,
                                    .deterministic = config.train.deterministic,
                                    .gemm_cache_path = GemmCachePath()}));
  return device;
}

}  // namespace zs
