#include "tests/gpu/bench.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "engine/cuda/attention/cudnn_graph.h"
#include "engine/cuda/check.h"
#include "engine/cuda/kernels/elementwise.h"

namespace zs::gpu {
namespace {

constexpr int kWarmUps = 3;
constexpr int kMinRepeats = 10;
constexpr int kMaxRepeats = 30;
constexpr float kBudgetMs = 60;

}  // namespace

void OrDie(const Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::exit(1);
  }
}

std::unique_ptr<Bench> Bench::Create(const std::string& gemm_cache) {
  auto bench = std::unique_ptr<Bench>(new Bench);
  auto stream = Stream::Create();
  OrDie(stream.status());
  bench->stream_ = *std::move(stream);
  for (Event* event : {&bench->begin_, &bench->end_}) {
    auto made = Event::Create();
    OrDie(made.status());
    *event = *std::move(made);
  }
  OrDie(ToStatus(cudnnCreate(&bench->cudnn_), "set up"));
  OrDie(ToStatus(cudnnSetStream(bench->cudnn_, bench->stream()), "stream"));
  GemmOptions options;
  options.cache_path = gemm_cache;
  auto gemms = Gemms::Create(options);
  OrDie(gemms.status());
  bench->gemms_ = *std::move(gemms);
  return bench;
}

Bench::~Bench() {
  if (cudnn_ != nullptr) {
    (void)cudnnDestroy(cudnn_);
  }
}

void* Bench::Bytes(int64_t bytes) {
  auto buffer = DeviceBuffer::Create(bytes, "a benchmark");
  OrDie(buffer.status());
  memory_.push_back(*std::move(buffer));
  return memory_.back().data();
}

Bf16* Bench::Bf16s(int64_t count) {
  void* const data = Bytes(count * sizeof(Bf16));
  OrDie(LaunchNoise({data, DType::kBF16}, count, seed_++, stream()));
  return static_cast<Bf16*>(data);
}

float* Bench::Floats(int64_t count) {
  void* const data = Bytes(count * sizeof(float));
  OrDie(LaunchNoise({data, DType::kF32}, count, seed_++, stream()));
  return static_cast<float*>(data);
}

int32_t* Bench::Integers(int64_t count, int32_t below) {
  std::mt19937_64 random(seed_++);
  std::vector<int32_t> values(count);
  for (int32_t& value : values) {
    value = static_cast<int32_t>(random() % below);
  }
  void* const data = Bytes(count * sizeof(int32_t));
  // On the stream: cudaMemcpy may return before the copy's end, and only the
  // default stream waits for it.
  OrDie(ToStatus(cudaMemcpyAsync(data, values.data(), count * sizeof(int32_t),
                                 cudaMemcpyHostToDevice, stream()),
                 "upload"));
  OrDie(stream_.Wait());
  return static_cast<int32_t*>(data);
}

void Bench::Clear() {
  OrDie(stream_.Wait());
  memory_.clear();
}

float Bench::Median(const std::function<Status()>& call) {
  for (int i = 0; i < kWarmUps; ++i) {
    OrDie(call());
  }
  std::vector<float> times;
  float spent = 0;
  while (times.size() < kMinRepeats ||
         (times.size() < kMaxRepeats && spent < kBudgetMs)) {
    OrDie(begin_.Record(stream()));
    OrDie(call());
    OrDie(end_.Record(stream()));
    const auto ms = end_.MillisecondsSince(begin_);
    OrDie(ms.status());
    times.push_back(*ms);
    spent += *ms;
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2,
                   times.end());
  return times[times.size() / 2];
}

void Bench::Time(const std::string& name, Cost cost, double per_step,
                 const std::function<Status()>& call) {
  const float ms = Median(call);
  step_ms_ += per_step * ms;
  const bool moves = cost.bytes > 0;
  std::printf("%-44s %9.4f ms %8.1f %-8s x%-5g %8.3f ms a step\n", name.c_str(),
              ms, moves ? cost.bytes / ms / 1e6 : cost.flops / ms / 1e9,
              moves ? "GB/s" : "TFLOP/s", per_step, per_step * ms);
  std::fflush(stdout);
}

void Bench::BeginModel(const std::string& name, int64_t tokens) {
  model_ = name;
  tokens_ = tokens;
  step_ms_ = 0;
  std::printf("\n== %s, %lld tokens a step\n", name.c_str(),
              static_cast<long long>(tokens));
}

void Bench::EndModel() {
  Clear();
  std::printf(
      "== %s: %.2f ms a step, %.0f tokens/s if nothing else took time\n",
      model_.c_str(), step_ms_, tokens_ * 1e3 / step_ms_);
  std::fflush(stdout);
}

}  // namespace zs::gpu
