#include "results/report/noise_floor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/json.h"
#include "results/report/conditions.h"
#include "results/report/gate.h"
#include "results/stats/summary.h"

namespace zs::results {
namespace {

constexpr size_t kFewestRuns = 3;
constexpr int kMostRuns = 1000;

std::string Percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f%%", 100 * share);
  return text.data();
}

// The logarithm of RUN's median step time over its window.
Result<double> LogMedian(const Reader& reader, int64_t run_id) {
  ASSIGN_OR_RETURN(const RunRow run, reader.Run(run_id));
  StepWindow window;
  window.first = run.experiment.warmup_steps.value_or(1) + 1;
  ASSIGN_OR_RETURN(
      const auto steps,
      reader.StepTimes(run_id, DeclaredWindow(run).value_or(window)));
  std::vector<double> times;
  for (const StepTime& step : steps) {
    times.push_back(step.step_ms);
  }
  const std::optional<double> median = Median(times);
  if (!median || *median <= 0) {
    return FailedPreconditionError("run " + std::to_string(run_id) +
                                   " has no step with a time after its "
                                   "warm-up; run more steps");
  }
  return std::log(*median);
}

// How many runs a side would show GATE.
std::string RunsFor(const NoiseFloor& floor, double gate) {
  for (int runs = 1; runs <= kMostRuns; ++runs) {
    if (SmallestVisible(floor.run_deviation, floor.runs, {runs, runs}) <=
        gate) {
      return "repeats: " + std::to_string(runs) + " would show it";
    }
  }
  return "no number of repeats shows it";
}

}  // namespace

Result<std::string> HostsOf(const Reader& reader, int64_t run_id) {
  ASSIGN_OR_RETURN(const std::vector<NodeRow> nodes, reader.Nodes(run_id));
  std::vector<std::string> hosts;
  for (const NodeRow& node : nodes) {
    hosts.push_back(node.host);
  }
  std::sort(hosts.begin(), hosts.end());
  return DumpJson(Json(hosts));
}

Result<std::optional<NoiseFloor>> FloorFor(const Reader& reader,
                                           const ComparedExperiment& e) {
  ASSIGN_OR_RETURN(const std::string hosts, HostsOf(reader, e.run_id));
  ASSIGN_OR_RETURN(const std::vector<NoiseFloor> floors, reader.NoiseFloors());
  for (const NoiseFloor& floor : floors) {
    if (floor.hosts_json == hosts && floor.device == e.device) {
      return std::optional<NoiseFloor>(floor);
    }
  }
  return std::optional<NoiseFloor>();
}

Result<NoiseFloor> MeasureFloor(const Reader& reader,
                                const std::vector<int64_t>& run_ids) {
  if (run_ids.size() < kFewestRuns) {
    return FailedPreconditionError(
        std::to_string(run_ids.size()) +
        " valid runs; a noise floor needs at least three");
  }
  std::vector<double> logs;
  for (const int64_t run_id : run_ids) {
    ASSIGN_OR_RETURN(const double log, LogMedian(reader, run_id));
    logs.push_back(log);
  }
  const double mean = *Mean(logs);
  double squares = 0;
  for (const double log : logs) {
    squares += (log - mean) * (log - mean);
  }
  ASSIGN_OR_RETURN(const RunRow run, reader.Run(run_ids.back()));
  NoiseFloor floor;
  floor.sweep_id = run.sweep_id;
  floor.experiment = run.experiment.name;
  ASSIGN_OR_RETURN(floor.hosts_json, HostsOf(reader, run.id));
  floor.device = run.effective.device;
  floor.runs = static_cast<int>(logs.size());
  floor.run_deviation =
      std::sqrt(squares / static_cast<double>(logs.size() - 1));
  return floor;
}

std::string FloorText(const NoiseFloor& floor) {
  std::string text = "noise floor of " + floor.experiment + " on " +
                     floor.hosts_json + " (" + floor.device + "): medians of " +
                     std::to_string(floor.runs) + " runs deviate by " +
                     Percent(floor.run_deviation) + "\n";
  for (const int runs : {1, 3, 5, 10}) {
    text += std::to_string(runs) + (runs == 1 ? " run" : " runs") +
            " a side can show differences from " +
            Percent(SmallestVisible(floor.run_deviation, floor.runs,
                                    {runs, runs})) +
            " on\n";
  }
  return text;
}

Result<std::string> WhyBelowFloor(const Reader& reader,
                                  const Comparison& comparison, double gate) {
  for (const ComparedExperiment& e : comparison.experiments) {
    if (gate <= 0 || e.name == e.baseline || !e.ratio.value) {
      continue;
    }
    ASSIGN_OR_RETURN(const auto floor, FloorFor(reader, e));
    if (!floor) {
      continue;
    }
    const auto baseline = std::find_if(
        comparison.experiments.begin(), comparison.experiments.end(),
        [&](const auto& other) { return other.name == e.baseline; });
    const int runs = static_cast<int>(e.run_ids.size());
    const int others = baseline == comparison.experiments.end()
                           ? runs
                           : static_cast<int>(baseline->run_ids.size());
    const double visible =
        SmallestVisible(floor->run_deviation, floor->runs, {runs, others});
    if (gate < visible) {
      return "a gate of " + Percent(gate) +
             " is below the noise of this cluster: medians of runs deviate "
             "by " +
             Percent(floor->run_deviation) + " (" +
             std::to_string(floor->runs) + " runs of '" + floor->experiment +
             "', runner calibrate), so that " + std::to_string(runs) +
             (runs == 1 ? " run" : " runs") +
             (runs == others ? " a side"
                             : " against " + std::to_string(others)) +
             " can show no less than " + Percent(visible) +
             "; use a gate above that, or more repeats (" +
             RunsFor(*floor, gate) + ")";
    }
  }
  return std::string();
}

}  // namespace zs::results
