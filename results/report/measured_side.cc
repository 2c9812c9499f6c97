#include "results/report/measured_side.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "results/report/conditions.h"
#include "results/report/observations.h"
#include "results/stats/summary.h"

namespace zs::results {
namespace {

// Why the newest attempt at EXPERIMENT gave no measurement.
Result<std::string> WhyMissing(const Reader& reader,
                               const ExperimentRow& experiment) {
  const std::string again =
      "; run it again with --only " + experiment.experiment.name;
  RunFilter filter;
  filter.key = experiment.experiment.key;
  filter.limit = 1;
  ASSIGN_OR_RETURN(const std::vector<RunRow> runs, reader.Runs(filter));
  if (runs.empty()) {
    const std::string why =
        experiment.not_run ? " (" + std::string(Name(*experiment.not_run)) +
                                 ": " + experiment.not_run_reason + ")"
                           : "";
    return "has not been run" + why + again;
  }
  const std::string name = "run " + std::to_string(runs[0].id);
  if (!runs[0].outcome) {
    return "is still running (" + name + ")";
  }
  const RunOutcome& outcome = *runs[0].outcome;
  return "has no valid run: " + name + " was " +
         std::string(Name(outcome.process)) + ", " +
         std::string(Name(outcome.measurement)) +
         (outcome.measurement_reason.empty()
              ? ""
              : " (" + outcome.measurement_reason + ")") +
         again;
}

// The window asked for (--window, else `compare.window`), or all steps after
// the warm-up: after the declared one (the first step alone where none is
// declared; it pays for memory, caches and connections) and after what the
// times show beyond it.
StepWindow WindowOf(const RunRow& run, const std::optional<StepWindow>& window,
                    ComparedExperiment& summary) {
  if (window) {
    return *window;
  }
  if (const auto fixed = DeclaredWindow(run)) {
    return *fixed;
  }
  const int64_t declared = run.experiment.warmup_steps.value_or(1);
  std::vector<StepPoint> times;
  for (const StepPoint& point : summary.times) {
    if (point.step > declared) {
      times.push_back(point);
    }
  }
  StepWindow found;
  found.first = std::max(declared + 1, FirstSteadyStep(times, summary));
  return found;
}

// The rank with the largest total.
std::optional<MemoryRow> Largest(const std::vector<MemoryRow>& rows) {
  const auto larger = [](const MemoryRow& a, const MemoryRow& b) {
    return a.total.value_or(-1) < b.total.value_or(-1);
  };
  const auto found = std::max_element(rows.begin(), rows.end(), larger);
  return found == rows.end() ? std::nullopt : std::optional<MemoryRow>(*found);
}

std::optional<double> SumOf(const std::vector<CommPerStep>& comm,
                            std::optional<double> CommPerStep::*field) {
  double sum = 0;
  bool any = false;
  for (const CommPerStep& op : comm) {
    if (op.*field) {
      sum += *(op.*field);
      any = true;
    }
  }
  return any ? std::optional<double>(sum) : std::nullopt;
}

Status ReadCommunication(const Reader& reader, int64_t run_id,
                         StepWindow window, ComparedExperiment& side) {
  ASSIGN_OR_RETURN(const auto totals, reader.Communication(run_id, window));
  ASSIGN_OR_RETURN(const auto theory, reader.Theory(run_id));
  std::map<std::string, CommPerStep> by_op;
  for (const CommTheory& t : theory) {
    by_op[t.op].theory_bytes = static_cast<double>(t.bytes_per_step);
  }
  for (const CommTotal& total : totals) {
    if (total.bytes && total.steps > 0) {
      by_op[total.op].measured_bytes =
          static_cast<double>(*total.bytes) / static_cast<double>(total.steps);
    }
  }
  for (auto& [op, per_step] : by_op) {
    per_step.op = op;
    side.comm.push_back(per_step);
  }
  side.comm_bytes_per_step = SumOf(side.comm, &CommPerStep::measured_bytes);
  side.comm_theory_bytes_per_step =
      SumOf(side.comm, &CommPerStep::theory_bytes);
  if (side.world_size == 1 && totals.empty()) {
    side.comm_bytes_per_step = 0;  // nobody to send to
  }
  return OkStatus();
}

// The steps of WINDOW that have a time.
std::vector<StepFigure> Within(const std::vector<StepFigure>& steps,
                               StepWindow window) {
  std::vector<StepFigure> used;
  for (const StepFigure& step : steps) {
    if (step.step >= window.first && step.step <= window.last && step.step_ms) {
      used.push_back(step);
    }
  }
  return used;
}

std::vector<double> TimesOf(const std::vector<StepFigure>& steps) {
  std::vector<double> times;
  for (const StepFigure& step : steps) {
    times.push_back(*step.step_ms);
  }
  return times;
}

// What is shown of the newest run alone.
void ReadNewestWindow(const std::vector<StepFigure>& used, MeasuredSide& side) {
  std::vector<double> exposed;
  std::vector<StepPoint> points;
  for (const StepFigure& step : used) {
    points.push_back({step.step, *step.step_ms});
    if (step.comm_exposed_ms) {
      exposed.push_back(*step.comm_exposed_ms);
    }
  }
  ComparedExperiment& summary = side.summary;
  if (!used.empty()) {
    summary.window_first = used.front().step;
    summary.window_last = used.back().step;
  }
  summary.comm_exposed_ms = Median(exposed);
  Observe(points, summary);
}

// The geometric mean of the runs' medians: their ratio is that of speeds.
std::optional<double> MedianOf(const std::vector<std::vector<double>>& runs) {
  std::vector<double> logs;
  for (const std::vector<double>& run : runs) {
    const std::optional<double> median = Median(run);
    if (!median || *median <= 0) {
      return std::nullopt;
    }
    logs.push_back(std::log(*median));
  }
  return runs.size() == 1 ? Median(runs[0])
         : runs.empty()   ? std::nullopt
                          : std::optional<double>(std::exp(*Mean(logs)));
}

// Times and rates over the windows of all runs; TOKENS as many as the times.
void Summarize(const std::vector<double>& tokens, MeasuredSide& side) {
  ComparedExperiment& summary = side.summary;
  std::vector<double> times;
  std::vector<double> spreads;
  for (const std::vector<double>& run : side.runs) {
    times.insert(times.end(), run.begin(), run.end());
    if (const auto cv = CoefficientOfVariation(run)) {
      spreads.push_back(*cv);
    }
  }
  summary.n = static_cast<int64_t>(times.size());
  summary.step_ms_median = MedianOf(side.runs);
  summary.step_ms_p95 = Quantile(times, 0.95);
  summary.step_cv = Median(spreads);
  side.tokens_per_step = Median(tokens).value_or(0);
  if (tokens.size() == times.size()) {
    summary.tokens_per_s_mean = RatePerSecond(tokens, times);
  }
  if (summary.step_ms_median.value_or(0) > 0 && side.tokens_per_step > 0) {
    summary.tokens_per_s =
        side.tokens_per_step * 1000 / *summary.step_ms_median;
  }
  if (summary.tokens_per_s && summary.world_size.value_or(0) > 0) {
    summary.tokens_per_s_per_gpu = *summary.tokens_per_s / *summary.world_size;
  }
}

// What the newest run says about all but time.
Status ReadNewest(const Reader& reader, const RunRow& run, MeasuredSide& side) {
  ComparedExperiment& summary = side.summary;
  summary.run_id = run.id;
  summary.zero_effective = run.effective.zero_stage;
  if (run.effective.world_size) {
    summary.world_size = run.effective.world_size;
  }
  summary.device = run.effective.device;
  summary.final_loss = run.outcome->final_loss;
  if (!run.outcome->nccl_health.empty()) {
    summary.nccl_health = run.outcome->nccl_health;
  }
  ASSIGN_OR_RETURN(const auto measured,
                   reader.Memory(run.id, MemoryKind::kMeasured));
  ASSIGN_OR_RETURN(const auto predicted,
                   reader.Memory(run.id, MemoryKind::kPredicted));
  summary.mem_peak = Largest(measured);
  summary.mem_predicted = Largest(predicted);
  side.sweep_id = run.sweep_id;
  side.loss_tolerance = LossToleranceOf(run);
  ASSIGN_OR_RETURN(const auto samples, reader.GpuSamples(run.id));
  ObserveClocks(samples, summary);
  ASSIGN_OR_RETURN(side.conditions_json, ConditionsOf(reader, run));
  return OkStatus();
}

// The times of one run; those of the newest are shown as they are, too. Its
// tokens are added to TOKENS.
Status ReadTimes(const Reader& reader, const RunRow& run,
                 const std::optional<StepWindow>& asked,
                 std::vector<double>& tokens, MeasuredSide& side) {
  const bool newest = run.id == side.summary.run_id;
  ComparedExperiment other;
  ComparedExperiment& seen = newest ? side.summary : other;
  ASSIGN_OR_RETURN(const std::vector<StepFigure> steps,
                   reader.StepFigures(run.id));
  for (const StepFigure& step : steps) {
    if (step.step_ms) {
      seen.times.push_back({step.step, *step.step_ms});
    }
    if (newest && step.loss) {
      side.losses.push_back({step.step, *step.loss});
    }
  }
  const StepWindow window = WindowOf(run, asked, seen);
  const std::vector<StepFigure> used = Within(steps, window);
  for (const StepFigure& step : used) {
    if (step.tokens) {
      tokens.push_back(static_cast<double>(*step.tokens));
    }
  }
  if (newest) {
    ReadNewestWindow(used, side);
    RETURN_IF_ERROR(ReadCommunication(reader, run.id, window, side.summary));
  }
  if (newest && used.empty()) {
    side.summary.missing =
        "has no step with a time in the window from step " +
        std::to_string(window.first) +
        " on; run it with more steps, a shorter warm-up or another window";
  }
  if (!used.empty()) {
    side.runs.push_back(TimesOf(used));
    side.summary.run_ids.push_back(run.id);
  }
  return OkStatus();
}

// The valid runs under KEY that count: the newest of each repeat, oldest first.
// SWEEP_ID 0: of all sweeps.
Result<std::vector<RunRow>> ValidRepeats(const Reader& reader,
                                         const std::string& key,
                                         int64_t sweep_id) {
  ASSIGN_OR_RETURN(const std::vector<RunRow> newest_first,
                   reader.Runs({.key = key,
                                .measurement = MeasurementState::kValid,
                                .sweep_id = sweep_id}));
  std::set<int> seen;
  std::vector<RunRow> runs;
  for (const RunRow& run : newest_first) {
    if (seen.insert(run.repeat).second) {
      runs.push_back(run);
    }
  }
  std::reverse(runs.begin(), runs.end());
  return runs;
}

Status ReadRuns(const Reader& reader, const std::vector<RunRow>& runs,
                const std::optional<StepWindow>& window, MeasuredSide& side) {
  RETURN_IF_ERROR(ReadNewest(reader, runs.back(), side));
  std::vector<double> tokens;
  std::vector<NodeRow> nodes;
  for (const RunRow& run : runs) {
    RETURN_IF_ERROR(ReadTimes(reader, run, window, tokens, side));
    ASSIGN_OR_RETURN(const std::vector<NodeRow> of_run, reader.Nodes(run.id));
    nodes.insert(nodes.end(), of_run.begin(), of_run.end());
  }
  ObserveOtherPrograms(nodes, side.summary);
  Summarize(tokens, side);
  return OkStatus();
}

void Describe(const Experiment& experiment, MeasuredSide& side) {
  side.summary.name = experiment.name;
  side.summary.zero_requested = experiment.zero_requested;
  side.summary.world_size = experiment.world_size;
}

}  // namespace

Result<MeasuredSide> Measure(const Reader& reader,
                             const ExperimentRow& experiment,
                             const std::optional<StepWindow>& window) {
  MeasuredSide side;
  Describe(experiment.experiment, side);
  ASSIGN_OR_RETURN(const std::vector<RunRow> runs,
                   ValidRepeats(reader, experiment.experiment.key, 0));
  if (runs.empty()) {
    ASSIGN_OR_RETURN(side.summary.missing, WhyMissing(reader, experiment));
    return side;
  }
  RETURN_IF_ERROR(ReadRuns(reader, runs, window, side));
  return side;
}

Result<MeasuredSide> MeasureRun(const Reader& reader, int64_t run_id,
                                const std::optional<StepWindow>& window) {
  MeasuredSide side;
  ASSIGN_OR_RETURN(const RunRow run, reader.Run(run_id));
  Describe(run.experiment, side);
  ASSIGN_OR_RETURN(const std::vector<RunRow> runs,
                   ValidRepeats(reader, run.experiment.key, run.sweep_id));
  if (runs.empty()) {
    side.summary.missing =
        "has no valid measurement (run " + std::to_string(run_id) + ")";
    return side;
  }
  RETURN_IF_ERROR(ReadRuns(reader, runs, window, side));
  return side;
}

}  // namespace zs::results
