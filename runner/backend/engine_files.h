// Putting the engine and its configuration where ranks start from them, for
// all backends that the engine serves.
#ifndef RUNNER_BACKEND_ENGINE_FILES_H_
#define RUNNER_BACKEND_ENGINE_FILES_H_

#include <string>

#include "base/json.h"
#include "base/status.h"
#include "runner/backend/launch.h"
#include "runner/plan/spec/experiment.h"
#include "runner/reach/agent_pool.h"

namespace zs {

// BackendDriver::Prepare for ranks that read CONFIG: it is written to
// FOLDER/config.json, and engine and configuration are put on every node
// behind a `reach` that does not have them with this content.
Status PrepareEngine(const Json& config, const Experiment& experiment,
                     AgentPool& agents, Launch& launch);

// BackendDriver::Imagine for such ranks.
Launch ImagineEngine(const Experiment& experiment, Launch launch);

// BackendDriver::ShownFiles for such ranks; secrets are masked.
std::string ShownConfig(const Json& config);

}  // namespace zs

#endif  // RUNNER_BACKEND_ENGINE_FILES_H_
