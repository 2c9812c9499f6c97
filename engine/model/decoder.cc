#include "engine/model/decoder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/api/layout.h"
#include "engine/model/activation_buffers.h"
#include "engine/model/layer.h"
#include "engine/model/weights.h"

namespace zs {
namespace {

TrainConfig PassConfig(const DecoderOptions& options, DType dtype) {
  TrainConfig train;
  train.micro_batch = options.micro_batch;
  train.seq_len = options.seq_len;
  train.recompute = options.recompute;
  train.dtype = dtype == DType::kBF16 ? "bf16" : "fp32";
  return train;
}

// Cosines, then sines of position x theta^(-2i/D): {2 seq_len, D/2}.
std::vector<float> RopeAngles(const ModelConfig& model, int64_t seq_len) {
  const int64_t half = model.head_size / 2;
  std::vector<float> angles(2 * seq_len * half);
  for (int64_t position = 0; position < seq_len; ++position) {
    for (int64_t i = 0; i < half; ++i) {
      const double exponent =
          -2.0 * static_cast<double>(i) / static_cast<double>(model.head_size);
      const double angle =
          static_cast<double>(position) * std::pow(model.rope_theta, exponent);
      const int64_t at = position * half + i;
      angles[at] = static_cast<float>(std::cos(angle));
      angles[seq_len * half + at] = static_cast<float>(std::sin(angle));
    }
  }
  return angles;
}

// The table T of UNIT up to ROWS rows, where the unit holds as many elements
// from the table's first on: products want a multiple of 8. What the rows past
// the table hold is no matter, as the logits of those rows are left out and
// their gradients are zero.
Tensor Padded(const Unit& unit, const Tensor& t, int64_t rows) {
  for (const Parameter& p : unit.parameters) {
    if (p.shape.size() == 2 && p.shape[0] == t.rows && p.shape[1] == t.cols &&
        p.offset + rows * t.cols <= unit.size) {
      Tensor padded = t;
      padded.rows = rows;
      return padded;
    }
  }
  return t;
}

Status CheckTokens(std::span<const int32_t> tokens, const char* what,
                   int64_t expected, int64_t vocab) {
  if (static_cast<int64_t>(tokens.size()) != expected) {
    return InvalidArgumentError(
        std::string(what) + ": " + std::to_string(tokens.size()) +
        " were given; a pass takes " + std::to_string(expected));
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < 0 || tokens[i] >= vocab) {
      return {StatusCode::kOutOfRange,
              std::string(what) + "[" + std::to_string(i) +
                  "]: " + std::to_string(tokens[i]) +
                  " is not below model.vocab " + std::to_string(vocab) +
                  "; the data were made for another vocabulary"};
    }
  }
  return OkStatus();
}

}  // namespace

class Decoder::Impl {
 public:
  Impl(const ModelConfig& model, const TrainConfig& train, Ops& ops,
       ActivationBuffers buffers)
      : model_(model),
        ops_(ops),
        buffers_(std::move(buffers)),
        layer_(model, train, ops, buffers_),
        units_(Layout(model)),
        seq_len_(train.seq_len),
        tokens_(train.micro_batch * train.seq_len) {
    if (buffers_.At(Buffer::kAngles).present()) {
      const std::vector<float> angles = RopeAngles(model, seq_len_);
      ops_.Upload(angles.data(), buffers_.At(Buffer::kAngles).data,
                  static_cast<int64_t>(angles.size() * sizeof(float)));
    }
  }

  Status Forward(std::span<const int32_t> tokens,
                 std::span<const int32_t> targets, float scale,
                 UnitHooks& hooks);
  Status Backward(UnitHooks& hooks);
  void AddLoss(double* sum) const { ops_.AddMean(losses(), tokens_, sum); }
  Result<double> Loss() const;
  const std::vector<MarkedSpan>& head_backward() const {
    return head_backward_;
  }
  MemoryBytes memory() const;

 private:
  int head_unit() const { return static_cast<int>(units_.size()) - 1; }
  // The unit that holds the LM head's weight.
  int lm_unit() const { return model_.tied_embeddings ? 0 : head_unit(); }

  Result<EmbeddingWeights> Embeddings(UnitHooks& hooks);
  Result<LayerWeights> LayerAt(int unit, UnitHooks& hooks);
  Result<HeadWeights> Head(UnitHooks& hooks);

  void Upload(std::span<const int32_t> tokens,
              std::span<const int32_t> targets);
  const int32_t* DeviceTokens(int64_t row) const {
    return static_cast<const int32_t*>(buffers_.At(Buffer::kTokens).data) +
           row * tokens_;
  }
  Status ForwardLayers(UnitHooks& hooks);
  Status ForwardHead(float scale, UnitHooks& hooks);
  Status BackwardHeadChunk(const Tensor& logits, int64_t begin,
                           const Tensor& lm, const Tensor& d_lm);
  Result<Tensor> LmGradient(const Tensor& lm, UnitHooks& hooks);
  float* losses() const { return buffers_.At(Buffer::kLosses).f32(); }
  Status BackwardHead(UnitHooks& hooks);
  Status BackwardEmbedding(UnitHooks& hooks);

  const ModelConfig model_;
  Ops& ops_;
  const ActivationBuffers buffers_;
  Layer layer_;
  const std::vector<Unit> units_;
  const int64_t seq_len_;
  const int64_t tokens_;  // of a pass
  std::vector<MarkedSpan> head_backward_;
  // Those of lm_unit() between Forward and Backward.
  UnitGradients lm_gradients_;
};

Result<EmbeddingWeights> Decoder::Impl::Embeddings(UnitHooks& hooks) {
  ASSIGN_OR_RETURN(const void* data, hooks.Parameters(0));
  return BindEmbedding(units_[0], data, ops_.parameter_dtype());
}

Result<LayerWeights> Decoder::Impl::LayerAt(int unit, UnitHooks& hooks) {
  ASSIGN_OR_RETURN(const void* data, hooks.Parameters(unit));
  return BindLayer(units_[unit], data, ops_.parameter_dtype(), model_.norm_eps);
}

Result<HeadWeights> Decoder::Impl::Head(UnitHooks& hooks) {
  ASSIGN_OR_RETURN(const void* data, hooks.Parameters(head_unit()));
  return BindHead(units_[head_unit()], data, ops_.parameter_dtype(),
                  model_.norm_eps);
}

void Decoder::Impl::Upload(std::span<const int32_t> tokens,
                           std::span<const int32_t> targets) {
  auto* device = static_cast<int32_t*>(buffers_.At(Buffer::kTokens).data);
  const auto bytes = static_cast<int64_t>(tokens_ * sizeof(int32_t));
  ops_.Upload(tokens.data(), device, bytes);
  ops_.Upload(targets.data(), device + tokens_, bytes);
}

Status Decoder::Impl::Forward(std::span<const int32_t> tokens,
                              std::span<const int32_t> targets, float scale,
                              UnitHooks& hooks) {
  RETURN_IF_ERROR(CheckTokens(tokens, "tokens", tokens_, model_.vocab));
  RETURN_IF_ERROR(CheckTokens(targets, "targets", tokens_, model_.vocab));
  Upload(tokens, targets);
  lm_gradients_ = {};
  head_backward_.clear();
  RETURN_IF_ERROR(ForwardLayers(hooks));
  return ForwardHead(scale, hooks);
}

Status Decoder::Impl::ForwardLayers(UnitHooks& hooks) {
  ASSIGN_OR_RETURN(const EmbeddingWeights embedding, Embeddings(hooks));
  ops_.Embedding(DeviceTokens(0), embedding.token, embedding.position, seq_len_,
                 buffers_.At(Buffer::kResidual));
  for (int unit = 1; unit < head_unit(); ++unit) {
    ASSIGN_OR_RETURN(const LayerWeights weights, LayerAt(unit, hooks));
    layer_.Forward(unit - 1, weights);
  }
  return OkStatus();
}

// Leaves the gradient of kFinal in kDNorm where SCALE is not 0.
Status Decoder::Impl::ForwardHead(float scale, UnitHooks& hooks) {
  ASSIGN_OR_RETURN(const HeadWeights head, Head(hooks));
  ASSIGN_OR_RETURN(const EmbeddingWeights embedding, Embeddings(hooks));
  const Tensor all_logits = buffers_.At(Buffer::kLogits);
  const Unit& unit = units_[lm_unit()];
  const Tensor lm =
      Padded(unit, model_.tied_embeddings ? embedding.token : head.lm,
             all_logits.cols);
  Tensor d_lm;
  if (scale != 0) {
    ASSIGN_OR_RETURN(d_lm, LmGradient(lm, hooks));
  }
  const Tensor final_norm = buffers_.At(Buffer::kFinal);
  ops_.Norm(head.norm, buffers_.At(Buffer::kResidual, model_.layers),
            final_norm, buffers_.At(Buffer::kFinalStats));
  const Tensor logits = Columns(all_logits, 0, lm.rows);
  const float row_scale = scale / static_cast<float>(tokens_);
  for (int64_t begin = 0; begin < tokens_; begin += logits.rows) {
    const int64_t rows = std::min(logits.rows, tokens_ - begin);
    const Tensor chunk = Rows(logits, 0, rows);
    ops_.Linear(Rows(final_norm, begin, rows), lm, {}, {}, chunk);
    ops_.CrossEntropy(Columns(chunk, 0, model_.vocab), DeviceTokens(1) + begin,
                      row_scale, losses() + begin);
    if (scale != 0) {
      RETURN_IF_ERROR(BackwardHeadChunk(chunk, begin, lm, d_lm));
    }
  }
  return OkStatus();
}

// The gradient of LM, padded as it is. A first micro-batch's first chunk
// overwrites it; what lies beside it in the embeddings' unit is added to.
Result<Tensor> Decoder::Impl::LmGradient(const Tensor& lm, UnitHooks& hooks) {
  ASSIGN_OR_RETURN(lm_gradients_, hooks.Gradients(lm_unit()));
  const Unit& unit = units_[lm_unit()];
  float* const data = lm_gradients_.data;
  if (!model_.tied_embeddings) {
    return Padded(unit, BindHead(unit, data, DType::kF32, 0).lm, lm.rows);
  }
  const Tensor d_lm =
      Padded(unit, BindEmbedding(unit, data, DType::kF32).token, lm.rows);
  const int64_t end = d_lm.f32() - data + d_lm.rows * d_lm.cols;
  if (!lm_gradients_.add && end < unit.size) {
    ops_.Zero(View(data + end, 1, unit.size - end));
  }
  return d_lm;
}

Status Decoder::Impl::BackwardHeadChunk(const Tensor& logits, int64_t begin,
                                        const Tensor& lm, const Tensor& d_lm) {
  const int64_t start = ops_.Mark();
  const Tensor d_final = buffers_.At(Buffer::kDNorm);
  ops_.LinearBackwardInput(logits, lm, Rows(d_final, begin, logits.rows));
  ops_.AddToGradients(lm_gradients_.add || begin > 0);
  ops_.LinearBackwardWeight(
      logits, Rows(buffers_.At(Buffer::kFinal), begin, logits.rows), d_lm, {});
  ops_.AddToGradients(true);
  head_backward_.push_back({start, ops_.Mark()});
  return OkStatus();
}

// In double precision, in the order of the tokens.
Result<double> Decoder::Impl::Loss() const {
  std::vector<float> all(tokens_);
  RETURN_IF_ERROR(ops_.Download(losses(), all.data(),
                                static_cast<int64_t>(tokens_ * sizeof(float))));
  RETURN_IF_ERROR(ops_.Finish());
  return std::accumulate(all.begin(), all.end(), 0.0) /
         static_cast<double>(tokens_);
}

Status Decoder::Impl::Backward(UnitHooks& hooks) {
  if (lm_gradients_.data == nullptr) {
    return FailedPreconditionError(
        "Backward() without a Forward() that was given a scale");
  }
  RETURN_IF_ERROR(BackwardHead(hooks));
  for (int unit = head_unit() - 1; unit >= 1; --unit) {
    ASSIGN_OR_RETURN(const LayerWeights weights, LayerAt(unit, hooks));
    ASSIGN_OR_RETURN(const UnitGradients to, hooks.Gradients(unit));
    ops_.AddToGradients(to.add);
    layer_.Backward(unit - 1, weights,
                    BindLayer(units_[unit], to.data, DType::kF32, 0));
    ops_.AddToGradients(true);
    RETURN_IF_ERROR(hooks.GradientsDone(unit));
  }
  return BackwardEmbedding(hooks);
}

Status Decoder::Impl::BackwardHead(UnitHooks& hooks) {
  ASSIGN_OR_RETURN(const HeadWeights head, Head(hooks));
  UnitGradients to = lm_gradients_;
  if (model_.tied_embeddings) {
    ASSIGN_OR_RETURN(to, hooks.Gradients(head_unit()));
  }
  const HeadWeights gradients =
      BindHead(units_[head_unit()], to.data, DType::kF32, 0);
  const Tensor dx = buffers_.At(Buffer::kDResidual);
  ops_.Zero(dx);
  ops_.AddToGradients(to.add);
  ops_.NormBackward(head.norm, buffers_.At(Buffer::kResidual, model_.layers),
                    buffers_.At(Buffer::kFinalStats),
                    buffers_.At(Buffer::kDNorm), dx, gradients.norm);
  ops_.AddToGradients(true);
  return hooks.GradientsDone(head_unit());
}

Status Decoder::Impl::BackwardEmbedding(UnitHooks& hooks) {
  float* data = lm_gradients_.data;
  if (!model_.tied_embeddings) {
    ASSIGN_OR_RETURN(const UnitGradients to, hooks.Gradients(0));
    data = to.data;
    if (!to.add) {
      ops_.Zero(View(data, 1, units_[0].size));
    }
  }
  lm_gradients_ = {};
  const EmbeddingWeights gradients =
      BindEmbedding(units_[0], data, DType::kF32);
  ops_.EmbeddingBackward(DeviceTokens(0), buffers_.At(Buffer::kDResidual),
                         seq_len_, gradients.token, gradients.position);
  return hooks.GradientsDone(0);
}

MemoryBytes Decoder::Impl::memory() const {
  MemoryBytes memory = buffers_.memory();
  memory.workspace = ops_.workspace_bytes();
  memory.total += memory.workspace;
  return memory;
}

Decoder::Decoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Decoder::~Decoder() = default;

Result<std::unique_ptr<Decoder>> Decoder::Create(const ModelConfig& model,
                                                 const DecoderOptions& options,
                                                 Ops& ops) {
  const TrainConfig train = PassConfig(options, ops.activation_dtype());
  ASSIGN_OR_RETURN(ActivationBuffers buffers,
                   ActivationBuffers::Allocate(model, train, ops));
  return std::unique_ptr<Decoder>(new Decoder(
      std::make_unique<Impl>(model, train, ops, std::move(buffers))));
}

Status Decoder::Forward(std::span<const int32_t> tokens,
                        std::span<const int32_t> targets, float scale,
                        UnitHooks& hooks) {
  return impl_->Forward(tokens, targets, scale, hooks);
}

Status Decoder::Backward(UnitHooks& hooks) {
  return impl_->Backward(hooks);
}

void Decoder::AddLoss(double* sum) const {
  impl_->AddLoss(sum);
}

Result<double> Decoder::Loss() const {
  return impl_->Loss();
}

const std::vector<MarkedSpan>& Decoder::head_backward() const {
  return impl_->head_backward();
}

MemoryBytes Decoder::memory() const {
  return impl_->memory();
}

}  // namespace zs
