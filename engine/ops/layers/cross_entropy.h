// Cross-entropy with its gradient, on CPUs; meaning in engine/ops/ops.h.
#ifndef ENGINE_OPS_LAYERS_CROSS_ENTROPY_H_
#define ENGINE_OPS_LAYERS_CROSS_ENTROPY_H_

#include <cstdint>

#include "engine/ops/cpu/cpu_context.h"
#include "engine/ops/tensor.h"

namespace zs {

// losses[i] = -log softmax(row i of logits {n, V})[targets[i]]; the row then
// holds SCALE x (softmax - one_hot), or with SCALE 0 nothing of use.
void CrossEntropy(CpuContext& cpu, const Tensor& logits, const int32_t* targets,
                  float scale, float* losses);

}  // namespace zs

#endif  // ENGINE_OPS_LAYERS_CROSS_ENTROPY_H_
