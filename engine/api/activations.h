// The buffers of a decoder's pass: pure arithmetic, by which the decoder
// allocates and the prediction adds up.
#ifndef ENGINE_API_ACTIVATIONS_H_
#define ENGINE_API_ACTIVATIONS_H_

#include <array>
#include <cstdint>
#include <string>

#include "engine/api/run_config.h"

namespace zs {

// n: tokens of a micro-batch; H: hidden; D: head_size; Q, KV: columns of query
// and key/value heads. "Kept" buffers have a copy for each layer unless they
// are recomputed.
enum class Buffer : int {
  // Kept of each layer.
  kResidual,        // {n, H}: input of each layer, and of the final norm
  kNorm1,           // {n, H}: input of the QKV projection
  kNorm1Stats,      // fp32 {n, 2}
  kQkv,             // {n, Q + 2 KV}
  kQk,              // {n, Q + KV}: after QK norm and RoPE; with QK norm alone
  kQkStats,         // fp32 {n, heads + kv_heads}; with QK norm alone
  kAttention,       // {n, Q}: input of the output projection
  kAttentionStats,  // fp32 {heads, n}: log-sum-exp
  kMiddle,          // {n, H}: the residual stream between attention and MLP
  kNorm2,           // {n, H}: input of the MLP
  kNorm2Stats,      // fp32 {n, 2}
  kUp,              // {n, ffn} or, with SwiGLU, {n, 2 ffn}
  kActivated,       // {n, ffn}: input of the down projection
  // Of the whole pass.
  kFinal,       // {n, H}: after the final norm
  kFinalStats,  // fp32 {n, 2}
  kTokens,      // int32 {2, n}: tokens and targets
  kLosses,      // fp32 {1, n}
  kAngles,      // fp32 {2 seq_len, D/2}: cosines, then sines; RoPE alone
  kDResidual,   // {n, H}: gradient of the residual stream
  kDNorm,       // {n, H}: gradient of a norm's output
  kDWide,       // {n, max(Q + 2 KV, columns of kUp)}
  kDActivated,  // {n, max(ffn, Q)}
  kLogits,      // {LogitsChunk(), vocab; in bf16 up to a multiple of 128}
  kCount,
};

inline constexpr int kBufferCount = static_cast<int>(Buffer::kCount);

struct BufferPlan {
  int64_t copies = 0;  // 0: not needed
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t element_bytes = 4;

  // From one copy to the next: every copy is aligned alike, so that the same
  // kernels run on all.
  int64_t copy_bytes() const {
    constexpr int64_t kAlignment = 128;
    const int64_t bytes = rows * cols * element_bytes;
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  int64_t bytes() const { return copies * copy_bytes(); }
};

// Of a pass: `seq_len`, `micro_batch`, `recompute` and `dtype` of TRAIN.
// recompute "cheap" keeps no outputs of norms and activations, "full" nothing
// but each layer's input.
std::array<BufferPlan, kBufferCount> PlanBuffers(const ModelConfig& model,
                                                 const TrainConfig& train);

// Tokens whose logits are computed at once: about 64 MiB of fp32, at least 32
// tokens, and no more than TOKENS; in bf16 (on GPUs, which need large products)
// as many equal chunks of at most 5 GiB as TOKENS need.
int64_t LogitsChunk(int64_t vocab, int64_t tokens, int64_t element_bytes = 4);

// Scratch of the CPU operators with THREADS threads: attention's scores or the
// partial sums of a norm's backward pass, whichever is larger.
int64_t CpuWorkspaceBytes(const ModelConfig& model, const TrainConfig& train,
                          int threads);

}  // namespace zs

#endif  // ENGINE_API_ACTIVATIONS_H_
