#include "engine/model/layer.h"

namespace zs {

Layer::Layer(const ModelConfig& model, const TrainConfig& train, Ops& ops,
             const ActivationBuffers& buffers)
    : ops_(ops),
      buffers_(buffers),
      shape_{.batch = train.micro_batch,
             .seq_len = train.seq_len,
             .heads = model.heads,
             .kv_heads = model.kv_heads,
             .head_size = model.head_size},
      recompute_(train.recompute),
      norm_eps_(model.norm_eps),
      swiglu_(model.activation == "swiglu"),
      ffn_(model.ffn) {}

void Layer::Forward(int64_t index, const LayerWeights& weights) {
  AttentionForward(index, weights);
  MlpForward(index, weights);
  ops_.Linear(At(Buffer::kActivated, index), weights.down.weight,
              weights.down.bias, At(Buffer::kMiddle, index),
              At(Buffer::kResidual, index + 1));
}

void Layer::AttentionForward(int64_t index, const LayerWeights& weights) {
  const Tensor x = At(Buffer::kResidual, index);
  const Tensor normal = At(Buffer::kNorm1, index);
  ops_.Norm(weights.norm1, x, normal, At(Buffer::kNorm1Stats, index));
  ops_.Linear(normal, weights.qkv.weight, weights.qkv.bias, {},
              At(Buffer::kQkv, index));
  TransformHeads(index, weights);
  ops_.Attention(shape_, AttentionViews(index));
  ops_.Linear(At(Buffer::kAttention, index), weights.out.weight,
              weights.out.bias, x, At(Buffer::kMiddle, index));
}

void Layer::MlpForward(int64_t index, const LayerWeights& weights) {
  const Tensor normal = At(Buffer::kNorm2, index);
  ops_.Norm(weights.norm2, At(Buffer::kMiddle, index), normal,
            At(Buffer::kNorm2Stats, index));
  const Tensor up = At(Buffer::kUp, index);
  if (swiglu_) {
    ops_.Linear(normal, weights.up.weight, weights.up.bias, {}, up);
    Activate(index);
  } else {
    ops_.LinearGelu(normal, weights.up.weight, weights.up.bias, up,
                    At(Buffer::kActivated, index));
  }
}

void Layer::Activate(int64_t index) {
  const Tensor up = At(Buffer::kUp, index);
  const Tensor activated = At(Buffer::kActivated, index);
  if (swiglu_) {
    ops_.SwiGlu(up, activated);
  } else {
    ops_.Gelu(up, activated);
  }
}

void Layer::TransformHeads(int64_t index, const LayerWeights& weights) {
  const QkTransform transform = Transform(weights);
  if (!transform.norm() && !transform.rotate()) {
    return;
  }
  const Tensor qkv = At(Buffer::kQkv, index);
  // Without a norm to undo later, the heads turn in place.
  const Tensor qk = transform.norm()
                        ? At(Buffer::kQk, index)
                        : Columns(qkv, 0, shape_.q_cols() + shape_.kv_cols());
  ops_.QkNormRope(shape_, transform, qkv, qk, At(Buffer::kQkStats, index));
}

AttentionTensors Layer::AttentionViews(int64_t index) const {
  const int64_t q = shape_.q_cols(), kv = shape_.kv_cols();
  const Tensor qkv = At(Buffer::kQkv, index);
  const Tensor transformed = At(Buffer::kQk, index);
  const Tensor qk = transformed.present() ? transformed : qkv;
  return {.q = Columns(qk, 0, q),
          .k = Columns(qk, q, kv),
          .v = Columns(qkv, q + kv, kv),
          .out = At(Buffer::kAttention, index),
          .lse = At(Buffer::kAttentionStats, index)};
}

QkTransform Layer::Transform(const LayerWeights& weights) const {
  const Tensor angles = At(Buffer::kAngles, 0);
  QkTransform transform = {.q_gain = weights.q_norm,
                           .k_gain = weights.k_norm,
                           .eps = static_cast<float>(norm_eps_),
                           .cos = {},
                           .sin = {}};
  if (angles.present()) {
    transform.cos = Rows(angles, 0, shape_.seq_len);
    transform.sin = Rows(angles, shape_.seq_len, shape_.seq_len);
  }
  return transform;
}

// The same operators on the same inputs as Forward, hence the same bits.
void Layer::Recompute(int64_t index, const LayerWeights& weights) {
  if (recompute_ == "full") {
    AttentionForward(index, weights);
    MlpForward(index, weights);
  } else if (recompute_ == "cheap") {
    ops_.Norm(weights.norm1, At(Buffer::kResidual, index),
              At(Buffer::kNorm1, index), At(Buffer::kNorm1Stats, index));
    if (weights.q_norm.present()) {
      TransformHeads(index, weights);
    }
    ops_.Norm(weights.norm2, At(Buffer::kMiddle, index),
              At(Buffer::kNorm2, index), At(Buffer::kNorm2Stats, index));
    Activate(index);
  }
}

void Layer::Backward(int64_t index, const LayerWeights& weights,
                     const LayerWeights& gradients) {
  Recompute(index, weights);
  MlpBackward(index, weights, gradients);
  AttentionBackward(index, weights, gradients);
}

void Layer::MlpBackward(int64_t index, const LayerWeights& weights,
                        const LayerWeights& gradients) {
  const int64_t n = shape_.tokens();
  const Tensor up = At(Buffer::kUp, index);
  const Tensor dx = At(Buffer::kDResidual, 0);
  const Tensor d_activated = buffers_.At(Buffer::kDActivated, n, ffn_);
  const Tensor d_up = buffers_.At(Buffer::kDWide, n, up.cols);
  if (swiglu_) {
    ops_.LinearBackwardInput(dx, weights.down.weight, d_activated);
    ops_.SwiGluBackward(up, d_activated, d_up);
  } else {
    ops_.LinearBackwardInputGelu(dx, weights.down.weight, up, d_activated,
                                 d_up);
  }
  ops_.LinearBackwardWeight(dx, At(Buffer::kActivated, index),
                            gradients.down.weight, gradients.down.bias);
  const Tensor d_normal = At(Buffer::kDNorm, 0);
  ops_.LinearBackwardInput(d_up, weights.up.weight, d_normal);
  ops_.LinearBackwardWeight(d_up, At(Buffer::kNorm2, index),
                            gradients.up.weight, gradients.up.bias);
  ops_.NormBackward(weights.norm2, At(Buffer::kMiddle, index),
                    At(Buffer::kNorm2Stats, index), d_normal, dx,
                    gradients.norm2);
}

void Layer::AttentionBackward(int64_t index, const LayerWeights& weights,
                              const LayerWeights& gradients) {
  const int64_t n = shape_.tokens();
  const int64_t q = shape_.q_cols(), kv = shape_.kv_cols();
  const Tensor dx = At(Buffer::kDResidual, 0);
  const Tensor d_out = buffers_.At(Buffer::kDActivated, n, q);
  ops_.LinearBackwardInput(dx, weights.out.weight, d_out);
  ops_.LinearBackwardWeight(dx, At(Buffer::kAttention, index),
                            gradients.out.weight, gradients.out.bias);
  const Tensor dqkv = buffers_.At(Buffer::kDWide, n, q + 2 * kv);
  ops_.AttentionBackward(shape_, AttentionViews(index), d_out,
                         {.q = Columns(dqkv, 0, q),
                          .k = Columns(dqkv, q, kv),
                          .v = Columns(dqkv, q + kv, kv),
                          .out = {},
                          .lse = {}});
  const QkTransform transform = Transform(weights);
  if (transform.norm() || transform.rotate()) {
    ops_.QkNormRopeBackward(shape_, transform, At(Buffer::kQkv, index),
                            At(Buffer::kQkStats, index), dqkv,
                            Transform(gradients));
  }
  const Tensor d_normal = At(Buffer::kDNorm, 0);
  ops_.LinearBackwardInput(dqkv, weights.qkv.weight, d_normal);
  ops_.LinearBackwardWeight(dqkv, At(Buffer::kNorm1, index),
                            gradients.qkv.weight, gradients.qkv.bias);
  ops_.NormBackward(weights.norm1, At(Buffer::kResidual, index),
                    At(Buffer::kNorm1Stats, index), d_normal, dx,
                    gradients.norm1);
}

}  // namespace zs
