#include "runner/sweep/sweep.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "results/store/mask.h"
#include "runner/sweep/blocks.h"
#include "runner/sweep/machine_findings.h"
#include "runner/sweep/node_gate.h"
#include "runner/sweep/repeats.h"
#include "runner/sweep/settle.h"
#include "runner/sweep/spend.h"
#include "runner/sweep/sweep_rows.h"

namespace zs {
namespace {

// One sweep on its way.
class Execution {
 public:
  Execution(SweepTools& tools, const SweepRequest& request,
            Preparation& preparation)
      : tools_(tools),
        request_(request),
        preparation_(preparation),
        gate_(tools, preparation, request.artifact_root) {}

  Result<SweepResult> Run();

 private:
  const Sweep& sweep() const { return preparation_.sweep(); }
  bool Selected(size_t i) const { return preparation_.facts[i].selected; }

  Status Begin();
  Status Treat(const std::vector<size_t>& group);
  Status RecordNotRun(size_t i);
  Status RunGroup(const std::vector<size_t>& group);
  Status RunOne(Member& member);
  RepeatTools Repeats();
  Status Settle(const Member& member);
  Status RunSentinels();
  Status RecordMachines();
  // Whether the nodes of experiment I are fit for REPEAT; recorded either way.
  Result<bool> NodesAreFit(size_t i, int repeat);
  // Whether earlier runs have left nothing on them; recorded where they have.
  Result<bool> NodesAreSettled(const AttemptRequest& request);
  AttemptRequest AttemptAt(const Experiment& experiment, size_t i, int repeat,
                           int attempt) const;
  // Attempts one repeat until it passes or no retry is left.
  Result<bool> RunRepeat(size_t i, int repeat);
  double RemainingS() const;
  bool MustStop() const;
  Status NotReached(size_t i);

  SweepTools& tools_;
  const SweepRequest& request_;
  Preparation& preparation_;
  SweepResult result_;
  NodeGate gate_;
  std::vector<int64_t> ids_;  // in the record; 0: not selected
  std::string folder_;
  int64_t started_ns_ = 0;
  int to_run_ = 0;  // experiments, sentinels apart
  std::vector<size_t> sentinels_;
  int sentinel_rounds_ = 0;
  // The step times of each sentinel's runs, as they passed.
  std::map<std::string, std::vector<std::vector<double>>> sentinel_times_;
  std::vector<double> last_times_;  // of the last run that passed
};

Status Execution::Begin() {
  started_ns_ = tools_.clock.monotonic_ns();
  ASSIGN_OR_RETURN(result_.sweep_id, tools_.store.BeginSweep(request_.start));
  RETURN_IF_ERROR(
      gate_.Decide(result_.sweep_id, [this] { return MustStop(); }));
  folder_ = request_.artifact_root + "/" + sweep().name + "-" +
            std::to_string(result_.sweep_id);
  // As evaluated: what the file said, before defaults.
  ASSIGN_OR_RETURN(const Json document,
                   ParseJson(preparation_.loaded.document));
  std::vector<results::Experiment> rows;
  std::vector<size_t> selected;
  for (size_t i = 0; i < sweep().experiments.size(); ++i) {
    if (!Selected(i)) {
      continue;
    }
    selected.push_back(i);
    if (preparation_.decisions[i].action == Action::kRun &&
        !sweep().experiments[i].sentinel) {
      ++to_run_;
    }
    rows.push_back(
        RecordOf(sweep().experiments[i], preparation_.keys[i],
                 DumpJson(results::MaskDocument(document["experiments"][i]))));
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                   tools_.store.AddExperiments(result_.sweep_id, rows));
  ids_.assign(sweep().experiments.size(), 0);
  for (size_t k = 0; k < selected.size(); ++k) {
    ids_[selected[k]] = ids[k];
  }
  tools_.progress.SweepStarted(sweep().name, static_cast<int>(rows.size()),
                               to_run_);
  return OkStatus();
}

double Execution::RemainingS() const {
  const double used_s =
      static_cast<double>(tools_.clock.monotonic_ns() - started_ns_) * 1e-9;
  return sweep().total_s > 0 ? sweep().total_s - used_s : HUGE_VAL;
}

bool Execution::MustStop() const {
  return tools_.stop.kind() != StopKind::kNone ||
         (request_.stop_after != nullptr && *request_.stop_after) ||
         (request_.fail_fast && result_.failed > 0) || RemainingS() <= 0;
}

Status Execution::RecordNotRun(size_t i) {
  const Decision& decision = preparation_.decisions[i];
  const results::NotRun state = NotRunOf(decision);
  ++(state == results::NotRun::kCached ? result_.cached : result_.skipped);
  result_.does_not_fit += state == results::NotRun::kSkippedDoesNotFit ? 1 : 0;
  result_.need_missing += state == results::NotRun::kSkippedNeedFailed ? 1 : 0;
  tools_.progress.NotRun(sweep().experiments[i], state, decision.reason);
  return tools_.store.SetNotRun(ids_[i], state, decision.reason,
                                state == results::NotRun::kCached
                                    ? preparation_.facts[i].past_run_id
                                    : 0);
}

Status Execution::NotReached(size_t i) {
  ++result_.not_reached;
  std::string reason = "the sweep was stopped before";
  if (request_.fail_fast && result_.failed > 0) {
    reason = "an earlier experiment failed (--fail-fast)";
  } else if (RemainingS() <= 0) {
    reason = "the sweep's total_s of " + FormatNumber(sweep().total_s) +
             " s is used up";
  }
  tools_.progress.NotRun(sweep().experiments[i],
                         results::NotRun::kSkippedBudget, reason);
  return tools_.store.SetNotRun(ids_[i], results::NotRun::kSkippedBudget,
                                reason);
}

AttemptRequest Execution::AttemptAt(const Experiment& experiment, size_t i,
                                    int repeat, int attempt) const {
  return {
      .experiment = experiment,
      .sweep_id = result_.sweep_id,
      .experiment_id = ids_[i],
      .repeat = repeat,
      .attempt = attempt,
      .folder = folder_ + "/" + experiment.name + "/" + std::to_string(repeat) +
                "." + std::to_string(attempt),
      .predictions = PredictionsOf(preparation_.derived[i]),
      .check_files = [this, i] { return CheckFilesAreKeyed(preparation_, i); }};
}

Result<bool> Execution::NodesAreFit(size_t i, int repeat) {
  ASSIGN_OR_RETURN(const NodeChecks::Found* const found,
                   gate_.Check(result_.sweep_id, i, ids_[i]));
  if (!found->all_ok) {
    RETURN_IF_ERROR(RecordRefusal(
        tools_, AttemptAt(sweep().experiments[i], i, repeat, /*attempt=*/1),
        found->results));
  }
  return found->all_ok;
}

Result<bool> Execution::NodesAreSettled(const AttemptRequest& request) {
  ASSIGN_OR_RETURN(
      const std::vector<CheckResult> bad,
      SettleNodes(request.experiment, result_.sweep_id, tools_.clock.unix_ms(),
                  tools_.store, tools_.agents));
  if (!bad.empty()) {
    RETURN_IF_ERROR(RecordRefusal(tools_, request, bad));
  }
  return bad.empty();
}

Result<bool> Execution::RunRepeat(size_t i, int repeat) {
  // The sweep's time limits its last run, too.
  Experiment experiment = sweep().experiments[i];
  for (int attempt = 1; attempt <= 1 + experiment.limits.retries; ++attempt) {
    experiment.limits.total_s = std::max(
        0.1, std::min(sweep().experiments[i].limits.total_s, RemainingS()));
    const AttemptRequest request = AttemptAt(experiment, i, repeat, attempt);
    ASSIGN_OR_RETURN(const bool settled, NodesAreSettled(request));
    if (!settled) {
      return false;
    }
    ++result_.started;
    ASSIGN_OR_RETURN(const AttemptResult result, RunAttempt(tools_, request));
    if (result.outcome.verdict == results::Verdict::kPass) {
      last_times_.clear();
      for (const results::StepRow& step : result.record.steps) {
        if (step.step_ms && step.step > experiment.train.warmup_steps) {
          last_times_.push_back(*step.step_ms);
        }
      }
      return true;
    }
    if (MustStop()) {
      break;
    }
  }
  return false;
}

Status Execution::RunOne(Member& member) {
  if (MustStop()) {
    member.reached = false;
    return OkStatus();
  }
  ASSIGN_OR_RETURN(member.alive, RunRepeat(member.index, member.next));
  ++member.next;
  return OkStatus();
}

// What became of MEMBER once its group has been through.
Status Execution::Settle(const Member& member) {
  const int repeats = sweep().experiments[member.index].repeats;
  Facts& facts = preparation_.facts[member.index];
  if (member.alive && !member.reached && member.next <= repeats) {
    return NotReached(member.index);
  }
  if (member.alive && facts.undecided && member.next == facts.past_passes + 1) {
    // What it was compared with has decided it meanwhile.
    facts.undecided = false;
    preparation_.decisions[member.index] = {Action::kCached, SkipCause::kNone,
                                            facts.past};
    return RecordNotRun(member.index);
  }
  facts.outcome = member.alive ? Outcome::kPassed : Outcome::kFailed;
  ++(member.alive ? result_.passed : result_.failed);
  return OkStatus();
}

RepeatTools Execution::Repeats() {
  return {.sweep = sweep(),
          .seed = request_.start.seed,
          .run = [this](Member& member) { return RunOne(member); },
          .must_stop = [this] { return MustStop(); },
          .undecided =
              [this] {
                return OpenMembers(tools_.store.reader(), sweep(),
                                   result_.sweep_id);
              },
          .spending =
              [this](size_t members) {
                tools_.progress.Note("undecided: " + std::to_string(members) +
                                     " further repeats");
              }};
}

Status Execution::RunGroup(const std::vector<size_t>& group) {
  std::vector<Member> members;
  for (const size_t i : group) {
    const Facts& facts = preparation_.facts[i];
    Member member{.index = i,
                  .next = (facts.rerun ? 0 : facts.past_passes) + 1};
    ASSIGN_OR_RETURN(member.alive, NodesAreFit(i, member.next));
    members.push_back(member);
  }
  RETURN_IF_ERROR(RunRepeats(members, Repeats()));
  for (const Member& member : members) {
    RETURN_IF_ERROR(Settle(member));
  }
  preparation_.decisions =
      Decide(sweep(), preparation_.graph, preparation_.facts);
  return OkStatus();
}

Status Execution::RunSentinels() {
  if (to_run_ == 0) {
    return OkStatus();
  }
  ++sentinel_rounds_;
  for (const size_t i : sentinels_) {
    Facts& facts = preparation_.facts[i];
    if (facts.outcome == Outcome::kFailed || MustStop()) {
      continue;
    }
    ASSIGN_OR_RETURN(bool passed, NodesAreFit(i, sentinel_rounds_));
    if (passed) {
      ASSIGN_OR_RETURN(passed, RunRepeat(i, sentinel_rounds_));
    }
    if (passed) {
      sentinel_times_[sweep().experiments[i].name].push_back(last_times_);
    }
    result_.passed += facts.outcome == Outcome::kNone && passed ? 1 : 0;
    if (!passed) {
      result_.passed -= facts.outcome == Outcome::kPassed ? 1 : 0;
      ++result_.failed;
    }
    facts.outcome = passed ? Outcome::kPassed : Outcome::kFailed;
  }
  // Who needs one that failed does not run.
  preparation_.decisions =
      Decide(sweep(), preparation_.graph, preparation_.facts);
  return OkStatus();
}

Status Execution::RecordMachines() {
  ASSIGN_OR_RETURN(const auto findings,
                   MachineFindings(tools_.store.reader(), result_.sweep_id,
                                   sentinel_times_, tools_.clock.unix_ms()));
  for (const results::FindingRow& finding : findings) {
    tools_.progress.Note(finding.message);
  }
  return tools_.store.AddFindings(result_.sweep_id, /*run_id=*/0, findings);
}

Status Execution::Treat(const std::vector<size_t>& group) {
  std::vector<size_t> still;
  for (const size_t i : group) {
    // Decisions may have changed since the groups were formed.
    if (preparation_.decisions[i].action != Action::kRun) {
      RETURN_IF_ERROR(RecordNotRun(i));
    } else if (MustStop()) {
      RETURN_IF_ERROR(NotReached(i));
    } else {
      still.push_back(i);
    }
  }
  return still.empty() ? OkStatus() : RunGroup(still);
}

Result<SweepResult> Execution::Run() {
  RETURN_IF_ERROR(Begin());
  std::vector<bool> to_run(sweep().experiments.size(), false);
  for (const size_t i : preparation_.graph.order) {
    const Action action = preparation_.decisions[i].action;
    const bool sentinel = sweep().experiments[i].sentinel && to_run_ > 0 &&
                          action != Action::kSkipped;
    if (!Selected(i)) {
      continue;
    }
    if (sentinel) {
      sentinels_.push_back(i);
    } else if (action == Action::kRun) {
      to_run[i] = true;
    } else {
      RETURN_IF_ERROR(RecordNotRun(i));
    }
  }
  RETURN_IF_ERROR(RunSentinels());
  int done = 0;
  for (const auto& group : GroupsOf(sweep(), preparation_.graph, to_run)) {
    RETURN_IF_ERROR(Treat(group));
    done += static_cast<int>(group.size());
    if (sentinel_rounds_ == 1 && 2 * done >= to_run_ && done < to_run_) {
      RETURN_IF_ERROR(RunSentinels());
    }
  }
  if (sentinel_rounds_ > 0 && !sentinels_.empty()) {
    RETURN_IF_ERROR(RunSentinels());
  }
  RETURN_IF_ERROR(RecordMachines());
  result_.out_of_time =
      RemainingS() <= 0 && result_.not_reached + result_.failed > 0;
  result_.stopped = tools_.stop.kind() != StopKind::kNone ||
                    (request_.stop_after != nullptr && *request_.stop_after);
  return result_;
}

}  // namespace

Result<SweepResult> RunSweep(SweepTools& tools, const SweepRequest& request,
                             Preparation& preparation) {
  return Execution(tools, request, preparation).Run();
}

}  // namespace zs
