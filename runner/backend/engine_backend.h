// Turns an experiment for the engine into processes.
#ifndef RUNNER_BACKEND_ENGINE_BACKEND_H_
#define RUNNER_BACKEND_ENGINE_BACKEND_H_

#include <string>

#include "engine/api/run_config.h"
#include "runner/backend/launch.h"
#include "runner/plan/spec/experiment.h"
#include "runner/supervise/request.h"

namespace zs {

// The configuration file of every rank.
RunConfig EngineRunConfig(const Experiment& experiment, const Launch& launch);

// The processes of the run: argv and environment of each rank on each node,
// with torchrun's variables beside the experiment's own. Pure; the
// configuration file is expected at FOLDER/config.json, or where `nodes` says.
RunRequest EngineRequest(const Experiment& experiment, const Launch& launch);

}  // namespace zs

#endif  // RUNNER_BACKEND_ENGINE_BACKEND_H_
