#include "runner/sweep/surroundings.h"

#include <utility>
#include <vector>

#include "runner/check/software.h"
#include "runner/host/command_output.h"
#include "runner/sweep/node_answers.h"
#include "runner/sweep/node_needs.h"

namespace zs {
namespace {

constexpr double kVersionS = 10;

// Python's part of the software, or what was not told of it.
constexpr char kPythonPart[] = "python";

bool HasData(const Experiment& experiment) {
  return experiment.backend == Backend::kEngine ||
         !experiment.data.paths.empty();
}

// The content of the program and the data of EXPERIMENT, as far as this host
// has them.
Result<KeyedSurroundings> FilesOf(ContentReader& reader,
                                  const Experiment& experiment) {
  const bool elsewhere = !experiment.topology.reach.empty();
  KeyedSurroundings keyed;
  if (!RunsEngine(experiment) && !elsewhere) {
    ASSIGN_OR_RETURN(KeyedContent program, reader.Program(experiment));
    keyed.surroundings.engine = std::move(program.text);
    keyed.files = std::move(program.files);
  }
  if (!HasData(experiment)) {
    return keyed;
  }
  Result<KeyedContent> data = reader.Data(experiment.data);
  if (elsewhere && data.status().code() == StatusCode::kNotFound) {
    // Read on the nodes alone, before each run; here it bears its place.
    keyed.surroundings.data =
        DumpJson({{"on_the_nodes", experiment.data.paths}});
    return keyed;
  }
  if (!data.ok()) {
    return data.status().WithContext("data");
  }
  keyed.surroundings.data = std::move(data->text);
  keyed.files.insert(keyed.files.end(), data->files.begin(), data->files.end());
  return keyed;
}

// Whether PART of KEY is TEXT; absent where that is empty.
bool HasPart(const Key& key, const char* part, const std::string& text) {
  const auto found = key.parts.find(part);
  return found == key.parts.end() ? text.empty() : found->second == text;
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
                            const std::string& engine_path,
                            const std::string& device) {
  Surroundings here;
  Json software = {{"os", machine.os},
                   {"kernel", machine.kernel},
                   {"gpu_driver", machine.gpu_driver}};
  if (!engine_path.empty()) {
    std::vector<std::string> command = VersionFlags(device);
    command.insert(command.begin(), engine_path);
    const auto printed = CommandOutput(command, kVersionS);
    if (printed.ok()) {
      software.update(Json(EngineVersions(*printed)));
    } else {
      here.unknown = "versions of the engine's libraries";
    }
  }
  here.software = DumpJson(software);
  Json hardware = MachineForFile(machine);
  hardware["cpu"] = machine.cpu;
  here.hardware = DumpJson(hardware);
  return here;
}

Json SurroundingsHere::PythonOf(const Experiment& experiment) {
  const auto set = experiment.env.find("PATH");
  const std::string path = set == experiment.env.end() ? "" : set->second;
  const std::string program = PythonProgramOf(experiment);
  const auto [at, fresh] = python_.try_emplace(program + " " + path);
  if (fresh) {
    const auto printed = CommandOutput(
        {"sh", "-c", WithPath(path, PythonVersionScript()), "sh", program},
        kVersionS);
    at->second = printed.ok() ? Json(*printed) : Json();
  }
  return at->second;
}

void SurroundingsHere::AddHere(const Experiment& experiment,
                               Surroundings& surroundings) {
  const bool own = RunsEngine(experiment);
  const std::string device = own ? experiment.device : "";
  const auto [at, fresh] = here_.try_emplace(device);
  if (fresh) {
    at->second = SurroundingsOf(machine_, own ? engine_.path() : "", device);
  }
  surroundings.software = at->second.software;
  surroundings.hardware = at->second.hardware;
  surroundings.unknown = at->second.unknown;
  surroundings.inherited = VariablesPart(inherited_.Of(experiment));
  if (!PythonProgramOf(experiment).empty()) {
    const Json python = PythonOf(experiment);
    Result<Json> software = ParseJson(surroundings.software);
    if (python.is_null() || !software.ok()) {
      surroundings.unknown = "versions of Python";
      return;
    }
    (*software)[kPythonPart] = python;
    surroundings.software = DumpJson(*software);
  }
}

Result<KeyedSurroundings> SurroundingsHere::Of(const Experiment& experiment) {
  ASSIGN_OR_RETURN(KeyedSurroundings keyed, FilesOf(content_, experiment));
  if (RunsEngine(experiment)) {
    ASSIGN_OR_RETURN(keyed.surroundings.engine,
                     EngineContent(engine_, experiment.device));
  }
  // Of other hosts nothing is known before they are reached.
  if (experiment.topology.reach.empty()) {
    AddHere(experiment, keyed.surroundings);
  }
  return keyed;
}

Status CheckFilesAreKeyed(
    const Experiment& experiment, const Key& key,
    std::vector<std::shared_ptr<const FileStamps>>& files) {
  const std::string touched = FirstTouched(files);
  if (touched.empty()) {
    return OkStatus();
  }
  ContentReader reader;
  auto now = FilesOf(reader, experiment);
  const bool same =
      now.ok() && HasPart(key, "data", now->surroundings.data) &&
      (RunsEngine(experiment) || !experiment.topology.reach.empty() ||
       HasPart(key, "engine", now->surroundings.engine));
  if (!same) {
    return FailedPreconditionError(touched +
                                   " changed after the file was read");
  }
  files = std::move(now->files);
  return OkStatus();
}

}  // namespace zs
