#include "engine/ops/cpu_ops.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <string>

#include "engine/ops/attention/attention.h"
#include "engine/ops/attention/qk_norm_rope.h"
#include "engine/ops/cpu/cpu_context.h"
#include "engine/ops/layers/activation.h"
#include "engine/ops/layers/cross_entropy.h"
#include "engine/ops/layers/embedding.h"
#include "engine/ops/layers/linear.h"
#include "engine/ops/layers/norm.h"
#include "engine/ops/optimizer/adamw.h"

namespace zs {
namespace {

constexpr int64_t kAlignment = 128;
constexpr int64_t kHugePage = int64_t{2} << 20;

// Hands each operator to its function.
class CpuOps : public Ops {
 public:
  explicit CpuOps(int threads) : cpu_(threads) {}

  DType activation_dtype() const override { return DType::kF32; }
  DType parameter_dtype() const override { return DType::kF32; }

  Result<void*> Allocate(int64_t bytes) override {
    const int64_t alignment = bytes >= kHugePage ? kHugePage : kAlignment;
    const int64_t size =
        std::max<int64_t>((bytes + alignment - 1) / alignment, 1) * alignment;
    void* data = std::aligned_alloc(static_cast<size_t>(alignment),
                                    static_cast<size_t>(size));
    if (data == nullptr) {
      return ResourceExhaustedError("host memory: " + std::to_string(bytes) +
                                    " bytes are not to be had");
    }
    if (alignment == kHugePage) {
      // Fewer TLB misses; where it is refused, nothing is lost.
      madvise(data, static_cast<size_t>(size), MADV_HUGEPAGE);
    }
    return data;
  }
  void Free(void* data) override { std::free(data); }

  void Upload(const void* source, void* device, int64_t bytes) override {
    std::memcpy(device, source, static_cast<size_t>(bytes));
  }
  Status Download(const void* device, void* target, int64_t bytes) override {
    std::memcpy(target, device, static_cast<size_t>(bytes));
    return OkStatus();
  }
  void Fetch(const void* device, void* pinned, int64_t bytes) override {
    std::memcpy(pinned, device, static_cast<size_t>(bytes));
  }
  void Zero(const Tensor& x) override {
    for (int64_t r = 0; r < x.rows; ++r) {
      std::fill_n(x.row(r), x.cols, 0.0f);
    }
  }
  void Convert(const Tensor& from, const Tensor& to) override {
    std::copy_n(from.f32(), from.rows * from.cols, to.f32());
  }
  Status Finish() override { return OkStatus(); }
  int64_t workspace_bytes() const override { return cpu_.workspace.bytes(); }

  void Linear(const Tensor& x, const Tensor& w, const Tensor& bias,
              const Tensor& residual, const Tensor& y) override {
    zs::Linear(cpu_, x, w, {.bias = bias, .residual = residual}, y);
  }
  void LinearBackwardInput(const Tensor& dy, const Tensor& w,
                           const Tensor& dx) override {
    zs::LinearBackwardInput(cpu_, dy, w, dx);
  }
  void LinearBackwardWeight(const Tensor& dy, const Tensor& x, const Tensor& dw,
                            const Tensor& dbias) override {
    Prepare({dw, dbias});
    zs::LinearBackwardWeight(cpu_, dy, x, dw, dbias);
  }

  void Embedding(const int32_t* tokens, const Tensor& token_table,
                 const Tensor& position_table, int64_t seq_len,
                 const Tensor& y) override {
    zs::Embedding(cpu_, tokens,
                  {.token = token_table, .position = position_table}, seq_len,
                  y);
  }
  void EmbeddingBackward(const int32_t* tokens, const Tensor& dy,
                         int64_t seq_len, const Tensor& d_token,
                         const Tensor& d_position) override {
    zs::EmbeddingBackward(cpu_, tokens, dy, seq_len,
                          {.token = d_token, .position = d_position});
  }

  void Norm(const NormWeights& weights, const Tensor& x, const Tensor& y,
            const Tensor& stats) override {
    zs::Norm(cpu_, weights, {.x = x, .stats = stats}, y);
  }
  void NormBackward(const NormWeights& weights, const Tensor& x,
                    const Tensor& stats, const Tensor& dy, const Tensor& dx,
                    const NormWeights& gradients) override {
    Prepare({gradients.gain, gradients.bias});
    zs::NormBackward(cpu_, weights, {.x = x, .stats = stats}, dy, dx,
                     gradients);
  }

  void QkNormRope(const AttentionShape& shape, const QkTransform& transform,
                  const Tensor& qkv, const Tensor& qk,
                  const Tensor& stats) override {
    zs::QkNormRope(cpu_, shape, transform, {.qkv = qkv, .stats = stats}, qk);
  }
  void QkNormRopeBackward(const AttentionShape& shape,
                          const QkTransform& transform, const Tensor& qkv,
                          const Tensor& stats, const Tensor& dqkv,
                          const QkTransform& gradients) override {
    Prepare({gradients.q_gain, gradients.k_gain});
    zs::QkNormRopeBackward(cpu_, shape, transform, {.qkv = qkv, .stats = stats},
                           dqkv, gradients);
  }

  void Attention(const AttentionShape& shape,
                 const AttentionTensors& tensors) override {
    zs::Attention(cpu_, shape, tensors);
  }
  void AttentionBackward(const AttentionShape& shape,
                         const AttentionTensors& tensors, const Tensor& dout,
                         const AttentionTensors& gradients) override {
    zs::AttentionBackward(cpu_, shape, tensors, dout, gradients);
  }

  void Gelu(const Tensor& x, const Tensor& y) override { zs::Gelu(cpu_, x, y); }
  void GeluBackward(const Tensor& x, const Tensor& dy,
                    const Tensor& dx) override {
    zs::GeluBackward(cpu_, x, dy, dx);
  }
  void SwiGlu(const Tensor& gate_up, const Tensor& y) override {
    zs::SwiGlu(cpu_, gate_up, y);
  }
  void SwiGluBackward(const Tensor& gate_up, const Tensor& dy,
                      const Tensor& d_gate_up) override {
    zs::SwiGluBackward(cpu_, gate_up, dy, d_gate_up);
  }

  void CrossEntropy(const Tensor& logits, const int32_t* targets, float scale,
                    float* losses) override {
    zs::CrossEntropy(cpu_, logits, targets, scale, losses);
  }

  void AdamW(const AdamWStep& step, const AdamWRange& range) override {
    zs::AdamW(cpu_, step, range);
  }
  void SquaredNorm(const float* x, int64_t size, double* out) override {
    *out = zs::SquaredNorm(cpu_, x, size);
  }
  void AddMean(const float* x, int64_t size, double* out) override {
    *out += std::accumulate(x, x + size, 0.0) / static_cast<double>(size);
  }
  void SumStep(const double* parts, int ranks, int64_t each, double max_norm,
               StepSums* out) override {
    *out = zs::SumStep(parts, ranks, each, max_norm);
  }

 private:
  // Before a sum is added to GRADIENTS, some of which may be absent.
  void Prepare(std::initializer_list<Tensor> gradients) {
    for (const Tensor& t : gradients) {
      if (!add_gradients_ && t.present()) {
        Zero(t);
      }
    }
  }

  CpuContext cpu_;
};

}  // namespace

std::unique_ptr<Ops> MakeCpuOps(int threads) {
  return std::make_unique<CpuOps>(threads);
}

}  // namespace zs
