// GELU and SwiGLU on CPUs; shapes and meaning in engine/ops/ops.h.
#ifndef ENGINE_OPS_LAYERS_ACTIVATION_H_
#define ENGINE_OPS_LAYERS_ACTIVATION_H_

#include "engine/ops/cpu/cpu_context.h"
#include "engine/ops/tensor.h"

namespace zs {

// y {n, F} = gelu(x {n, F}), tanh form.
void Gelu(CpuContext& cpu, const Tensor& x, const Tensor& y);
// dx {n, F}; may be the same memory as dy.
void GeluBackward(CpuContext& cpu, const Tensor& x, const Tensor& dy,
                  const Tensor& dx);

// y {n, F} = silu(gate) x up; gate_up {n, 2F}.
void SwiGlu(CpuContext& cpu, const Tensor& gate_up, const Tensor& y);
// d_gate_up {n, 2F} from dy {n, F}.
void SwiGluBackward(CpuContext& cpu, const Tensor& gate_up, const Tensor& dy,
                    const Tensor& d_gate_up);

}  // namespace zs

#endif  // ENGINE_OPS_LAYERS_ACTIVATION_H_
