#include "runner/sweep/sweep.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/api/run_config.h"
#include "results/store/mask.h"
#include "runner/sweep/node_checks.h"
#include "runner/sweep/settle.h"

namespace zs {
namespace {

// EXPERIMENT as the record wants it.
results::Experiment RecordOf(const Experiment& experiment, const Key& key,
                             const std::string& spec_json) {
  results::Experiment row;
  row.name = experiment.name;
  row.key = key.hash;
  row.key_parts_json = KeyPartsJson(key);
  row.spec_json = spec_json;
  row.needs = experiment.needs;
  row.backend = BackendName(experiment.backend);
  row.model = experiment.model.name;
  row.world_size = experiment.world_size();
  row.ranks_per_node = experiment.topology.ranks_per_node;
  if (experiment.has_train) {
    row.zero_requested = experiment.train.zero_stage;
    row.micro_batch = experiment.train.micro_batch;
    row.global_batch = experiment.train.global_batch;
    row.seq_len = experiment.train.seq_len;
    row.steps = experiment.train.steps;
    row.warmup_steps = experiment.train.warmup_steps;
    row.dtype = experiment.train.dtype;
  }
  return row;
}

results::NotRun NotRunOf(const Decision& decision) {
  if (decision.action == Action::kCached) {
    return results::NotRun::kCached;
  }
  switch (decision.cause) {
    case SkipCause::kNeedFailed:
      return results::NotRun::kSkippedNeedFailed;
    case SkipCause::kDoesNotFit:
      return results::NotRun::kSkippedDoesNotFit;
    case SkipCause::kNone:
    case SkipCause::kExcluded:
    case SkipCause::kNotSelected:
      break;
  }
  return results::NotRun::kSkippedExcluded;
}

// One sweep on its way.
class Execution {
 public:
  Execution(SweepTools& tools, const SweepRequest& request,
            Preparation& preparation)
      : tools_(tools),
        request_(request),
        preparation_(preparation),
        checks_(tools.agents, {.engine_path = tools.engine_path,
                               .artifact_root = request.artifact_root}) {}

  Result<SweepResult> Run();

 private:
  const Sweep& sweep() const { return preparation_.sweep(); }
  bool Selected(size_t i) const { return preparation_.facts[i].selected; }

  Status Begin();
  Status Treat(size_t i);
  Status RecordNotRun(size_t i);
  Status RunExperiment(size_t i);
  // Whether the nodes of REQUEST's experiment are fit; recorded either way.
  Result<bool> NodesAreFit(const AttemptRequest& request);
  // Whether earlier runs have left nothing on them; recorded where they have.
  Result<bool> NodesAreSettled(const AttemptRequest& request);
  AttemptRequest AttemptAt(size_t i, int repeat, int attempt) const;
  // Attempts one repeat until it passes or no retry is left.
  Result<bool> RunRepeat(size_t i, int repeat);
  bool MustStop() const;
  Status NotReached(size_t i);

  SweepTools& tools_;
  const SweepRequest& request_;
  Preparation& preparation_;
  SweepResult result_;
  NodeChecks checks_;
  std::vector<int64_t> ids_;  // in the record; 0: not selected
  std::string folder_;
};

Status Execution::Begin() {
  ASSIGN_OR_RETURN(result_.sweep_id, tools_.store.BeginSweep(request_.start));
  folder_ = request_.artifact_root + "/" + sweep().name + "-" +
            std::to_string(result_.sweep_id);
  // As evaluated: what the file said, before defaults.
  ASSIGN_OR_RETURN(const Json document,
                   ParseJson(preparation_.loaded.document));
  std::vector<results::Experiment> rows;
  std::vector<size_t> selected;
  int to_run = 0;
  for (size_t i = 0; i < sweep().experiments.size(); ++i) {
    if (!Selected(i)) {
      continue;
    }
    selected.push_back(i);
    to_run += preparation_.decisions[i].action == Action::kRun ? 1 : 0;
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
                               to_run);
  return OkStatus();
}

bool Execution::MustStop() const {
  return tools_.stop.kind() != StopKind::kNone ||
         (request_.stop_after != nullptr && *request_.stop_after) ||
         (request_.fail_fast && result_.failed > 0);
}

Status Execution::RecordNotRun(size_t i) {
  const Decision& decision = preparation_.decisions[i];
  const results::NotRun state = NotRunOf(decision);
  ++(state == results::NotRun::kCached ? result_.cached : result_.skipped);
  result_.does_not_fit += state == results::NotRun::kSkippedDoesNotFit ? 1 : 0;
  tools_.progress.NotRun(sweep().experiments[i], state, decision.reason);
  int64_t cached_run_id = 0;
  if (state == results::NotRun::kCached) {
    const auto past =
        tools_.store.reader().NewestValidRun(preparation_.keys[i].hash, true);
    cached_run_id = past.ok() ? past->id : 0;
  }
  return tools_.store.SetNotRun(ids_[i], state, decision.reason, cached_run_id);
}

Status Execution::NotReached(size_t i) {
  ++result_.not_reached;
  const std::string reason = request_.fail_fast && result_.failed > 0
                                 ? "an earlier experiment failed (--fail-fast)"
                                 : "the sweep was stopped before";
  return tools_.store.SetNotRun(ids_[i], results::NotRun::kSkippedBudget,
                                reason);
}

std::vector<results::PredictionRow> PredictionsOf(const Derived& derived) {
  std::vector<results::PredictionRow> rows;
  for (const auto& [term, value] : derived.step.terms()) {
    rows.push_back({.term = term, .value = value, .profile = derived.profile});
  }
  return rows;
}

AttemptRequest Execution::AttemptAt(size_t i, int repeat, int attempt) const {
  const Experiment& experiment = preparation_.sweep().experiments[i];
  return {.experiment = experiment,
          .sweep_id = result_.sweep_id,
          .experiment_id = ids_[i],
          .repeat = repeat,
          .attempt = attempt,
          .folder = folder_ + "/" + experiment.name + "/" +
                    std::to_string(repeat) + "." + std::to_string(attempt),
          .predictions = PredictionsOf(preparation_.derived[i])};
}

Result<bool> Execution::NodesAreFit(const AttemptRequest& request) {
  const NodeChecks::Found& found = checks_.Check(request.experiment);
  if (!found.all_ok) {
    ++result_.refused;
    RETURN_IF_ERROR(RecordRefusal(tools_, request, found.results));
  } else if (found.fresh) {
    RETURN_IF_ERROR(
        tools_.store.AddChecks(result_.sweep_id, /*run_id=*/0,
                               RowsOf(found.results, tools_.clock.unix_ms())));
  }
  return found.all_ok;
}

Result<bool> Execution::NodesAreSettled(const AttemptRequest& request) {
  ASSIGN_OR_RETURN(
      const std::vector<CheckResult> bad,
      SettleNodes(request.experiment, result_.sweep_id, tools_.clock.unix_ms(),
                  tools_.store, tools_.agents));
  if (!bad.empty()) {
    ++result_.refused;
    RETURN_IF_ERROR(RecordRefusal(tools_, request, bad));
  }
  return bad.empty();
}

Result<bool> Execution::RunRepeat(size_t i, int repeat) {
  const Experiment& experiment = sweep().experiments[i];
  for (int attempt = 1; attempt <= 1 + experiment.limits.retries; ++attempt) {
    const AttemptRequest request = AttemptAt(i, repeat, attempt);
    ASSIGN_OR_RETURN(const bool settled, NodesAreSettled(request));
    if (!settled) {
      return false;
    }
    ASSIGN_OR_RETURN(const AttemptResult result, RunAttempt(tools_, request));
    if (result.outcome.verdict == results::Verdict::kPass) {
      return true;
    }
    if (MustStop()) {
      break;
    }
  }
  return false;
}

Status Execution::RunExperiment(size_t i) {
  const Experiment& experiment = sweep().experiments[i];
  Facts& facts = preparation_.facts[i];
  const int done = facts.rerun ? 0 : facts.past_passes;
  ASSIGN_OR_RETURN(bool passed,
                   NodesAreFit(AttemptAt(i, done + 1, /*attempt=*/1)));
  for (int repeat = done + 1; repeat <= experiment.repeats && passed;
       ++repeat) {
    ASSIGN_OR_RETURN(passed, RunRepeat(i, repeat));
  }
  facts.outcome = passed ? Outcome::kPassed : Outcome::kFailed;
  ++(passed ? result_.passed : result_.failed);
  preparation_.decisions =
      Decide(sweep(), preparation_.graph, preparation_.facts);
  return OkStatus();
}

Status Execution::Treat(size_t i) {
  if (preparation_.decisions[i].action != Action::kRun) {
    return RecordNotRun(i);
  }
  return MustStop() ? NotReached(i) : RunExperiment(i);
}

Result<SweepResult> Execution::Run() {
  RETURN_IF_ERROR(Begin());
  for (const size_t i : preparation_.graph.order) {
    if (Selected(i)) {
      RETURN_IF_ERROR(Treat(i));
    }
  }
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
