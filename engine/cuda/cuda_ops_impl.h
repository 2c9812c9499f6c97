// CudaOps as a class; for its own sources alone.
#ifndef ENGINE_CUDA_CUDA_OPS_IMPL_H_
#define ENGINE_CUDA_CUDA_OPS_IMPL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/cuda/attention/attention_runner.h"
#include "engine/cuda/blas/gemm.h"
#include "engine/cuda/check.h"
#include "engine/cuda/cuda_ops.h"
#include "engine/cuda/kernels/types.h"
#include "engine/cuda/marks.h"
#include "engine/cuda/memory.h"
#include "engine/cuda/upload_ring.h"

namespace zs::gpu {

inline Bf16* Data(const Tensor& t) {
  return static_cast<Bf16*>(t.data);
}

// Hands each operator to its launch function.
class CudaOpsImpl final : public CudaOps {
 public:
  static Result<std::unique_ptr<CudaOps>> Create(const CudaOpsOptions& options);

  cudaStream_t stream() const override { return stream_.get(); }
  std::string Describe() const override {
    return gemms_->Report() + attention_->Describe();
  }

  DType activation_dtype() const override { return DType::kBF16; }
  DType parameter_dtype() const override { return DType::kBF16; }

  Result<void*> Allocate(int64_t bytes) override;
  void Free(void* data) override { Keep(ToStatus(cudaFree(data), "free")); }
  void Upload(const void* source, void* device, int64_t bytes) override;
  Status Download(const void* device, void* target, int64_t bytes) override;
  void Zero(const Tensor& x) override;
  void Convert(const Tensor& from, const Tensor& to) override;
  void Fetch(const void* device, void* pinned, int64_t bytes) override;
  Result<void*> AllocatePinned(int64_t bytes) override;
  void FreePinned(void* data) override { PinnedDeleter()(data); }
  Status Finish() override;
  int64_t Mark() override;
  double MsBetween(int64_t begin, int64_t end) override;
  Status WaitFor(int64_t mark) override;
  void ReleaseMarks(int64_t end) override { marks_.Release(end); }
  int steps_ahead() const override { return 1; }
  int64_t device_bytes_in_use() const override;
  int64_t workspace_bytes() const override {
    return static_cast<int64_t>(scratch_.bytes() + gemms_->workspace_bytes());
  }

  void Linear(const Tensor& x, const Tensor& w, const Tensor& bias,
              const Tensor& residual, const Tensor& y) override;
  void LinearBackwardInput(const Tensor& dy, const Tensor& w,
                           const Tensor& dx) override;
  void LinearBackwardWeight(const Tensor& dy, const Tensor& x, const Tensor& dw,
                            const Tensor& dbias) override;
  void Embedding(const int32_t* tokens, const Tensor& token_table,
                 const Tensor& position_table, int64_t seq_len,
                 const Tensor& y) override;
  void EmbeddingBackward(const int32_t* tokens, const Tensor& dy,
                         int64_t seq_len, const Tensor& d_token,
                         const Tensor& d_position) override;
  void Norm(const NormWeights& weights, const Tensor& x, const Tensor& y,
            const Tensor& stats) override;
  void NormBackward(const NormWeights& weights, const Tensor& x,
                    const Tensor& stats, const Tensor& dy, const Tensor& dx,
                    const NormWeights& gradients) override;
  void QkNormRope(const AttentionShape& shape, const QkTransform& transform,
                  const Tensor& qkv, const Tensor& qk,
                  const Tensor& stats) override;
  void QkNormRopeBackward(const AttentionShape& shape,
                          const QkTransform& transform, const Tensor& qkv,
                          const Tensor& stats, const Tensor& dqkv,
                          const QkTransform& gradients) override;
  void Attention(const AttentionShape& shape,
                 const AttentionTensors& tensors) override;
  void AttentionBackward(const AttentionShape& shape,
                         const AttentionTensors& tensors, const Tensor& dout,
                         const AttentionTensors& gradients) override;
  void Gelu(const Tensor& x, const Tensor& y) override;
  void GeluBackward(const Tensor& x, const Tensor& dy,
                    const Tensor& dx) override;
  void LinearGelu(const Tensor& x, const Tensor& w, const Tensor& bias,
                  const Tensor& pre, const Tensor& y) override;
  void LinearBackwardInputGelu(const Tensor& dy, const Tensor& w,
                               const Tensor& pre, const Tensor& dy_pre,
                               const Tensor& dpre) override;
  void SwiGlu(const Tensor& gate_up, const Tensor& y) override;
  void SwiGluBackward(const Tensor& gate_up, const Tensor& dy,
                      const Tensor& d_gate_up) override;
  void CrossEntropy(const Tensor& logits, const int32_t* targets, float scale,
                    float* losses) override;
  void AdamW(const AdamWStep& step, const AdamWRange& range) override;
  void SquaredNorm(const float* x, int64_t size, double* out) override;
  void AddMean(const float* x, int64_t size, double* out) override;
  void SumStep(const double* parts, int ranks, int64_t each, double max_norm,
               StepSums* out) override;

 private:
  Grad GradOf(const Tensor& t) const {
    return {t.data, t.dtype, add_gradients_};
  }
  // Remembers the first error since the last Finish() or WaitFor().
  void Keep(Status status) {
    if (status_.ok()) {
      status_ = std::move(status);
    }
  }
  // Scratch memory of the operator that runs, or null after an error.
  void* Scratch(int64_t bytes);
  float* Floats(int64_t count) {
    return static_cast<float*>(
        Scratch(count * static_cast<int64_t>(sizeof(float))));
  }
  void BiasGradient(const Tensor& dy, const Tensor& dbias);
  // Runs FUSED or PLAIN, which do the same to the bit of bf16's rounding: the
  // one that was faster when SHAPE was first seen; PLAIN where determinism is
  // asked for, since recomputation does what PLAIN does.
  void RunFaster(const GemmShape& shape, const std::function<Status()>& fused,
                 const std::function<void()>& plain);
  Result<bool> IsFaster(const std::function<Status()>& fused,
                        const std::function<void()>& plain);

  Stream stream_;
  DeviceBuffer scratch_;
  DeviceBuffer sum_;  // kSumScratch doubles
  UploadRing uploads_;
  std::unique_ptr<Gemms> gemms_;
  std::unique_ptr<AttentionRunner> attention_;
  bool deterministic_ = false;
  std::map<GemmShape, bool> fused_;  // by RunFaster
  Marks marks_;
  Status status_;
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_CUDA_OPS_IMPL_H_
