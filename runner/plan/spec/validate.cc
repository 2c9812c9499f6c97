#include "runner/plan/spec/validate.h"

#include <string>
#include <string_view>

#include "engine/api/run_config_fields.h"
#include "runner/plan/spec/consistency.h"
#include "runner/plan/spec/experiment_fields.h"
#include "runner/plan/spec/object_reader.h"

namespace zs {
namespace {

constexpr size_t kMaxExperiments = 1'000'000;

Backend BackendOf(std::string_view name) {
  for (const Backend backend :
       {Backend::kMegatron, Backend::kCommand, Backend::kCollectives}) {
    if (name == BackendName(backend)) {
      return backend;
    }
  }
  return Backend::kEngine;
}

// The sections of an experiment that train a model, as they were found.
struct Sections {
  bool model = false;
  bool data = false;
  bool train = false;
};

// Refuses sections that the backend does not use, asks for those it needs.
void CheckSections(const Experiment& experiment, const Sections& found,
                   const Place& place, std::vector<Fault>& faults) {
  const Backend backend = experiment.backend;
  const bool trains =
      backend == Backend::kEngine || backend == Backend::kMegatron;
  const auto check = [&](std::string_view name, bool is, bool used,
                         bool needed) {
    if (needed && !is) {
      faults.push_back({Place(place, name).ToString(),
                        "missing; backend \"" +
                            std::string(BackendName(backend)) + "\" needs it"});
    } else if (is && !used) {
      faults.push_back({Place(place, name).ToString(),
                        "not used by backend \"" +
                            std::string(BackendName(backend)) +
                            "\"; leave it out"});
    }
  };
  const bool engine = backend == Backend::kEngine;
  const bool megatron = backend == Backend::kMegatron;
  const bool command = backend == Backend::kCommand;
  const bool collectives = backend == Backend::kCollectives;
  check("model", found.model, trains || command, engine);
  check("data", found.data, trains || command, engine);
  check("train", found.train, trains || command, trains);
  check("megatron", experiment.megatron.has_value(), megatron, megatron);
  check("command", experiment.command.has_value(), command, command);
  check("collectives", experiment.collectives.has_value(), collectives,
        collectives);
}

// The name of an experiment for messages; empty where it has none.
std::string_view LabelOf(const Json& json) {
  if (!json.is_object()) {
    return "";
  }
  const auto it = json.find("name");
  if (it == json.end() || !it->is_string()) {
    return "";
  }
  const auto& name = it->get_ref<const std::string&>();
  return IsPlainText(name) ? std::string_view(name) : "";
}

void ReadExperiment(const Json& json, const Place& place,
                    Experiment& experiment, std::vector<Fault>& faults) {
  const size_t before = faults.size();
  std::string backend = "engine";
  experiment.topology.nodes = {"localhost"};
  ObjectReader reader(json, place, faults);
  VisitCommonFields(reader, experiment, backend);
  experiment.backend = BackendOf(backend);
  Sections found;
  found.model = reader.Struct("model", experiment.model);
  found.data = reader.Struct("data", experiment.data);
  found.train = reader.Struct("train", experiment.train);
  experiment.has_train = found.train;
  reader.Struct("topology", experiment.topology);
  reader.Struct("checkpoint", experiment.checkpoint);
  reader.Struct("limits", experiment.limits);
  reader.Struct("ulimits", experiment.ulimits);
  reader.Struct("checks", experiment.checks);
  reader.Struct("expect", experiment.expect);
  reader.Struct("compare", experiment.compare);
  reader.Struct("until", experiment.until);
  reader.Section("megatron", experiment.megatron);
  reader.Section("command", experiment.command);
  reader.Section("collectives", experiment.collectives);
  reader.Finish();
  if (json.is_object()) {
    CheckSections(experiment, found, place, faults);
  }
  if (faults.size() == before) {
    CheckConsistency(experiment, place, faults);
  }
}

// The list of experiments, or null where there is none to read.
const Json* FindExperiments(const Json& document, std::vector<Fault>& faults) {
  const auto it = document.find("experiments");
  if (it == document.end()) {
    faults.push_back({"experiments", "missing"});
    return nullptr;
  }
  if (!it->is_array()) {
    faults.push_back(
        {"experiments", Shown(*it) + " is not allowed; allowed: a list"});
    return nullptr;
  }
  if (it->empty()) {
    faults.push_back({"experiments",
                      "empty: the matrix has no experiment; look at its axes "
                      "and conditions"});
  } else if (it->size() > kMaxExperiments) {
    faults.push_back({"experiments", std::to_string(it->size()) +
                                         " experiments; allowed: at most "
                                         "1000000"});
    return nullptr;
  }
  return &*it;
}

// The fields of the document besides its experiments.
void ReadHeader(const Json& document, const Place& root, Sweep& sweep,
                std::vector<Fault>& faults) {
  ObjectReader reader(document, root, faults);
  int schema = 1;
  reader.Field("schema", schema,
               FieldRange{.min = 1, .max = 1, .required = true});
  reader.Name("sweep", sweep.name, true);
  reader.Field("total_s", sweep.total_s, Between(0, 1e8));
  reader.Field("seed", sweep.seed, Between(0, kMaxExactInteger));
  reader.Ignore("experiments");
  reader.Finish();
}

}  // namespace

Sweep ReadSweep(const Json& document, std::vector<Fault>& faults) {
  Sweep sweep;
  const Place root;
  if (!document.is_object()) {
    faults.push_back(
        {"", "the file gives " + Shown(document) +
                 "; it must give an object {schema: 1, sweep: 'NAME', "
                 "experiments: [...]}, or a function that returns one"});
    return sweep;
  }
  ReadHeader(document, root, sweep, faults);
  const Json* experiments = FindExperiments(document, faults);
  if (experiments == nullptr) {
    return sweep;
  }
  sweep.experiments.resize(experiments->size());
  for (size_t i = 0; i < experiments->size(); ++i) {
    const Json& json = (*experiments)[i];
    const Place place(root, "experiments", i, LabelOf(json));
    ReadExperiment(json, place, sweep.experiments[i], faults);
  }
  CheckGraph(sweep, faults);
  return sweep;
}

}  // namespace zs
