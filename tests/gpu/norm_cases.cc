#include <cmath>

#include "engine/cuda/kernels/norm.h"
#include "tests/gpu/suite.h"

namespace zs::gpu {
namespace {

struct Case {
  NormKind kind;
  int64_t rows;
  int64_t width;
  bool residual;

  std::string name() const {
    return std::string(kind == NormKind::kRmsNorm ? "rmsnorm" : "layernorm") +
           " rows=" + std::to_string(rows) + " width=" + std::to_string(width) +
           (residual ? " residual" : "");
  }
};

// Both passes in double precision, from the rounded sum of x and residual.
struct Reference {
  std::vector<double> sum, y, stats, dx, dgain, dbias;
};

struct Inputs {
  std::vector<float> x, residual, gain, bias, dy, dresidual, dgain, dbias;
};

double Mean(const std::vector<double>& values, int64_t begin, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += values[begin + i];
  }
  return sum / count;
}

void AddRow(const Case& c, const Inputs& in, double eps, int64_t row,
            Reference& ref) {
  const int64_t at = row * c.width;
  const bool layer = c.kind == NormKind::kLayerNorm;
  const double mean = layer ? Mean(ref.sum, at, c.width) : 0;
  double variance = 0;
  for (int64_t i = 0; i < c.width; ++i) {
    variance += std::pow(ref.sum[at + i] - mean, 2) / c.width;
  }
  const double rstd = 1 / std::sqrt(variance + eps);
  ref.stats.insert(ref.stats.end(), {mean, rstd});
  double g_mean = 0;
  double gx_mean = 0;
  for (int64_t i = 0; i < c.width; ++i) {
    const double xhat = (ref.sum[at + i] - mean) * rstd;
    const double g = double{in.dy[at + i]} * in.gain[i];
    ref.y.push_back(xhat * in.gain[i] + (layer ? in.bias[i] : 0.0f));
    ref.dgain[i] += in.dy[at + i] * xhat;
    ref.dbias[i] += in.dy[at + i];
    g_mean += layer ? g / c.width : 0;
    gx_mean += g * xhat / c.width;
  }
  for (int64_t i = 0; i < c.width; ++i) {
    const double xhat = (ref.sum[at + i] - mean) * rstd;
    const double g = double{in.dy[at + i]} * in.gain[i];
    ref.dx.push_back(rstd * (g - g_mean - xhat * gx_mean) +
                     (c.residual ? in.dresidual[at + i] : 0.0f));
  }
}

Reference ReferenceOf(const Case& c, const Inputs& in, double eps) {
  Reference ref;
  ref.dgain.assign(in.dgain.begin(), in.dgain.end());
  ref.dbias.assign(in.dbias.begin(), in.dbias.end());
  for (int64_t i = 0; i < c.rows * c.width; ++i) {
    const float sum = in.x[i] + (c.residual ? in.residual[i] : 0.0f);
    ref.sum.push_back(ToFloat(ToBf16(sum)));
  }
  for (int64_t row = 0; row < c.rows; ++row) {
    AddRow(c, in, eps, row, ref);
  }
  return ref;
}

Inputs InputsOf(Suite& suite, const Case& c) {
  const int64_t size = c.rows * c.width;
  return {.x = suite.Noise(size, 2.0f),
          .residual = suite.Noise(size),
          .gain = suite.Noise(c.width),
          .bias = suite.Noise(c.width),
          .dy = suite.Noise(size),
          .dresidual = suite.Noise(size),
          .dgain = suite.Noise(c.width),
          .dbias = suite.Noise(c.width)};
}

void Run(Suite& suite, const Case& c) {
  if (!suite.Begin(c.name())) {
    return;
  }
  const Inputs in = InputsOf(suite, c);
  constexpr float kEps = 1e-5f;
  const Reference ref = ReferenceOf(c, in, kEps);
  const bool layer = c.kind == NormKind::kLayerNorm;
  const int64_t size = c.rows * c.width;
  NormForward forward{
      .kind = c.kind,
      .x = suite.Upload(in.x),
      .residual = c.residual ? suite.Upload(in.residual) : nullptr,
      .gain = suite.Upload(in.gain),
      .bias = layer ? suite.Upload(in.bias) : nullptr,
      .sum = suite.Poisoned(size),
      .y = suite.Poisoned(size),
      .stats = suite.PoisonedF32(2 * c.rows),
      .rows = c.rows,
      .width = c.width,
      .eps = kEps};
  suite.Expect(LaunchNormForward(forward, suite.stream()), "forward");
  suite.Compare("sum", suite.Read(forward.sum, size), ref.sum, kExact);
  suite.Compare("y", suite.Read(forward.y, size), ref.y, kBf16Close);
  suite.Compare("stats", suite.ReadF32(forward.stats, 2 * c.rows), ref.stats,
                kF32Close);

  Bf16* const dx =
      c.residual ? suite.Upload(in.dresidual) : suite.Poisoned(size);
  float* const dgain = suite.UploadF32(in.dgain);
  float* const dbias = suite.UploadF32(in.dbias);
  const NormBackward backward{
      .kind = c.kind,
      .dy = suite.Upload(in.dy),
      .sum = forward.sum,
      .gain = forward.gain,
      .stats = forward.stats,
      .dresidual = c.residual ? dx : nullptr,
      .dx = dx,
      .dgain = {dgain},
      .dbias = {layer ? dbias : nullptr},
      .scratch = suite.PoisonedF32(NormBackwardScratch(c.width)),
      .rows = c.rows,
      .width = c.width};
  suite.Expect(LaunchNormBackward(backward, suite.stream()), "backward");
  suite.Compare("dx", suite.Read(dx, size), ref.dx, kBf16Close);
  suite.Compare("dgain", suite.ReadF32(dgain, c.width), ref.dgain, kF32Close);
  if (layer) {
    suite.Compare("dbias", suite.ReadF32(dbias, c.width), ref.dbias, kF32Close);
  }
}

}  // namespace

void RunNormCases(Suite& suite) {
  for (const NormKind kind : {NormKind::kRmsNorm, NormKind::kLayerNorm}) {
    for (const int64_t width :
         {1, 7, 33, 64, 256, 257, 504, 768, 1000, 1024, 1030, 1600, 2048, 4095,
          4096, 5120, 8192, 16384}) {
      Run(suite, {kind, width < 2000 ? 517 : 67, width, true});
    }
    Run(suite, {kind, 1, 768, false});
    Run(suite, {kind, 3, 2048, false});
    Run(suite, {kind, 2500, 96, false});
  }
}

}  // namespace zs::gpu
