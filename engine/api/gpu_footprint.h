// What a GPU's memory holds beside what the engine counts.
#ifndef ENGINE_API_GPU_FOOTPRINT_H_
#define ENGINE_API_GPU_FOOTPRINT_H_

#include <cstdint>

#include "engine/api/run_config.h"

namespace zs {

// Memory that libraries take for themselves, by name.
struct GpuConstant {
  const char* name;
  int64_t bytes;
  bool several_ranks;  // only where there are several ranks
  const char* source;  // where the figure is from
};

// Measured: the device's memory in use, less all buffers of the engine, each
// rounded up to kGpuPageBytes. What is left was the same to 2 MiB for
// Qwen3-1.7B (micro-batch 2 and 4) and GPT-2 124M (32 and 64), which speaks for
// constants.
inline constexpr GpuConstant kGpuConstants[] = {
    {"CUDA context, cuBLASLt's and cuDNN's kernels", int64_t{551} << 20, false,
     "one and two H200s, driver 580.159, CUDA 13.0, cuDNN 9.19; "
     "docs/benchmarks/2026-11-30-h200-2"},
    {"NCCL's channels and buffers", int64_t{858} << 20, true,
     "two H200s, NCCL 2.28.9, NV18, 24 channels; "
     "docs/benchmarks/2026-11-30-h200-2"},
};

// cudaMalloc gives whole pages.
inline constexpr int64_t kGpuPageBytes = int64_t{2} << 20;
inline constexpr int64_t kGemmWorkspaceBytes = int64_t{64} << 20;

// The sum of kGpuConstants for WORLD_SIZE ranks.
int64_t GpuConstantBytes(int world_size);

// What the last page of a buffer of BYTES leaves unused; small buffers share
// pages.
int64_t GpuPageRest(int64_t bytes);

// Scratch of the operators: matrix products, and attention's backward pass
// (cuDNN 9): one fp32 for each head and token; where heads share keys and
// values, gradients of these for every head in bf16; and an fp32 gradient of
// the queries or, where train.deterministic, all scores in bf16.
int64_t GpuWorkspaceBytes(const ModelConfig& model, const TrainConfig& train);

}  // namespace zs

#endif  // ENGINE_API_GPU_FOOTPRINT_H_
