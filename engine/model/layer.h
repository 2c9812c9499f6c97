// One transformer layer: the order of its operators, forward and backward.
#ifndef ENGINE_MODEL_LAYER_H_
#define ENGINE_MODEL_LAYER_H_

#include <cstdint>
#include <string>

#include "engine/api/run_config.h"
#include "engine/model/activation_buffers.h"
#include "engine/model/weights.h"
#include "engine/ops/ops.h"

namespace zs {

// Computes any layer of a model: x += attention(norm1(x)); x += mlp(norm2(x)).
// OPS and BUFFERS must outlive it.
class Layer {
 public:
  // TRAIN: micro_batch, seq_len and recompute.
  Layer(const ModelConfig& model, const TrainConfig& train, Ops& ops,
        const ActivationBuffers& buffers);

  // From kResidual of INDEX to kResidual of INDEX + 1.
  void Forward(int64_t index, const LayerWeights& weights);

  // Turns kDResidual, the gradient of the layer's output, into that of its
  // input, and adds to GRADIENTS. First computes again what was not kept.
  void Backward(int64_t index, const LayerWeights& weights,
                const LayerWeights& gradients);

 private:
  void AttentionForward(int64_t index, const LayerWeights& weights);
  void MlpForward(int64_t index, const LayerWeights& weights);
  void Activate(int64_t index);
  void TransformHeads(int64_t index, const LayerWeights& weights);
  void Recompute(int64_t index, const LayerWeights& weights);
  void AttentionBackward(int64_t index, const LayerWeights& weights,
                         const LayerWeights& gradients);
  void MlpBackward(int64_t index, const LayerWeights& weights,
                   const LayerWeights& gradients);

  Tensor At(Buffer buffer, int64_t index) const {
    return buffers_.At(buffer, index);
  }
  AttentionTensors AttentionViews(int64_t index) const;
  QkTransform Transform(const LayerWeights& weights) const;

  Ops& ops_;
  const ActivationBuffers& buffers_;
  AttentionShape shape_;
  std::string recompute_;
  double norm_eps_;
  bool swiglu_;
  int64_t ffn_;
};

}  // namespace zs

#endif  // ENGINE_MODEL_LAYER_H_
