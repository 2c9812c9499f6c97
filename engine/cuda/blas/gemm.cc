#include "engine/cuda/blas/gemm.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include "engine/cuda/blas/gemm_cache.h"
#include "engine/cuda/blas/gemm_plan.h"
#include "engine/cuda/check.h"
#include "engine/cuda/kernels/elementwise.h"
#include "engine/cuda/memory.h"

namespace zs::gpu {
namespace {

constexpr int kCandidates = 24;
constexpr int kMinRounds = 5;
constexpr int kMaxRounds = 40;
constexpr float kTuneMs = 150;    // measuring time wanted for one shape
constexpr float kWarmUpMs = 300;  // until clocks and power have settled
// Candidates that are nearly as fast call by call differ in the energy that
// they take, and so in the clock that the power cap leaves them: the best run
// alone until the cap has had time to act, and are measured then.
constexpr float kClose = 1.04f;  // times the best median
constexpr size_t kFinalists = 3;
constexpr float kSettleMs = 80;
constexpr float kSustainedMs = 80;
static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(GemmChoice::algorithm));

using Candidates = std::vector<cublasLtMatmulHeuristicResult_t>;

// What candidates are tried on.
struct Trial {
  const GemmShape& shape;
  const GemmData& data;
  cudaStream_t stream;
};

void Take(const cublasLtMatmulHeuristicResult_t& candidate, GemmPlan& plan) {
  plan.algorithm = candidate.algo;
  plan.workspace_bytes = candidate.workspaceSize;
}

float Median(std::vector<float> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

class Gemms::Impl {
 public:
  static Result<std::unique_ptr<Impl>> Create(const GemmOptions& options);

  Status Run(const GemmShape& shape, const GemmData& data, cudaStream_t stream);
  std::string Report() const;
  size_t workspace_bytes() const { return workspace_.bytes(); }

 private:
  Result<GemmPlan*> PlanOf(const GemmShape& shape, const GemmData& data,
                           cudaStream_t stream);
  Result<Candidates> Find(const GemmShape& shape, const GemmPlan& plan);
  Status Launch(const GemmShape& shape, const GemmPlan& plan,
                const GemmData& data, cudaStream_t stream);
  // Takes an algorithm; whether another run should take it unseen.
  Result<bool> Tune(const GemmShape& shape, const GemmData& data,
                    cudaStream_t stream, GemmPlan& plan);
  Result<float> Time(const GemmShape& shape, const GemmPlan& plan,
                     const GemmData& data, cudaStream_t stream, int calls);
  Result<std::vector<float>> Medians(const Candidates& candidates,
                                     const Trial& trial, GemmPlan& plan);
  Result<float> Sustained(const Trial& trial, const GemmPlan& plan, float ms);
  Result<size_t> Fastest(const Candidates& candidates, const Trial& trial,
                         GemmPlan& plan);
  Status WarmUp(const GemmShape& shape, const GemmPlan& plan,
                const GemmData& data, cudaStream_t stream);

  GemmOptions options_;
  CublasHandle handle_;
  DeviceBuffer workspace_;
  GemmCache cache_;
  Event begin_;
  Event end_;
  bool warm_ = false;
  std::map<std::pair<GemmShape, uint32_t>, GemmPlan>
      plans_;  // by alignment too
};

Result<std::unique_ptr<Gemms::Impl>> Gemms::Impl::Create(
    const GemmOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->options_ = options;
  int device = 0;
  ZS_RETURN_IF_CUDA_ERROR(cudaGetDevice(&device));
  cudaDeviceProp properties = {};
  ZS_RETURN_IF_CUDA_ERROR(cudaGetDeviceProperties(&properties, device));
  cublasLtHandle_t handle = nullptr;
  RETURN_IF_ERROR(ToStatus(cublasLtCreate(&handle), "set up"));
  impl->handle_.reset(handle);
  ASSIGN_OR_RETURN(impl->workspace_,
                   DeviceBuffer::Create(options.workspace_bytes,
                                        "the workspace of matrix products"));
  ASSIGN_OR_RETURN(impl->begin_, Event::Create());
  ASSIGN_OR_RETURN(impl->end_, Event::Create());
  impl->cache_ = GemmCache(options.cache_path,
                           std::string(properties.name) + ", cuBLASLt " +
                               std::to_string(cublasLtGetVersion()));
  return impl;
}

Status Gemms::Impl::Launch(const GemmShape& shape, const GemmPlan& plan,
                           const GemmData& data, cudaStream_t stream) {
  RETURN_IF_ERROR(BindEpilogue(shape, data, plan));
  const float one = 1.0f;
  const void* c = shape.beta == 0.0f ? data.d : data.c;
  return ToStatus(
      cublasLtMatmul(handle_.get(), plan.operation.get(), &one, data.b,
                     plan.first.get(), data.a, plan.second.get(), &shape.beta,
                     c, plan.out.get(), data.d, plan.out.get(), &plan.algorithm,
                     workspace_.data(), plan.workspace_bytes, stream),
      shape.ToString());
}

Result<Candidates> Gemms::Impl::Find(const GemmShape& shape,
                                     const GemmPlan& plan) {
  ASSIGN_OR_RETURN(const CublasPreference preference,
                   MakePreference(workspace_.bytes(), plan.alignment));
  Candidates found(kCandidates);
  int count = 0;
  RETURN_IF_ERROR(
      ToStatus(cublasLtMatmulAlgoGetHeuristic(
                   handle_.get(), plan.operation.get(), plan.first.get(),
                   plan.second.get(), plan.out.get(), plan.out.get(),
                   preference.get(), kCandidates, found.data(), &count),
               "no algorithm for " + shape.ToString()));
  found.resize(count);
  std::erase_if(found, [](const cublasLtMatmulHeuristicResult_t& result) {
    return result.state != CUBLAS_STATUS_SUCCESS;
  });
  if (found.empty()) {
    return UnimplementedError("cuBLASLt: no algorithm for " + shape.ToString());
  }
  return found;
}

// Milliseconds that CALLS calls took together.
Result<float> Gemms::Impl::Time(const GemmShape& shape, const GemmPlan& plan,
                                const GemmData& data, cudaStream_t stream,
                                int calls) {
  RETURN_IF_ERROR(begin_.Record(stream));
  for (int i = 0; i < calls; ++i) {
    RETURN_IF_ERROR(Launch(shape, plan, data, stream));
  }
  RETURN_IF_ERROR(end_.Record(stream));
  return end_.MillisecondsSince(begin_);
}

Status Gemms::Impl::WarmUp(const GemmShape& shape, const GemmPlan& plan,
                           const GemmData& data, cudaStream_t stream) {
  for (float spent = 0; !warm_ && spent < kWarmUpMs;) {
    ASSIGN_OR_RETURN(const float ms, Time(shape, plan, data, stream, 50));
    spent += ms;
  }
  warm_ = true;
  return OkStatus();
}

// Every candidate runs once a round, so that all meet the same clocks.
Result<std::vector<float>> Gemms::Impl::Medians(const Candidates& candidates,
                                                const Trial& trial,
                                                GemmPlan& plan) {
  std::vector<std::vector<float>> times(candidates.size());
  float spent = 0;
  for (int round = 0;
       round < kMinRounds || (round < kMaxRounds && spent < kTuneMs); ++round) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      Take(candidates[i], plan);
      ASSIGN_OR_RETURN(const float ms,
                       Time(trial.shape, plan, trial.data, trial.stream, 1));
      spent += ms;
      if (round > 0) {
        times[i].push_back(ms);
      }
    }
  }
  std::vector<float> medians;
  medians.reserve(times.size());
  for (const auto& row : times) {
    medians.push_back(Median(row));
  }
  return medians;
}

// Milliseconds a call of PLAN, which takes about MS, once the power is steady.
Result<float> Gemms::Impl::Sustained(const Trial& trial, const GemmPlan& plan,
                                     float ms) {
  const auto calls = [ms](float wanted) {
    return std::clamp(static_cast<int>(wanted / ms), 1, 2000);
  };
  const Result<float> settled =
      Time(trial.shape, plan, trial.data, trial.stream, calls(kSettleMs));
  RETURN_IF_ERROR(settled.status());
  const int measured = calls(kSustainedMs);
  ASSIGN_OR_RETURN(const float total,
                   Time(trial.shape, plan, trial.data, trial.stream, measured));
  return total / static_cast<float>(measured);
}

// The number of the candidate to take; PLAN.note says why.
Result<size_t> Gemms::Impl::Fastest(const Candidates& candidates,
                                    const Trial& trial, GemmPlan& plan) {
  ASSIGN_OR_RETURN(const std::vector<float> medians,
                   Medians(candidates, trial, plan));
  std::vector<size_t> order(medians.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return medians[a] < medians[b]; });
  size_t best = order[0];
  float best_ms = 0;
  std::ostringstream note;
  for (size_t i = 0; i < std::min(order.size(), kFinalists); ++i) {
    if (medians[order[i]] > kClose * medians[order[0]]) {
      break;
    }
    Take(candidates[order[i]], plan);
    ASSIGN_OR_RETURN(const float ms, Sustained(trial, plan, medians[order[i]]));
    note << "number " << order[i] << ": " << medians[order[i]] << " ms, " << ms
         << " ms at steady power; ";
    if (i == 0 || ms < best_ms) {
      best = order[i];
      best_ms = ms;
    }
  }
  note << "recommended: " << medians[0] << " ms; took number " << best << " of "
       << candidates.size();
  plan.note = note.str();
  return best;
}

Result<bool> Gemms::Impl::Tune(const GemmShape& shape, const GemmData& data,
                               cudaStream_t stream, GemmPlan& plan) {
  RETURN_IF_ERROR(BindEpilogue(shape, data, plan));
  ASSIGN_OR_RETURN(const Candidates candidates, Find(shape, plan));
  Take(candidates[0], plan);
  if (!options_.tune || candidates.size() == 1) {
    plan.note = "recommended";
    return options_.tune;
  }
  // A second result, which nothing counts: where it does not fit, the run goes
  // on without.
  const size_t bytes = shape.m * shape.d_stride * SizeOf(shape.d_type);
  const Result<DeviceBuffer> out =
      DeviceBuffer::Create(bytes, "choosing an algorithm");
  if (out.status().code() == StatusCode::kResourceExhausted) {
    plan.note = "recommended, none of " + std::to_string(candidates.size()) +
                " was tried: " + out.status().message();
    return false;
  }
  RETURN_IF_ERROR(out.status());
  RETURN_IF_ERROR(LaunchNoise({out->data(), shape.d_type},
                              shape.m * shape.d_stride, 1, stream));
  GemmData trial = data;
  trial.d = out->data();
  trial.c = out->data();
  RETURN_IF_ERROR(WarmUp(shape, plan, trial, stream));
  ASSIGN_OR_RETURN(const size_t best,
                   Fastest(candidates, {shape, trial, stream}, plan));
  Take(candidates[best], plan);
  return true;
}

Result<GemmPlan*> Gemms::Impl::PlanOf(const GemmShape& shape,
                                      const GemmData& data,
                                      cudaStream_t stream) {
  const std::pair key(shape, AlignmentOf(shape, data));
  const auto found = plans_.find(key);
  if (found != plans_.end()) {
    return &found->second;
  }
  ASSIGN_OR_RETURN(GemmPlan plan, MakeGemmPlan(shape));
  plan.alignment = key.second;
  const std::string name =
      shape.ToString() + " align=" + std::to_string(key.second);
  if (const auto kept = cache_.Find(name);
      kept && kept->workspace_bytes <= workspace_.bytes()) {
    std::memcpy(&plan.algorithm, kept->algorithm.data(), sizeof plan.algorithm);
    plan.workspace_bytes = kept->workspace_bytes;
    plan.note = "from the cache";
  } else {
    ASSIGN_OR_RETURN(const bool keep, Tune(shape, data, stream, plan));
    if (keep) {
      GemmChoice choice{.workspace_bytes = plan.workspace_bytes};
      std::memcpy(choice.algorithm.data(), &plan.algorithm,
                  sizeof plan.algorithm);
      cache_.Put(name, choice);
    }
  }
  return &plans_.emplace(key, std::move(plan)).first->second;
}

Status Gemms::Impl::Run(const GemmShape& shape, const GemmData& data,
                        cudaStream_t stream) {
  if (shape.m == 0 || shape.n == 0) {
    return OkStatus();
  }
  ASSIGN_OR_RETURN(GemmPlan* const plan, PlanOf(shape, data, stream));
  return Launch(shape, *plan, data, stream);
}

std::string Gemms::Impl::Report() const {
  std::string text = cache_.note().empty() ? "" : cache_.note() + "\n";
  for (const auto& [key, plan] : plans_) {
    text += key.first.ToString() + ": " + plan.note + "\n";
  }
  return text;
}

Result<std::unique_ptr<Gemms>> Gemms::Create(const GemmOptions& options) {
  ASSIGN_OR_RETURN(auto impl, Impl::Create(options));
  return std::unique_ptr<Gemms>(new Gemms(std::move(impl)));
}

Gemms::Gemms(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Gemms::~Gemms() = default;

Status Gemms::Run(const GemmShape& shape, const GemmData& data,
                  cudaStream_t stream) {
  return impl_->Run(shape, data, stream);
}

std::string Gemms::Report() const {
  return impl_->Report();
}

size_t Gemms::workspace_bytes() const {
  return impl_->workspace_bytes();
}

}  // namespace zs::gpu
