#include "runner/sweep/prepare.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "engine/api/footprint.h"
#include "runner/host/command_output.h"
#include "runner/plan/fingerprint.h"
#include "runner/plan/select.h"
#include "runner/sweep/plan_notes.h"

namespace zs {
namespace {

constexpr double kVersionS = 10;

// "2026-11-30 07:40".
std::string TimeText(int64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &local)};
}

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

Result<std::string> EngineContent(const std::string& engine_path) {
  ASSIGN_OR_RETURN(const std::string sha256, Sha256HexOfFile(engine_path));
  return DumpJson({{"sha256", sha256}});
}

// What this host adds to the keys of the experiments that run on it. Data that
// several experiments share is read once.
class SurroundingsOfHost {
 public:
  static Result<SurroundingsOfHost> Make(const Machine& machine,
                                         const std::string& engine_path) {
    SurroundingsOfHost host(machine, engine_path);
    ASSIGN_OR_RETURN(host.elsewhere_.engine, EngineContent(engine_path));
    return host;
  }

  Result<Surroundings> For(const Experiment& experiment) {
    // Of other hosts nothing is known before they are reached.
    Surroundings surroundings = elsewhere_;
    if (experiment.topology.reach.empty()) {
      if (!here_) {
        ASSIGN_OR_RETURN(here_, SurroundingsHere(machine_, engine_path_));
      }
      surroundings = *here_;
    }
    if (experiment.backend == Backend::kCommand ||
        experiment.backend == Backend::kMegatron) {
      ASSIGN_OR_RETURN(surroundings.engine, ProgramOf(experiment));
    }
    if (experiment.backend == Backend::kEngine) {
      ASSIGN_OR_RETURN(
          surroundings.data,
          Fingerprint(experiment.data, !experiment.topology.reach.empty()));
    }
    return surroundings;
  }

 private:
  SurroundingsOfHost(const Machine& machine, std::string engine_path)
      : machine_(machine), engine_path_(std::move(engine_path)) {}

  // ELSEWHERE: data that this host does not have may be on the nodes.
  Result<std::string> Fingerprint(const DataConfig& data, bool elsewhere) {
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

  const Machine& machine_;
  std::string engine_path_;
  Surroundings elsewhere_;
  std::optional<Surroundings> here_;  // looked at when it is first needed
  std::map<std::string, std::string> fingerprints_;
};

Status MakeKeys(Preparation& preparation, const std::string& engine_path) {
  ASSIGN_OR_RETURN(SurroundingsOfHost host,
                   SurroundingsOfHost::Make(preparation.machine, engine_path));
  for (const Experiment& experiment : preparation.sweep().experiments) {
    auto surroundings = host.For(experiment);
    if (!surroundings.ok()) {
      return surroundings.status().WithContext("experiment '" +
                                               experiment.name + "': data");
    }
    preparation.keys.push_back(MakeKey(experiment, *surroundings));
  }
  return OkStatus();
}

// What a node of EXPERIMENT has; unknown where its nodes are other hosts.
NodeMemory MemoryOf(const Experiment& experiment, const Machine& machine) {
  NodeMemory memory;
  if (experiment.topology.reach.empty()) {
    memory.host_bytes = machine.memory_bytes;
    for (const Gpu& gpu : machine.gpus) {
      memory.gpu_bytes = memory.gpu_bytes == 0
                             ? gpu.memory_bytes
                             : std::min(memory.gpu_bytes, gpu.memory_bytes);
    }
  }
  return memory;
}

// The parts of the newest key on record of each experiment of the sweep.
using PartsByName = std::map<std::string, std::map<std::string, std::string>>;

Result<PartsByName> ReadPastParts(const results::Reader& record,
                                  const std::string& sweep) {
  PartsByName parts;
  ASSIGN_OR_RETURN(const std::vector<results::ExperimentRow> rows,
                   record.NewestExperiments(sweep));
  for (const results::ExperimentRow& row : rows) {
    // Parts are kept as JSON, whose text is canonical again when dumped.
    const auto json = ParseJson(row.experiment.key_parts_json);
    if (!json.ok() || !json->is_object()) {
      continue;
    }
    for (const auto& [name, part] : json->items()) {
      parts[row.experiment.name][name] = DumpJson(part);
    }
  }
  return parts;
}

// What the record knows of one experiment.
Status LookUp(const results::Reader& record, const Key& key,
              const PartsByName& past_parts, const std::string& name,
              Facts& facts) {
  ASSIGN_OR_RETURN(
      const std::vector<results::RunRow> runs,
      record.Runs({.key = key.hash,
                   .measurement = results::MeasurementState::kValid,
                   .verdict = results::Verdict::kPass}));
  facts.past_passes = static_cast<int>(runs.size());
  if (!runs.empty()) {
    facts.past = "run " + std::to_string(runs.front().id) + ", " +
                 TimeText(runs.front().started_unix_ms);
    return OkStatus();
  }
  const auto before = past_parts.find(name);
  if (before != past_parts.end()) {
    const auto differences = Explain(before->second, key.parts);
    if (!differences.empty()) {
      facts.changed = ToString(differences.front());
      if (differences.size() > 1) {
        facts.changed +=
            " (and " + std::to_string(differences.size() - 1) + " more)";
      }
    }
  }
  return OkStatus();
}

Status SelectExperiments(Preparation& preparation,
                         const std::vector<std::string>& only) {
  if (only.empty()) {
    return OkStatus();
  }
  std::vector<std::string> names;
  for (const Experiment& experiment : preparation.sweep().experiments) {
    names.push_back(experiment.name);
  }
  const auto matched = MatchAll(only, names);
  if (!matched.ok()) {
    return matched.status().WithContext("--only");
  }
  for (Facts& facts : preparation.facts) {
    facts.selected = false;
  }
  for (const size_t i : WithNeeds(preparation.graph, *matched)) {
    preparation.facts[i].selected = true;
  }
  return OkStatus();
}

Status FindFacts(Preparation& preparation, const PrepareRequest& request) {
  const Sweep& sweep = preparation.sweep();
  preparation.facts.resize(sweep.experiments.size());
  RETURN_IF_ERROR(SelectExperiments(preparation, request.only));
  for (size_t i = 0; i < sweep.experiments.size(); ++i) {
    preparation.facts[i].rerun = request.rerun;
    const Experiment& experiment = sweep.experiments[i];
    preparation.facts[i].does_not_fit =
        DoesNotFit(experiment, preparation.derived[i],
                   MemoryOf(experiment, preparation.machine));
  }
  return OkStatus();
}

// What the backends and the environment lint say; all errors at once.
Status TakeNotes(Preparation& preparation) {
  const HostNames host = NamesOfThisHost();
  std::string errors;
  const Sweep& sweep = preparation.sweep();
  preparation.notes.resize(sweep.experiments.size());
  for (size_t i = 0; i < sweep.experiments.size(); ++i) {
    const Experiment& experiment = sweep.experiments[i];
    if (!preparation.facts[i].selected || !experiment.exclude.empty()) {
      continue;
    }
    preparation.notes[i] = NotesOn(experiment, host);
    for (const PlanNote& note : preparation.notes[i]) {
      if (note.is_error) {
        errors += (errors.empty() ? "" : "\n") + NoteText(experiment, note);
      }
    }
  }
  return errors.empty() ? OkStatus() : InvalidArgumentError(errors);
}

}  // namespace

Result<std::map<std::string, std::string>> PastParts(
    const results::Reader& record, const std::string& sweep,
    const std::string& name) {
  ASSIGN_OR_RETURN(PartsByName parts, ReadPastParts(record, sweep));
  return std::move(parts[name]);
}

std::string KeyPartsJson(const Key& key) {
  Json parts = Json::object();
  for (const auto& [name, text] : key.parts) {
    auto part = ParseJson(text);
    parts[name] = part.ok() ? std::move(part).value() : Json(text);
  }
  return DumpJson(parts);
}

Result<Surroundings> SurroundingsHere(const Machine& machine,
                                      const std::string& engine_path) {
  Surroundings here;
  ASSIGN_OR_RETURN(here.engine, EngineContent(engine_path));
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

Result<std::unique_ptr<Preparation>> Prepare(const PrepareRequest& request) {
  auto preparation = std::make_unique<Preparation>();
  preparation->machine = ThisMachine();
  EvalRequest eval = request.eval;
  eval.machine = DumpJson(MachineForFile(preparation->machine));
  ASSIGN_OR_RETURN(preparation->loaded, LoadSweep(eval, request.meanwhile));
  preparation->graph = MakeGraph(preparation->sweep());
  preparation->derived = DeriveAll(preparation->sweep(), PredictMemory);
  RETURN_IF_ERROR(MakeKeys(*preparation, request.engine_path));
  RETURN_IF_ERROR(FindFacts(*preparation, request));
  RETURN_IF_ERROR(TakeNotes(*preparation));
  preparation->decisions =
      Decide(preparation->sweep(), preparation->graph, preparation->facts);
  return preparation;
}

Status ConsultRecord(const results::Reader& record, Preparation& preparation) {
  const Sweep& sweep = preparation.sweep();
  ASSIGN_OR_RETURN(const PartsByName past_parts,
                   ReadPastParts(record, sweep.name));
  for (size_t i = 0; i < sweep.experiments.size(); ++i) {
    RETURN_IF_ERROR(LookUp(record, preparation.keys[i], past_parts,
                           sweep.experiments[i].name, preparation.facts[i]));
  }
  preparation.decisions = Decide(sweep, preparation.graph, preparation.facts);
  return OkStatus();
}

}  // namespace zs
