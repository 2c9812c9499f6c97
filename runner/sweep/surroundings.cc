#include "runner/sweep/surroundings.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/json.h"
#include "runner/host/command_output.h"
#include "runner/plan/fingerprint.h"

namespace zs {
namespace {

constexpr double kVersionS = 10;

// The program of an experiment that is not the engine's, as far as it lies on
// this host: the content of every file among its words. Empty where it runs on
// other hosts.
Result<std::string> ProgramOf(const Experiment& experiment) {
  if (!experiment.topology.reach.empty()) {
    return std::string();
  }
  std::vector<std::string> words;
  std::filesystem::path folder;
  if (experiment.command) {
    words = experiment.command->argv;
    folder = experiment.command->cwd;
  } else {
    words = experiment.megatron->args;
    words.push_back(experiment.megatron->script);
    words.emplace_back("megatron/core/package_info.py");
    folder = experiment.megatron->root;
  }
  Json files = Json::object();
  for (const std::string& word : words) {
    std::error_code error;
    const std::filesystem::path path = folder / word;
    if (!word.empty() && std::filesystem::is_regular_file(path, error)) {
      ASSIGN_OR_RETURN(files[path.filename().string()],
                       Sha256HexOfFile(path.string()));
    }
  }
  return files.empty() ? std::string() : DumpJson(files);
}

}  // namespace

Result<std::string> EngineContent(KnownProgram& engine,
                                  const std::string& device) {
  ASSIGN_OR_RETURN(const FileSet files, engine.Files(EnginePartsOn(device)));
  Json content = {{"sha256", files.files.front().sha256}};
  for (size_t i = 1; i < files.files.size(); ++i) {
    content["plugins"][files.files[i].name] = files.files[i].sha256;
  }
  return DumpJson(content);
}

Surroundings SurroundingsOf(const Machine& machine,
                            const std::string& engine_path) {
  Surroundings here;
  const auto versions = CommandOutput({engine_path, "--version"}, kVersionS);
  here.software = DumpJson({{"os", machine.os},
                            {"kernel", machine.kernel},
                            {"gpu_driver", machine.gpu_driver},
                            {"engine", versions.ok() ? *versions : ""}});
  Json hardware = MachineForFile(machine);
  hardware["cpu"] = machine.cpu;
  here.hardware = DumpJson(hardware);
  return here;
}

Result<Surroundings> SurroundingsHere::Of(const Experiment& experiment) {
  // Of other hosts nothing is known before they are reached.
  const bool elsewhere = !experiment.topology.reach.empty();
  Surroundings surroundings;
  if (!elsewhere) {
    if (!here_) {
      here_ = SurroundingsOf(machine_, engine_.path());
    }
    surroundings = *here_;
  }
  ASSIGN_OR_RETURN(surroundings.engine,
                   RunsEngine(experiment)
                       ? EngineContent(engine_, experiment.device)
                       : ProgramOf(experiment));
  if (experiment.backend == Backend::kEngine) {
    auto data = Fingerprint(experiment.data, elsewhere);
    if (!data.ok()) {
      return data.status().WithContext("data");
    }
    surroundings.data = *std::move(data);
  }
  return surroundings;
}

Result<std::string> SurroundingsHere::Fingerprint(const DataConfig& data,
                                                  bool elsewhere) {
  const std::string place = DumpJson(ToJson(data));
  const auto known = fingerprints_.find(place);
  if (known != fingerprints_.end()) {
    return known->second;
  }
  Result<std::string> fingerprint = DataFingerprint(data);
  if (elsewhere && fingerprint.status().code() == StatusCode::kNotFound) {
    // Read on the nodes alone, before each run; here it bears its place.
    return DumpJson({{"on_the_nodes", data.paths}});
  }
  RETURN_IF_ERROR(fingerprint.status());
  return fingerprints_[place] = *std::move(fingerprint);
}

}  // namespace zs
