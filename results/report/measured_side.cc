#include "results/report/measured_side.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "results/report/chosen_runs.h"
#include "results/report/conditions.h"
#include "results/report/downsample.h"
#include "results/report/loss_spread.h"
#include "results/report/observations.h"
#include "results/report/step_window.h"
#include "results/report/term_off.h"
#include "results/stats/summary.h"

namespace zs::results {
namespace {

// Times of the newest run that are kept to be drawn.
constexpr size_t kMostTimes = 10000;

// How far RUN, which goes on, has come; its times so far are shown.
Status ReadRunning(const Reader& reader, const RunRow& run,
                   ComparedExperiment& summary) {
  ASSIGN_OR_RETURN(const auto times, reader.StepTimes(run.id, {}));
  for (const StepTime& time : times) {
    summary.times.push_back({time.step, time.step_ms});
  }
  summary.times = Downsampled(summary.times, kMostTimes);
  const auto planned = run.experiment.steps;
  summary.missing = "is running (run " + std::to_string(run.id) + ", " +
                    std::to_string(times.size()) +
                    (planned ? " of " + std::to_string(*planned) : "") +
                    " steps)";
  return OkStatus();
}

Status ReadMissing(const Reader& reader, const ExperimentRow& experiment,
                   ComparedExperiment& summary) {
  ASSIGN_OR_RETURN(const std::vector<RunRow> newest,
                   reader.Runs({.key = experiment.experiment.key, .limit = 1}));
  if (!newest.empty() && !newest[0].outcome) {
    return ReadRunning(reader, newest[0], summary);
  }
  summary.missing = WhyMissing(experiment, newest);
  return OkStatus();
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
  if (!totals.empty()) {
    for (auto& [op, per_step] : by_op) {
      per_step.measured_bytes =
          0;  // others were told of, this one was not done
    }
  }
  for (const CommTotal& total : totals) {
    by_op[total.op].measured_bytes =
        total.bytes && total.steps > 0
            ? std::optional<double>(static_cast<double>(*total.bytes) /
                                    static_cast<double>(total.steps))
            : std::nullopt;
  }
  for (auto& [op, per_step] : by_op) {
    per_step.op = op;
    side.comm.push_back(per_step);
  }
  const bool all_known =
      std::all_of(side.comm.begin(), side.comm.end(),
                  [](const CommPerStep& op) { return !!op.measured_bytes; });
  if (all_known) {
    side.comm_bytes_per_step = SumOf(side.comm, &CommPerStep::measured_bytes);
  }
  side.comm_theory_bytes_per_step =
      SumOf(side.comm, &CommPerStep::theory_bytes);
  if (side.world_size == 1 && totals.empty()) {
    side.comm_bytes_per_step = 0;  // nobody to send to
    side.comm_theory_bytes_per_step = 0;
  }
  return OkStatus();
}

Status ReadGpus(const Reader& reader, int64_t run_id, const StepWindow& window,
                MeasuredSide& side) {
  ASSIGN_OR_RETURN(const auto samples, reader.GpuSamples(run_id));
  const std::vector<GpuSample> at_work = SamplesAtWork(samples, window);
  ObserveClocks(at_work, side.summary);
  side.gpu = GpuStateOf(at_work);
  return OkStatus();
}

// What is shown of the newest run alone, beyond its TIMES and EXPOSED waits in
// the window.
void ReadNewestWindow(const std::vector<StepPoint>& times,
                      const std::vector<double>& exposed, MeasuredSide& side) {
  ComparedExperiment& summary = side.summary;
  if (!times.empty()) {
    summary.window_first = times.front().step;
    summary.window_last = times.back().step;
  }
  summary.comm_exposed_ms = Median(exposed);
  Observe(times, summary);
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
  side.loss_tolerance = LossToleranceOf(run).share;
  ASSIGN_OR_RETURN(side.conditions_json, ConditionsOf(reader, run));
  return OkStatus();
}

// Reads the runs of one side, one after the other.
class RunReader {
 public:
  RunReader(const Reader& reader, const std::optional<StepWindow>& asked,
            MeasuredSide& side)
      : reader_(reader), asked_(asked), side_(side) {}

  // The times of RUN; those of the newest are shown as they are, too.
  Status Add(const RunRow& run) {
    const bool newest = run.id == side_.summary.run_id;
    RETURN_IF_ERROR(reader_.StepFigures(run.id, figures_));
    ComparedExperiment other;
    ComparedExperiment& seen = newest ? side_.summary : other;
    seen.times = AllTimes();
    const StepWindow window = WindowOf(run, asked_, seen);
    const std::vector<StepPoint> used = TakeWindow(window);
    if (newest) {
      ReadLosses();
      ReadNewestWindow(used, exposed_, side_);
      RETURN_IF_ERROR(
          ReadCommunication(reader_, run.id, window, side_.summary));
      RETURN_IF_ERROR(ReadGpus(reader_, run.id, window, side_));
      seen.times = Downsampled(seen.times, kMostTimes);
    }
    if (side_.loss_spread) {
      spread_.Add(figures_);
      side_.loss_spread = spread_.largest();
    }
    Keep(run, window, used);
    return OkStatus();
  }

  // Of the steps of all runs that were used.
  const std::vector<double>& tokens() const { return tokens_; }

 private:
  std::vector<StepPoint> AllTimes() const {
    std::vector<StepPoint> times;
    times.reserve(figures_.size());
    for (const StepFigure& step : figures_) {
      if (step.step_ms) {
        times.push_back({step.step, *step.step_ms});
      }
    }
    return times;
  }

  void ReadLosses() {
    side_.losses.reserve(figures_.size());
    for (const StepFigure& step : figures_) {
      if (step.loss) {
        side_.losses.push_back({step.step, *step.loss});
      }
    }
  }

  // The times of WINDOW's steps; their waits and tokens are taken along.
  std::vector<StepPoint> TakeWindow(StepWindow window) {
    std::vector<StepPoint> used;
    used.reserve(figures_.size());
    exposed_.clear();
    for (const StepFigure& step : figures_) {
      if (step.step < window.first || step.step > window.last ||
          !step.step_ms) {
        continue;
      }
      used.push_back({step.step, *step.step_ms});
      if (step.comm_exposed_ms) {
        exposed_.push_back(*step.comm_exposed_ms);
      }
      if (step.tokens) {
        tokens_.push_back(static_cast<double>(*step.tokens));
      }
    }
    return used;
  }

  void Keep(const RunRow& run, StepWindow window,
            const std::vector<StepPoint>& used) {
    if (used.empty()) {
      if (run.id == side_.summary.run_id) {
        side_.summary.missing =
            "has no step with a time in the window from step " +
            std::to_string(window.first) +
            " on; run it with more steps, a shorter warm-up or another window";
      }
      return;
    }
    std::vector<double>& times = side_.runs.emplace_back();
    times.reserve(used.size());
    for (const StepPoint& point : used) {
      times.push_back(point.ms);
    }
    side_.summary.run_ids.push_back(run.id);
  }

  const Reader& reader_;
  const std::optional<StepWindow>& asked_;
  MeasuredSide& side_;
  std::vector<StepFigure> figures_;  // of the run at hand
  std::vector<double> exposed_;      // of its window
  std::vector<double> tokens_;
  LossSpread spread_;
};

// Reads the runs that CHOICE gives; false: there are none.
Result<bool> ReadRuns(const Reader& reader, const RunChoice& choice,
                      const std::optional<StepWindow>& window,
                      MeasuredSide& side) {
  ASSIGN_OR_RETURN(const std::vector<RunRow> runs,
                   ValidRepeats(reader, choice));
  if (runs.empty()) {
    return false;
  }
  RETURN_IF_ERROR(ReadNewest(reader, runs.back(), side));
  if (runs.size() > 1 && !LossToleranceOf(runs.back()).declared) {
    side.loss_spread = 0;  // to be found
  }
  RunReader all(reader, window, side);
  std::vector<NodeRow> nodes;
  for (const RunRow& run : runs) {
    RETURN_IF_ERROR(all.Add(run));
    ASSIGN_OR_RETURN(const std::vector<NodeRow> of_run, reader.Nodes(run.id));
    nodes.insert(nodes.end(), of_run.begin(), of_run.end());
  }
  ObserveOtherPrograms(nodes, side.summary);
  RETURN_IF_ERROR(NoteFaults(reader, choice, runs, side.summary));
  Summarize(all.tokens(), side);
  RETURN_IF_ERROR(ReadPrediction(reader, side.summary.run_id, side.summary));
  return true;
}

void Describe(const Experiment& experiment, MeasuredSide& side) {
  side.summary.name = experiment.name;
  side.summary.zero_requested = experiment.zero_requested;
  side.summary.world_size = experiment.world_size;
}

}  // namespace

Result<MeasuredSide> Measure(const Reader& reader,
                             const ExperimentRow& experiment,
                             const std::optional<StepWindow>& window,
                             int64_t after_run_id) {
  MeasuredSide side;
  Describe(experiment.experiment, side);
  ASSIGN_OR_RETURN(const bool any, ReadRuns(reader,
                                            {.key = experiment.experiment.key,
                                             .after_run_id = after_run_id},
                                            window, side));
  if (any) {
    return side;
  }
  if (after_run_id != 0) {
    side.summary.missing = "has no run since run " +
                           std::to_string(after_run_id) +
                           " was promoted; run it again with --only " +
                           side.summary.name + " --rerun";
  } else {
    RETURN_IF_ERROR(ReadMissing(reader, experiment, side.summary));
  }
  return side;
}

Result<MeasuredSide> MeasureRun(const Reader& reader, int64_t run_id,
                                const std::optional<StepWindow>& window) {
  MeasuredSide side;
  ASSIGN_OR_RETURN(const RunRow run, reader.Run(run_id));
  Describe(run.experiment, side);
  ASSIGN_OR_RETURN(
      const bool any,
      ReadRuns(reader, {.key = run.experiment.key, .sweep_id = run.sweep_id},
               window, side));
  if (!any) {
    side.summary.missing =
        "has no valid measurement (run " + std::to_string(run_id) + ")";
  }
  return side;
}

}  // namespace zs::results
