#include "runner/plan/key.h"

#include <set>
#include <string_view>

#include "base/hash.h"
#include "base/json.h"
#include "results/store/mask.h"

namespace zs {
namespace {

Json CheckpointJson(const CheckpointPlan& plan) {
  return {{"save_at_end", plan.save_at_end},
          {"save_every", plan.save_every},
          {"verify_load", plan.verify_load}};
}

Json MegatronJson(const MegatronSpec& spec) {
  return {{"args", spec.args},
          {"script", spec.script},
          {"tensor_parallel", spec.tensor_parallel},
          {"pipeline_parallel", spec.pipeline_parallel},
          {"allow_effective", spec.allow_effective},
          {"data_parallel", spec.data_parallel},
          {"own_script", spec.own_script},
          {"tokenizer", spec.tokenizer}};
}

// The expressions make every figure out of what the program prints.
Json CommandJson(const CommandSpec& spec) {
  return {{"argv", spec.argv},
          {"torchrun", spec.torchrun},
          {"cwd", spec.cwd},
          {"step_pattern", spec.step_pattern},
          {"step_ms_pattern", spec.step_ms_pattern},
          {"tokens_pattern", spec.tokens_pattern},
          {"loss_pattern", spec.loss_pattern}};
}

Json CollectivesJson(const CollectivesSpec& spec) {
  return {{"ops", spec.ops},
          {"min_bytes", spec.min_bytes},
          {"max_bytes", spec.max_bytes},
          {"iterations", spec.iterations},
          {"warmup", spec.warmup},
          {"check", spec.check}};
}

// What the training sections ask for, without names and places.
void AddTraining(const Experiment& experiment, Json* specification) {
  Json& json = *specification;
  json["model"] = ToJson(experiment.model);
  json["model"].erase("name");
  json["train"] = ToJson(experiment.train);
  json["data_kind"] = experiment.data.kind;
  json["checkpoint"] = CheckpointJson(experiment.checkpoint);
}

Json Specification(const Experiment& experiment) {
  Json json = {{"backend", BackendName(experiment.backend)},
               {"device", experiment.device},
               {"threads_per_rank", experiment.threads_per_rank},
               {"nodes", experiment.topology.nodes.size()},
               {"ranks_per_node", experiment.topology.ranks_per_node}};
  if (experiment.login_shell) {
    json["login_shell"] = true;
  }
  for (const auto& [name, value] : LimitsSet(experiment.ulimits)) {
    json["ulimits"][name] = value;
  }
  if (experiment.backend != Backend::kCollectives) {
    AddTraining(experiment, &json);
  }
  if (experiment.megatron) {
    json["megatron"] = MegatronJson(*experiment.megatron);
  }
  if (experiment.command) {
    json["command"] = CommandJson(*experiment.command);
  }
  if (experiment.collectives) {
    json["collectives"] = CollectivesJson(*experiment.collectives);
  }
  return json;
}

// TEXT with sorted keys and no spaces where it is JSON, else as a JSON string.
std::string Canonical(const std::string& text) {
  const auto json = ParseJson(text);
  return DumpJson(json.ok() ? *json : Json(text));
}

// Adds what differs between two values that both are there.
void Compare(const std::string& path, const Json& before, const Json& after,
             std::vector<Difference>* differences) {
  if (before == after) {
    return;
  }
  if (!before.is_object() || !after.is_object()) {
    differences->push_back({path, DumpJson(before), DumpJson(after)});
    return;
  }
  std::set<std::string> names;
  for (const Json* side : {&before, &after}) {
    for (const auto& item : side->items()) {
      names.insert(item.key());
    }
  }
  for (const std::string& name : names) {
    const std::string inner = path + "." + name;
    if (!before.contains(name)) {
      differences->push_back({inner, "", DumpJson(after[name])});
    } else if (!after.contains(name)) {
      differences->push_back({inner, DumpJson(before[name]), ""});
    } else {
      Compare(inner, before[name], after[name], differences);
    }
  }
}

Json PartJson(const std::string& text) {
  auto json = ParseJson(text);
  return json.ok() ? *std::move(json) : Json(text);
}

}  // namespace

Key MakeKey(const Experiment& experiment, const Surroundings& surroundings) {
  Key key;
  key.parts["specification"] = DumpJson(Specification(experiment));
  key.parts["environment"] = VariablesPart(experiment.env);
  AddParts(surroundings, key);
  return key;
}

std::string VariablesPart(const std::map<std::string, std::string>& variables) {
  Json json = Json::object();
  for (const auto& [name, value] : variables) {
    json[name] =
        results::IsSecretName(name) ? "sha256:" + Sha256Hex(value) : value;
  }
  return DumpJson(json);
}

void AddParts(const Surroundings& surroundings, Key& key) {
  const std::pair<const char*, const std::string*> given[] = {
      {"engine", &surroundings.engine},
      {"data", &surroundings.data},
      {"software", &surroundings.software},
      {"hardware", &surroundings.hardware},
      {"inherited", &surroundings.inherited},
      {"files", &surroundings.files},
      {kUnknownPart, &surroundings.unknown}};
  for (const auto& [name, text] : given) {
    if (!text->empty()) {
      key.parts[name] = Canonical(*text);
    }
  }
  key.hash = HashOfParts(key.parts);
}

std::string HashOfParts(const std::map<std::string, std::string>& parts) {
  Sha256 sha;
  for (const auto& [name, text] : parts) {
    // Lengths first, so that no two lists of parts give the same bytes.
    sha.Update(std::to_string(name.size()) + ":" + name + "=" +
               std::to_string(text.size()) + ":");
    sha.Update(text);
  }
  return sha.HexDigest();
}

std::vector<Difference> Explain(
    const std::map<std::string, std::string>& before,
    const std::map<std::string, std::string>& after) {
  Json old_parts = Json::object();
  Json new_parts = Json::object();
  for (const auto& [name, text] : before) {
    old_parts[name] = PartJson(text);
  }
  for (const auto& [name, text] : after) {
    new_parts[name] = PartJson(text);
  }
  std::vector<Difference> differences;
  Compare("", old_parts, new_parts, &differences);
  for (Difference& difference : differences) {
    difference.path.erase(0, 1);  // the dot before the part's name
  }
  return differences;
}

std::vector<Difference> ExplainKnown(
    std::map<std::string, std::string> before,
    const std::map<std::string, std::string>& after) {
  std::erase_if(before, [&after](const auto& part) {
    return !after.contains(part.first);
  });
  return Explain(before, after);
}

std::string ToString(const Difference& difference) {
  const auto shown = [](const std::string& value) {
    return value.empty() ? std::string("(none)") : value;
  };
  return difference.path + ": " + shown(difference.before) + " -> " +
         shown(difference.after);
}

}  // namespace zs
