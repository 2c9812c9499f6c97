#include "runner/sweep/prepare.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/api/footprint.h"
#include "results/store/mask.h"
#include "runner/plan/select.h"
#include "runner/sweep/past_passes.h"
#include "runner/sweep/plan_notes.h"
#include "runner/sweep/spend.h"
#include "runner/sweep/surroundings.h"

namespace zs {
namespace {

Status MakeKeys(Preparation& preparation, const std::string& engine_path) {
  SurroundingsHere here(preparation.machine, engine_path,
                        preparation.inherited);
  for (const Experiment& experiment : preparation.sweep().experiments) {
    auto keyed = here.Of(experiment);
    if (!keyed.ok()) {
      return keyed.status().WithContext("experiment '" + experiment.name + "'");
    }
    preparation.keys.push_back(MakeKey(experiment, keyed->surroundings));
    preparation.files.push_back(std::move(keyed->files));
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

// Whether its ranks were on other hosts, as the file said it.
bool HadReach(const results::RunRow& run) {
  const auto spec = ParseJson(run.experiment.spec_json);
  const Json topology =
      spec.ok() && spec->is_object() ? spec->value("topology", Json()) : Json();
  return topology.is_object() && !topology.value("reach", Json()).empty();
}

// A hash of those of PARTS that are known before the nodes are asked. Secrets
// are masked, as they are on record.
std::string AskedHash(const Json& parts, bool runs_engine) {
  std::map<std::string, std::string> known;
  for (const char* name : {"specification", "environment", "data", "engine"}) {
    if (parts.contains(name) &&
        (runs_engine || std::string_view(name) != "engine")) {
      known[name] = DumpJson(results::MaskDocument(parts[name]));
    }
  }
  return HashOfParts(known);
}

using RunsByAsked = std::map<std::string, std::vector<results::RunRow>>;

constexpr auto kValid = results::MeasurementState::kValid;
constexpr auto kPass = results::Verdict::kPass;

// The runs behind a reach that have passed under a whole key, newest first, by
// what of it was known before their nodes were asked; of several such keys the
// newest one's.
Result<RunsByAsked> PastRunsOfNodes(const results::Reader& record) {
  RunsByAsked by_asked;
  ASSIGN_OR_RETURN(std::vector<results::RunRow> runs,
                   record.Runs({.measurement = kValid, .verdict = kPass}));
  for (results::RunRow& run : runs) {
    const auto parts = ParseJson(run.experiment.key_parts_json);
    if (!parts.ok() || !parts->is_object() || parts->contains(kUnknownPart) ||
        !HadReach(run)) {
      continue;
    }
    const std::string& backend = run.experiment.backend;
    const bool runs_engine = backend == BackendName(Backend::kEngine) ||
                             backend == BackendName(Backend::kCollectives);
    auto& same = by_asked[AskedHash(*parts, runs_engine)];
    if (same.empty() || same.front().experiment.key == run.experiment.key) {
      same.push_back(std::move(run));
    }
  }
  return by_asked;
}

// What is on record, read once for all experiments of a sweep.
struct Past {
  PartsByName parts;
  RunsByAsked of_nodes;  // only where nodes have still to be asked
};

Result<Past> ReadPast(const results::Reader& record,
                      const Preparation& preparation) {
  Past past;
  ASSIGN_OR_RETURN(past.parts, ReadPastParts(record, preparation.sweep().name));
  const auto& facts = preparation.facts;
  if (std::any_of(facts.begin(), facts.end(),
                  [](const Facts& f) { return f.nodes_unasked; })) {
    ASSIGN_OR_RETURN(past.of_nodes, PastRunsOfNodes(record));
  }
  return past;
}

// The runs that count for KEY, newest first: of a key that its nodes have still
// to complete, those of the newest whole key that it may become.
Result<std::vector<results::RunRow>> PastRuns(const results::Reader& record,
                                              const Past& past, const Key& key,
                                              const Experiment& experiment,
                                              bool nodes_unasked) {
  if (key.parts.contains(kUnknownPart)) {
    return std::vector<results::RunRow>();
  }
  if (!nodes_unasked) {
    return record.Runs(
        {.key = key.hash, .measurement = kValid, .verdict = kPass});
  }
  ASSIGN_OR_RETURN(const Json parts, ParseJson(KeyPartsJson(key)));
  const auto found =
      past.of_nodes.find(AskedHash(parts, RunsEngine(experiment)));
  return found == past.of_nodes.end() ? std::vector<results::RunRow>()
                                      : found->second;
}

// What the record knows of one experiment.
Status LookUp(const results::Reader& record, const Past& past, const Key& key,
              const Experiment& experiment, Facts& facts) {
  ASSIGN_OR_RETURN(
      const std::vector<results::RunRow> runs,
      PastRuns(record, past, key, experiment, facts.nodes_unasked));
  ASSIGN_OR_RETURN(const PastPasses passes,
                   FindPastPasses(record, runs, experiment));
  facts.past_passes = passes.count;
  facts.past_run_id = passes.run_id;
  facts.past = passes.newest;
  facts.outdated = passes.outdated;
  facts.changed.clear();
  if (passes.count > 0 || !passes.outdated.empty()) {
    return OkStatus();
  }
  const auto before = past.parts.find(experiment.name);
  if (before != past.parts.end()) {
    const auto differences = facts.nodes_unasked
                                 ? ExplainKnown(before->second, key.parts)
                                 : Explain(before->second, key.parts);
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
    preparation.facts[i].nodes_unasked = !experiment.topology.reach.empty();
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
    preparation.notes[i] =
        NotesOn(experiment, host, preparation.inherited.Of(experiment));
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

Status CheckFilesAreKeyed(Preparation& preparation, size_t i) {
  return CheckFilesAreKeyed(preparation.sweep().experiments[i],
                            preparation.keys[i], preparation.files[i]);
}

void CompleteKey(Preparation& preparation, size_t i,
                 const Surroundings& answers) {
  AddParts(answers, preparation.keys[i]);
  preparation.facts[i].nodes_unasked = false;
}

Status ConsultRecord(const results::Reader& record, Preparation& preparation) {
  const Sweep& sweep = preparation.sweep();
  ASSIGN_OR_RETURN(const Past past, ReadPast(record, preparation));
  for (size_t i = 0; i < sweep.experiments.size(); ++i) {
    RETURN_IF_ERROR(LookUp(record, past, preparation.keys[i],
                           sweep.experiments[i], preparation.facts[i]));
  }
  RETURN_IF_ERROR(FindUndecided(record, preparation));
  preparation.decisions = Decide(sweep, preparation.graph, preparation.facts);
  return OkStatus();
}

Status DecideWithAnswers(const results::Reader& record,
                         Preparation& preparation) {
  const auto& decisions = preparation.decisions;
  if (std::none_of(decisions.begin(), decisions.end(),
                   [](const Decision& d) { return d.if_nodes_agree; })) {
    return OkStatus();
  }
  RETURN_IF_ERROR(ConsultRecord(record, preparation));
  for (Facts& facts : preparation.facts) {
    facts.past_passes = facts.nodes_unasked ? 0 : facts.past_passes;
  }
  preparation.decisions =
      Decide(preparation.sweep(), preparation.graph, preparation.facts);
  return OkStatus();
}

}  // namespace zs
