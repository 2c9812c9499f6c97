// Linear layers on CPUs; shapes and meaning in engine/ops/ops.h.
#ifndef ENGINE_OPS_LAYERS_LINEAR_H_
#define ENGINE_OPS_LAYERS_LINEAR_H_

#include "engine/ops/cpu/cpu_context.h"
#include "engine/ops/tensor.h"

namespace zs {

// What is added to a product.
struct LinearAddends {
  Tensor bias;      // {1, out} or absent
  Tensor residual;  // {n, out} or absent
};

// y {n, out} = x {n, in} w^T + bias + residual; w {out, in}.
void Linear(CpuContext& cpu, const Tensor& x, const Tensor& w,
            const LinearAddends& addends, const Tensor& y);

// dx {n, in} = dy {n, out} w.
void LinearBackwardInput(CpuContext& cpu, const Tensor& dy, const Tensor& w,
                         const Tensor& dx);

// dw {out, in} += dy^T x; dbias {1, out}, where present, += column sums of dy.
void LinearBackwardWeight(CpuContext& cpu, const Tensor& dy, const Tensor& x,
                          const Tensor& dw, const Tensor& dbias);

}  // namespace zs

#endif  // ENGINE_OPS_LAYERS_LINEAR_H_
