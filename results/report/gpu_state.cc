#include "results/report/gpu_state.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "results/report/table.h"
#include "results/stats/summary.h"

namespace zs::results {
namespace {

constexpr double kBusyPct = 50;
constexpr double kClockShare = 0.03;
constexpr double kCapShare = 0.01;
constexpr double kCappedShare = 0.2;

bool NamesPower(std::string_view reasons) {
  return reasons.find("power") != std::string_view::npos;
}

void AddDifference(Difference difference, std::optional<double> baseline,
                   std::optional<double> value, bool differs,
                   std::vector<Difference>& out) {
  if (baseline.has_value() != value.has_value() || differs) {
    difference.baseline = NumberCell(baseline, 2).text;
    difference.value = NumberCell(value, 2).text;
    difference.unfair = difference.unfair && baseline && value;
    out.push_back(std::move(difference));
  }
}

}  // namespace

std::vector<GpuSample> SamplesAtWork(const std::vector<GpuSample>& samples,
                                     const StepWindow& window) {
  std::vector<GpuSample> at_work;
  for (const GpuSample& sample : samples) {
    const int64_t step = sample.step.value_or(window.first);
    if (sample.util_pct.value_or(100) >= kBusyPct && step >= window.first &&
        step <= window.last) {
      at_work.push_back(sample);
    }
  }
  return at_work;
}

GpuState GpuStateOf(std::span<const GpuSample> samples) {
  std::vector<double> clocks;
  std::vector<double> caps;
  double capped = 0;
  for (const GpuSample& sample : samples) {
    capped += NamesPower(sample.throttle_reasons) ? 1 : 0;
    if (sample.sm_clock_mhz) {
      clocks.push_back(*sample.sm_clock_mhz);
    }
    if (sample.power_cap_w) {
      caps.push_back(*sample.power_cap_w);
    }
  }
  GpuState state;
  state.sm_clock_mhz = Median(clocks);
  state.power_cap_w = Median(caps);
  if (!samples.empty()) {
    state.power_capped = capped / static_cast<double>(samples.size());
  }
  return state;
}

std::vector<Difference> GpuDifferences(const std::string& experiment,
                                       const GpuState& baseline,
                                       const GpuState& side) {
  std::vector<Difference> out;
  const auto apart = [](std::optional<double> a, std::optional<double> b) {
    return a && b ? std::abs(*b - *a) : 0;
  };
  AddDifference(
      {.experiment = experiment, .path = "gpu.sm_clock_mhz", .unfair = true},
      baseline.sm_clock_mhz, side.sm_clock_mhz,
      apart(baseline.sm_clock_mhz, side.sm_clock_mhz) >
          kClockShare * baseline.sm_clock_mhz.value_or(0),
      out);
  AddDifference(
      {.experiment = experiment, .path = "gpu.power_cap_w", .unfair = true},
      baseline.power_cap_w, side.power_cap_w,
      apart(baseline.power_cap_w, side.power_cap_w) >
          kCapShare * baseline.power_cap_w.value_or(0),
      out);
  AddDifference({.experiment = experiment, .path = "gpu.power_capped_share"},
                baseline.power_capped, side.power_capped,
                apart(baseline.power_capped, side.power_capped) > kCappedShare,
                out);
  return out;
}

}  // namespace zs::results
