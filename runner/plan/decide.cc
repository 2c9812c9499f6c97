#include "runner/plan/decide.h"

namespace zs {
namespace {

Decision Skip(SkipCause cause, std::string reason) {
  return {
      .action = Action::kSkipped, .cause = cause, .reason = std::move(reason)};
}

std::string RunReason(const Experiment& experiment, const Facts& facts) {
  if (facts.rerun) {
    return "asked for again";
  }
  if (facts.undecided && facts.past_passes >= experiment.repeats) {
    return "undecided after " + std::to_string(facts.past_passes) +
           " repeats, until.max " + std::to_string(experiment.until.max);
  }
  if (facts.past_passes > 0) {
    return std::to_string(facts.past_passes) + " of " +
           std::to_string(experiment.repeats) + " repeats have passed" +
           (facts.outdated.empty() ? "" : "; " + facts.outdated);
  }
  if (!facts.outdated.empty()) {
    return facts.outdated;
  }
  return facts.changed.empty() ? "no run has passed yet"
                               : "changed: " + facts.changed;
}

// Why NEED keeps its users from running; empty where it does not.
std::string Blocked(const Experiment& need, const Facts& facts,
                    const Decision& decision) {
  if (facts.outcome == Outcome::kFailed) {
    return "needs " + need.name + ", which failed";
  }
  if (decision.action == Action::kSkipped &&
      decision.cause != SkipCause::kNotSelected) {
    return "needs " + need.name + ", which is skipped (" +
           std::string(SkipCauseName(decision.cause)) + ")";
  }
  return "";
}

// The decision on experiment I, those on its needs being taken.
Decision DecideOne(const Sweep& sweep, const Graph& graph,
                   const std::vector<Facts>& facts,
                   const std::vector<Decision>& decisions, size_t i) {
  const Experiment& experiment = sweep.experiments[i];
  const Facts& fact = facts[i];
  if (fact.outcome != Outcome::kNone) {
    return {.action = Action::kDone,
            .reason = fact.outcome == Outcome::kPassed ? "passed" : "failed"};
  }
  if (!experiment.exclude.empty()) {
    return Skip(SkipCause::kExcluded, experiment.exclude);
  }
  if (!fact.selected) {
    return Skip(SkipCause::kNotSelected, "not among those asked for");
  }
  const bool enough = fact.past_passes >= experiment.repeats && !fact.rerun;
  const Decision cached = {
      .action = Action::kCached,
      .reason = fact.past +
                (fact.nodes_unasked ? ", if its nodes are as they were" : ""),
      .if_nodes_agree = fact.nodes_unasked};
  if (enough && !fact.undecided) {
    return cached;
  }
  if (!fact.does_not_fit.empty()) {
    return enough ? cached : Skip(SkipCause::kDoesNotFit, fact.does_not_fit);
  }
  for (const size_t need : graph.needs[i]) {
    std::string blocked =
        Blocked(sweep.experiments[need], facts[need], decisions[need]);
    if (!blocked.empty()) {
      return enough ? cached : Skip(SkipCause::kNeedFailed, std::move(blocked));
    }
  }
  return {.action = Action::kRun,
          .reason = RunReason(experiment, fact),
          .if_nodes_agree =
              fact.nodes_unasked && fact.past_passes > 0 && !fact.rerun};
}

}  // namespace

std::string_view ActionName(Action action) {
  switch (action) {
    case Action::kRun:
      return "run";
    case Action::kCached:
      return "cached";
    case Action::kSkipped:
      return "skipped";
    case Action::kDone:
      return "done";
  }
  return "";
}

std::string_view SkipCauseName(SkipCause cause) {
  switch (cause) {
    case SkipCause::kNone:
      return "";
    case SkipCause::kNeedFailed:
      return "need_failed";
    case SkipCause::kExcluded:
      return "excluded";
    case SkipCause::kDoesNotFit:
      return "does_not_fit";
    case SkipCause::kNotSelected:
      return "not_selected";
  }
  return "";
}

std::vector<Decision> Decide(const Sweep& sweep, const Graph& graph,
                             const std::vector<Facts>& facts) {
  std::vector<Decision> decisions(sweep.experiments.size());
  for (const size_t i : graph.order) {
    decisions[i] = DecideOne(sweep, graph, facts, decisions, i);
  }
  return decisions;
}

}  // namespace zs
