#include "engine/ops/cpu/kernels/table.h"

#define ZS_TEXT_INNER(x) #x
#define ZS_TEXT(x) ZS_TEXT_INNER(x)

namespace zs::ZS_ISA {

extern const Kernels kKernels;
const Kernels kKernels = {
    .name = ZS_TEXT(ZS_ISA),
    .exp = ExpRange,
    .gelu = Gelu,
    .gelu_backward = GeluBackward,
    .swiglu = SwiGlu,
    .swiglu_backward = SwiGluBackward,
    .add = Add,
    .sum = SumOf,
    .dot = Dot,
    .squared_norm = SquaredNorm,
    .layernorm = LayerNorm,
    .rmsnorm = RmsNorm,
    .layernorm_backward = LayerNormBackward,
    .rmsnorm_backward = RmsNormBackward,
    .rotate = Rotate,
    .softmax = Softmax,
    .softmax_backward = SoftmaxBackward,
    .cross_entropy = CrossEntropy,
    .adamw = AdamW,
};

}  // namespace zs::ZS_ISA
