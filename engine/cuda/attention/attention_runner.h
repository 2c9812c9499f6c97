// Attention by cuDNN where it can, by the own kernels elsewhere.
#ifndef ENGINE_CUDA_ATTENTION_ATTENTION_RUNNER_H_
#define ENGINE_CUDA_ATTENTION_ATTENTION_RUNNER_H_

#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "engine/cuda/attention/attention.h"
#include "engine/cuda/attention/cudnn_attention.h"
#include "engine/cuda/memory.h"

namespace zs::gpu {

// Builds a plan when a layout is first seen. All work is on one stream. Not
// thread-safe.
class AttentionRunner {
 public:
  // kUnavailable where cuDNN cannot be set up.
  static Result<std::unique_ptr<AttentionRunner>> Create(bool deterministic,
                                                         cudaStream_t stream);

  // WORKSPACE grows as needed and may be shared with other operators.
  Status Forward(const AttentionLayout& layout,
                 const AttentionForwardData& data, DeviceBuffer& workspace);
  Status Backward(const AttentionLayout& layout,
                  const AttentionBackwardData& data, DeviceBuffer& workspace);

  // A line for each layout: by what it is computed, and why.
  std::string Describe() const { return notes_; }

 private:
  struct Destroy {
    void operator()(cudnnHandle_t handle) const { (void)cudnnDestroy(handle); }
  };
  template <typename T>
  using Plans = std::map<AttentionLayout, std::optional<T>>;

  // The plan, or null: to be computed by the own kernels.
  Result<const CudnnAttentionForward*> ForwardPlan(
      const AttentionLayout& layout);
  Result<const CudnnAttentionBackward*> BackwardPlan(
      const AttentionLayout& layout);
  template <typename T>
  Result<const T*> Remember(const AttentionLayout& layout, Result<T> made,
                            const char* pass, Plans<T>& plans);

  bool deterministic_ = false;
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<std::remove_pointer_t<cudnnHandle_t>, Destroy> handle_;
  Plans<CudnnAttentionForward> forward_;
  Plans<CudnnAttentionBackward> backward_;
  std::string notes_;
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_ATTENTION_ATTENTION_RUNNER_H_
