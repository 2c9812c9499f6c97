#include "runner/sweep/prepare.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/api/footprint.h"
#include "runner/plan/select.h"
#include "runner/sweep/past_passes.h"
#include "runner/sweep/plan_notes.h"
#include "runner/sweep/spend.h"
#include "runner/sweep/surroundings.h"

namespace zs {
namespace {

Status MakeKeys(Preparation& preparation, const std::string& engine_path) {
  SurroundingsHere here(preparation.machine, engine_path);
  for (const Experiment& experiment : preparation.sweep().experiments) {
    auto surroundings = here.Of(experiment);
    if (!surroundings.ok()) {
      return surroundings.status().WithContext("experiment '" +
                                               experiment.name + "'");
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

// What the record knows of EXPERIMENT.
Status LookUp(const results::Reader& record, const Key& key,
              const PartsByName& past_parts, const Experiment& experiment,
              Facts& facts) {
  ASSIGN_OR_RETURN(const PastPasses passes,
                   FindPastPasses(record, key.hash, experiment));
  facts.past_passes = passes.count;
  facts.past_run_id = passes.run_id;
  facts.past = passes.newest;
  facts.outdated = passes.outdated;
  if (passes.count > 0 || !passes.outdated.empty()) {
    return OkStatus();
  }
  const auto before = past_parts.find(experiment.name);
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

// Those that have passed often enough and go on all the same.
Status FindUndecided(const results::Reader& record, Preparation& preparation) {
  const Sweep& sweep = preparation.sweep();
  std::vector<std::string> keys;
  std::vector<bool> selected;
  std::vector<bool> may_go_on;
  for (size_t i = 0; i < sweep.experiments.size(); ++i) {
    const Experiment& experiment = sweep.experiments[i];
    Facts& facts = preparation.facts[i];
    facts.undecided = false;
    keys.push_back(preparation.keys[i].hash);
    selected.push_back(facts.selected && experiment.exclude.empty());
    may_go_on.push_back(selected.back() && !facts.rerun &&
                        facts.past_passes >= experiment.repeats &&
                        facts.past_passes < experiment.until.max);
  }
  if (std::find(may_go_on.begin(), may_go_on.end(), true) == may_go_on.end()) {
    return OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<size_t> open,
                   OpenOnRecord(record, sweep, keys, selected));
  for (const size_t i : open) {
    preparation.facts[i].undecided = may_go_on[i];
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

Result<std::unique_ptr<Preparation>> Prepare(const PrepareRequest& request) {
  auto preparation = std::make_unique<Preparation>();
  ASSIGN_OR_RETURN(preparation->machine, ThisMachine());
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

Status CheckEngineIsKeyed(const Preparation& preparation,
                          KnownProgram& engine) {
  for (size_t i = 0; i < preparation.keys.size(); ++i) {
    const Experiment& experiment = preparation.sweep().experiments[i];
    if (!RunsEngine(experiment) || !preparation.facts[i].selected) {
      continue;
    }
    ASSIGN_OR_RETURN(const std::string content,
                     EngineContent(engine, experiment.device));
    if (preparation.keys[i].parts.at("engine") != content) {
      return FailedPreconditionError(
          "the engine was built anew after the file was read (experiment '" +
          experiment.name + "'); nothing was started: run again");
    }
  }
  return OkStatus();
}

Status ConsultRecord(const results::Reader& record, Preparation& preparation) {
  const Sweep& sweep = preparation.sweep();
  ASSIGN_OR_RETURN(const PartsByName past_parts,
                   ReadPastParts(record, sweep.name));
  for (size_t i = 0; i < sweep.experiments.size(); ++i) {
    RETURN_IF_ERROR(LookUp(record, preparation.keys[i], past_parts,
                           sweep.experiments[i], preparation.facts[i]));
  }
  RETURN_IF_ERROR(FindUndecided(record, preparation));
  preparation.decisions = Decide(sweep, preparation.graph, preparation.facts);
  return OkStatus();
}

}  // namespace zs
