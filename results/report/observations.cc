#include "results/report/observations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "base/strings.h"
#include "results/stats/step_pattern.h"
#include "results/stats/summary.h"
#include "results/stats/warmup.h"

namespace zs::results {
namespace {

constexpr size_t kMostListed = 8;
constexpr size_t kFewestClocks = 9;
constexpr double kClockShare = 0.05;  // power caps alone move it by 3%
// Of the processors, what other programs may take unmentioned.
constexpr double kMuchOfCpusPct = 10;
constexpr double kMuchBesideGpusPct = 50;
// Steps that must be left when more warm-up is cut than was declared.
constexpr size_t kFewestLeft = 10;

std::vector<double> TimesOf(std::span<const StepPoint> points) {
  std::vector<double> times;
  times.reserve(points.size());
  for (const StepPoint& point : points) {
    times.push_back(point.ms);
  }
  return times;
}

std::string ListOf(const std::vector<int64_t>& steps) {
  std::string list;
  for (size_t i = 0; i < steps.size() && i < kMostListed; ++i) {
    list += (i == 0 ? "" : ", ") + std::to_string(steps[i]);
  }
  return steps.size() <= kMostListed
             ? list
             : list + " and " + std::to_string(steps.size() - kMostListed) +
                   " more";
}

std::string TextOf(const StepPattern& pattern,
                   const std::vector<int64_t>& steps) {
  switch (pattern.kind) {
    case PatternKind::kOutliers:
      return "outliers: steps " + ListOf(steps) +
             StringPrintf(" (up to %.2fx the median)", pattern.size);
    case PatternKind::kPeriodic:
      return StringPrintf("slow every %.0f steps: ", pattern.size) +
             ListOf(steps);
    case PatternKind::kDrift:
      return StringPrintf(
          "drift: step times change by %+.1f%% from the first step "
          "to the last",
          100 * pattern.size);
    case PatternKind::kBimodal:
      return StringPrintf("two levels, the slow one %.2fx the fast one: steps ",
                          pattern.size) +
             ListOf(steps);
  }
  return "";
}

}  // namespace

void Observe(std::span<const StepPoint> times, ComparedExperiment& side) {
  for (const StepPattern& pattern : PatternsOf(TimesOf(times))) {
    std::vector<int64_t> steps;
    for (const size_t index : pattern.indexes) {
      steps.push_back(times[index].step);
    }
    side.observations.push_back(TextOf(pattern, steps));
    if (pattern.kind == PatternKind::kOutliers ||
        pattern.kind == PatternKind::kPeriodic) {
      side.outliers = steps;
    }
  }
}

int64_t FirstSteadyStep(std::span<const StepPoint> times,
                        ComparedExperiment& side) {
  if (times.empty()) {
    return 1;
  }
  const auto steady = SteadyFrom(TimesOf(times));
  if (!steady) {
    side.observations.emplace_back(
        "no steady part: the steps never settle; run more of them");
    return times.front().step;
  }
  if (*steady == 0 || times.size() - *steady < kFewestLeft) {
    return times.front().step;
  }
  side.observations.push_back("warm-up goes on after the declared one: steps " +
                              std::to_string(times.front().step) + "-" +
                              std::to_string(times[*steady - 1].step) +
                              " are left out too");
  return times[*steady].step;
}

void ObserveClocks(std::span<const GpuSample> samples,
                   ComparedExperiment& side) {
  std::map<std::pair<int, int>, std::vector<double>> clocks;
  for (const GpuSample& sample : samples) {
    if (sample.sm_clock_mhz) {
      clocks[{sample.node_rank, sample.gpu}].push_back(*sample.sm_clock_mhz);
    }
  }
  std::vector<double> levels;
  std::erase_if(clocks, [](const auto& entry) {
    return entry.second.size() < kFewestClocks;
  });
  for (const auto& [gpu, values] : clocks) {
    levels.push_back(*Median(values));
  }
  const double level = Median(levels).value_or(0);
  for (const auto& [gpu, values] : clocks) {
    const std::span<const double> all(values);
    const double first = *Median(all.first(all.size() / 3));
    const double last = *Median(all.last(all.size() / 3));
    const std::string name =
        StringPrintf("node %d GPU %d", gpu.first, gpu.second);
    if (std::abs(last / first - 1) >= kClockShare) {
      side.observations.push_back(
          "clock drift: " + name +
          StringPrintf(" goes from %.0f to %.0f MHz", first, last));
    } else if (*Median(values) < level * (1 - kClockShare)) {
      side.observations.push_back(
          "slow clock: " + name +
          StringPrintf(" runs at %.0f MHz, the others at %.0f", *Median(values),
                       level));
    }
  }
}

void ObserveOtherPrograms(std::span<const NodeRow> nodes,
                          ComparedExperiment& side) {
  const double much_pct =
      side.device == "cpu" ? kMuchOfCpusPct : kMuchBesideGpusPct;
  std::map<std::string, double> worst_pct;  // by host
  for (const NodeRow& node : nodes) {
    double& worst = worst_pct[node.host];
    worst = std::max(worst, node.other_cpu_pct.value_or(0));
  }
  for (const auto& [host, pct] : worst_pct) {
    if (pct >= much_pct) {
      side.other_cpu_pct = std::max(side.other_cpu_pct.value_or(0), pct);
      side.observations.push_back(
          StringPrintf("other programs took %.0f%% of the processors of ",
                       pct) +
          host + "; measure on an idle machine");
    }
  }
}

}  // namespace zs::results
