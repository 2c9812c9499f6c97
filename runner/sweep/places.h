// Where the processes of one run meet and what they start from.
#ifndef RUNNER_SWEEP_PLACES_H_
#define RUNNER_SWEEP_PLACES_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "engine/api/run_config.h"
#include "runner/backend/engine_backend.h"
#include "runner/plan/spec/experiment.h"
#include "runner/reach/agent_pool.h"

namespace zs {

struct PlacesRequest {
  const Experiment& experiment;
  std::string engine_path;      // on this host
  std::string folder;           // of the run; made here
  CheckpointConfig checkpoint;  // absolute folders
  std::string token;
  uint64_t seed = 0;  // varies where the search for a port begins
};

// A port that is free on MASTER_ADDR's host: the experiment's own where it is
// free, else another. Behind a `reach` the first node's agent is asked.
Result<int> LeasePort(const Experiment& experiment, AgentPool& agents,
                      uint64_t seed);

// Writes the configuration into the run's folder and leases a port. Behind a
// `reach`, engine and configuration are put on every node that does not have
// them with this content. kUnavailable where a node is not to be reached.
Result<EngineRun> PreparePlaces(const PlacesRequest& request,
                                AgentPool& agents);

}  // namespace zs

#endif  // RUNNER_SWEEP_PLACES_H_
