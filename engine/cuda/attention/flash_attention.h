// Causal attention by own kernels, for where cuDNN is missing: every shape,
// the same bits every time, and no speed record.
#ifndef ENGINE_CUDA_ATTENTION_FLASH_ATTENTION_H_
#define ENGINE_CUDA_ATTENTION_FLASH_ATTENTION_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/status.h"
#include "engine/cuda/attention/attention.h"

namespace zs::gpu {

constexpr int64_t kMaxFlashHeadSize = 256;

// kInvalidArgument where the head size is beyond kMaxFlashHeadSize or
// kv_heads does not divide heads.
Status LaunchFlashForward(const AttentionLayout& layout,
                          const AttentionForwardData& data,
                          cudaStream_t stream);

// SCRATCH: FlashScratch(sizes) floats.
Status LaunchFlashBackward(const AttentionLayout& layout,
                           const AttentionBackwardData& data, float* scratch,
                           cudaStream_t stream);

int64_t FlashScratch(const AttentionSizes& sizes);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_ATTENTION_FLASH_ATTENTION_H_
