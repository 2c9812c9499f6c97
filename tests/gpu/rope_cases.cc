#include <cmath>

#include "engine/cuda/kernels/elementwise.h"
#include "engine/cuda/kernels/rope.h"
#include "tests/gpu/suite.h"

namespace zs::gpu {
namespace {

struct Case {
  int64_t batch, seq_len, heads, kv_heads, head_size;
  bool norm;
  bool rotate;

  int64_t rows() const { return batch * seq_len; }
  int64_t all() const { return heads + kv_heads; }
  int64_t width() const { return (heads + 2 * kv_heads) * head_size; }
  std::string name() const {
    return "qk rows=" + std::to_string(rows()) +
           " heads=" + std::to_string(heads) + "/" + std::to_string(kv_heads) +
           " head_size=" + std::to_string(head_size) + (norm ? " norm" : "") +
           (rotate ? " rope" : "");
  }
};

constexpr double kTheta = 10000;
constexpr double kEps = 1e-6;

struct Inputs {
  std::vector<float> qkv, q_gain, k_gain, grad, dq_gain, dk_gain;
};

struct Reference {
  std::vector<double> out, rstd, grad, dq_gain, dk_gain;
};

// (low, high) of element i of the head, turned by sign x angle.
void Turn(const Case& c, int64_t row, int64_t i, int sign, double& low,
          double& high) {
  const double angle =
      sign * double(row % c.seq_len) * std::pow(kTheta, -2.0 * i / c.head_size);
  const double before = low;
  low = low * std::cos(angle) - high * std::sin(angle);
  high = high * std::cos(angle) + before * std::sin(angle);
}

void Rotate(const Case& c, int64_t row, int sign, std::vector<double>& head) {
  const int64_t half = c.head_size / 2;
  for (int64_t i = 0; c.rotate && i < half; ++i) {
    Turn(c, row, i, sign, head[i], head[half + i]);
  }
}

void Head(const Case& c, const Inputs& in, int64_t row, int64_t head,
          Reference& ref) {
  const int64_t d = c.head_size;
  const int64_t at = row * c.width() + head * d;
  const std::vector<float>& gain = head < c.heads ? in.q_gain : in.k_gain;
  std::vector<double>& dgain = head < c.heads ? ref.dq_gain : ref.dk_gain;
  double squares = 0;
  for (int64_t i = 0; i < d; ++i) {
    squares += double{in.qkv[at + i]} * in.qkv[at + i];
  }
  const double rstd = 1 / std::sqrt(squares / d + kEps);
  ref.rstd.push_back(rstd);
  std::vector<double> y(d), dy(d);
  for (int64_t i = 0; i < d; ++i) {
    y[i] = in.qkv[at + i] * (c.norm ? rstd * gain[i] : 1.0);
    dy[i] = in.grad[at + i];
  }
  Rotate(c, row, 1, y);
  Rotate(c, row, -1, dy);
  ref.out.insert(ref.out.end(), y.begin(), y.end());
  double mean = 0;
  for (int64_t i = 0; i < d; ++i) {
    mean += dy[i] * gain[i] * in.qkv[at + i] * rstd / d;
  }
  for (int64_t i = 0; i < d; ++i) {
    const double xhat = in.qkv[at + i] * rstd;
    ref.grad[at + i] = c.norm ? rstd * (dy[i] * gain[i] - xhat * mean) : dy[i];
    dgain[i] += dy[i] * xhat;
  }
}

Reference ReferenceOf(const Case& c, const Inputs& in) {
  Reference ref;
  ref.grad.assign(in.grad.begin(), in.grad.end());
  ref.dq_gain.assign(in.dq_gain.begin(), in.dq_gain.end());
  ref.dk_gain.assign(in.dk_gain.begin(), in.dk_gain.end());
  for (int64_t row = 0; row < c.rows(); ++row) {
    for (int64_t head = 0; head < c.all(); ++head) {
      Head(c, in, row, head, ref);
    }
  }
  return ref;
}

QkShape ShapeOf(Suite& suite, const Case& c, const Inputs& in) {
  const int64_t half = c.head_size / 2;
  RotaryTables tables{
      .positions = c.seq_len, .head_size = c.head_size, .theta = kTheta};
  if (c.rotate) {
    tables.cos = suite.PoisonedF32(c.seq_len * half);
    tables.sin = suite.PoisonedF32(c.seq_len * half);
    suite.Expect(LaunchRotaryTables(tables, suite.stream()), "tables");
  }
  return {.rows = c.rows(),
          .heads = c.heads,
          .kv_heads = c.kv_heads,
          .head_size = c.head_size,
          .seq_len = c.seq_len,
          .q_gain = c.norm ? suite.Upload(in.q_gain) : nullptr,
          .k_gain = c.norm ? suite.Upload(in.k_gain) : nullptr,
          .cos = tables.cos,
          .sin = tables.sin,
          .eps = kEps};
}

void Run(Suite& suite, const Case& c) {
  if (!suite.Begin(c.name())) {
    return;
  }
  const Inputs in{.qkv = suite.Noise(c.rows() * c.width()),
                  .q_gain = suite.Noise(c.head_size),
                  .k_gain = suite.Noise(c.head_size),
                  .grad = suite.Noise(c.rows() * c.width()),
                  .dq_gain = suite.Noise(c.head_size),
                  .dk_gain = suite.Noise(c.head_size)};
  const Reference ref = ReferenceOf(c, in);
  const QkShape shape = ShapeOf(suite, c, in);
  const int64_t out_width = c.all() * c.head_size;
  QkForward forward{.shape = shape,
                    .in = suite.Upload(in.qkv),
                    .in_stride = c.width(),
                    .out = suite.Poisoned(c.rows() * out_width),
                    .out_stride = out_width,
                    .rstd = suite.PoisonedF32(c.rows() * c.all())};
  suite.Expect(LaunchQkForward(forward, suite.stream()), "forward");
  suite.Compare("out", suite.Read(forward.out, c.rows() * out_width), ref.out,
                kBf16Close);
  if (c.norm) {
    suite.Compare("rstd", suite.ReadF32(forward.rstd, c.rows() * c.all()),
                  ref.rstd, kF32Close);
  }
  float* const dq_gain = suite.UploadF32(in.dq_gain);
  float* const dk_gain = suite.UploadF32(in.dk_gain);
  const QkBackward backward{
      .shape = shape,
      .in = forward.in,
      .in_stride = c.width(),
      .rstd = forward.rstd,
      .grad = suite.Upload(in.grad),
      .grad_stride = c.width(),
      .dq_gain = {dq_gain},
      .dk_gain = {dk_gain},
      .scratch = suite.PoisonedF32(QkBackwardScratch(c.head_size))};
  suite.Expect(LaunchQkBackward(backward, suite.stream()), "backward");
  suite.Compare("grad", suite.Read(backward.grad, c.rows() * c.width()),
                ref.grad, kBf16Close);
  if (c.norm) {
    suite.Compare("dq_gain", suite.ReadF32(dq_gain, c.head_size), ref.dq_gain,
                  kF32Close);
    suite.Compare("dk_gain", suite.ReadF32(dk_gain, c.head_size), ref.dk_gain,
                  kF32Close);
  }
}

}  // namespace

void RunRopeCases(Suite& suite) {
  for (const int64_t head_size : {2, 6, 16, 32, 40, 64, 80, 128, 256, 512}) {
    Run(suite, {2, 37, 4, 2, head_size, true, true});
    Run(suite, {1, 19, 3, 1, head_size, false, true});
  }
  Run(suite, {3, 101, 16, 8, 128, true, true});
  Run(suite, {1, 1, 1, 1, 64, true, true});
  Run(suite, {2, 50, 6, 6, 64, true, false});
}

}  // namespace zs::gpu
