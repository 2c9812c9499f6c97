#include "runner/backend/engine_files.h"

#include <cerrno>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "results/store/mask.h"
#include "runner/backend/places.h"
#include "runner/reach/file_set.h"

namespace zs {
namespace {

// Not flushed to the disk: whatever a loss of power takes with it, the run is
// lost with it, too.
Status WriteConfig(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? OkStatus() : ErrnoError(errno, "write " + path);
}

}  // namespace

Status PrepareEngine(const Json& config, const Experiment& experiment,
                     AgentPool& agents, Launch& launch) {
  const std::string path = launch.folder + "/config.json";
  RETURN_IF_ERROR(WriteConfig(path, DumpJsonPretty(config) + "\n"));
  if (experiment.topology.reach.empty()) {
    return MeetAtPort(experiment, agents, launch);
  }
  const ProgramParts parts = EnginePartsOn(experiment.device);
  ASSIGN_OR_RETURN(FileSet engine, launch.engine->Files(parts));
  ASSIGN_OR_RETURN(FileSet configuration, OneFile(path));
  ASSIGN_OR_RETURN(const auto paths,
                   MeetWithFiles({std::move(engine), std::move(configuration)},
                                 experiment, agents, launch));
  for (size_t i = 0; i < paths[0].size(); ++i) {
    launch.nodes.push_back({paths[0][i], paths[1][i]});
  }
  return OkStatus();
}

Launch ImagineEngine(const Experiment& experiment, Launch launch) {
  launch.folder = "FOLDER";
  if (!experiment.topology.reach.empty()) {
    const auto engine =
        ProgramFiles(launch.engine_path, EnginePartsOn(experiment.device));
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
