#include "results/report/chosen_runs.h"

#include <algorithm>
#include <set>

namespace zs::results {
namespace {

std::string Parenthesis(const std::string& reason) {
  return reason.empty() ? "" : " (" + reason + ")";
}

// "run 7 was killed, no_data (no step was completed)".
std::string OutcomeText(const RunRow& run) {
  const RunOutcome& outcome = *run.outcome;
  return "run " + std::to_string(run.id) + " was " +
         std::string(Name(outcome.process)) + ", " +
         std::string(Name(outcome.measurement)) +
         Parenthesis(outcome.measurement_reason);
}

}  // namespace

Result<std::vector<RunRow>> ValidRepeats(const Reader& reader,
                                         const RunChoice& choice) {
  ASSIGN_OR_RETURN(const std::vector<RunRow> newest_first,
                   reader.Runs({.key = choice.key,
                                .measurement = MeasurementState::kValid,
                                .sweep_id = choice.sweep_id}));
  std::set<int> seen;
  std::vector<RunRow> runs;
  for (const RunRow& run : newest_first) {
    if (run.id > choice.after_run_id && seen.insert(run.repeat).second) {
      runs.push_back(run);
    }
  }
  std::reverse(runs.begin(), runs.end());
  return runs;
}

Status NoteFaults(const Reader& reader, const RunChoice& choice,
                  const std::vector<RunRow>& runs, ComparedExperiment& side) {
  for (const RunRow& run : runs) {
    const RunOutcome& outcome = *run.outcome;
    if (outcome.verdict != Verdict::kPass) {
      const bool failed = outcome.verdict == Verdict::kFail;
      side.passed = side.passed && !failed;
      side.faults.push_back("run " + std::to_string(run.id) +
                            (failed ? " failed" : " is undecided") +
                            (outcome.verdict_reason.empty()
                                 ? ""
                                 : ": " + outcome.verdict_reason));
    }
  }
  ASSIGN_OR_RETURN(
      const std::vector<RunRow> newest,
      reader.Runs(
          {.key = choice.key, .sweep_id = choice.sweep_id, .limit = 1}));
  if (!newest.empty() && newest[0].id > runs.back().id && newest[0].outcome &&
      newest[0].outcome->measurement != MeasurementState::kValid) {
    side.faults.push_back("the newest attempt gave no measurement: " +
                          OutcomeText(newest[0]));
  }
  return OkStatus();
}

std::string WhyMissing(const ExperimentRow& experiment,
                       const std::vector<RunRow>& runs) {
  const std::string again =
      "; run it again with --only " + experiment.experiment.name;
  if (runs.empty()) {
    return "has not been run" +
           Parenthesis(experiment.not_run
                           ? std::string(Name(*experiment.not_run)) + ": " +
                                 experiment.not_run_reason
                           : std::string()) +
           again;
  }
  return "has no valid run: " + OutcomeText(runs[0]) + again;
}

}  // namespace zs::results
