// What can be said against an experiment before anything is started.
#ifndef RUNNER_SWEEP_PLAN_NOTES_H_
#define RUNNER_SWEEP_PLAN_NOTES_H_

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "runner/backend/driver.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// What is known of this host, for experiments that run on it.
struct HostNames {
  std::vector<std::string> interfaces;
  std::vector<std::string> hcas;  // InfiniBand and RoCE adapters
};

HostNames NamesOfThisHost();

// What the backend says of EXPERIMENT, then what is wrong with its
// environment: unknown and misspelt names, contradictions, settings without
// effect, and, where it runs on HOST, interfaces and adapters that are not
// there. Reaches no node.
// INHERITED: variables that its ranks have beside those of `env`.
std::vector<PlanNote> NotesOn(
    const Experiment& experiment, const HostNames& host,
    const std::map<std::string, std::string>& inherited = {});

// "experiment 'z1': train.zero_stage: ...".
std::string NoteText(const Experiment& experiment, const PlanNote& note);

}  // namespace zs

#endif  // RUNNER_SWEEP_PLAN_NOTES_H_
