// profile: what this machine can do.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "results/report/table_writer.h"
#include "results/stats/summary.h"
#include "results/store/reader.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/figure_commands.h"
#include "runner/cli/output.h"
#include "runner/cli/prepare_arguments.h"
#include "runner/cli/profiles.h"
#include "runner/host/installation.h"
#include "runner/predict/fit.h"
#include "runner/predict/predict_all.h"

namespace zs {
namespace {

double MedianOf(const std::vector<results::StepRow>& steps,
                std::optional<double> results::StepRow::*field) {
  std::vector<double> values;
  for (const results::StepRow& step : steps) {
    if (step.*field) {
      values.push_back(*(step.*field));
    }
  }
  return results::Median(values).value_or(0);
}

// The steps after the warm-up of the fastest valid run of EXPERIMENT's KEY in
// the newest sweep that has one: others on the machine make a run slower and
// none faster.
Result<std::vector<results::StepRow>> FastestSteps(
    const results::Reader& reader, const Experiment& experiment,
    const Key& key) {
  ASSIGN_OR_RETURN(
      const auto runs,
      reader.Runs(
          {.key = key.hash, .measurement = results::MeasurementState::kValid}));
  const results::StepWindow window{experiment.train.warmup_steps + 1,
                                   experiment.train.steps};
  std::vector<results::StepRow> fastest;
  for (const results::RunRow& run : runs) {
    if (run.sweep_id != runs.front().sweep_id) {
      break;  // newest first
    }
    ASSIGN_OR_RETURN(auto steps, reader.Steps(run.id, window));
    using Row = results::StepRow;
    if (fastest.empty() ||
        MedianOf(steps, &Row::step_ms) < MedianOf(fastest, &Row::step_ms)) {
      fastest = std::move(steps);
    }
  }
  if (fastest.empty()) {
    return NotFoundError(experiment.name +
                         ": no valid run to make a profile "
                         "of; run it again with --rerun");
  }
  return fastest;
}

Result<Observed> Observe(const results::Reader& reader,
                         const Experiment& experiment, const Key& key) {
  ASSIGN_OR_RETURN(const auto steps, FastestSteps(reader, experiment, key));
  using Row = results::StepRow;
  Observed observed;
  observed.name = experiment.name;
  observed.config = EngineConfig(experiment);
  observed.placement = PlacementOf(experiment);
  observed.step_ms = MedianOf(steps, &Row::step_ms);
  observed.forward_ms = MedianOf(steps, &Row::forward_ms);
  observed.backward_ms = MedianOf(steps, &Row::backward_ms);
  observed.optimizer_ms = MedianOf(steps, &Row::optimizer_ms);
  observed.exposed_ms = MedianOf(steps, &Row::comm_exposed_ms);
  return observed;
}

results::Table FitTable(const std::vector<Observed>& runs,
                        const MachineProfile& profile) {
  results::Table table;
  table.title = "profile " + profile.name;
  table.columns = {{"run", "run", false},
                   {"ranks", "ranks", true},
                   {"measured", "step ms", true},
                   {"predicted", "predicted", true},
                   {"off", "off by %", true}};
  for (const Observed& run : runs) {
    const double ms = PredictStep(run.config, run.placement, profile).step_ms;
    table.rows.push_back(
        {results::TextCell(run.name),
         results::IntCell(run.placement.world_size()),
         results::NumberCell(run.step_ms, 2), results::NumberCell(ms, 2),
         results::NumberCell(100 * (ms / run.step_ms - 1), 1)});
  }
  return table;
}

Result<std::vector<Observed>> ObserveAll(const Arguments& a,
                                         const Preparation& preparation) {
  ASSIGN_OR_RETURN(const auto reader,
                   results::Reader::Open(DatabasePath(a.db)));
  std::vector<Observed> runs;
  for (size_t i = 0; i < preparation.keys.size(); ++i) {
    ASSIGN_OR_RETURN(Observed run,
                     Observe(*reader, preparation.sweep().experiments[i],
                             preparation.keys[i]));
    runs.push_back(std::move(run));
  }
  return runs;
}

// Makes the profile of what was run, writes it and says how well it fits.
Result<std::string> WriteProfile(const Arguments& a,
                                 const Installation& installation) {
  ASSIGN_OR_RETURN(const auto preparation, PrepareFile(a, installation));
  ASSIGN_OR_RETURN(const std::vector<Observed> runs,
                   ObserveAll(a, *preparation));
  const Machine& machine = preparation->machine;
  FitOptions options;
  options.name = a.figure.name.empty() ? "here" : a.figure.name;
  options.match = machine.gpus.empty() ? "" : machine.gpus.front().name;
  options.source = "runner profile on " + machine.cpu +
                   (options.match.empty() ? "" : ", " + options.match);
  options.cores = machine.cores;
  ASSIGN_OR_RETURN(const MachineProfile profile, FitProfile(runs, options));
  const std::string path = a.output.empty() ? OwnProfilePath(a.db) : a.output;
  RETURN_IF_ERROR(
      WriteFileAtomically(path, DumpJsonPretty(ToJson(profile)) + "\n"));
  return results::WriteTables({FitTable(runs, profile)},
                              results::Format::kTable, StdoutStyle()) +
         "\n" + path + "\n";
}

}  // namespace

int ProfileCommand(const Arguments& arguments) {
  const auto installation = FindInstallation();
  if (!installation.ok()) {
    return Complain(installation.status(), kExitRequest);
  }
  Arguments a = arguments;
  a.file.file = installation->experiments + "/profile.jsonnet";
  if (const int code = RunCommand(a); code != kExitOk) {
    return code;
  }
  a.rerun = false;
  const auto text = WriteProfile(a, *installation);
  if (!text.ok()) {
    return Complain(text.status(), kExitIncomplete);
  }
  Print(*text);
  return kExitOk;
}

}  // namespace zs
