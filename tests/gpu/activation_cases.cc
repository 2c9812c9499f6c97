#include <cmath>

#include "engine/cuda/kernels/activation.h"
#include "engine/cuda/kernels/column_sum.h"
#include "tests/gpu/suite.h"

namespace zs::gpu {
namespace {

struct Size {
  int64_t rows;
  int64_t width;

  int64_t count() const { return rows * width; }
  std::string name(const char* op) const {
    return std::string(op) + " rows=" + std::to_string(rows) +
           " width=" + std::to_string(width);
  }
};

constexpr Size kSizes[] = {{1, 1},    {3, 7},     {5, 8},     {65, 33},
                           {129, 96}, {70, 1000}, {17, 1025}, {64, 3072},
                           {9, 6144}, {70001, 8}};

double Gelu64(double u) {
  return 0.5 * u *
         (1 + std::tanh(std::sqrt(2 / M_PI) * (u + 0.044715 * u * u * u)));
}

// By a central difference of the formula above.
double GeluSlope64(double u) {
  constexpr double kStep = 1e-5;
  return (Gelu64(u + kStep) - Gelu64(u - kStep)) / (2 * kStep);
}

double Silu64(double g) {
  return g / (1 + std::exp(-g));
}

double SiluSlope64(double g) {
  constexpr double kStep = 1e-5;
  return (Silu64(g + kStep) - Silu64(g - kStep)) / (2 * kStep);
}

void RunSwiGlu(Suite& suite, const Size& size) {
  if (!suite.Begin(size.name("swiglu"))) {
    return;
  }
  const auto gate_up = suite.Noise(2 * size.count(), 3.0f);
  const auto dy = suite.Noise(size.count());
  std::vector<double> y, grad(2 * size.count());
  for (int64_t r = 0; r < size.rows; ++r) {
    for (int64_t i = 0; i < size.width; ++i) {
      const int64_t at = 2 * r * size.width + i;
      const double gate = gate_up[at];
      const double up = gate_up[at + size.width];
      y.push_back(Silu64(gate) * up);
      grad[at] = dy[r * size.width + i] * up * SiluSlope64(gate);
      grad[at + size.width] = dy[r * size.width + i] * Silu64(gate);
    }
  }
  const SwiGlu forward{.gate_up = suite.Upload(gate_up),
                       .y = suite.Poisoned(size.count()),
                       .rows = size.rows,
                       .width = size.width};
  suite.Expect(LaunchSwiGlu(forward, suite.stream()), "forward");
  suite.Compare("y", suite.Read(forward.y, size.count()), y, kBf16Close);
  SwiGluBackward backward{.gate_up = forward.gate_up,
                          .dy = suite.Upload(dy),
                          .d_gate_up = suite.Poisoned(2 * size.count()),
                          .y = suite.Poisoned(size.count()),
                          .rows = size.rows,
                          .width = size.width};
  suite.Expect(LaunchSwiGluBackward(backward, suite.stream()), "backward");
  suite.Compare("d_gate_up", suite.Read(backward.d_gate_up, 2 * size.count()),
                grad, kBf16Close);
  suite.Compare("y again", suite.Read(backward.y, size.count()),
                suite.Read(forward.y, size.count()), kExact);
}

void RunGelu(Suite& suite, const Size& size, bool biased) {
  if (!suite.Begin(size.name(biased ? "gelu bias" : "gelu"))) {
    return;
  }
  const auto x = suite.Noise(size.count(), 2.0f);
  const auto bias = suite.Noise(size.width);
  const auto dy = suite.Noise(size.count());
  std::vector<double> y, dx;
  for (int64_t i = 0; i < size.count(); ++i) {
    const double u = x[i] + (biased ? double{bias[i % size.width]} : 0.0);
    y.push_back(Gelu64(u));
    dx.push_back(dy[i] * GeluSlope64(u));
  }
  const Gelu forward{.x = suite.Upload(x),
                     .bias = biased ? suite.Upload(bias) : nullptr,
                     .y = suite.Poisoned(size.count()),
                     .rows = size.rows,
                     .width = size.width};
  suite.Expect(LaunchGelu(forward, suite.stream()), "forward");
  suite.Compare("y", suite.Read(forward.y, size.count()), y, kBf16Close);
  Bf16* const grad = suite.Upload(dy);
  const GeluBackward backward{.x = forward.x,
                              .bias = forward.bias,
                              .dy = grad,
                              .dx = grad,
                              .rows = size.rows,
                              .width = size.width};
  suite.Expect(LaunchGeluBackward(backward, suite.stream()), "backward");
  suite.Compare("dx", suite.Read(grad, size.count()), dx, kBf16Close);
}

void RunBias(Suite& suite, const Size& size) {
  if (!suite.Begin(size.name("bias"))) {
    return;
  }
  const auto x = suite.Noise(size.count());
  const auto bias = suite.Noise(size.width);
  const auto before = suite.Noise(size.width);
  std::vector<double> y, dbias(before.begin(), before.end()),
      fresh(size.width, 0.0);
  for (int64_t i = 0; i < size.count(); ++i) {
    y.push_back(double{x[i]} + bias[i % size.width]);
    dbias[i % size.width] += x[i];
    fresh[i % size.width] += x[i];
  }
  const BiasAdd add{.x = suite.Upload(x),
                    .bias = suite.Upload(bias),
                    .y = suite.Poisoned(size.count()),
                    .rows = size.rows,
                    .width = size.width};
  suite.Expect(LaunchBiasAdd(add, suite.stream()), "add");
  suite.Compare("y", suite.Read(add.y, size.count()), y, kBf16Close);
  float* const out = suite.UploadF32(before);
  BiasGrad grad{.dy = add.x,
                .rows = size.rows,
                .columns = size.width,
                .dbias = {out},
                .scratch = suite.PoisonedF32(BiasGradScratch(size.width))};
  suite.Expect(LaunchBiasGrad(grad, suite.stream()), "gradient");
  suite.Compare("dbias", suite.ReadF32(out, size.width), dbias, kF32Close);
  Bf16* const rounded = suite.Poisoned(size.width);
  grad.dbias = {rounded, DType::kBF16, false};
  suite.Expect(LaunchBiasGrad(grad, suite.stream()), "gradient in bf16");
  suite.Compare("dbias in bf16", suite.Read(rounded, size.width), fresh,
                kBf16Close);
}

}  // namespace

void RunActivationCases(Suite& suite) {
  for (const Size& size : kSizes) {
    RunSwiGlu(suite, size);
    RunGelu(suite, size, false);
    RunGelu(suite, size, true);
    RunBias(suite, size);
  }
}

}  // namespace zs::gpu
