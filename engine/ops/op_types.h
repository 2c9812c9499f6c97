// Arguments that several operators share, as plain data.
#ifndef ENGINE_OPS_OP_TYPES_H_
#define ENGINE_OPS_OP_TYPES_H_

#include <cstdint>

#include "engine/ops/tensor.h"

namespace zs {

// Sizes of attention. Tokens are rows: row b x seq_len + t is position t of
// sequence b. Query head h reads key/value head h / (heads / kv_heads).
struct AttentionShape {
  int64_t batch = 0;
  int64_t seq_len = 0;
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_size = 0;

  int64_t tokens() const { return batch * seq_len; }
  int64_t q_cols() const { return heads * head_size; }
  int64_t kv_cols() const { return kv_heads * head_size; }
};

// A normalization over rows of C elements.
//   layernorm: y = (x - mean) / sqrt(var + eps) * gain + bias
//   rmsnorm:   y = x / sqrt(mean(x^2) + eps) * gain
struct NormWeights {
  Tensor gain;  // {1, C}
  Tensor bias;  // {1, C}; absent: RMSNorm
  float eps = 1e-5f;

  bool rms() const { return !bias.present(); }
};

// What QkNormRope does to the heads of q and k: RMSNorm over each head where
// the gains are present, then a rotation where the tables are. With D =
// head_size, element i < D/2 pairs with i + D/2 (Hugging Face's "rotate_half"):
//   y[i]       = x[i] cos - x[i + D/2] sin
//   y[i + D/2] = x[i + D/2] cos + x[i] sin
// with cos and sin of (position x theta^(-2i/D)).
struct QkTransform {
  Tensor q_gain;  // {1, D}; absent: no normalization
  Tensor k_gain;  // {1, D}; present or absent together with q_gain
  float eps = 1e-6f;
  Tensor cos;  // fp32 {>= seq_len, D/2}; absent: no rotation
  Tensor sin;  // fp32 {>= seq_len, D/2}

  bool norm() const { return q_gain.present(); }
  bool rotate() const { return cos.present(); }
};

// What attention's forward pass read and wrote.
struct AttentionTensors {
  Tensor q;    // {tokens, heads x D}
  Tensor k;    // {tokens, kv_heads x D}
  Tensor v;    // {tokens, kv_heads x D}
  Tensor out;  // {tokens, heads x D}
  Tensor lse;  // fp32 {batch x heads, seq_len}: log(sum(exp(scaled scores)))
};

// One AdamW step (Loshchilov and Hutter 2019, decoupled weight decay, with
// Adam's bias correction):
//   g = *gradient_scale x gradient
//   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
//   p -= lr x decay x p
//   p -= lr x (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
// A scale that is not finite leaves everything as it is.
struct AdamWStep {
  int64_t step = 1;  // t, from 1
  double lr = 0;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0;  // `decay`; 0 for ranges that do not decay
  const double* gradient_scale = nullptr;  // in device memory; null: 1
};

// A step's loss and gradient, over all ranks; in device memory.
struct StepSums {
  double loss = 0;       // the ranks' sum
  double grad_norm = 0;  // square root of the sum of all squares
  // What brings the gradient down to a norm of max_norm, 1 where it is smaller
  // or max_norm is 0: min(1, max_norm / (norm + 1e-6)), the 1e-6 being that of
  // torch.nn.utils.clip_grad_norm_. NaN where loss or norm is not finite.
  double clip = 1;
};

// A flat range of parameters, fp32, `size` elements each.
struct AdamWRange {
  float* parameters = nullptr;
  const float* gradients = nullptr;
  float* m = nullptr;
  float* v = nullptr;
  int64_t size = 0;
  // Where the updated parameters go in the device's parameter_dtype(), too;
  // null: nowhere.
  void* rounded = nullptr;
};

}  // namespace zs

#endif  // ENGINE_OPS_OP_TYPES_H_
