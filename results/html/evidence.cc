#include "results/html/evidence.h"

#include <cmath>
#include <set>
#include <utility>

#include "base/json.h"
#include "results/report/step_parts.h"

namespace zs::results {
namespace {

std::vector<StepPoint> LossesOf(const std::vector<StepRow>& steps) {
  std::vector<StepPoint> losses;
  for (const StepRow& step : steps) {
    if (step.loss && std::isfinite(*step.loss)) {
      losses.push_back({step.step, *step.loss});
    }
  }
  return losses;
}

// The busbw that an experiment must reach by its file.
std::optional<double> RoofOf(const std::string& spec_json) {
  const Result<Json> spec = ParseJson(spec_json);
  if (!spec.ok() || !spec->is_object() || !spec->contains("expect") ||
      !(*spec)["expect"].is_object()) {
    return std::nullopt;
  }
  const Json& expect = (*spec)["expect"];
  const auto found = expect.find("min_busbw_gb_s");
  return found != expect.end() && found->is_number()
             ? std::optional<double>(found->get<double>())
             : std::nullopt;
}

Result<RunEvidence> ReadRun(const Reader& reader, const ComparedExperiment& e) {
  RunEvidence out;
  if (e.run_id == 0) {
    return out;
  }
  out.run_id = e.run_id;
  ASSIGN_OR_RETURN(out.run, reader.Run(e.run_id));
  const StepWindow window{e.window_first, e.window_last};
  {
    ASSIGN_OR_RETURN(const auto steps, reader.Steps(e.run_id, {}));
    out.parts = PartMedians(steps, window);
    out.losses = LossesOf(steps);
  }
  ASSIGN_OR_RETURN(out.ledger, OperationsOf(reader, e.run_id, window));
  ASSIGN_OR_RETURN(const auto predicted, reader.Predictions(e.run_id));
  for (const PredictionRow& p : predicted) {
    out.predicted[p.term] = p.value;
    out.profile = p.profile;
  }
  ASSIGN_OR_RETURN(out.bandwidths, reader.Bandwidths(e.run_id));
  out.roof_busbw_gb_s = RoofOf(out.run.experiment.spec_json);
  ASSIGN_OR_RETURN(out.gpu, reader.GpuSamples(e.run_id));
  ASSIGN_OR_RETURN(out.findings, reader.Findings(e.run_id));
  ASSIGN_OR_RETURN(out.nodes, reader.Nodes(e.run_id));
  ASSIGN_OR_RETURN(out.environment_json, reader.EnvironmentJson(e.run_id));
  return out;
}

}  // namespace

const RunEvidence& Evidence::at(size_t i) const {
  static const RunEvidence none;
  return i < runs.size() ? runs[i] : none;
}

Result<Evidence> ReadEvidence(const Reader& reader,
                              const Comparison& comparison) {
  ASSIGN_OR_RETURN(const Snapshot snapshot, reader.TakeSnapshot());
  Evidence evidence;
  std::set<int64_t> sweeps;
  for (const ComparedExperiment& e : comparison.experiments) {
    ASSIGN_OR_RETURN(RunEvidence run, ReadRun(reader, e));
    if (run.run_id != 0) {
      sweeps.insert(run.run.sweep_id);
    }
    evidence.runs.push_back(std::move(run));
  }
  for (const int64_t id : sweeps) {
    SweepEvidence sweep;
    ASSIGN_OR_RETURN(sweep.sweep, reader.Sweep(id));
    ASSIGN_OR_RETURN(sweep.checks, reader.Checks(id));
    evidence.sweeps.push_back(std::move(sweep));
  }
  return evidence;
}

}  // namespace zs::results
