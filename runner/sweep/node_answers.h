// What the nodes of an experiment tell of themselves, as parts of its key.
#ifndef RUNNER_SWEEP_NODE_ANSWERS_H_
#define RUNNER_SWEEP_NODE_ANSWERS_H_

#include <map>
#include <string>
#include <vector>

#include "runner/check/result.h"
#include "runner/plan/key.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// The parts that RESULTS, the checks of the nodes of EXPERIMENT behind a
// `reach`, give to its key: software, hardware, inherited variables, the
// program where it is not our engine, files that were compared. A value that is
// the same on all nodes stands alone, else there is a list in the order of the
// nodes. `unknown` says what a node did not tell: a key with it is that of no
// other run. Names of nodes and places of files are in none of it.
Surroundings AnswersOf(const Experiment& experiment,
                       const std::vector<CheckResult>& results);

// What `engine --version` PRINTED: its own line as "engine", then the shared
// libraries that it runs with, name to build.
std::map<std::string, std::string> EngineVersions(const std::string& printed);

}  // namespace zs

#endif  // RUNNER_SWEEP_NODE_ANSWERS_H_
