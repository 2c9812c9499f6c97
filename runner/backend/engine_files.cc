#include "runner/backend/engine_files.h"

#include <utility>
#include <vector>

#include "base/files.h"
#include "results/store/mask.h"
#include "runner/backend/places.h"
#include "runner/reach/node_files.h"

namespace zs {

Status PrepareEngine(const Json& config, const Experiment& experiment,
                     AgentPool& agents, Launch& launch) {
  RETURN_IF_ERROR(MeetAtPort(experiment, agents, launch));
  const std::string path = launch.folder + "/config.json";
  RETURN_IF_ERROR(WriteFileAtomically(path, DumpJsonPretty(config) + "\n"));
  if (experiment.topology.reach.empty()) {
    return OkStatus();
  }
  ASSIGN_OR_RETURN(const FileSet engine, ProgramFiles(launch.engine_path));
  ASSIGN_OR_RETURN(const FileSet configuration, OneFile(path));
  ASSIGN_OR_RETURN(const std::vector<std::string> engine_paths,
                   PutOnAllNodes(engine, experiment.topology, agents));
  ASSIGN_OR_RETURN(const std::vector<std::string> config_paths,
                   PutOnAllNodes(configuration, experiment.topology, agents));
  for (size_t i = 0; i < engine_paths.size(); ++i) {
    launch.nodes.push_back({engine_paths[i], config_paths[i]});
  }
  return OkStatus();
}

Launch ImagineEngine(const Experiment& experiment, Launch launch) {
  launch.folder = "FOLDER";
  if (!experiment.topology.reach.empty()) {
    const auto engine = ProgramFiles(launch.engine_path);
    launch.nodes.assign(
        experiment.topology.nodes.size(),
        {.engine_path =
             "CACHE/files/" + (engine.ok() ? engine->hash : "HASH") + "/engine",
         .config_path = "CACHE/files/HASH/config.json"});
  }
  return launch;
}

std::string ShownConfig(const Json& config) {
  return " FOLDER/config.json: " + DumpJson(results::MaskDocument(config)) +
         "\n";
}

}  // namespace zs
