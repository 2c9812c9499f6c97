#include "engine/cuda/attention/cudnn_attention.h"

#include <limits>
#include <utility>
#include <vector>

namespace zs::gpu {
namespace {

using Ref = CudnnGraph::Ref;

constexpr auto kBf16 = CUDNN_DATA_BFLOAT16;
constexpr auto kFloat = CUDNN_DATA_FLOAT;

enum Uid : int64_t {
  kQ = 1,
  kK,
  kV,
  kOut,
  kLse,
  kDout,
  kDq,
  kDk,
  kDv,
  kDelta,  // scratch of the backward pass: rowsum(dout x out), fp32
  kDqSum,  // scratch: dq in fp32; neither needs clearing
};

// The sizes of the tensors that both graphs speak of.
struct Shapes {
  CudnnDims q;  // {batch, heads, position, head size}
  CudnnDims kv;
  CudnnDims kv_t;   // the last two axes exchanged
  CudnnDims score;  // {batch, heads, query, key}
  CudnnDims row;    // {batch, heads, query, 1}
  CudnnDims score_t_strides;

  explicit Shapes(const AttentionSizes& s)
      : q{s.batch, s.heads, s.seq_len, s.head_size},
        kv{s.batch, s.kv_heads, s.seq_len, s.head_size},
        kv_t{s.batch, s.kv_heads, s.head_size, s.seq_len},
        score{s.batch, s.heads, s.seq_len, s.seq_len},
        row{s.batch, s.heads, s.seq_len, 1},
        score_t_strides{s.heads * s.seq_len * s.seq_len, s.seq_len * s.seq_len,
                        1, s.seq_len} {}
};

// Strides of a head's rows within a matrix of tokens.
CudnnDims Strides(const AttentionSizes& s, int64_t stride) {
  return {s.seq_len * stride, s.head_size, stride, 1};
}
CudnnDims StridesT(const AttentionSizes& s, int64_t stride) {
  return {s.seq_len * stride, s.head_size, 1, stride};
}

// query >= key ? score : -infinity
Ref Causal(CudnnGraph& g, Ref score) {
  const Ref query = g.Indices(score, 2);
  const Ref key = g.Indices(score, 3);
  return g.Select(g.NotLess(query, key), score,
                  g.Scalar(-std::numeric_limits<float>::infinity()),
                  g.Virtual(score->dims));
}

// cuDNN's engines know this pattern (softmax as written here, K described
// transposed) and replace all of it by one kernel.
CudnnGraph ForwardGraph(const AttentionLayout& layout) {
  const AttentionSizes& s = layout.sizes;
  const Shapes shapes(s);
  CudnnGraph g;
  const Ref q = g.Memory(kQ, shapes.q, Strides(s, layout.strides.q), kBf16);
  const Ref k_t =
      g.Memory(kK, shapes.kv_t, StridesT(s, layout.strides.k), kBf16);
  const Ref v = g.Memory(kV, shapes.kv, Strides(s, layout.strides.v), kBf16);
  const Ref out =
      g.Memory(kOut, shapes.q, Strides(s, layout.strides.out), kBf16);
  const Ref lse = g.Memory(kLse, shapes.row, PackedStrides(shapes.row), kFloat);

  Ref score = g.Product(q, k_t, g.Virtual(shapes.score));
  score = g.Pointwise(CUDNN_POINTWISE_MUL, score, g.Scalar(s.scale()),
                      g.Virtual(shapes.score));
  score = Causal(g, score);
  const Ref top =
      g.Reduce(CUDNN_REDUCE_TENSOR_MAX, score, g.Virtual(shapes.row));
  Ref weight =
      g.Pointwise(CUDNN_POINTWISE_SUB, score, top, g.Virtual(shapes.score));
  weight = g.Pointwise(CUDNN_POINTWISE_EXP, weight, nullptr,
                       g.Virtual(shapes.score));
  const Ref sum =
      g.Reduce(CUDNN_REDUCE_TENSOR_ADD, weight, g.Virtual(shapes.row));
  const Ref log_sum =
      g.Pointwise(CUDNN_POINTWISE_LOG, sum, nullptr, g.Virtual(shapes.row));
  g.Pointwise(CUDNN_POINTWISE_ADD, top, log_sum, lse);
  const Ref p = g.Pointwise(CUDNN_POINTWISE_DIV, weight, sum,
                            g.Virtual(shapes.score, kBf16));
  g.Product(p, v, out);
  return g;
}

// A product whose result, with grouped queries, is summed over the query heads
// of each key head.
void GroupedProduct(CudnnGraph& g, const AttentionSizes& s, Ref a, Ref b,
                    Ref y) {
  if (s.heads == s.kv_heads) {
    g.Product(a, b, y);
    return;
  }
  const Ref all = g.Product(a, b, g.Virtual(Shapes(s).q, kBf16));
  g.Reduce(CUDNN_REDUCE_TENSOR_ADD, all, y);
}

// P = exp(mask(scale x q k^T - lse)), as bf16-free virtual scores.
Ref Probabilities(CudnnGraph& g, const AttentionSizes& s, Ref q, Ref k_t,
                  Ref lse) {
  const CudnnDims score = Shapes(s).score;
  Ref p = g.Product(q, k_t, g.Virtual(score));
  p = g.Pointwise(CUDNN_POINTWISE_MUL, p, g.Scalar(s.scale()),
                  g.Virtual(score));
  p = g.Pointwise(CUDNN_POINTWISE_SUB, p, lse, g.Virtual(score));
  p = Causal(g, p);
  return g.Pointwise(CUDNN_POINTWISE_EXP, p, nullptr, g.Virtual(score));
}

// delta = rowsum(dout x out), times one: the pattern has that product, and
// without it cuDNN keeps whole score matrices in its workspace.
Ref Delta(CudnnGraph& g, const Shapes& shapes, Ref out, Ref dout) {
  const Ref delta =
      g.Memory(kDelta, shapes.row, PackedStrides(shapes.row), kFloat);
  const Ref product =
      g.Pointwise(CUDNN_POINTWISE_MUL, dout, out, g.Virtual(shapes.q));
  const Ref sum =
      g.Reduce(CUDNN_REDUCE_TENSOR_ADD, product, g.Virtual(shapes.row));
  return g.Pointwise(CUDNN_POINTWISE_MUL, sum, g.Scalar(1.0f), delta);
}

CudnnGraph BackwardGraph(const AttentionLayout& layout, bool deterministic) {
  const AttentionSizes& s = layout.sizes;
  const AttentionStrides& strides = layout.strides;
  const Shapes shapes(s);
  CudnnGraph g;
  const Ref q = g.Memory(kQ, shapes.q, Strides(s, strides.q), kBf16);
  const Ref k_t = g.Memory(kK, shapes.kv_t, StridesT(s, strides.k), kBf16);
  const Ref v_t = g.Memory(kV, shapes.kv_t, StridesT(s, strides.v), kBf16);
  const Ref out = g.Memory(kOut, shapes.q, Strides(s, strides.out), kBf16);
  const Ref lse = g.Memory(kLse, shapes.row, PackedStrides(shapes.row), kFloat);
  const Ref dout = g.Memory(kDout, shapes.q, Strides(s, strides.dout), kBf16);
  const Ref dq = g.Memory(kDq, shapes.q, Strides(s, strides.dq), kBf16);
  const Ref dk = g.Memory(kDk, shapes.kv, Strides(s, strides.dk), kBf16);
  const Ref dv = g.Memory(kDv, shapes.kv, Strides(s, strides.dv), kBf16);

  const Ref delta = Delta(g, shapes, out, dout);
  const Ref p = Probabilities(g, s, q, k_t, lse);
  const Ref p_t =
      g.View(p, g.Virtual(shapes.score, shapes.score_t_strides, kBf16));
  GroupedProduct(g, s, p_t, dout, dv);

  // ds = scale x p x (dout v^T - delta)
  Ref ds = g.Product(dout, v_t, g.Virtual(shapes.score));
  ds = g.Pointwise(CUDNN_POINTWISE_SUB, ds, delta, g.Virtual(shapes.score));
  ds = g.Pointwise(CUDNN_POINTWISE_MUL, ds, p, g.Virtual(shapes.score));
  ds = g.Pointwise(CUDNN_POINTWISE_MUL, ds, g.Scalar(s.scale()),
                   g.Virtual(shapes.score));
  const Ref ds_t =
      g.View(ds, g.Virtual(shapes.score, shapes.score_t_strides, kBf16));
  GroupedProduct(g, s, ds_t, q, dk);

  const Ref k = g.View(k_t, g.Virtual(shapes.kv, Strides(s, strides.k), kBf16));
  if (deterministic) {
    g.Product(ds, k, dq);
    return g;
  }
  const Ref sum = g.Memory(kDqSum, shapes.q, PackedStrides(shapes.q), kFloat);
  g.Product(ds, k, sum);
  g.Pointwise(CUDNN_POINTWISE_IDENTITY, sum, nullptr, dq);
  return g;
}

template <typename T>
CudnnPlan::Argument Arg(Uid uid, const T* data) {
  return {uid, const_cast<void*>(static_cast<const void*>(data))};
}

size_t RoundUp(size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

}  // namespace

Result<CudnnAttentionForward> CudnnAttentionForward::Create(
    const AttentionLayout& layout, const CudnnTarget& target) {
  CudnnAttentionForward forward;
  auto plan = ForwardGraph(layout).Build(target);
  RETURN_IF_ERROR(plan.status().WithContext("attention forward"));
  forward.plan_ = std::move(*plan);
  return forward;
}

Status CudnnAttentionForward::Run(cudnnHandle_t handle,
                                  const AttentionForwardData& data,
                                  void* workspace) const {
  return plan_.Run(handle,
                   {Arg(kQ, data.q), Arg(kK, data.k), Arg(kV, data.v),
                    Arg(kOut, data.out), Arg(kLse, data.lse)},
                   workspace);
}

Result<CudnnAttentionBackward> CudnnAttentionBackward::Create(
    const AttentionLayout& layout, bool deterministic,
    const CudnnTarget& target) {
  CudnnAttentionBackward backward;
  backward.sizes_ = layout.sizes;
  backward.deterministic_ = deterministic;
  auto plan = BackwardGraph(layout, deterministic).Build(target);
  RETURN_IF_ERROR(plan.status().WithContext("attention backward"));
  backward.plan_ = std::move(*plan);
  return backward;
}

size_t CudnnAttentionBackward::delta_bytes() const {
  return RoundUp(sizes_.batch * sizes_.heads * sizes_.seq_len * sizeof(float));
}

size_t CudnnAttentionBackward::scratch_bytes() const {
  const size_t sums = sizes_.batch * sizes_.heads * sizes_.seq_len *
                      sizes_.head_size * sizeof(float);
  return delta_bytes() + (deterministic_ ? 0 : RoundUp(sums));
}

Status CudnnAttentionBackward::Run(cudnnHandle_t handle,
                                   const AttentionBackwardData& data,
                                   void* workspace) const {
  char* const scratch = static_cast<char*>(workspace);
  const AttentionForwardData& forward = data.forward;
  std::vector<CudnnPlan::Argument> arguments = {
      Arg(kQ, forward.q),     Arg(kK, forward.k),     Arg(kV, forward.v),
      Arg(kOut, forward.out), Arg(kLse, forward.lse), Arg(kDout, data.dout),
      Arg(kDq, data.dq),      Arg(kDk, data.dk),      Arg(kDv, data.dv),
      Arg(kDelta, scratch)};
  if (!deterministic_) {
    arguments.push_back(Arg(kDqSum, scratch + delta_bytes()));
  }
  return plan_.Run(handle, arguments, scratch + scratch_bytes());
}

}  // namespace zs::gpu
