#include "runner/predict/work.h"

#include <algorithm>

#include "engine/api/layout.h"

namespace zs {
namespace {

constexpr double kGradientBytes = 4;  // fp32, also on the wire

struct Shape {
  double tokens, hidden, q, kv, up, ffn, vocab, layers, seq, element;
};

Shape ShapeOf(const ModelConfig& m, const TrainConfig& t) {
  const bool swiglu = m.activation == "swiglu";
  return {.tokens = static_cast<double>(t.micro_batch * t.seq_len),
          .hidden = static_cast<double>(m.hidden),
          .q = static_cast<double>(m.heads * m.head_size),
          .kv = static_cast<double>(m.kv_heads * m.head_size),
          .up = static_cast<double>(swiglu ? 2 * m.ffn : m.ffn),
          .ffn = static_cast<double>(m.ffn),
          .vocab = static_cast<double>(m.vocab),
          .layers = static_cast<double>(m.layers),
          .seq = static_cast<double>(t.seq_len),
          .element = t.dtype == "bf16" ? 2.0 : 4.0};
}

// Elements of the weights that take part in products.
double LayerWeights(const Shape& s) {
  return s.hidden * (s.q + 2 * s.kv) + s.q * s.hidden + s.hidden * s.up +
         s.ffn * s.hidden;
}

PassWork LayersForward(const Shape& s) {
  PassWork work;
  work.gemm_flops = 2 * s.tokens * LayerWeights(s) * s.layers;
  work.attention_flops = 2 * s.tokens * s.seq * s.q * s.layers;
  // Two norms (read, write), two residual sums (two reads, one write), QK norm
  // and RoPE (read, write), the activation (reads up, writes ffn).
  const double elements = 10 * s.hidden + 2 * (s.q + s.kv) + s.up + s.ffn;
  work.bytes = s.element * s.layers * (s.tokens * elements + LayerWeights(s));
  return work;
}

// Products for the inputs' and the weights' gradients; five products of
// attention where forward has two; gradients of the weights are added in fp32.
PassWork LayersBackward(const Shape& s) {
  const PassWork forward = LayersForward(s);
  PassWork work;
  work.gemm_flops = 2 * forward.gemm_flops;
  work.attention_flops = 2.5 * forward.attention_flops;
  const double elements = 20 * s.hidden + 2 * (s.q + s.kv) + 2 * (s.up + s.ffn);
  work.bytes = s.element * s.layers * (s.tokens * elements + LayerWeights(s)) +
               2 * kGradientBytes * s.layers * LayerWeights(s);
  return work;
}

// The LM head with the loss: logits are written and read by the loss, which
// leaves their gradient. On GPUs the head's backward pass is enqueued with its
// forward pass and timed with it.
void AddHead(const Shape& s, bool on_gpu, StepWork& work) {
  const double weights = s.hidden * s.vocab;
  const double bytes = s.element * (2 * s.tokens * s.vocab + weights);
  PassWork& backward = on_gpu ? work.forward : work.backward;
  work.forward.gemm_flops += 2 * s.tokens * weights;
  work.forward.bytes += bytes;
  backward.gemm_flops += 4 * s.tokens * weights;
  backward.bytes += bytes + 2 * kGradientBytes * weights;
}

void Add(const PassWork& more, double share, PassWork& to) {
  to.gemm_flops += share * more.gemm_flops;
  to.attention_flops += share * more.attention_flops;
  to.bytes += share * more.bytes;
}

void AddRecomputing(const std::string& recompute, const Shape& s,
                    StepWork& work) {
  if (recompute == "full") {
    Add(LayersForward(s), 1, work.backward);
  } else if (recompute == "cheap") {
    work.backward.bytes +=
        s.element * s.layers * s.tokens * (4 * s.hidden + s.up + s.ffn);
  }
}

// AdamW reads and writes parameter and moments and reads the gradient, the
// norm reads it once more; in bf16 a rounded copy is written.
double OptimizerBytes(const RunConfig& config, int world_size) {
  const auto all = static_cast<double>(ParameterCount(config.model));
  const double own = config.train.zero_stage == 0 ? all : all / world_size;
  return own * (32 + (config.train.dtype == "bf16" ? 2 : 0));
}

void AddCommunication(const RunConfig& config, int world_size, StepWork& work) {
  if (world_size <= 1) {
    return;
  }
  const TrainConfig& t = config.train;
  const std::vector<Unit> units = Layout(config.model);
  const auto padded = [&](const Unit& unit) {
    return static_cast<double>(PaddedSize(unit.size, world_size));
  };
  double all = 0;
  for (const Unit& unit : units) {
    all += padded(unit);
  }
  const double share = (world_size - 1.0) / world_size;
  const double first = padded(units.front());
  work.reduces_each =
      work.micro_batches > 1 && (t.deterministic || t.zero_stage == 2);
  const int64_t times = work.reduces_each ? work.micro_batches : 1;
  const double factor = t.zero_stage == 0 ? 2 * share : share;
  const auto count = static_cast<int64_t>(units.size());
  work.reduce.push_back(
      {.op = t.zero_stage == 0 ? "all_reduce" : "reduce_scatter",
       .calls = count * times,
       .bytes = factor * kGradientBytes * all * static_cast<double>(times),
       .tail_bytes = factor * kGradientBytes * first});
  if (t.zero_stage > 0) {
    const double element = t.dtype == "bf16" ? 2 : 4;
    work.gather.push_back({.op = "all_gather",
                           .calls = count,
                           .bytes = share * element * all,
                           .tail_bytes = 0});
  }
}

}  // namespace

StepWork WorkOf(const RunConfig& config, int world_size) {
  const Shape s = ShapeOf(config.model, config.train);
  StepWork work;
  work.micro_batches = Accumulation(config.train, world_size);
  work.gemm_width = s.hidden;
  work.forward = LayersForward(s);
  work.backward = LayersBackward(s);
  AddHead(s, config.device == "cuda", work);
  AddRecomputing(config.train.recompute, s, work);
  work.optimizer_bytes = OptimizerBytes(config, world_size);
  work.overlap = config.train.overlap;
  AddCommunication(config, world_size, work);
  return work;
}

}  // namespace zs
