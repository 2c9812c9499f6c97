#include <cmath>
#include <optional>

#include "engine/cuda/blas/gemm.h"
#include "tests/gpu/suite.h"

namespace zs::gpu {
namespace {

double Gelu64(double u) {
  return 0.5 * u *
         (1 + std::tanh(std::sqrt(2 / M_PI) * (u + 0.044715 * u * u * u)));
}

double GeluSlope64(double u) {
  constexpr double kStep = 1e-5;
  return (Gelu64(u + kStep) - Gelu64(u - kStep)) / (2 * kStep);
}

struct Inputs {
  std::vector<float> a, b, c, bias, aux;
};

Inputs InputsOf(Suite& suite, const GemmShape& s) {
  const int64_t a_rows = s.a_transposed ? s.k : s.m;
  const int64_t b_rows = s.b_transposed ? s.n : s.k;
  return {.a = suite.Noise(a_rows * s.a_stride),
          .b = suite.Noise(b_rows * s.b_stride),
          .c = suite.Noise(s.m * s.d_stride, 4.0f),
          .bias = suite.Noise(s.n),
          .aux = suite.Noise(s.m * s.d_stride, 2.0f)};
}

double Dot(const GemmShape& s, const Inputs& in, int64_t row, int64_t column) {
  double sum = 0;
  for (int64_t i = 0; i < s.k; ++i) {
    const float a =
        in.a[s.a_transposed ? i * s.a_stride + row : row * s.a_stride + i];
    const float b = in.b[s.b_transposed ? column * s.b_stride + i
                                        : i * s.b_stride + column];
    sum += double{a} * b;
  }
  return sum;
}

// What d holds after it held c; columns between n and the stride stay.
void Reference(const GemmShape& s, const Inputs& in, std::vector<double>& d,
               std::vector<double>& aux) {
  d.assign(in.c.begin(), in.c.end());
  aux.assign(in.aux.begin(), in.aux.end());
  for (int64_t row = 0; row < s.m; ++row) {
    for (int64_t column = 0; column < s.n; ++column) {
      const int64_t at = row * s.d_stride + column;
      double sum = Dot(s, in, row, column) + s.beta * in.c[at];
      switch (s.epilogue) {
        case Epilogue::kNone:
          break;
        case Epilogue::kBias:
          sum += in.bias[column];
          break;
        case Epilogue::kGeluBias:
          sum += in.bias[column];
          [[fallthrough]];
        case Epilogue::kGelu:
          aux[at] = sum;
          sum = Gelu64(sum);
          break;
        case Epilogue::kDGelu:
          sum *= GeluSlope64(in.aux[at]);
          break;
      }
      d[at] = sum;
    }
  }
}

void Run(Suite& suite, Gemms& gemms, const GemmShape& s) {
  if (!suite.Begin("gemm " + s.ToString())) {
    return;
  }
  const Inputs in = InputsOf(suite, s);
  std::vector<double> d, aux;
  Reference(s, in, d, aux);
  float* const wide = s.d_type == DType::kF32 ? suite.UploadF32(in.c) : nullptr;
  Bf16* const narrow = s.d_type == DType::kF32 ? nullptr : suite.Upload(in.c);
  void* const out = wide != nullptr ? static_cast<void*>(wide) : narrow;
  const GemmData data{.a = suite.Upload(in.a),
                      .b = suite.Upload(in.b),
                      .c = out,
                      .d = out,
                      .bias = suite.Upload(in.bias),
                      .aux = suite.Upload(in.aux)};
  suite.Expect(gemms.Run(s, data, suite.stream()), "run");
  const int64_t size = s.m * s.d_stride;
  suite.Compare(
      "d",
      wide != nullptr ? suite.ReadF32(wide, size) : suite.Read(narrow, size), d,
      s.d_type == DType::kF32 ? kF32Close : kBf16Close);
  if (s.epilogue != Epilogue::kNone && s.epilogue != Epilogue::kBias) {
    suite.Compare("aux", suite.Read(data.aux, size), aux, kBf16Close);
  }
}

void RunLayer(Suite& suite, Gemms& gemms, int64_t rows, int64_t in,
              int64_t out) {
  Run(suite, gemms, ForwardShape(rows, in, out));
  Run(suite, gemms, InputGradShape(rows, in, out));
  Run(suite, gemms, WeightGradShape(rows, in, out, DType::kF32, true));
  Run(suite, gemms, WeightGradShape(rows, in, out, DType::kF32, false));
  Run(suite, gemms, WeightGradShape(rows, in, out, DType::kBF16, true));
  GemmShape shape = ForwardShape(rows, in, out);
  shape.epilogue = Epilogue::kBias;
  Run(suite, gemms, shape);
  shape.beta = 1;
  Run(suite, gemms, shape);
  shape.epilogue = Epilogue::kNone;
  Run(suite, gemms, shape);
}

void RunEpilogues(Suite& suite, Gemms& gemms, int64_t rows, int64_t in,
                  int64_t out) {
  GemmShape shape = ForwardShape(rows, in, out);
  for (const Epilogue epilogue : {Epilogue::kGelu, Epilogue::kGeluBias}) {
    shape.epilogue = epilogue;
    Run(suite, gemms, shape);
  }
  shape = InputGradShape(rows, in, out);
  shape.epilogue = Epilogue::kDGelu;
  Run(suite, gemms, shape);
}

// Takes what is left of the GPU's memory, to less than a page of cudaMalloc.
std::vector<DeviceBuffer> TakeAllMemory() {
  std::vector<DeviceBuffer> taken;
  for (size_t bytes = size_t{64} << 30; bytes >= size_t{1} << 20;) {
    Result<DeviceBuffer> buffer = DeviceBuffer::Create(bytes, "all memory");
    if (buffer.ok()) {
      taken.push_back(std::move(*buffer));
    } else {
      bytes /= 2;
    }
  }
  return taken;
}

// Where no memory is left to try algorithms in, the recommended one is taken.
void RunWithoutMemory(Suite& suite) {
  if (!suite.Begin("gemm, tuned without memory for it")) {
    return;
  }
  const GemmShape shape = ForwardShape(2048, 64, 2048);  // a result of 8 MiB
  const GemmData data{.a = suite.Upload(suite.Noise(2048 * 64)),
                      .b = suite.Upload(suite.Noise(2048 * 64)),
                      .d = suite.Poisoned(2048 * 2048)};
  GemmOptions options;
  options.tune = false;
  auto recommended = Gemms::Create(options);
  options.tune = true;
  auto tuned = Gemms::Create(options);
  suite.Expect(recommended.status(), "create");
  suite.Expect(tuned.status(), "create, tuned");
  if (!recommended.ok() || !tuned.ok()) {
    return;
  }
  // Loads the kernel, which takes memory too.
  suite.Expect((*recommended)->Run(shape, data, suite.stream()), "recommended");
  const std::vector<double> d =
      suite.Read(static_cast<const Bf16*>(data.d), 2048 * 2048);
  const std::vector<DeviceBuffer> taken = TakeAllMemory();
  suite.Expect((*tuned)->Run(shape, data, suite.stream()), "run");
  suite.Compare("d", suite.Read(static_cast<const Bf16*>(data.d), 2048 * 2048),
                d, kExact);
  const std::string report = (*tuned)->Report();
  suite.Note(report.find("was tried") != std::string::npos, "report", report);
}

}  // namespace

void RunGemmCases(Suite& suite) {
  RunWithoutMemory(suite);
  for (const bool tune : {false, true}) {
    GemmOptions options;
    options.tune = tune;
    auto gemms = Gemms::Create(options);
    suite.Begin(tune ? "gemm set-up, tuned" : "gemm set-up");
    suite.Expect(gemms.status(), "create");
    if (!gemms.ok()) {
      return;
    }
    RunLayer(suite, **gemms, 256, 128, 192);
    if (tune) {
      continue;
    }
    RunLayer(suite, **gemms, 1, 1, 1);
    RunLayer(suite, **gemms, 37, 19, 53);
    RunLayer(suite, **gemms, 100, 72, 40);
    RunLayer(suite, **gemms, 129, 264, 136);
    RunEpilogues(suite, **gemms, 128, 64, 256);
    RunEpilogues(suite, **gemms, 40, 72, 136);
    GemmShape strided = ForwardShape(65, 64, 48);
    strided.a_stride = 96;
    strided.b_stride = 80;
    strided.d_stride = 56;
    Run(suite, **gemms, strided);
  }
}

}  // namespace zs::gpu
