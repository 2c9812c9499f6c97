#include "results/report/measured_side.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/json.h"
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

// The window asked for, or all steps after the warm-up: after the declared one
// (the first step alone where none is declared; it pays for memory, caches and
// connections) and after what the times show beyond it.
StepWindow WindowOf(const RunRow& run, const std::optional<StepWindow>& window,
                    ComparedExperiment& summary) {
  if (window) {
    return *window;
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

void ReadTimes(const std::vector<StepRow>& steps, StepWindow window,
               MeasuredSide& side) {
  std::vector<double> tokens;
  std::vector<double> exposed;
  std::vector<StepPoint> used;
  ComparedExperiment& summary = side.summary;
  for (const StepRow& step : steps) {
    if (step.step < window.first || step.step > window.last || !step.step_ms ||
        !step.mark.empty()) {
      continue;
    }
    side.step_ms.push_back(*step.step_ms);
    used.push_back({step.step, *step.step_ms});
    summary.window_first =
        summary.window_first == 0 ? step.step : summary.window_first;
    summary.window_last = step.step;
    if (step.tokens) {
      tokens.push_back(static_cast<double>(*step.tokens));
    }
    if (step.comm_exposed_ms) {
      exposed.push_back(*step.comm_exposed_ms);
    }
  }
  Observe(used, summary);
  summary.n = static_cast<int64_t>(side.step_ms.size());
  summary.step_ms_median = Median(side.step_ms);
  summary.step_ms_p95 = Quantile(side.step_ms, 0.95);
  summary.step_cv = CoefficientOfVariation(side.step_ms);
  summary.comm_exposed_ms = Median(exposed);
  side.tokens_per_step = Median(tokens).value_or(0);
  if (tokens.size() == side.step_ms.size()) {
    summary.tokens_per_s_mean = RatePerSecond(tokens, side.step_ms);
  }
  if (summary.step_ms_median.value_or(0) > 0 && side.tokens_per_step > 0) {
    summary.tokens_per_s =
        side.tokens_per_step * 1000 / *summary.step_ms_median;
  }
  if (summary.tokens_per_s && summary.world_size.value_or(0) > 0) {
    summary.tokens_per_s_per_gpu = *summary.tokens_per_s / *summary.world_size;
  }
}

// TEXT as a document; null where it is none.
Json Parsed(const std::string& text) {
  const Result<Json> document = ParseJson(text);
  return document.ok() ? *document : Json();
}

// What may differ between the sides of a fair comparison is left out.
Json AskedConditions(const RunRow& run) {
  Json spec = Parsed(run.experiment.spec_json);
  if (!spec.is_object()) {
    return spec;
  }
  for (const char* name : {"name", "needs", "expect", "limits", "repeats",
                           "checkpoint", "sweep", "schema"}) {
    spec.erase(name);
  }
  if (spec.contains("train") && spec["train"].is_object()) {
    spec["train"].erase("zero_stage");
  }
  if (spec.contains("topology") && spec["topology"].is_object()) {
    spec["topology"].erase("master_port");
  }
  return spec;
}

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Result<std::string> ConditionsOf(const Reader& reader, const RunRow& run) {
  ASSIGN_OR_RETURN(const std::string environment,
                   reader.EnvironmentJson(run.id));
  ASSIGN_OR_RETURN(const std::vector<NodeRow> nodes, reader.Nodes(run.id));
  Json hosts = Json::array();
  for (const NodeRow& node : nodes) {
    hosts.push_back(node.host);
  }
  const Effective& e = run.effective;
  return DumpJson({{"asked", AskedConditions(run)},
                   {"environment", Parsed(environment)},
                   {"hosts", hosts},
                   {"in_effect",
                    {{"accumulation", OrNull(e.accumulation)},
                     {"device", e.device},
                     {"parameters", OrNull(e.parameters)},
                     {"threads_per_rank", OrNull(e.threads_per_rank)},
                     {"versions", Parsed(e.versions_json)}}}});
}

Status ReadRun(const Reader& reader, const RunRow& run,
               const std::optional<StepWindow>& asked, MeasuredSide& side) {
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
  ASSIGN_OR_RETURN(const std::vector<StepRow> steps, reader.Steps(run.id, {}));
  for (const StepRow& step : steps) {
    if (step.step_ms) {
      summary.times.push_back({step.step, *step.step_ms});
    }
    if (step.loss) {
      side.losses.push_back({step.step, *step.loss});
    }
  }
  const StepWindow window = WindowOf(run, asked, summary);
  ReadTimes(steps, window, side);
  RETURN_IF_ERROR(ReadCommunication(reader, run.id, window, summary));
  ASSIGN_OR_RETURN(const auto measured,
                   reader.Memory(run.id, MemoryKind::kMeasured));
  ASSIGN_OR_RETURN(const auto predicted,
                   reader.Memory(run.id, MemoryKind::kPredicted));
  summary.mem_peak = Largest(measured);
  summary.mem_predicted = Largest(predicted);
  ASSIGN_OR_RETURN(side.conditions_json, ConditionsOf(reader, run));
  if (summary.n == 0) {
    summary.missing = "has no step with a time in the window " +
                      std::to_string(window.first) +
                      " and later; run it with more steps or a shorter "
                      "warm-up";
  }
  return OkStatus();
}

}  // namespace

Result<MeasuredSide> Measure(const Reader& reader,
                             const ExperimentRow& experiment,
                             const std::optional<StepWindow>& window) {
  MeasuredSide side;
  side.summary.name = experiment.experiment.name;
  side.summary.zero_requested = experiment.experiment.zero_requested;
  side.summary.world_size = experiment.experiment.world_size;
  const Result<RunRow> run =
      reader.NewestValidRun(experiment.experiment.key, false);
  if (run.ok()) {
    RETURN_IF_ERROR(ReadRun(reader, *run, window, side));
    return side;
  }
  if (run.status().code() != StatusCode::kNotFound) {
    return run.status();
  }
  ASSIGN_OR_RETURN(side.summary.missing, WhyMissing(reader, experiment));
  return side;
}

}  // namespace zs::results
