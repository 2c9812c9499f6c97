#include "runner/sweep/judge.h"

#include <string>
#include <vector>

#include "base/strings.h"
#include "runner/sweep/expectations.h"

namespace zs {
namespace {

using results::MeasurementState;
using results::Verdict;

results::ProcessState ProcessStateOf(const RunOutcome& ended) {
  switch (ended.state) {
    case ProcessState::kExited:
      return results::ProcessState::kExited;
    case ProcessState::kFailed:
      return ended.cause == "rank_signal" || ended.cause == "oom_killed"
                 ? results::ProcessState::kKilled
                 : results::ProcessState::kExited;
    case ProcessState::kKilled:
      return results::ProcessState::kKilled;
    case ProcessState::kTimedOut:
      return results::ProcessState::kTimedOut;
    case ProcessState::kHung:
      return results::ProcessState::kHung;
    case ProcessState::kLost:
    case ProcessState::kNotStarted:
      return results::ProcessState::kLost;
  }
  return results::ProcessState::kLost;
}

void JudgeMeasurement(const Measured& measured, const Completion& wanted,
                      results::RunOutcome& outcome) {
  outcome.measurement_reason =
      std::to_string(measured.steps) +
      (wanted.steps > 0 ? " of " + std::to_string(wanted.steps) : "") +
      " steps";
  if (measured.invalid_loss.has_value()) {
    outcome.measurement = MeasurementState::kInvalidLoss;
    outcome.measurement_reason = *measured.invalid_loss;
  } else if (wanted.steps == 0 && !wanted.any_step) {
    outcome.measurement = MeasurementState::kValid;
    outcome.measurement_reason = "no steps were asked for";
  } else if (measured.steps == 0) {
    outcome.measurement = MeasurementState::kNoData;
  } else if (!measured.missing.empty()) {
    outcome.measurement = MeasurementState::kIncomplete;
    outcome.measurement_reason += "; " + Join(measured.missing, "; ");
  } else if (measured.steps < wanted.steps) {
    outcome.measurement = MeasurementState::kIncomplete;
  } else if (wanted.step_times && !measured.step_ms_median.has_value()) {
    outcome.measurement = MeasurementState::kIncomplete;
    outcome.measurement_reason += "; how long they took was not told";
  } else {
    outcome.measurement = MeasurementState::kValid;
  }
}

// What else than the expectations makes a run fail, in order of weight.
std::vector<std::string> Failures(const Experiment& experiment,
                                  const RunOutcome& ended,
                                  const Measured& measured,
                                  const Completion& wanted,
                                  const results::RunOutcome& outcome) {
  std::vector<std::string> failures;
  const auto fail_if = [&](bool failed, const std::string& why) {
    if (failed) {
      failures.push_back(why);
    }
  };
  fail_if(ended.state != ProcessState::kExited, ended.reason);
  fail_if(outcome.measurement != MeasurementState::kValid,
          outcome.measurement_reason);
  fail_if(experiment.has_train && !wanted.any_stage &&
              measured.zero_stage.has_value() &&
              *measured.zero_stage != experiment.train.zero_stage,
          "ZeRO stage " + std::to_string(measured.zero_stage.value_or(-1)) +
              " was in effect, " + std::to_string(experiment.train.zero_stage) +
              " was asked for");
  fail_if(measured.world_size.has_value() &&
              *measured.world_size != experiment.world_size(),
          "world size was " + std::to_string(measured.world_size.value_or(0)) +
              ", asked for " + std::to_string(experiment.world_size()));
  fail_if(measured.ranks_differ, "the ranks ended with different parameters");
  for (const CleanupReceipt& receipt : ended.clean_up) {
    // What nobody knows of a GPU is looked at before the next experiment.
    fail_if(!receipt.left_nothing(),
            receipt.node + ": not clean after the run: " +
                std::to_string(receipt.processes_left) + " processes left, " +
                std::to_string(receipt.ports_busy.size()) + " ports busy" +
                (receipt.note.empty() ? "" : ", " + receipt.note));
  }
  return failures;
}

// What a pass needs and nobody has told.
std::vector<std::string> Unknowns(const Measured& measured,
                                  const Completion& wanted) {
  std::vector<std::string> unknown;
  if (wanted.zero_stage && !measured.zero_stage.has_value()) {
    unknown.emplace_back("ZeRO stage in effect: unknown");
  }
  if (wanted.world_size && !measured.world_size.has_value()) {
    unknown.emplace_back("world size in effect: unknown");
  }
  if (wanted.parameters && !measured.ranks_differ &&
      !measured.parameters_sha256.has_value()) {
    unknown.emplace_back(
        "parameters at the end: " + std::to_string(measured.ranks_ended) +
        " ranks told theirs" +
        (measured.world_size
             ? ", " + std::to_string(*measured.world_size) + " ran"
             : ""));
  }
  return unknown;
}

}  // namespace

results::RunOutcome Judge(const Experiment& experiment, const RunOutcome& ended,
                          const Measured& measured, const Completion& wanted) {
  results::RunOutcome outcome;
  outcome.process = ProcessStateOf(ended);
  outcome.process_reason = ended.reason;
  outcome.final_loss = measured.final_loss;
  outcome.parameters_sha256 = measured.parameters_sha256.value_or("");
  for (const RankExit& rank : ended.ranks) {
    if (rank.rank == ended.first_failed_rank && rank.ended &&
        rank.signal == 0) {
      outcome.exit_status = rank.exit_code;
    }
  }
  if (ended.state == ProcessState::kExited) {
    outcome.exit_status = 0;
  }
  JudgeMeasurement(measured, wanted, outcome);

  std::vector<std::string> failures =
      Failures(experiment, ended, measured, wanted, outcome);
  const ExpectationResult expected =
      CheckExpectations(experiment.expect, measured);
  failures.insert(failures.end(), expected.broken.begin(),
                  expected.broken.end());
  std::vector<std::string> unknown = Unknowns(measured, wanted);
  unknown.insert(unknown.end(), expected.unknown.begin(),
                 expected.unknown.end());
  if (!failures.empty()) {
    outcome.verdict = Verdict::kFail;
    outcome.verdict_reason = Join(failures, "; ");
  } else if (!unknown.empty()) {
    outcome.verdict = Verdict::kUndecided;
    outcome.verdict_reason = Join(unknown, "; ");
  } else {
    outcome.verdict = Verdict::kPass;
    outcome.verdict_reason = "all steps, all expectations";
  }
  return outcome;
}

}  // namespace zs
