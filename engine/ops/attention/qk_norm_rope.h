// The heads' norm and rotary positions on CPUs; meaning in engine/ops/ops.h.
#ifndef ENGINE_OPS_ATTENTION_QK_NORM_ROPE_H_
#define ENGINE_OPS_ATTENTION_QK_NORM_ROPE_H_

#include "engine/ops/cpu/cpu_context.h"
#include "engine/ops/op_types.h"
#include "engine/ops/tensor.h"

namespace zs {

// What the forward pass leaves for the backward pass.
struct QkInput {
  Tensor qkv;    // {n, q_cols + 2 kv_cols}
  Tensor stats;  // {n, heads + kv_heads}: 1/rms of each head; or absent
};

// QK {n, q_cols + kv_cols} from input.qkv; writes input.stats where the heads
// are normalized. Without that QK may be the same memory as QKV.
void QkNormRope(CpuContext& cpu, const AttentionShape& shape,
                const QkTransform& transform, const QkInput& input,
                const Tensor& qk);

// In place on the first q_cols + kv_cols columns of DQKV; GRADIENTS' gains are
// added to.
void QkNormRopeBackward(CpuContext& cpu, const AttentionShape& shape,
                        const QkTransform& transform, const QkInput& input,
                        const Tensor& dqkv, const QkTransform& gradients);

}  // namespace zs

#endif  // ENGINE_OPS_ATTENTION_QK_NORM_ROPE_H_
