// What a rank computes on.
#ifndef ENGINE_TRAIN_DEVICE_H_
#define ENGINE_TRAIN_DEVICE_H_

#include <memory>

#include "base/status.h"
#include "engine/api/run_config.h"
#include "engine/comm/rank_environment.h"
#include "engine/cuda/backend.h"
#include "engine/ops/ops.h"

namespace zs {

struct Device {
  std::unique_ptr<CudaBackend> cuda;  // null on CPUs
  std::unique_ptr<Ops> cpu;           // null on GPUs
  int threads = 1;

  Ops& ops() const { return cuda ? cuda->ops() : *cpu; }
};

// The threads that a rank computes with.
int Threads(const RunConfig& config, const RankEnvironment& env);

// Opens config.device for the calling thread: the CPU, or the GPU of the local
// rank. GPUs keep the GEMM algorithms they found fastest in the file that
// ZS_GEMM_CACHE names, or in ~/.cache/zerosweep/gemm_algorithms. kUnavailable
// says what is missing.
Result<Device> OpenDevice(const RunConfig& config, const RankEnvironment& env);

}  // namespace zs

#endif  // ENGINE_TRAIN_DEVICE_H_
