// Causal grouped-query attention on CPUs; meaning in engine/ops/ops.h.
#ifndef ENGINE_OPS_ATTENTION_ATTENTION_H_
#define ENGINE_OPS_ATTENTION_ATTENTION_H_

#include "engine/ops/cpu/cpu_context.h"
#include "engine/ops/op_types.h"
#include "engine/ops/tensor.h"

namespace zs {

// Writes tensors.out and tensors.lse. Works by blocks of kQueryBlock queries
// and reads keys up to the block's last query alone, so that at most half a
// block lies above the diagonal; a block's scores live in the workspace.
void Attention(CpuContext& cpu, const AttentionShape& shape,
               const AttentionTensors& tensors);

// DOUT {n, q_cols} gives gradients.q, .k and .v, overwritten. Scores are
// computed again from lse.
void AttentionBackward(CpuContext& cpu, const AttentionShape& shape,
                       const AttentionTensors& tensors, const Tensor& dout,
                       const AttentionTensors& gradients);

}  // namespace zs

#endif  // ENGINE_OPS_ATTENTION_ATTENTION_H_
