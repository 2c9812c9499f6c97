// Times every operator on the shapes of qwen3_1p7b (sequence 4096) and
// gpt2_124m (sequence 1024): gpu_ops_bench [FILE FOR GEMM ALGORITHMS].
#include <algorithm>
#include <cstdio>

#include "engine/cuda/attention/cudnn_attention.h"
#include "engine/cuda/attention/flash_attention.h"
#include "engine/cuda/kernels/activation.h"
#include "engine/cuda/kernels/column_sum.h"
#include "engine/cuda/kernels/cross_entropy.h"
#include "engine/cuda/kernels/elementwise.h"
#include "engine/cuda/kernels/embedding.h"
#include "engine/cuda/kernels/norm.h"
#include "engine/cuda/kernels/optimizer.h"
#include "engine/cuda/kernels/rope.h"
#include "tests/gpu/bench.h"

namespace zs::gpu {
namespace {

struct Model {
  const char* name;
  int64_t batch, seq_len, layers, hidden, heads, kv_heads, head_size, ffn,
      vocab;
  bool qwen;

  int64_t tokens() const { return batch * seq_len; }
  int64_t q() const { return heads * head_size; }
  int64_t kv() const { return kv_heads * head_size; }
  int64_t qkv() const { return q() + 2 * kv(); }
  int64_t up() const { return qwen ? 2 * ffn : ffn; }
  int64_t layer_size() const { return hidden * (qkv() + q() + up() + ffn); }
};

void BenchNorm(Bench& b, const Model& m) {
  const NormKind kind = m.qwen ? NormKind::kRmsNorm : NormKind::kLayerNorm;
  const int64_t size = m.tokens() * m.hidden;
  const NormForward forward{.kind = kind,
                            .x = b.Bf16s(size),
                            .gain = b.Bf16s(m.hidden),
                            .bias = m.qwen ? nullptr : b.Bf16s(m.hidden),
                            .y = b.Bf16s(size),
                            .stats = b.Floats(2 * m.tokens()),
                            .rows = m.tokens(),
                            .width = m.hidden};
  b.Time("norm forward", {.bytes = 4.0 * size}, 2.0 * m.layers + 1,
         [&] { return LaunchNormForward(forward, b.stream()); });
  NormForward residual = forward;
  residual.residual = b.Bf16s(size);
  residual.sum = b.Bf16s(size);
  b.Time("norm forward with residual", {.bytes = 8.0 * size}, 0,
         [&] { return LaunchNormForward(residual, b.stream()); });
  Bf16* const dx = b.Bf16s(size);
  const NormBackward backward{
      .kind = kind,
      .dy = forward.y,
      .sum = forward.x,
      .gain = forward.gain,
      .stats = forward.stats,
      .dresidual = dx,
      .dx = dx,
      .dgain = {b.Floats(m.hidden)},
      .dbias = {m.qwen ? nullptr : b.Floats(m.hidden)},
      .scratch = b.Floats(NormBackwardScratch(m.hidden)),
      .rows = m.tokens(),
      .width = m.hidden};
  b.Time("norm backward", {.bytes = 8.0 * size}, 2.0 * m.layers + 1,
         [&] { return LaunchNormBackward(backward, b.stream()); });
  b.Clear();
}

void BenchQk(Bench& b, const Model& m) {
  if (!m.qwen) {
    return;
  }
  const int64_t half = m.head_size / 2;
  const RotaryTables tables{.cos = b.Floats(m.seq_len * half),
                            .sin = b.Floats(m.seq_len * half),
                            .positions = m.seq_len,
                            .head_size = m.head_size};
  OrDie(LaunchRotaryTables(tables, b.stream()));
  const QkShape shape{.rows = m.tokens(),
                      .heads = m.heads,
                      .kv_heads = m.kv_heads,
                      .head_size = m.head_size,
                      .seq_len = m.seq_len,
                      .q_gain = b.Bf16s(m.head_size),
                      .k_gain = b.Bf16s(m.head_size),
                      .cos = tables.cos,
                      .sin = tables.sin};
  const int64_t size = m.tokens() * (m.q() + m.kv());
  const QkForward forward{
      .shape = shape,
      .in = b.Bf16s(m.tokens() * m.qkv()),
      .in_stride = m.qkv(),
      .out = b.Bf16s(size),
      .out_stride = m.q() + m.kv(),
      .rstd = b.Floats(m.tokens() * (m.heads + m.kv_heads))};
  b.Time("qk norm + rope forward", {.bytes = 4.0 * size}, m.layers,
         [&] { return LaunchQkForward(forward, b.stream()); });
  const QkBackward backward{
      .shape = shape,
      .in = forward.in,
      .in_stride = m.qkv(),
      .rstd = forward.rstd,
      .grad = b.Bf16s(m.tokens() * m.qkv()),
      .grad_stride = m.qkv(),
      .dq_gain = {b.Floats(m.head_size)},
      .dk_gain = {b.Floats(m.head_size)},
      .scratch = b.Floats(QkBackwardScratch(m.head_size))};
  b.Time("qk norm + rope backward", {.bytes = 6.0 * size}, m.layers,
         [&] { return LaunchQkBackward(backward, b.stream()); });
  b.Clear();
}

void BenchActivation(Bench& b, const Model& m) {
  const int64_t size = m.tokens() * m.ffn;
  Bf16* const x = b.Bf16s(m.tokens() * m.up());
  Bf16* const y = b.Bf16s(size);
  Bf16* const dx = b.Bf16s(m.tokens() * m.up());
  if (m.qwen) {
    b.Time("swiglu forward", {.bytes = 6.0 * size}, m.layers, [&] {
      return LaunchSwiGlu(
          {.gate_up = x, .y = y, .rows = m.tokens(), .width = m.ffn},
          b.stream());
    });
    b.Time("swiglu backward", {.bytes = 10.0 * size}, m.layers, [&] {
      return LaunchSwiGluBackward({.gate_up = x,
                                   .dy = y,
                                   .d_gate_up = dx,
                                   .rows = m.tokens(),
                                   .width = m.ffn},
                                  b.stream());
    });
    b.Clear();
    return;
  }
  b.Time("gelu forward", {.bytes = 4.0 * size}, m.layers, [&] {
    return LaunchGelu({.x = x, .y = y, .rows = m.tokens(), .width = m.ffn},
                      b.stream());
  });
  b.Time("gelu backward", {.bytes = 6.0 * size}, m.layers, [&] {
    return LaunchGeluBackward(
        {.x = x, .dy = y, .dx = dx, .rows = m.tokens(), .width = m.ffn},
        b.stream());
  });
  float* const dbias = b.Floats(m.ffn);
  float* const scratch = b.Floats(BiasGradScratch(m.ffn));
  b.Time("bias gradient of the ffn", {.bytes = 2.0 * size}, m.layers * 2.25,
         [&] {
           return LaunchBiasGrad({.dy = y,
                                  .rows = m.tokens(),
                                  .columns = m.ffn,
                                  .dbias = {dbias},
                                  .scratch = scratch},
                                 b.stream());
         });
  b.Clear();
}

void BenchLoss(Bench& b, const Model& m) {
  const int64_t chunk = std::min<int64_t>(m.tokens(), 8192);
  const int64_t size = chunk * m.vocab;
  const CrossEntropy args{
      .logits = b.Bf16s(size),
      .targets = b.Integers(chunk, static_cast<int32_t>(m.vocab)),
      .losses = b.Floats(chunk),
      .rows = chunk,
      .vocab = m.vocab,
      .stride = m.vocab,
      .scale = 1.0f};
  b.Time("cross-entropy of a chunk", {.bytes = 4.0 * size},
         double(m.tokens()) / chunk,
         [&] { return LaunchCrossEntropy(args, b.stream()); });
  b.Clear();
}

void BenchEmbedding(Bench& b, const Model& m) {
  const int64_t size = m.tokens() * m.hidden;
  const auto bytes = EmbeddingBackwardScratch(m.tokens());
  OrDie(bytes.status());
  const Embedding forward{
      .tokens = b.Integers(m.tokens(), static_cast<int32_t>(m.vocab)),
      .table = b.Bf16s(m.vocab * m.hidden),
      .positions = m.qwen ? nullptr : b.Bf16s(m.seq_len * m.hidden),
      .y = b.Bf16s(size),
      .rows = m.tokens(),
      .width = m.hidden,
      .seq_len = m.seq_len};
  b.Time("embedding", {.bytes = 4.0 * size}, 1,
         [&] { return LaunchEmbedding(forward, b.stream()); });
  const EmbeddingBackward backward{
      .tokens = forward.tokens,
      .dy = forward.y,
      .d_table = {b.Floats(m.vocab * m.hidden)},
      .d_positions = {m.qwen ? nullptr : b.Floats(m.seq_len * m.hidden)},
      .scratch = b.Bytes(*bytes),
      .rows = m.tokens(),
      .width = m.hidden,
      .vocab = m.vocab,
      .seq_len = m.seq_len};
  b.Time("embedding backward", {.bytes = 10.0 * size}, 1,
         [&] { return LaunchEmbeddingBackward(backward, b.stream()); });
  b.Clear();
}

void BenchOptimizer(Bench& b, const Model& m) {
  const int64_t size = m.layer_size();
  const AdamW args{.master = b.Floats(size),
                   .m = b.Floats(size),
                   .v = b.Floats(size),
                   .grad = b.Floats(size),
                   .parameters = b.Bf16s(size),
                   .size = size,
                   .lr = 1e-3,
                   .weight_decay = 0.1};
  OrDie(LaunchCopy({args.grad, DType::kF32}, 0.0f, {args.v, DType::kF32}, size,
                   b.stream()));  // v is never negative
  const double layers = m.layers + double(m.vocab) * m.hidden / double(size);
  b.Time("adamw of a layer", {.bytes = 30.0 * size}, layers,
         [&] { return LaunchAdamW(args, b.stream()); });
  const Sum sum{.x = args.grad,
                .size = size,
                .out = static_cast<double*>(b.Bytes(8)),
                .scratch = static_cast<double*>(b.Bytes(8 * kSumScratch))};
  b.Time("norm of a layer's gradients", {.bytes = 4.0 * size}, layers,
         [&] { return LaunchSum(sum, b.stream()); });
  b.Time("add f32 to f32", {.bytes = 12.0 * size}, 0, [&] {
    return LaunchAdd({args.grad, DType::kF32}, 0.5f, {args.m, DType::kF32},
                     size, b.stream());
  });
  b.Time("copy f32 to bf16", {.bytes = 6.0 * size}, 0, [&] {
    return LaunchCopy({args.grad, DType::kF32}, 1.0f,
                      {args.parameters, DType::kBF16}, size, b.stream());
  });
  b.Clear();
}

struct Layer {
  const char* name;
  int64_t rows, in, out;
  double per_step;
};

void BenchLinear(Bench& b, const Layer& l) {
  Bf16* const x = b.Bf16s(l.rows * l.in);
  Bf16* const w = b.Bf16s(l.out * l.in);
  Bf16* const y = b.Bf16s(l.rows * l.out);
  float* const dw = b.Floats(l.out * l.in);
  const Cost cost{.flops = 2.0 * l.rows * l.in * l.out};
  const std::string name = std::string(l.name) + " ";
  b.Time(name + "forward", cost, l.per_step, [&] {
    return b.gemms().Run(ForwardShape(l.rows, l.in, l.out),
                         {.a = x, .b = w, .d = y}, b.stream());
  });
  b.Time(name + "dx", cost, l.per_step, [&] {
    return b.gemms().Run(InputGradShape(l.rows, l.in, l.out),
                         {.a = y, .b = w, .d = x}, b.stream());
  });
  // Both operands from a buffer that nothing wrote sums to.
  OrDie(LaunchNoise({x, DType::kBF16}, l.rows * l.in, 7, b.stream()));
  OrDie(LaunchNoise({y, DType::kBF16}, l.rows * l.out, 8, b.stream()));
  b.Time(name + "dw, fp32 += ", cost, l.per_step, [&] {
    return b.gemms().Run(
        WeightGradShape(l.rows, l.in, l.out, DType::kF32, true),
        {.a = y, .b = x, .c = dw, .d = dw}, b.stream());
  });
  b.Clear();
}

void BenchGemms(Bench& b, const Model& m) {
  const double n = static_cast<double>(m.layers);
  BenchLinear(b, {"qkv", m.tokens(), m.hidden, m.qkv(), n});
  BenchLinear(b, {"out", m.tokens(), m.q(), m.hidden, n});
  BenchLinear(b, {"up", m.tokens(), m.hidden, m.up(), n});
  BenchLinear(b, {"down", m.tokens(), m.ffn, m.hidden, n});
  const int64_t chunk = std::min<int64_t>(m.tokens(), 8192);
  BenchLinear(
      b, {"head chunk", chunk, m.hidden, m.vocab, double(m.tokens()) / chunk});
}

void BenchAttention(Bench& b, const Model& m) {
  const int64_t w = m.qkv();
  const AttentionSizes sizes{m.batch, m.seq_len, m.heads, m.kv_heads,
                             m.head_size};
  const AttentionLayout layout{sizes, {w, w, w, m.q(), m.q(), w, w, w}};
  Bf16* const qkv = b.Bf16s(m.tokens() * w);
  Bf16* const dqkv = b.Bf16s(m.tokens() * w);
  const AttentionBackwardData data{
      {qkv, qkv + m.q(), qkv + m.q() + m.kv(), b.Bf16s(m.tokens() * m.q()),
       b.Floats(m.batch * m.heads * m.seq_len)},
      b.Bf16s(m.tokens() * m.q()),
      dqkv,
      dqkv + m.q(),
      dqkv + m.q() + m.kv()};
  // A causal product: half of 2 x batch x heads x seq_len^2 x head_size; two
  // of them forward, five backward.
  const double product = double(m.tokens()) * m.q() * m.seq_len;
  for (const bool deterministic : {false, true}) {
    const auto forward =
        CudnnAttentionForward::Create(layout, {.handle = b.cudnn()});
    const auto backward = CudnnAttentionBackward::Create(layout, deterministic,
                                                         {.handle = b.cudnn()});
    OrDie(forward.status());
    OrDie(backward.status());
    void* const workspace = b.Bytes(static_cast<int64_t>(
        std::max(forward->workspace_bytes(), backward->workspace_bytes())));
    const std::string suffix = deterministic ? ", deterministic" : "";
    b.Time("attention forward" + suffix, {.flops = 2 * product},
           deterministic ? 0 : m.layers,
           [&] { return forward->Run(b.cudnn(), data.forward, workspace); });
    b.Time("attention backward" + suffix, {.flops = 5 * product},
           deterministic ? 0 : m.layers,
           [&] { return backward->Run(b.cudnn(), data, workspace); });
  }
  float* const scratch = b.Floats(FlashScratch(sizes));
  b.Time("own attention forward", {.flops = 2 * product}, 0,
         [&] { return LaunchFlashForward(layout, data.forward, b.stream()); });
  b.Time("own attention backward", {.flops = 5 * product}, 0, [&] {
    return LaunchFlashBackward(layout, data, scratch, b.stream());
  });
  b.Clear();
}

void BenchModel(Bench& b, const Model& m) {
  b.BeginModel(m.name, m.tokens());
  BenchNorm(b, m);
  BenchQk(b, m);
  BenchActivation(b, m);
  BenchLoss(b, m);
  BenchEmbedding(b, m);
  BenchOptimizer(b, m);
  BenchAttention(b, m);
  BenchGemms(b, m);
  b.EndModel();
}

void BenchCeilings(Bench& b) {
  constexpr int64_t kElements = int64_t{1} << 30;
  float* const from = b.Floats(kElements);
  float* const to = b.Floats(kElements);
  b.Time("copy 4 GiB (the memory's ceiling)", {.bytes = 8.0 * kElements}, 0,
         [&] {
           return LaunchCopy({from, DType::kF32}, 1.0f, {to, DType::kF32},
                             kElements, b.stream());
         });
  b.Clear();
  BenchLinear(b, {"8192^3", 8192, 8192, 8192, 0});
}

}  // namespace
}  // namespace zs::gpu

int main(int argc, char** argv) {
  const auto bench = zs::gpu::Bench::Create(argc > 1 ? argv[1] : "");
  zs::gpu::BenchCeilings(*bench);
  zs::gpu::BenchModel(*bench, {"qwen3_1p7b", 8, 4096, 28, 2048, 16, 8, 128,
                               6144, 151936, true});
  zs::gpu::BenchModel(
      *bench, {"gpt2_124m", 64, 1024, 12, 768, 12, 12, 64, 3072, 50304, false});
  std::printf("\n%s", bench->gemms().Report().c_str());
  return 0;
}
