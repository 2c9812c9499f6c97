#include <cmath>
#include <limits>

#include "engine/cuda/kernels/elementwise.h"
#include "engine/cuda/kernels/optimizer.h"
#include "engine/ops/optimizer/adamw.h"
#include "tests/gpu/suite.h"

namespace zs::gpu {
namespace {

struct AdamCase {
  int64_t size;
  int64_t skip;  // elements before the range: breaks the alignment
  DType grad_type;
  int64_t step;
};

struct AdamInputs {
  std::vector<float> p, m, v, g;
};

struct AdamReference {
  std::vector<double> p, m, v;
};

AdamReference StepOf(const AdamInputs& in, const AdamW& a, double scale) {
  AdamReference ref;
  for (size_t i = 0; i < in.p.size(); ++i) {
    const double g = scale * in.g[i];
    const double m = a.beta1 * in.m[i] + (1 - a.beta1) * g;
    const double v = a.beta2 * in.v[i] + (1 - a.beta2) * g * g;
    const double m_hat = m / (1 - std::pow(a.beta1, a.step));
    const double v_hat = v / (1 - std::pow(a.beta2, a.step));
    double p = in.p[i] - a.lr * a.weight_decay * in.p[i];
    p -= a.lr * m_hat / (std::sqrt(v_hat) + a.eps);
    ref.p.push_back(p);
    ref.m.push_back(m);
    ref.v.push_back(v);
  }
  return ref;
}

void RunAdam(Suite& suite, const AdamCase& c) {
  if (!suite.Begin("adamw size=" + std::to_string(c.size) +
                   " skip=" + std::to_string(c.skip) +
                   (c.grad_type == DType::kF32 ? "" : " bf16 gradients"))) {
    return;
  }
  const int64_t all = c.size + c.skip;
  AdamInputs in{.p = suite.Noise(all),
                .m = suite.Noise(all, 0.1f),
                .v = suite.Noise(all, 0.1f),
                .g = suite.Noise(all)};
  for (float& v : in.v) {
    v = v * v;
  }
  const double scale = 0.1875;
  float* const p = suite.UploadF32(in.p);
  float* const m = suite.UploadF32(in.m);
  float* const v = suite.UploadF32(in.v);
  Bf16* const rounded = suite.Poisoned(all);
  const void* g = c.grad_type == DType::kF32
                      ? static_cast<const void*>(suite.UploadF32(in.g))
                      : static_cast<const void*>(suite.Upload(in.g));
  AdamW args{.master = p + c.skip,
             .m = m + c.skip,
             .v = v + c.skip,
             .grad = static_cast<const char*>(g) + c.skip * SizeOf(c.grad_type),
             .grad_type = c.grad_type,
             .parameters = rounded + c.skip,
             .scale = suite.UploadF64({scale}),
             .size = c.size,
             .step = c.step,
             .lr = 0.01,
             .weight_decay = 0.1};
  const auto tail = [&](std::vector<double> values) {
    values.erase(values.begin(), values.begin() + c.skip);
    return values;
  };
  AdamInputs used = in;
  for (std::vector<float>* values : {&used.p, &used.m, &used.v, &used.g}) {
    values->erase(values->begin(), values->begin() + c.skip);
  }
  const AdamReference ref = StepOf(used, args, scale);
  suite.Expect(LaunchAdamW(args, suite.stream()), "step");
  const auto new_p = tail(suite.ReadF32(p, all));
  suite.Compare("master", new_p, ref.p, {1e-6, 1e-5});
  suite.Compare("m", tail(suite.ReadF32(m, all)), ref.m, {1e-6, 1e-5});
  suite.Compare("v", tail(suite.ReadF32(v, all)), ref.v, {1e-6, 1e-5});
  std::vector<double> expected;
  for (const double value : new_p) {
    expected.push_back(ToFloat(ToBf16(static_cast<float>(value))));
  }
  suite.Compare("parameters", tail(suite.Read(rounded, all)), expected, kExact);
  args.scale = suite.UploadF64({std::numeric_limits<double>::quiet_NaN()});
  suite.Expect(LaunchAdamW(args, suite.stream()), "skipped step");
  suite.Compare("untouched", tail(suite.ReadF32(p, all)), new_p, kExact);
}

void RunSum(Suite& suite, int64_t size, DType type) {
  if (!suite.Begin("sum size=" + std::to_string(size) +
                   (type == DType::kF32 ? "" : " bf16"))) {
    return;
  }
  const auto x = suite.Noise(size);
  double squares = 0;
  double plain = 0;
  double magnitude = 0;
  for (const float value : x) {
    squares += double{value} * value;
    plain += value;
    magnitude += std::abs(value);
  }
  Sum args{.x = type == DType::kF32
                    ? static_cast<const void*>(suite.UploadF32(x))
                    : static_cast<const void*>(suite.Upload(x)),
           .type = type,
           .size = size,
           .out = suite.PoisonedF64(1),
           .scratch = suite.PoisonedF64(kSumScratch)};
  suite.Expect(LaunchSum(args, suite.stream()), "squares");
  suite.Compare("squares", suite.ReadF64(args.out, 1), {squares},
                {1e-12, 1e-12});
  args.squares = false;
  args.add = true;
  args.scale = 0.25;
  suite.Expect(LaunchSum(args, suite.stream()), "plain sum");
  const double off = suite.ReadF64(args.out, 1)[0] - (squares + 0.25 * plain);
  suite.Note(std::abs(off) <= 1e-12 * (squares + magnitude), "added sum",
             std::to_string(off));
}

// Against the CPU's, of RANKS x EACH parts whose number AT is VALUE.
void RunSumStep(Suite& suite, int ranks, int64_t each, double max_norm,
                int64_t at, double value) {
  if (!suite.Begin("sum step ranks=" + std::to_string(ranks) + " each=" +
                   std::to_string(each) + " value=" + std::to_string(value))) {
    return;
  }
  const std::vector<float> noise = suite.Noise(ranks * each);
  std::vector<double> parts;
  for (const float x : noise) {
    parts.push_back(double{x} * x);
  }
  parts[at] = value;
  double* const out = suite.PoisonedF64(3);
  suite.Expect(LaunchSumStep({.parts = suite.UploadF64(parts),
                              .ranks = ranks,
                              .each = each,
                              .max_norm = max_norm,
                              .out = reinterpret_cast<StepSums*>(out)},
                             suite.stream()),
               "sum");
  const std::vector<double> got = suite.ReadF64(out, 3);
  const StepSums want = SumStep(parts.data(), ranks, each, max_norm);
  const double wanted[] = {want.loss, want.grad_norm, want.clip};
  const char* const names[] = {"loss", "norm", "clip"};
  for (int i = 0; i < 3; ++i) {
    const bool same = std::isfinite(wanted[i])
                          ? std::abs(got[i] - wanted[i]) <= 1e-12 * wanted[i]
                          : !std::isfinite(got[i]);
    suite.Note(same, names[i], std::to_string(got[i]));
  }
}

template <typename Launch>
void RunCopyLike(Suite& suite, const char* name, int64_t size, bool add,
                 Launch launch) {
  for (const DType from : {DType::kF32, DType::kBF16}) {
    for (const DType to : {DType::kF32, DType::kBF16}) {
      if (!suite.Begin(std::string(name) + " size=" + std::to_string(size) +
                       (from == DType::kF32 ? " f32" : " bf16") + " to " +
                       (to == DType::kF32 ? "f32" : "bf16"))) {
        continue;
      }
      const auto x = suite.Noise(size);
      const auto y = suite.Noise(size);
      std::vector<double> ref;
      for (int64_t i = 0; i < size; ++i) {
        ref.push_back(0.75 * x[i] + (add ? y[i] : 0.0f));
      }
      const void* source = from == DType::kF32
                               ? static_cast<void*>(suite.UploadF32(x))
                               : static_cast<void*>(suite.Upload(x));
      float* const wide = suite.UploadF32(y);
      Bf16* const narrow = suite.Upload(y);
      void* target = to == DType::kF32 ? static_cast<void*>(wide)
                                       : static_cast<void*>(narrow);
      suite.Expect(launch(ConstSpan{source, from}, 0.75f, Span{target, to},
                          size, suite.stream()),
                   "run");
      suite.Compare("out",
                    to == DType::kF32 ? suite.ReadF32(wide, size)
                                      : suite.Read(narrow, size),
                    ref, to == DType::kF32 ? kF32Close : kBf16Close);
    }
  }
}

}  // namespace

void RunOptimizerCases(Suite& suite) {
  for (const DType type : {DType::kF32, DType::kBF16}) {
    for (const int64_t size : {1, 3, 32, 1000, 4099, 300001}) {
      RunAdam(suite, {size, 0, type, 1});
      RunAdam(suite, {size, 1, type, 100});
      RunSum(suite, size, type);
    }
  }
  for (const double value : {0.5, 400.0, std::nan(""), HUGE_VAL}) {
    for (const int64_t at : {0, 1}) {
      RunSumStep(suite, 1, 2, 1.0, at, value);
      RunSumStep(suite, 3, 30, 0.0, at, value);
      RunSumStep(suite, 800, 40, 5.0, at, value);
    }
  }
  for (const int64_t size : {1, 7, 8, 4096, 100003}) {
    RunCopyLike(suite, "copy", size, false, LaunchCopy);
    RunCopyLike(suite, "add", size, true, LaunchAdd);
  }
}

}  // namespace zs::gpu
