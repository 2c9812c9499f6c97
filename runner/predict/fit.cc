#include "runner/predict/fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "runner/predict/least_squares.h"
#include "runner/predict/work.h"

namespace zs {
namespace {

// A rate that costs nothing: the fit found no time for it.
constexpr double kFree = 1e6;

bool IsSingle(const Observed& run) {
  return run.placement.world_size() == 1;
}

// On one core, or one GPU.
bool IsPlain(const Observed& run) {
  return IsSingle(run) && run.config.threads_per_rank <= 1;
}

double RateOf(double seconds_per_unit, double unit) {
  return seconds_per_unit > 0 ? 1 / seconds_per_unit / unit : kFree;
}

// Products, attention and memory from the passes of runs on one core.
Status FitPasses(const std::vector<Observed>& runs, MachineProfile& profile) {
  std::map<double, size_t> column;  // of each width
  for (const Observed& run : runs) {
    if (IsPlain(run)) {
      column.emplace(WorkOf(run.config, 1).gemm_width, column.size());
    }
  }
  if (column.empty() || column.size() > 6) {
    return InvalidArgumentError(
        "a profile needs runs of one rank with one thread, of at most 6 "
        "widths");
  }
  const size_t widths = column.size();
  std::vector<std::vector<double>> a;
  std::vector<double> y;
  for (const Observed& run : runs) {
    if (!IsPlain(run)) {
      continue;
    }
    const StepWork work = WorkOf(run.config, 1);
    const auto passes = static_cast<double>(work.micro_batches);
    for (const auto& [pass, ms] :
         {std::pair(&work.forward, run.forward_ms),
          std::pair(&work.backward, run.backward_ms)}) {
      if (ms <= 0) {
        return InvalidArgumentError(run.name + ": no times of its passes");
      }
      std::vector<double> row(widths + 3, 0);
      row[column[work.gemm_width]] = passes * pass->gemm_flops;
      row[widths] = passes * pass->attention_flops;
      row[widths + 1] = passes * pass->bytes;
      row[widths + 2] = passes;
      a.push_back(std::move(row));
      y.push_back(ms / 1e3);
    }
  }
  const std::vector<double> x = NonNegativeLeastSquares(a, y);
  for (const auto& [width, k] : column) {
    profile.gemm.push_back({width, RateOf(x[k], 1e12)});
  }
  profile.attention_forward_tflops = RateOf(x[widths], 1e12);
  profile.attention_backward_tflops = profile.attention_forward_tflops;
  profile.memory_gb_s = RateOf(x[widths + 1], 1e9);
  profile.pass_overhead_ms = x[widths + 2] * 1e3;
  return OkStatus();
}

void FitOptimizer(const std::vector<Observed>& runs, MachineProfile& profile) {
  std::vector<std::vector<double>> a;
  std::vector<double> y;
  for (const Observed& run : runs) {
    if (IsPlain(run) && run.optimizer_ms > 0) {
      a.push_back({WorkOf(run.config, 1).optimizer_bytes, 1});
      y.push_back(run.optimizer_ms / 1e3);
    }
  }
  const auto x = NonNegativeLeastSquares(a, y);
  profile.optimizer_gb_s = x.empty() ? kFree : RateOf(x[0], 1e9);
  profile.overhead_ms = x.empty() ? 0 : x[1] * 1e3;
}

// Speed of c cores over that of one, as a power of c.
void FitCoreScaling(const std::vector<Observed>& runs, double cores,
                    MachineProfile& profile) {
  for (const Observed& run : runs) {
    const double threads = std::min<double>(run.config.threads_per_rank, cores);
    if (!IsSingle(run) || threads <= 1) {
      continue;
    }
    RunConfig one = run.config;
    one.threads_per_rank = 1;
    const StepPrediction p = PredictStep(one, {}, profile);
    const double gain =
        (p.forward_ms + p.backward_ms) / (run.forward_ms + run.backward_ms);
    profile.core_scaling =
        std::clamp(std::log(gain) / std::log(threads), 0.0, 1.0);
    return;
  }
}

// Latency and bandwidth from runs of several ranks that hide nothing.
Status FitLink(const std::vector<Observed>& runs, MachineProfile& profile) {
  std::vector<std::vector<double>> a;
  std::vector<double> y;
  for (const Observed& run : runs) {
    const StepWork work = WorkOf(run.config, run.placement.world_size());
    if (IsSingle(run) || work.overlap || run.exposed_ms <= 0 ||
        CrowdOf(run.config, run.placement, profile) > 0) {
      continue;
    }
    std::vector<double> row = {0, 0};
    for (const auto* part : {&work.reduce, &work.gather}) {
      for (const CommWork& comm : *part) {
        row[0] += static_cast<double>(comm.calls);
        row[1] += comm.bytes;
      }
    }
    a.push_back(row);
    y.push_back(run.exposed_ms / 1e3);
  }
  if (a.empty()) {
    return InvalidArgumentError(
        "a profile needs runs of two ranks with overlap: false");
  }
  const auto x = NonNegativeLeastSquares(a, y);
  profile.node = {.latency_us = x[0] * 1e6, .gb_s = RateOf(x[1], 1e9)};
  profile.network = profile.node;
  return OkStatus();
}

// The mean of what hidden communication costs the passes above it.
void FitInterference(const std::vector<Observed>& runs,
                     MachineProfile& profile) {
  double sum = 0;
  int count = 0;
  for (const Observed& run : runs) {
    if (IsSingle(run) || !run.config.train.overlap ||
        CrowdOf(run.config, run.placement, profile) > 0) {
      continue;
    }
    const StepPrediction p = PredictStep(run.config, run.placement, profile);
    const double hidden = p.communication_ms - p.exposed_ms;
    if (hidden > 0) {
      sum += (run.forward_ms + run.backward_ms + run.exposed_ms - p.forward_ms -
              p.backward_ms - p.exposed_ms) /
             hidden;
      ++count;
    }
  }
  profile.interference = count == 0 ? 0 : std::max(0.0, sum / count);
}

// What runs whose ranks share cores take longer than their parts explain, a
// collective and further rank on a core.
void FitTurns(const std::vector<Observed>& runs, MachineProfile& profile) {
  double beyond_ms = 0;
  double turns = 0;
  for (const Observed& run : runs) {
    const double crowd = CrowdOf(run.config, run.placement, profile);
    const StepWork work = WorkOf(run.config, run.placement.world_size());
    for (const auto* part : {&work.reduce, &work.gather}) {
      for (const CommWork& comm : *part) {
        turns += crowd * static_cast<double>(comm.calls);
      }
    }
    if (crowd > 0) {
      beyond_ms +=
          run.step_ms - PredictStep(run.config, run.placement, profile).step_ms;
    }
  }
  if (turns > 0) {
    profile.turn_ms = std::max(0.0, beyond_ms / turns);
  }
}

double RootMeanSquareError(const std::vector<Observed>& runs,
                           const MachineProfile& profile) {
  double sum = 0;
  for (const Observed& run : runs) {
    const StepPrediction p = PredictStep(run.config, run.placement, profile);
    const double off = p.step_ms / run.step_ms - 1;
    sum += off * off;
  }
  return 100 * std::sqrt(sum / static_cast<double>(runs.size()));
}

}  // namespace

Result<MachineProfile> FitProfile(const std::vector<Observed>& runs,
                                  const FitOptions& options) {
  MachineProfile profile;
  profile.name = options.name;
  profile.source = options.source;
  profile.match = options.match;
  profile.device = runs.empty() ? "" : runs.front().config.device;
  profile.cores = profile.device == "cpu" ? options.cores : 0;
  for (const Observed& run : runs) {
    if (run.config.device != profile.device || run.step_ms <= 0) {
      return InvalidArgumentError(run.name +
                                  ": another device, or no step times");
    }
    profile.ranks_measured =
        std::max(profile.ranks_measured, run.placement.world_size());
  }
  RETURN_IF_ERROR(FitPasses(runs, profile));
  FitOptimizer(runs, profile);
  FitCoreScaling(runs, options.cores, profile);
  RETURN_IF_ERROR(FitLink(runs, profile));
  FitInterference(runs, profile);
  FitTurns(runs, profile);
  profile.error_pct = RootMeanSquareError(runs, profile);
  return profile;
}

}  // namespace zs
