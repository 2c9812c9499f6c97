// LayerNorm and RMSNorm on CPUs; shapes and meaning in engine/ops/ops.h.
#ifndef ENGINE_OPS_LAYERS_NORM_H_
#define ENGINE_OPS_LAYERS_NORM_H_

#include "engine/ops/cpu/cpu_context.h"
#include "engine/ops/op_types.h"
#include "engine/ops/tensor.h"

namespace zs {

// What the forward pass leaves for the backward pass.
struct NormInput {
  Tensor x;      // {n, C}
  Tensor stats;  // {n, 2}: mean, 1/sqrt(variance + eps)
};

// y {n, C} = norm(input.x); writes input.stats.
void Norm(CpuContext& cpu, const NormWeights& weights, const NormInput& input,
          const Tensor& y);

// dx {n, C} += gradient through the norm; GRADIENTS are added to.
void NormBackward(CpuContext& cpu, const NormWeights& weights,
                  const NormInput& input, const Tensor& dy, const Tensor& dx,
                  const NormWeights& gradients);

}  // namespace zs

#endif  // ENGINE_OPS_LAYERS_NORM_H_
