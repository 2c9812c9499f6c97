// The innermost loops of the CPU operators: one row or range, one thread, fp32.
// They are compiled once for each instruction set (isa_library.bzl) and chosen
// when the program starts, so that one program runs on every CPU of its
// architecture and uses the widest vectors there are.
#ifndef ENGINE_OPS_CPU_KERNELS_KERNELS_H_
#define ENGINE_OPS_CPU_KERNELS_KERNELS_H_

#include <cstdint>

namespace zs {

// Backward of a norm over one row of `n` elements.
struct NormRowBackward {
  const float* x = nullptr;
  const float* dy = nullptr;
  const float* gain = nullptr;
  const float* stats = nullptr;  // mean, 1/sqrt(variance + eps)
  float* dx = nullptr;           // added to
  float* dgain = nullptr;        // added to
  float* dbias = nullptr;        // added to; LayerNorm alone
  int64_t n = 0;
};

// AdamW of op_types.h, its constants worked out.
struct AdamWConstants {
  float beta1 = 0;
  float one_minus_beta1 = 0;
  float beta2 = 0;
  float one_minus_beta2 = 0;
  float step_size = 0;           // lr / (1 - beta1^t)
  float inverse_sqrt_bias2 = 0;  // 1 / sqrt(1 - beta2^t)
  float eps = 0;
  float keep = 1;  // 1 - lr x weight decay
  float gradient_scale = 1;
};

// Pointers need no alignment. Ranges do not overlap unless said.
struct Kernels {
  const char* name;  // "avx512", "avx2", "generic"

  // y = exp(x); y may be x.
  void (*exp)(const float* x, float* y, int64_t n);
  // y = gelu(x), tanh form.
  void (*gelu)(const float* x, float* y, int64_t n);
  // dx = dy gelu'(x); dx may be dy.
  void (*gelu_backward)(const float* x, const float* dy, float* dx, int64_t n);
  // y = silu(gate) up.
  void (*swiglu)(const float* gate, const float* up, float* y, int64_t n);
  // gate_up: n gates, then n ups; d_gate_up likewise.
  void (*swiglu_backward)(const float* gate_up, const float* dy,
                          float* d_gate_up, int64_t n);

  // y += x.
  void (*add)(const float* x, float* y, int64_t n);
  // z = x + y.
  void (*sum)(const float* x, const float* y, float* z, int64_t n);
  float (*dot)(const float* x, const float* y, int64_t n);
  // Sum of squares in double precision.
  double (*squared_norm)(const float* x, int64_t n);

  // One row; stats gets {mean, rstd}.
  void (*layernorm)(const float* x, const float* gain, const float* bias,
                    float eps, float* y_then_stats[2], int64_t n);
  // One row; *rstd gets 1/rms.
  void (*rmsnorm)(const float* x, const float* gain, float eps, float* y,
                  float* rstd, int64_t n);
  void (*layernorm_backward)(const NormRowBackward& row);
  void (*rmsnorm_backward)(const NormRowBackward& row);

  // Rotates one head of 2 x half elements (QkTransform); y may be x. The
  // inverse rotation has sign -1.
  void (*rotate)(const float* x, const float* cos_then_sin[2], float sign,
                 float* y, int64_t half);

  // x = softmax(x) in place; returns log(sum(exp(x))).
  float (*softmax)(float* x, int64_t n);
  // p = exp(p - lse); dp = p (dp - delta) scale. Both in place.
  void (*softmax_backward)(float* p, float* dp, const float lse_delta_scale[3],
                           int64_t n);
  // x = scale (softmax(x) - one_hot(target)) in place, scale 0: unspecified;
  // returns the loss.
  float (*cross_entropy)(float* x, int64_t n, int64_t target, float scale);

  void (*adamw)(const AdamWConstants& constants, const float* gradients,
                float* parameters, float* m, float* v, int64_t n);
};

// Those for this CPU.
const Kernels& ActiveKernels();

// All that this program holds and this CPU can run, the active ones first. For
// tests.
struct KernelList {
  const Kernels* items[3];
  int count;
};
KernelList RunnableKernels();

}  // namespace zs

#endif  // ENGINE_OPS_CPU_KERNELS_KERNELS_H_
