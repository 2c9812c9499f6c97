#include "engine/api/gpu_footprint.h"

namespace zs {

int64_t GpuConstantBytes(int world_size) {
  int64_t bytes = 0;
  for (const GpuConstant& constant : kGpuConstants) {
    bytes += constant.several_ranks && world_size <= 1 ? 0 : constant.bytes;
  }
  return bytes;
}

int64_t GpuPageRest(int64_t bytes) {
  return bytes < kGpuPageBytes / 2
             ? 0
             : (kGpuPageBytes - bytes % kGpuPageBytes) % kGpuPageBytes;
}

int64_t GpuWorkspaceBytes(const ModelConfig& model, const TrainConfig& train) {
  const int64_t tokens = train.micro_batch * train.seq_len;
  const int64_t queries = tokens * model.heads * model.head_size;
  const int64_t shared = model.kv_heads < model.heads ? 2 * 2 * queries : 0;
  const int64_t sums = train.deterministic
                           ? 2 * tokens * model.heads * train.seq_len
                           : 4 * queries;
  return kGemmWorkspaceBytes + sums + 4 * tokens * model.heads + shared;
}

}  // namespace zs
