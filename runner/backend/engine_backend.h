// Turns an experiment for the engine into processes.
#ifndef RUNNER_BACKEND_ENGINE_BACKEND_H_
#define RUNNER_BACKEND_ENGINE_BACKEND_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "engine/api/run_config.h"
#include "runner/plan/spec/experiment.h"
#include "runner/supervise/request.h"

namespace zs {

// Where a node has what its ranks start from.
struct NodePlaces {
  std::string engine_path;
  std::string config_path;
};

// What an experiment does not say: the places of this attempt.
struct EngineRun {
  std::string engine_path;        // the engine program on this host
  std::string folder;             // of this attempt: config.json, logs
  std::vector<NodePlaces> nodes;  // empty: every node uses the above
  std::string token;              // see RunRequest
  std::string master_addr;
  int master_port = 0;
  CheckpointConfig checkpoint;  // absolute folders
};

// What a run of EXPERIMENT in FOLDER saves. With verify_load there is always a
// checkpoint before the last step.
CheckpointConfig CheckpointsOf(const Experiment& experiment,
                               const std::string& folder);

// The configuration file of every rank.
RunConfig EngineRunConfig(const Experiment& experiment, const EngineRun& run);

// The processes of the run: argv and environment of each rank on each node,
// with torchrun's variables beside the experiment's own. Pure; the
// configuration file is expected at FOLDER/config.json, or where `nodes` says.
RunRequest EngineRequest(const Experiment& experiment, const EngineRun& run);

// MASTER_ADDR: the first node; where all ranks are on this host, its loopback.
std::string MasterAddress(const Topology& topology);

// REACH with "{host}" replaced by HOST, word by word.
std::vector<std::string> ReachOf(const std::vector<std::string>& reach,
                                 const std::string& host);

}  // namespace zs

#endif  // RUNNER_BACKEND_ENGINE_BACKEND_H_
