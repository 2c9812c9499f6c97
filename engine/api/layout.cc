#include "engine/api/layout.h"

#include <numeric>
#include <utility>

namespace zs {
namespace {

// Collects the parameters of one unit.
class UnitBuilder {
 public:
  UnitBuilder(const ModelConfig& model, std::string name) : model_(model) {
    unit_.name = std::move(name);
  }

  // A matrix {out, in} or an embedding {rows, width}.
  void Matrix(const std::string& name, int64_t out, int64_t in,
              Init init = Init::kNormal) {
    Add(name + ".weight", {out, in}, true, init);
  }

  // A linear layer with its bias, where the model has biases.
  void Linear(const std::string& name, int64_t out, int64_t in,
              Init init = Init::kNormal) {
    Matrix(name, out, in, init);
    if (model_.bias) {
      Add(name + ".bias", {out}, false, Init::kZero);
    }
  }

  // Gain, and for LayerNorm a shift.
  void Norm(const std::string& name, int64_t size) {
    Gain(name, size);
    if (model_.norm == "layernorm") {
      Add(name + ".bias", {size}, false, Init::kZero);
    }
  }

  void Gain(const std::string& name, int64_t size) {
    Add(name + ".weight", {size}, false, Init::kOne);
  }

  Unit Take() { return std::move(unit_); }

 private:
  void Add(std::string name, std::vector<int64_t> shape, bool decay,
           Init init) {
    const int64_t size = std::accumulate(shape.begin(), shape.end(), int64_t{1},
                                         std::multiplies<>());
    unit_.parameters.push_back({.name = std::move(name),
                                .shape = std::move(shape),
                                .size = size,
                                .offset = unit_.size,
                                .decay = decay,
                                .init = init});
    unit_.size += size;
  }

  const ModelConfig& model_;
  Unit unit_;
};

Unit EmbeddingUnit(const ModelConfig& m) {
  UnitBuilder unit(m, "embedding");
  unit.Matrix("embedding.token", m.vocab, m.hidden);
  if (m.position == "learned") {
    unit.Matrix("embedding.position", m.max_seq_len, m.hidden);
  }
  return unit.Take();
}

Unit LayerUnit(const ModelConfig& m, int64_t layer) {
  const std::string prefix = "layers." + std::to_string(layer);
  const int64_t q = m.heads * m.head_size;
  const int64_t kv = m.kv_heads * m.head_size;
  UnitBuilder unit(m, prefix);
  unit.Norm(prefix + ".attention_norm", m.hidden);
  // Rows of q, then k, then v.
  unit.Linear(prefix + ".attention.qkv", q + 2 * kv, m.hidden);
  if (m.qk_norm) {
    unit.Gain(prefix + ".attention.q_norm", m.head_size);
    unit.Gain(prefix + ".attention.k_norm", m.head_size);
  }
  unit.Linear(prefix + ".attention.out", m.hidden, q, Init::kNormalScaled);
  unit.Norm(prefix + ".mlp_norm", m.hidden);
  if (m.activation == "swiglu") {
    // Rows of gate, then up.
    unit.Linear(prefix + ".mlp.gate_up", 2 * m.ffn, m.hidden);
  } else {
    unit.Linear(prefix + ".mlp.up", m.ffn, m.hidden);
  }
  unit.Linear(prefix + ".mlp.down", m.hidden, m.ffn, Init::kNormalScaled);
  return unit.Take();
}

Unit HeadUnit(const ModelConfig& m) {
  UnitBuilder unit(m, "head");
  unit.Norm("head.norm", m.hidden);
  if (!m.tied_embeddings) {
    unit.Matrix("head.lm", m.vocab, m.hidden);
  }
  return unit.Take();
}

}  // namespace

std::vector<Unit> Layout(const ModelConfig& model) {
  std::vector<Unit> units;
  units.push_back(EmbeddingUnit(model));
  for (int64_t layer = 0; layer < model.layers; ++layer) {
    units.push_back(LayerUnit(model, layer));
  }
  units.push_back(HeadUnit(model));
  return units;
}

int64_t ParameterCount(const ModelConfig& model) {
  // All layers are alike: one is enough, however many there are.
  return EmbeddingUnit(model).size + model.layers * LayerUnit(model, 0).size +
         HeadUnit(model).size;
}

int64_t PaddedSize(int64_t size, int world_size) {
  const int64_t quantum = int64_t{32} * world_size;
  return (size + quantum - 1) / quantum * quantum;
}

std::vector<CommUse> CommTheory(const RunConfig& config, int world_size) {
  const int64_t n = world_size;
  if (n <= 1) {
    return {};
  }
  int64_t padded = 0;
  int64_t units = 0;
  for (const Unit& unit : Layout(config.model)) {
    padded += PaddedSize(unit.size, world_size);
    ++units;
  }
  const int64_t element_bytes = config.train.dtype == "bf16" ? 2 : 4;
  // Gradients travel in fp32; parameters in the training type.
  const int64_t gradients = padded * 4 / n * (n - 1);
  const int64_t parameters = padded * element_bytes / n * (n - 1);
  const TrainConfig& train = config.train;
  const bool each = train.zero_stage == 2 || train.deterministic;
  const int64_t times = each ? Accumulation(train, world_size) : 1;
  if (train.zero_stage == 0) {
    return {{.op = "all_reduce",
             .calls = units * times,
             .bytes = 2 * gradients * times}};
  }
  return {{.op = "reduce_scatter",
           .calls = units * times,
           .bytes = gradients * times},
          {.op = "all_gather", .calls = units, .bytes = parameters}};
}

int64_t Accumulation(const TrainConfig& train, int world_size) {
  const int64_t per_pass = train.micro_batch * world_size;
  if (per_pass <= 0 || train.global_batch % per_pass != 0) {
    return 0;
  }
  return train.global_batch / per_pass;
}

}  // namespace zs
