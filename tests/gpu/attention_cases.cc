#include <cudnn.h>

#include <algorithm>
#include <cmath>

#include "engine/cuda/attention/cudnn_attention.h"
#include "engine/cuda/attention/flash_attention.h"
#include "tests/gpu/suite.h"

namespace zs::gpu {
namespace {

enum class Way { kFlash, kCudnn, kCudnnDeterministic };

// Sums of bf16 products whose weights were rounded to bf16 too.
constexpr Tolerance kAttentionClose = {8e-3, 6e-2};

// One head's matrices {seq_len, head_size}, in double precision.
using Rows = std::vector<double>;

struct Problem {
  AttentionSizes sizes;
  std::vector<float> q, k, v, dout;  // contiguous; packed for the GPU below

  int64_t tokens() const { return sizes.batch * sizes.seq_len; }
  int64_t q_width() const { return sizes.heads * sizes.head_size; }
  int64_t kv_width() const { return sizes.kv_heads * sizes.head_size; }
};

struct Reference {
  Rows out, lse, dq, dk, dv;
};

// The scores of query t of a head, as weights; returns log(sum(exp)).
double Weights(const Problem& p, int64_t b, int64_t h, int64_t t, Rows& w) {
  const AttentionSizes& s = p.sizes;
  const int64_t kv = h / (s.heads / s.kv_heads);
  w.assign(t + 1, 0.0);
  double top = -1e300;
  for (int64_t j = 0; j <= t; ++j) {
    for (int64_t i = 0; i < s.head_size; ++i) {
      w[j] +=
          double{p.q[(b * s.seq_len + t) * p.q_width() + h * s.head_size + i]} *
          p.k[(b * s.seq_len + j) * p.kv_width() + kv * s.head_size + i];
    }
    w[j] /= std::sqrt(double(s.head_size));
    top = std::max(top, w[j]);
  }
  double sum = 0;
  for (double& x : w) {
    x = std::exp(x - top);
    sum += x;
  }
  for (double& x : w) {
    x /= sum;
  }
  return top + std::log(sum);
}

void AddQuery(const Problem& p, int64_t b, int64_t h, int64_t t,
              Reference& ref) {
  const AttentionSizes& s = p.sizes;
  const int64_t d = s.head_size;
  const int64_t q_at = (b * s.seq_len + t) * p.q_width() + h * d;
  const int64_t kv_at =
      b * s.seq_len * p.kv_width() + h / (s.heads / s.kv_heads) * d;
  Rows w;
  ref.lse[(b * s.heads + h) * s.seq_len + t] = Weights(p, b, h, t, w);
  Rows dw(t + 1, 0.0);
  double delta = 0;
  for (int64_t j = 0; j <= t; ++j) {
    for (int64_t i = 0; i < d; ++i) {
      const double v = p.v[kv_at + j * p.kv_width() + i];
      ref.out[q_at + i] += w[j] * v;
      dw[j] += p.dout[q_at + i] * v;
    }
    delta += w[j] * dw[j];
  }
  for (int64_t j = 0; j <= t; ++j) {
    const double ds = w[j] * (dw[j] - delta) / std::sqrt(double(d));
    for (int64_t i = 0; i < d; ++i) {
      const int64_t at = kv_at + j * p.kv_width() + i;
      ref.dv[at] += w[j] * p.dout[q_at + i];
      ref.dk[at] += ds * p.q[q_at + i];
      ref.dq[q_at + i] += ds * p.k[at];
    }
  }
}

Reference ReferenceOf(const Problem& p) {
  const AttentionSizes& s = p.sizes;
  Reference ref{.out = Rows(p.tokens() * p.q_width()),
                .lse = Rows(s.batch * s.heads * s.seq_len),
                .dq = Rows(p.tokens() * p.q_width()),
                .dk = Rows(p.tokens() * p.kv_width()),
                .dv = Rows(p.tokens() * p.kv_width())};
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t h = 0; h < s.heads; ++h) {
      for (int64_t t = 0; t < s.seq_len; ++t) {
        AddQuery(p, b, h, t, ref);
      }
    }
  }
  return ref;
}

// Copies {rows, width} to columns [at, at + width) of a matrix.
void Place(const std::vector<float>& from, int64_t width, int64_t at,
           int64_t stride, std::vector<float>& to) {
  for (size_t i = 0; i < from.size(); ++i) {
    to[i / width * stride + at + i % width] = from[i];
  }
}

Rows Pick(const Rows& from, int64_t width, int64_t at, int64_t stride) {
  Rows to;
  for (size_t row = 0; row < from.size() / stride; ++row) {
    const auto first = from.begin() + row * stride + at;
    to.insert(to.end(), first, first + width);
  }
  return to;
}

// q, k and v in one packed matrix, and so their gradients.
struct OnDevice {
  AttentionLayout layout;
  AttentionBackwardData data;
  Bf16* dqkv;
  int64_t width;
};

OnDevice Load(Suite& suite, const Problem& p) {
  const int64_t q = p.q_width();
  const int64_t kv = p.kv_width();
  const int64_t w = q + 2 * kv;
  std::vector<float> qkv(p.tokens() * w);
  Place(p.q, q, 0, w, qkv);
  Place(p.k, kv, q, w, qkv);
  Place(p.v, kv, q + kv, w, qkv);
  const Bf16* packed = suite.Upload(qkv);
  Bf16* const dqkv = suite.Poisoned(p.tokens() * w);
  return {{p.sizes, {w, w, w, q, q, w, w, w}},
          {{packed, packed + q, packed + q + kv, suite.Poisoned(p.tokens() * q),
            suite.PoisonedF32(p.sizes.batch * p.sizes.heads * p.sizes.seq_len)},
           suite.Upload(p.dout),
           dqkv,
           dqkv + q,
           dqkv + q + kv},
          dqkv,
          w};
}

void RunFlash(Suite& suite, const OnDevice& device) {
  float* const scratch = suite.PoisonedF32(FlashScratch(device.layout.sizes));
  suite.Expect(
      LaunchFlashForward(device.layout, device.data.forward, suite.stream()),
      "forward");
  suite.Expect(
      LaunchFlashBackward(device.layout, device.data, scratch, suite.stream()),
      "backward");
}

void RunCudnn(Suite& suite, const OnDevice& device, bool deterministic) {
  cudnnHandle_t handle = nullptr;
  suite.Expect(ToStatus(cudnnCreate(&handle), "create"), "cudnnCreate");
  suite.Expect(ToStatus(cudnnSetStream(handle, suite.stream()), "stream"),
               "cudnnSetStream");
  const auto forward =
      CudnnAttentionForward::Create(device.layout, {.handle = handle});
  const auto backward = CudnnAttentionBackward::Create(
      device.layout, deterministic, {.handle = handle});
  suite.Expect(forward.status(), "forward plan");
  suite.Expect(backward.status(), "backward plan");
  if (forward.ok() && backward.ok()) {
    suite.Note(forward->plan().engine() == 2, "forward engine",
               std::to_string(forward->plan().engine()));
    suite.Note(backward->plan().engine() == 6, "backward engine",
               std::to_string(backward->plan().engine()));
    void* const workspace = suite.Scratch(static_cast<int64_t>(
        std::max(forward->workspace_bytes(), backward->workspace_bytes())));
    suite.Expect(forward->Run(handle, device.data.forward, workspace),
                 "forward");
    suite.Expect(backward->Run(handle, device.data, workspace), "backward");
  }
  cudnnDestroy(handle);
}

void Run(Suite& suite, const AttentionSizes& s, Way way) {
  const char* const names[] = {"flash", "cudnn", "cudnn deterministic"};
  if (!suite.Begin(std::string("attention ") + names[static_cast<int>(way)] +
                   " batch=" + std::to_string(s.batch) +
                   " seq_len=" + std::to_string(s.seq_len) + " heads=" +
                   std::to_string(s.heads) + "/" + std::to_string(s.kv_heads) +
                   " head_size=" + std::to_string(s.head_size))) {
    return;
  }
  const int64_t tokens = s.batch * s.seq_len;
  const Problem p{s, suite.Noise(tokens * s.heads * s.head_size),
                  suite.Noise(tokens * s.kv_heads * s.head_size),
                  suite.Noise(tokens * s.kv_heads * s.head_size),
                  suite.Noise(tokens * s.heads * s.head_size)};
  const Reference ref = ReferenceOf(p);
  const OnDevice device = Load(suite, p);
  if (way == Way::kFlash) {
    RunFlash(suite, device);
  } else {
    RunCudnn(suite, device, way == Way::kCudnnDeterministic);
  }
  const int64_t q = p.q_width();
  const int64_t kv = p.kv_width();
  const int64_t w = device.width;
  suite.Compare("out", suite.Read(device.data.forward.out, tokens * q), ref.out,
                kAttentionClose);
  suite.Compare("lse", suite.ReadF32(device.data.forward.lse, ref.lse.size()),
                ref.lse, kF32Close);
  const Rows dqkv = suite.Read(device.dqkv, tokens * w);
  suite.Compare("dq", Pick(dqkv, q, 0, w), ref.dq, kAttentionClose);
  suite.Compare("dk", Pick(dqkv, kv, q, w), ref.dk, kAttentionClose);
  suite.Compare("dv", Pick(dqkv, kv, q + kv, w), ref.dv, kAttentionClose);
}

}  // namespace

void RunAttentionCases(Suite& suite) {
  const AttentionSizes shared[] = {{1, 256, 4, 2, 128}, {1, 200, 4, 4, 64},
                                   {2, 77, 4, 1, 64},   {2, 129, 6, 2, 128},
                                   {1, 384, 2, 1, 128}, {3, 33, 3, 3, 32}};
  for (const AttentionSizes& sizes : shared) {
    Run(suite, sizes, Way::kFlash);
    Run(suite, sizes, Way::kCudnn);
    Run(suite, sizes, Way::kCudnnDeterministic);
  }
  for (const AttentionSizes& sizes :
       {AttentionSizes{1, 1, 1, 1, 16}, AttentionSizes{2, 45, 2, 2, 10},
        AttentionSizes{1, 50, 3, 1, 80}, AttentionSizes{1, 70, 2, 1, 256},
        AttentionSizes{1, 31, 1, 1, 33}}) {
    Run(suite, sizes, Way::kFlash);
  }
}

}  // namespace zs::gpu
