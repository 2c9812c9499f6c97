// Causal attention by cuDNN's fused engines.
#ifndef ENGINE_CUDA_ATTENTION_CUDNN_ATTENTION_H_
#define ENGINE_CUDA_ATTENTION_CUDNN_ATTENTION_H_

#include <cudnn.h>

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "engine/cuda/attention/attention.h"
#include "engine/cuda/attention/cudnn_graph.h"

namespace zs::gpu {

// Plans for one layout. The head size must be a multiple of 8 and all pointers
// aligned to 16 bytes. Run takes the handle's stream; all layers can share one
// workspace.
class CudnnAttentionForward {
 public:
  // kUnimplemented where this cuDNN has no engine for the layout.
  static Result<CudnnAttentionForward> Create(const AttentionLayout& layout,
                                              const CudnnTarget& target);

  size_t workspace_bytes() const { return plan_.workspace_bytes(); }
  const CudnnPlan& plan() const { return plan_; }

  Status Run(cudnnHandle_t handle, const AttentionForwardData& data,
             void* workspace) const;

 private:
  CudnnPlan plan_;
};

class CudnnAttentionBackward {
 public:
  // DETERMINISTIC: gives the same bits every time, for batch x heads x
  // seq_len^2 x 2 bytes of workspace more. kUnimplemented as above.
  static Result<CudnnAttentionBackward> Create(const AttentionLayout& layout,
                                               bool deterministic,
                                               const CudnnTarget& target);

  size_t workspace_bytes() const {
    return scratch_bytes() + plan_.workspace_bytes();
  }
  const CudnnPlan& plan() const { return plan_; }

  Status Run(cudnnHandle_t handle, const AttentionBackwardData& data,
             void* workspace) const;

 private:
  size_t delta_bytes() const;
  size_t scratch_bytes() const;

  AttentionSizes sizes_;
  bool deterministic_ = false;
  CudnnPlan plan_;
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_ATTENTION_CUDNN_ATTENTION_H_
