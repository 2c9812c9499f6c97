// Activation functions and biases, element by element. bf16 in memory, fp32
// inside. All matrices are contiguous.
#ifndef ENGINE_CUDA_KERNELS_ACTIVATION_H_
#define ENGINE_CUDA_KERNELS_ACTIVATION_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/status.h"
#include "engine/cuda/kernels/types.h"

namespace zs::gpu {

// y = silu(gate) x up, silu(g) = g / (1 + exp(-g)). A row of gate_up is WIDTH
// elements of gate, then WIDTH of up.
struct SwiGlu {
  const Bf16* gate_up = nullptr;  // {rows, 2 width}
  Bf16* y = nullptr;              // {rows, width}
  int64_t rows = 0;
  int64_t width = 0;
};
Status LaunchSwiGlu(const SwiGlu& args, cudaStream_t stream);

// y, where not null, gets the forward pass's result again.
struct SwiGluBackward {
  const Bf16* gate_up = nullptr;  // {rows, 2 width}
  const Bf16* dy = nullptr;       // {rows, width}
  Bf16* d_gate_up = nullptr;      // {rows, 2 width}; may be gate_up
  Bf16* y = nullptr;              // {rows, width}; null: not written
  int64_t rows = 0;
  int64_t width = 0;
};
Status LaunchSwiGluBackward(const SwiGluBackward& args, cudaStream_t stream);

// y = gelu(x + bias), gelu(u) = u/2 (1 + tanh(sqrt(2/pi) (u + 0.044715 u^3))).
struct Gelu {
  const Bf16* x = nullptr;     // {rows, width}
  const Bf16* bias = nullptr;  // {width}; null: none
  Bf16* y = nullptr;           // {rows, width}; may be x
  int64_t rows = 0;
  int64_t width = 0;
};
Status LaunchGelu(const Gelu& args, cudaStream_t stream);

// dx = dy x gelu'(x + bias).
struct GeluBackward {
  const Bf16* x = nullptr;     // {rows, width}
  const Bf16* bias = nullptr;  // {width}; null: none
  const Bf16* dy = nullptr;    // {rows, width}
  Bf16* dx = nullptr;          // {rows, width}; may be dy or x
  int64_t rows = 0;
  int64_t width = 0;
};
Status LaunchGeluBackward(const GeluBackward& args, cudaStream_t stream);

// y = x + bias.
struct BiasAdd {
  const Bf16* x = nullptr;     // {rows, width}
  const Bf16* bias = nullptr;  // {width}
  Bf16* y = nullptr;           // {rows, width}; may be x
  int64_t rows = 0;
  int64_t width = 0;
};
Status LaunchBiasAdd(const BiasAdd& args, cudaStream_t stream);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_ACTIVATION_H_
