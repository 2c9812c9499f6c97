// Causal attention by cuDNN's fused engines.
#ifndef ENGINE_CUDA_ATTENTION_CUDNN_ATTENTION_H_
#define ENGINE_CUDA_ATTENTION_CUDNN_ATTENTION_H_

#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "engine/cuda/attention/attention.h"
#include "engine/cuda/attention/cudnn_graph.h"

namespace zs::gpu {

// The plans of one layout. The head size must be a multiple of 8 and all
// pointers aligned to 16 bytes. Run takes the handle's stream; all layers can
// share one workspace.
class CudnnAttention {
 public:
  // DETERMINISTIC: the backward pass gives the same bits every time, for
  // batch x heads x seq_len^2 x 2 bytes of workspace more. kUnimplemented where
  // this cuDNN has no engine for the layout.
  static Result<CudnnAttention> Create(const AttentionLayout& layout,
                                       bool deterministic,
                                       const CudnnTarget& target);

  size_t workspace_bytes() const;
  // "forward engine 2 of 3, 256 bytes; backward ..." for logs.
  std::string Describe() const;

  Status Forward(cudnnHandle_t handle, const AttentionForwardData& data,
                 void* workspace) const;
  Status Backward(cudnnHandle_t handle, const AttentionBackwardData& data,
                  void* workspace) const;

  const CudnnPlan& forward_plan() const { return forward_; }
  const CudnnPlan& backward_plan() const { return backward_; }

 private:
  size_t delta_bytes() const;
  size_t scratch_bytes() const;

  AttentionSizes sizes_;
  bool deterministic_ = false;
  CudnnPlan forward_;
  CudnnPlan backward_;
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_ATTENTION_CUDNN_ATTENTION_H_
