// The seam between the decoder, written once, and what computes: CPU
// (cpu_ops.h) or a CUDA plug-in.
#ifndef ENGINE_OPS_OPS_H_
#define ENGINE_OPS_OPS_H_

#include <cstdint>

#include "base/status.h"
#include "engine/ops/device_clock.h"
#include "engine/ops/op_types.h"
#include "engine/ops/tensor.h"

namespace zs {

// The operators of a decoder-only transformer with their backward passes, on
// one device. Operators run in the order of the calls; a device may still be
// busy when one returns (a stream), so what the host reads needs Finish()
// first. An operator that fails is remembered and reported by Finish().
//
// n: tokens (rows). All tensors are in device memory; matrices of activations
// have activation_dtype(), weights parameter_dtype(), gradients of weights and
// all statistics fp32. Outputs do not overlap inputs unless said. Weight
// gradients are added to, or overwritten after AddToGradients(false). Not
// thread-safe; must outlive what it allocated.
class Ops : public DeviceClock {
 public:
  virtual DType activation_dtype() const = 0;
  virtual DType parameter_dtype() const = 0;

  // BYTES of device memory, aligned to 128 bytes, contents unspecified.
  // kResourceExhausted names the bytes asked for.
  virtual Result<void*> Allocate(int64_t bytes) = 0;
  // Gives back what Allocate returned; null does nothing.
  virtual void Free(void* data) = 0;

  // BYTES from the host; SOURCE may be changed as soon as it returns.
  virtual void Upload(const void* source, void* device, int64_t bytes) = 0;
  // BYTES to the host, waiting for them.
  virtual Status Download(const void* device, void* target, int64_t bytes) = 0;
  // The same without waiting: PINNED, from AllocatePinned, holds them once
  // WaitFor has returned for a later mark.
  virtual void Fetch(const void* device, void* pinned, int64_t bytes) = 0;
  // BYTES of the host's memory that the device can write to by itself.
  virtual Result<void*> AllocatePinned(int64_t bytes) {
    return Allocate(bytes);
  }
  virtual void FreePinned(void* data) { Free(data); }
  virtual void Zero(const Tensor& x) = 0;
  // TO gets FROM, rounded to its type; both contiguous, of equal size.
  virtual void Convert(const Tensor& from, const Tensor& to) = 0;
  // Waits for all operators; the first error since the last Finish().
  virtual Status Finish() = 0;

  // Waits until the device has come to MARK; the first error since the last
  // WaitFor() or Finish().
  virtual Status WaitFor(int64_t /*mark*/) { return Finish(); }
  // How many steps the host may be ahead of the device, so that the device
  // never waits for it; 0 where operators have run when they return.
  virtual int steps_ahead() const { return 0; }

  // Bytes of the device's own memory in use now, by all processes; 0 where
  // operators work in the host's memory.
  virtual int64_t device_bytes_in_use() const { return 0; }

  // Largest number of bytes that operators allocate beside their arguments
  // (partial sums, scratch of attention), reached so far.
  virtual int64_t workspace_bytes() const = 0;

  // Whether the operators that follow add to gradients of weights (at first
  // they do) or overwrite them, so that nobody needs to zero these before. The
  // gradients of EmbeddingBackward, which touches few rows, are always added
  // to.
  void AddToGradients(bool add) { add_gradients_ = add; }

  // y {n, out} = x {n, in} w^T + bias + residual; w {out, in}, bias {1, out}
  // or absent, residual {n, out} or absent (not the same memory as y).
  virtual void Linear(const Tensor& x, const Tensor& w, const Tensor& bias,
                      const Tensor& residual, const Tensor& y) = 0;
  // dx {n, in} = dy w; overwritten.
  virtual void LinearBackwardInput(const Tensor& dy, const Tensor& w,
                                   const Tensor& dx) = 0;
  // dw {out, in} (+)= dy^T x; dbias {1, out}, where present, (+)= column sums.
  virtual void LinearBackwardWeight(const Tensor& dy, const Tensor& x,
                                    const Tensor& dw, const Tensor& dbias) = 0;

  // y {n, C} = token_table[tokens[i]] + position_table[i mod seq_len] (absent:
  // nothing is added). tokens: n int32 in device memory, each below the rows
  // of token_table.
  virtual void Embedding(const int32_t* tokens, const Tensor& token_table,
                         const Tensor& position_table, int64_t seq_len,
                         const Tensor& y) = 0;
  // Adds to d_token and, where present, d_position. The order of the sums is
  // fixed, however often a token occurs.
  virtual void EmbeddingBackward(const int32_t* tokens, const Tensor& dy,
                                 int64_t seq_len, const Tensor& d_token,
                                 const Tensor& d_position) = 0;

  // y {n, C} = norm(x); stats: fp32 {n, 2}, mean (0 for RMSNorm) and
  // 1/sqrt(variance + eps) of each row.
  virtual void Norm(const NormWeights& weights, const Tensor& x,
                    const Tensor& y, const Tensor& stats) = 0;
  // dx {n, C} += gradient through the norm (the residual stream's gradient is
  // already in dx); GRADIENTS.gain and .bias get their sums.
  virtual void NormBackward(const NormWeights& weights, const Tensor& x,
                            const Tensor& stats, const Tensor& dy,
                            const Tensor& dx, const NormWeights& gradients) = 0;

  // The heads of q and k in the packed QKV {n, q_cols + 2 kv_cols}, changed as
  // QkTransform says, to QK {n, q_cols + kv_cols}. stats: fp32 {n, heads +
  // kv_heads}, 1/rms of each head; absent without normalization, and only then
  // QK may be the same memory as QKV's first columns.
  virtual void QkNormRope(const AttentionShape& shape,
                          const QkTransform& transform, const Tensor& qkv,
                          const Tensor& qk, const Tensor& stats) = 0;
  // The first q_cols + kv_cols columns of DQKV hold gradients of QK and get
  // those of QKV, in place. GRADIENTS.q_gain and .k_gain get their sums.
  virtual void QkNormRopeBackward(const AttentionShape& shape,
                                  const QkTransform& transform,
                                  const Tensor& qkv, const Tensor& stats,
                                  const Tensor& dqkv,
                                  const QkTransform& gradients) = 0;

  // Causal attention with scores q k^T / sqrt(head_size); writes out and lse.
  virtual void Attention(const AttentionShape& shape,
                         const AttentionTensors& tensors) = 0;
  // DOUT {n, q_cols} to GRADIENTS.q, .k and .v (overwritten).
  virtual void AttentionBackward(const AttentionShape& shape,
                                 const AttentionTensors& tensors,
                                 const Tensor& dout,
                                 const AttentionTensors& gradients) = 0;

  // y {n, F} = 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
  virtual void Gelu(const Tensor& x, const Tensor& y) = 0;
  // dx from dy; dx may be the same memory as dy.
  virtual void GeluBackward(const Tensor& x, const Tensor& dy,
                            const Tensor& dx) = 0;

  // y {n, F} = silu(gate) x up; GATE_UP {n, 2F} holds gate, then up.
  virtual void SwiGlu(const Tensor& gate_up, const Tensor& y) = 0;
  virtual void SwiGluBackward(const Tensor& gate_up, const Tensor& dy,
                              const Tensor& d_gate_up) = 0;

  // pre {n, out} = x w^T + bias and y = gelu(pre), for devices that do both at
  // once.
  virtual void LinearGelu(const Tensor& x, const Tensor& w, const Tensor& bias,
                          const Tensor& pre, const Tensor& y) {
    Linear(x, w, bias, {}, pre);
    Gelu(pre, y);
  }
  // dpre {n, in} = (dy w) x gelu'(pre). DY_PRE {n, in} is scratch.
  virtual void LinearBackwardInputGelu(const Tensor& dy, const Tensor& w,
                                       const Tensor& pre, const Tensor& dy_pre,
                                       const Tensor& dpre) {
    LinearBackwardInput(dy, w, dy_pre);
    GeluBackward(pre, dy_pre, dpre);
  }

  // Row i of LOGITS {n, V} gives losses[i] (fp32) = -log softmax(row)[target]
  // and then holds scale x (softmax(row) - one_hot(target)); in bf16, where
  // rows are padded for matrix products, with zeros from V to the stride. With
  // scale 0 the logits are left unspecified. targets: n int32 in [0, V).
  virtual void CrossEntropy(const Tensor& logits, const int32_t* targets,
                            float scale, float* losses) = 0;

  // One optimizer step over RANGE.
  virtual void AdamW(const AdamWStep& step, const AdamWRange& range) = 0;

  // Sums of SIZE fp32 in double precision, in an order that depends on SIZE
  // alone, to *OUT in device memory: of squares, replacing what is there; and
  // the mean, added to it.
  virtual void SquaredNorm(const float* x, int64_t size, double* out) = 0;
  virtual void AddMean(const float* x, int64_t size, double* out) = 0;
  // What a step's ranks know together. PARTS {ranks, each}: of each rank its
  // loss, then sums of squares. See StepSums.
  virtual void SumStep(const double* parts, int ranks, int64_t each,
                       double max_norm, StepSums* out) = 0;

 protected:
  bool add_gradients_ = true;
};

}  // namespace zs

#endif  // ENGINE_OPS_OPS_H_
