#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "engine/cuda/kernels/cross_entropy.h"
#include "engine/cuda/kernels/embedding.h"
#include "tests/gpu/suite.h"

namespace zs::gpu {
namespace {

struct LossCase {
  int64_t rows;
  int64_t vocab;
  int64_t stride;
  float scale;
  float spread;  // of the logits
};

void RunLoss(Suite& suite, const LossCase& c) {
  if (!suite.Begin("cross_entropy rows=" + std::to_string(c.rows) + " vocab=" +
                   std::to_string(c.vocab) + "/" + std::to_string(c.stride))) {
    return;
  }
  const auto logits = suite.Noise(c.rows * c.stride, c.spread);
  auto targets = suite.Integers(c.rows, static_cast<int32_t>(c.vocab));
  if (c.rows > 2) {
    targets[1] = -1;  // not to be predicted
    targets[2] = static_cast<int32_t>(c.vocab - 1);
  }
  std::vector<double> losses, grad(logits.begin(), logits.end());
  for (int64_t r = 0; r < c.rows; ++r) {
    const int64_t at = r * c.stride;
    double sum = 0;
    for (int64_t i = 0; i < c.vocab; ++i) {
      sum += std::exp(double{logits[at + i]});
    }
    const bool live = targets[r] >= 0;
    losses.push_back(live ? std::log(sum) - logits[at + targets[r]] : 0.0);
    for (int64_t i = 0; c.scale != 0 && i < c.vocab; ++i) {
      const double p = std::exp(double{logits[at + i]}) / sum;
      grad[at + i] = live ? c.scale * (p - (i == targets[r])) : 0.0;
    }
  }
  for (int64_t r = 0; c.scale != 0 && r < c.rows; ++r) {
    std::fill_n(grad.begin() + r * c.stride + c.vocab, c.stride - c.vocab, 0.0);
  }
  const CrossEntropy args{.logits = suite.Upload(logits),
                          .targets = suite.UploadInts(targets),
                          .losses = suite.PoisonedF32(c.rows),
                          .rows = c.rows,
                          .vocab = c.vocab,
                          .stride = c.stride,
                          .scale = c.scale};
  suite.Expect(LaunchCrossEntropy(args, suite.stream()), "run");
  suite.Compare("losses", suite.ReadF32(args.losses, c.rows), losses,
                kF32Close);
  suite.Compare("gradient", suite.Read(args.logits, c.rows * c.stride), grad,
                kBf16Close);
}

struct EmbeddingCase {
  int64_t batch, seq_len, width;
  int32_t vocab;
  bool positions;
  DType type;
};

struct EmbeddingInputs {
  std::vector<float> table, positions, dy, d_table, d_positions;
  std::vector<int32_t> tokens;
};

void RunLookUp(Suite& suite, const EmbeddingCase& c,
               const EmbeddingInputs& in) {
  const int64_t rows = c.batch * c.seq_len;
  std::vector<double> y;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < c.width; ++i) {
      y.push_back(
          double{in.table[in.tokens[r] * c.width + i]} +
          (c.positions ? in.positions[r % c.seq_len * c.width + i] : 0.0f));
    }
  }
  const Embedding forward{
      .tokens = suite.UploadInts(in.tokens),
      .table = suite.Upload(in.table),
      .positions = c.positions ? suite.Upload(in.positions) : nullptr,
      .y = suite.Poisoned(rows * c.width),
      .rows = rows,
      .width = c.width,
      .seq_len = c.seq_len};
  suite.Expect(LaunchEmbedding(forward, suite.stream()), "look-up");
  suite.Compare("y", suite.Read(forward.y, rows * c.width), y, kBf16Close);
}

// Runs the backward pass into copies of the gradients in IN.
EmbeddingBackward RunBackward(Suite& suite, const EmbeddingCase& c,
                              const EmbeddingInputs& in) {
  const int64_t rows = c.batch * c.seq_len;
  const Result<size_t> bytes = EmbeddingBackwardScratch(rows);
  suite.Expect(bytes.status(), "scratch");
  const auto upload = [&](const std::vector<float>& values) -> void* {
    return c.type == DType::kF32 ? static_cast<void*>(suite.UploadF32(values))
                                 : static_cast<void*>(suite.Upload(values));
  };
  const EmbeddingBackward args{
      .tokens = suite.UploadInts(in.tokens),
      .dy = suite.Upload(in.dy),
      .d_table = {upload(in.d_table), c.type, true},
      .d_positions = {c.positions ? upload(in.d_positions) : nullptr, c.type,
                      true},
      .scratch = suite.Scratch(bytes.ok() ? *bytes : 0),
      .rows = rows,
      .width = c.width,
      .vocab = c.vocab,
      .seq_len = c.seq_len};
  suite.Expect(LaunchEmbeddingBackward(args, suite.stream()), "backward");
  return args;
}

std::vector<double> ReadGrad(Suite& suite, const Grad& grad, int64_t count) {
  return grad.type == DType::kF32
             ? suite.ReadF32(static_cast<const float*>(grad.data), count)
             : suite.Read(static_cast<const Bf16*>(grad.data), count);
}

void RunEmbedding(Suite& suite, const EmbeddingCase& c) {
  if (!suite.Begin("embedding rows=" + std::to_string(c.batch * c.seq_len) +
                   " width=" + std::to_string(c.width) +
                   " vocab=" + std::to_string(c.vocab) +
                   (c.type == DType::kF32 ? "" : " bf16"))) {
    return;
  }
  const int64_t rows = c.batch * c.seq_len;
  const EmbeddingInputs in{.table = suite.Noise(c.vocab * c.width),
                           .positions = suite.Noise(c.seq_len * c.width),
                           .dy = suite.Noise(rows * c.width),
                           .d_table = suite.Noise(c.vocab * c.width),
                           .d_positions = suite.Noise(c.seq_len * c.width),
                           .tokens = suite.Integers(rows, c.vocab)};
  RunLookUp(suite, c, in);
  std::vector<double> d_table(in.d_table.begin(), in.d_table.end());
  std::vector<double> d_positions(in.d_positions.begin(), in.d_positions.end());
  for (int64_t i = 0; i < rows * c.width; ++i) {
    const int64_t row = i / c.width;
    d_table[in.tokens[row] * c.width + i % c.width] += in.dy[i];
    d_positions[row % c.seq_len * c.width + i % c.width] += in.dy[i];
  }
  const Tolerance tolerance = c.type == DType::kF32 ? kF32Close : kBf16Close;
  const EmbeddingBackward args = RunBackward(suite, c, in);
  suite.Compare("d_table", ReadGrad(suite, args.d_table, c.vocab * c.width),
                d_table, tolerance);
  if (c.positions) {
    suite.Compare("d_positions",
                  ReadGrad(suite, args.d_positions, c.seq_len * c.width),
                  d_positions, tolerance);
  }
  const EmbeddingBackward again = RunBackward(suite, c, in);
  suite.Compare("d_table again",
                ReadGrad(suite, again.d_table, c.vocab * c.width),
                ReadGrad(suite, args.d_table, c.vocab * c.width), kExact);
}

}  // namespace

void RunLossCases(Suite& suite) {
  for (const LossCase& c :
       std::initializer_list<LossCase>{{5, 2, 2, 0.5f, 1.0f},
                                       {9, 256, 256, 1.0f, 4.0f},
                                       {7, 1000, 1008, 0.01f, 2.0f},
                                       {6, 8193, 8193, 1.0f, 3.0f},
                                       {4, 50257, 50264, 1.0f, 2.0f},
                                       {3, 50257, 50304, 1.0f, 2.0f},
                                       {150, 50304, 50304, 1.0f, 2.0f},
                                       {5, 151936, 151936, 0.25f, 3.0f},
                                       {140, 128250, 128256, 1.0f, 3.0f},
                                       {3, 256000, 256000, 1.0f, 3.0f},
                                       {2, 262150, 262152, 1.0f, 3.0f},
                                       {4, 151936, 151936, 0.0f, 3.0f},
                                       {3, 151935, 151937, 1.0f, 20.0f}}) {
    RunLoss(suite, c);
  }
}

void RunEmbeddingCases(Suite& suite) {
  RunEmbedding(suite, {1, 1, 1, 1, true, DType::kF32});
  RunEmbedding(suite, {3, 17, 33, 5, true, DType::kF32});
  RunEmbedding(suite, {4, 250, 768, 256, true, DType::kF32});
  RunEmbedding(suite, {1, 700, 2048, 3000, false, DType::kF32});
  RunEmbedding(suite, {2, 1000, 1030, 2, false, DType::kF32});
  RunEmbedding(suite, {4, 200, 64, 50257, true, DType::kBF16});
}

}  // namespace zs::gpu
