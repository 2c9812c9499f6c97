#include "engine/cuda/cuda_ops_impl.h"
#include "engine/cuda/kernels/activation.h"
#include "engine/cuda/kernels/cross_entropy.h"
#include "engine/cuda/kernels/embedding.h"
#include "engine/cuda/kernels/norm.h"
#include "engine/cuda/kernels/rope.h"

namespace zs::gpu {
namespace {

QkShape ShapeOf(const AttentionShape& shape, const QkTransform& transform) {
  return {.rows = shape.tokens(),
          .heads = shape.heads,
          .kv_heads = shape.kv_heads,
          .head_size = shape.head_size,
          .seq_len = shape.seq_len,
          .q_gain = Data(transform.q_gain),
          .k_gain = Data(transform.k_gain),
          .cos = transform.cos.f32(),
          .sin = transform.sin.f32(),
          .eps = transform.eps};
}

AttentionLayout LayoutOf(const AttentionShape& shape,
                         const AttentionTensors& t) {
  return {
      {.batch = shape.batch,
       .seq_len = shape.seq_len,
       .heads = shape.heads,
       .kv_heads = shape.kv_heads,
       .head_size = shape.head_size},
      {.q = t.q.stride, .k = t.k.stride, .v = t.v.stride, .out = t.out.stride}};
}

AttentionForwardData DataOf(const AttentionTensors& t) {
  return {Data(t.q), Data(t.k), Data(t.v), Data(t.out), t.lse.f32()};
}

}  // namespace

void CudaOpsImpl::Embedding(const int32_t* tokens, const Tensor& token_table,
                            const Tensor& position_table, int64_t seq_len,
                            const Tensor& y) {
  Keep(LaunchEmbedding({.tokens = tokens,
                        .table = Data(token_table),
                        .positions = Data(position_table),
                        .y = Data(y),
                        .rows = y.rows,
                        .width = y.cols,
                        .seq_len = seq_len},
                       stream()));
}

void CudaOpsImpl::EmbeddingBackward(const int32_t* tokens, const Tensor& dy,
                                    int64_t seq_len, const Tensor& d_token,
                                    const Tensor& d_position) {
  const Result<size_t> bytes = EmbeddingBackwardScratch(dy.rows);
  if (!bytes.ok()) {
    Keep(bytes.status());
    return;
  }
  Keep(LaunchEmbeddingBackward(
      {.tokens = tokens,
       .dy = Data(dy),
       .d_table = {d_token.data, d_token.dtype},
       .d_positions = {d_position.data, d_position.dtype},
       .scratch = Scratch(static_cast<int64_t>(*bytes)),
       .rows = dy.rows,
       .width = dy.cols,
       .vocab = d_token.rows,
       .seq_len = seq_len},
      stream()));
}

void CudaOpsImpl::Norm(const NormWeights& weights, const Tensor& x,
                       const Tensor& y, const Tensor& stats) {
  Keep(LaunchNormForward(
      {.kind = weights.rms() ? NormKind::kRmsNorm : NormKind::kLayerNorm,
       .x = Data(x),
       .gain = Data(weights.gain),
       .bias = Data(weights.bias),
       .y = Data(y),
       .stats = stats.f32(),
       .rows = x.rows,
       .width = x.cols,
       .eps = weights.eps},
      stream()));
}

void CudaOpsImpl::NormBackward(const NormWeights& weights, const Tensor& x,
                               const Tensor& stats, const Tensor& dy,
                               const Tensor& dx, const NormWeights& gradients) {
  Keep(LaunchNormBackward(
      {.kind = weights.rms() ? NormKind::kRmsNorm : NormKind::kLayerNorm,
       .dy = Data(dy),
       .sum = Data(x),
       .gain = Data(weights.gain),
       .stats = stats.f32(),
       .dresidual = Data(dx),
       .dx = Data(dx),
       .dgain = GradOf(gradients.gain),
       .dbias = GradOf(gradients.bias),
       .scratch = Floats(NormBackwardScratch(x.cols)),
       .rows = x.rows,
       .width = x.cols},
      stream()));
}

void CudaOpsImpl::QkNormRope(const AttentionShape& shape,
                             const QkTransform& transform, const Tensor& qkv,
                             const Tensor& qk, const Tensor& stats) {
  Keep(LaunchQkForward({.shape = ShapeOf(shape, transform),
                        .in = Data(qkv),
                        .in_stride = qkv.stride,
                        .out = Data(qk),
                        .out_stride = qk.stride,
                        .rstd = stats.f32()},
                       stream()));
}

void CudaOpsImpl::QkNormRopeBackward(const AttentionShape& shape,
                                     const QkTransform& transform,
                                     const Tensor& qkv, const Tensor& stats,
                                     const Tensor& dqkv,
                                     const QkTransform& gradients) {
  Keep(LaunchQkBackward({.shape = ShapeOf(shape, transform),
                         .in = Data(qkv),
                         .in_stride = qkv.stride,
                         .rstd = stats.f32(),
                         .grad = Data(dqkv),
                         .grad_stride = dqkv.stride,
                         .dq_gain = GradOf(gradients.q_gain),
                         .dk_gain = GradOf(gradients.k_gain),
                         .scratch = Floats(QkBackwardScratch(shape.head_size))},
                        stream()));
}

void CudaOpsImpl::Attention(const AttentionShape& shape,
                            const AttentionTensors& tensors) {
  Keep(
      attention_->Forward(LayoutOf(shape, tensors), DataOf(tensors), scratch_));
}

void CudaOpsImpl::AttentionBackward(const AttentionShape& shape,
                                    const AttentionTensors& tensors,
                                    const Tensor& dout,
                                    const AttentionTensors& gradients) {
  AttentionLayout layout = LayoutOf(shape, tensors);
  layout.strides.dout = dout.stride;
  layout.strides.dq = gradients.q.stride;
  layout.strides.dk = gradients.k.stride;
  layout.strides.dv = gradients.v.stride;
  Keep(attention_->Backward(layout,
                            {.forward = DataOf(tensors),
                             .dout = Data(dout),
                             .dq = Data(gradients.q),
                             .dk = Data(gradients.k),
                             .dv = Data(gradients.v)},
                            scratch_));
}

void CudaOpsImpl::Gelu(const Tensor& x, const Tensor& y) {
  gpu::Gelu args;
  args.x = Data(x);
  args.y = Data(y);
  args.rows = x.rows;
  args.width = x.cols;
  Keep(LaunchGelu(args, stream()));
}

void CudaOpsImpl::GeluBackward(const Tensor& x, const Tensor& dy,
                               const Tensor& dx) {
  gpu::GeluBackward args;
  args.x = Data(x);
  args.dy = Data(dy);
  args.dx = Data(dx);
  args.rows = x.rows;
  args.width = x.cols;
  Keep(LaunchGeluBackward(args, stream()));
}

void CudaOpsImpl::SwiGlu(const Tensor& gate_up, const Tensor& y) {
  Keep(LaunchSwiGlu(
      {.gate_up = Data(gate_up), .y = Data(y), .rows = y.rows, .width = y.cols},
      stream()));
}

void CudaOpsImpl::SwiGluBackward(const Tensor& gate_up, const Tensor& dy,
                                 const Tensor& d_gate_up) {
  gpu::SwiGluBackward args;
  args.gate_up = Data(gate_up);
  args.dy = Data(dy);
  args.d_gate_up = Data(d_gate_up);
  args.rows = dy.rows;
  args.width = dy.cols;
  Keep(LaunchSwiGluBackward(args, stream()));
}

void CudaOpsImpl::CrossEntropy(const Tensor& logits, const int32_t* targets,
                               float scale, float* losses) {
  Keep(LaunchCrossEntropy({.logits = Data(logits),
                           .targets = targets,
                           .losses = losses,
                           .rows = logits.rows,
                           .vocab = logits.cols,
                           .stride = logits.stride,
                           .scale = scale},
                          stream()));
}

}  // namespace zs::gpu
