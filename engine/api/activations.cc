#include "engine/api/activations.h"

#include <algorithm>

namespace zs {
namespace {

// Query rows of a block of scores, and rows of a block of partial sums.
constexpr int64_t kBlock = 64;
constexpr int64_t kLogitsBytes = int64_t{64} << 20;
constexpr int64_t kLogitsBytesBf16 = int64_t{5120} << 20;
constexpr int64_t kLeastChunk = 32;
constexpr int64_t kLeastChunkBf16 = 256;  // two tiles of a product
constexpr int64_t kRowStep = 128;         // elements

struct Widths {
  int64_t q, kv, up;
};

Widths WidthsOf(const ModelConfig& model) {
  return {.q = model.heads * model.head_size,
          .kv = model.kv_heads * model.head_size,
          .up = model.activation == "swiglu" ? 2 * model.ffn : model.ffn};
}

using Plan = std::array<BufferPlan, kBufferCount>;

BufferPlan& At(Plan& plan, Buffer buffer) {
  return plan[static_cast<size_t>(buffer)];
}

// How many copies of what a layer makes: CHEAP_COPIES of what is quickly
// computed again, COSTLY_COPIES of the rest.
struct Copies {
  int64_t residual, costly, cheap;
};

Copies CopiesOf(const ModelConfig& model, const std::string& recompute) {
  return {.residual = model.layers + 1,
          .costly = recompute == "full" ? 1 : model.layers,
          .cheap = recompute == "none" ? model.layers : 1};
}

void PlanKept(const ModelConfig& model, const TrainConfig& train, int64_t size,
              Plan& plan) {
  const int64_t n = train.micro_batch * train.seq_len;
  const Widths w = WidthsOf(model);
  const Copies copies = CopiesOf(model, train.recompute);
  const int64_t all_heads = model.heads + model.kv_heads;
  const int64_t costly = copies.costly, cheap = copies.cheap;
  At(plan, Buffer::kResidual) = {copies.residual, n, model.hidden, size};
  At(plan, Buffer::kNorm1) = {cheap, n, model.hidden, size};
  At(plan, Buffer::kNorm1Stats) = {costly, n, 2, 4};
  At(plan, Buffer::kQkv) = {costly, n, w.q + 2 * w.kv, size};
  if (model.qk_norm) {
    At(plan, Buffer::kQk) = {cheap, n, w.q + w.kv, size};
    At(plan, Buffer::kQkStats) = {costly, n, all_heads, 4};
  }
  At(plan, Buffer::kAttention) = {costly, n, w.q, size};
  At(plan, Buffer::kAttentionStats) = {costly, model.heads * train.micro_batch,
                                       train.seq_len, 4};
  At(plan, Buffer::kMiddle) = {costly, n, model.hidden, size};
  At(plan, Buffer::kNorm2) = {cheap, n, model.hidden, size};
  At(plan, Buffer::kNorm2Stats) = {costly, n, 2, 4};
  At(plan, Buffer::kUp) = {costly, n, w.up, size};
  At(plan, Buffer::kActivated) = {cheap, n, model.ffn, size};
}

void PlanPass(const ModelConfig& model, const TrainConfig& train, int64_t size,
              Plan& plan) {
  const int64_t n = train.micro_batch * train.seq_len;
  const Widths w = WidthsOf(model);
  At(plan, Buffer::kFinal) = {1, n, model.hidden, size};
  At(plan, Buffer::kFinalStats) = {1, n, 2, 4};
  At(plan, Buffer::kTokens) = {1, 2, n, 4};
  At(plan, Buffer::kLosses) = {1, 1, n, 4};
  if (model.position == "rope") {
    At(plan, Buffer::kAngles) = {1, 2 * train.seq_len, model.head_size / 2, 4};
  }
  At(plan, Buffer::kDResidual) = {1, n, model.hidden, size};
  At(plan, Buffer::kDNorm) = {1, n, model.hidden, size};
  At(plan, Buffer::kDWide) = {1, n, std::max(w.q + 2 * w.kv, w.up), size};
  At(plan, Buffer::kDActivated) = {1, n, std::max(model.ffn, w.q), size};
  // Tensor cores want rows that begin at multiples of 16 bytes.
  const int64_t columns =
      size == 2 ? (model.vocab + kRowStep - 1) / kRowStep * kRowStep
                : model.vocab;
  At(plan, Buffer::kLogits) = {1, LogitsChunk(columns, n, size), columns, size};
}

}  // namespace

std::array<BufferPlan, kBufferCount> PlanBuffers(const ModelConfig& model,
                                                 const TrainConfig& train) {
  const int64_t size = train.dtype == "bf16" ? 2 : 4;
  Plan plan;
  PlanKept(model, train, size, plan);
  PlanPass(model, train, size, plan);
  return plan;
}

int64_t LogitsChunk(int64_t vocab, int64_t tokens, int64_t element_bytes) {
  const bool bf16 = element_bytes == 2;
  const int64_t bytes = bf16 ? kLogitsBytesBf16 : kLogitsBytes;
  const int64_t least = bf16 ? kLeastChunkBf16 : kLeastChunk;
  const int64_t most = std::max(bytes / (element_bytes * vocab), least);
  if (tokens <= most) {
    return tokens;
  }
  // Chunks of nearly equal size, in steps of the least.
  const int64_t chunks = (tokens + most - 1) / most;
  const int64_t even = (tokens + chunks - 1) / chunks;
  return std::min(tokens, (even + least - 1) / least * least);
}

int64_t CpuWorkspaceBytes(const ModelConfig& model, const TrainConfig& train,
                          int threads) {
  const int64_t n = train.micro_batch * train.seq_len;
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  const int64_t scores = 2 * kBlock * train.seq_len * threads;
  const int64_t norm = blocks * 2 * model.hidden;
  const int64_t qk = model.qk_norm || model.position == "rope"
                         ? blocks * 3 * model.head_size
                         : 0;
  return 4 * std::max({scores, norm, qk});
}

}  // namespace zs
