#include "runner/sweep/node_answers.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/json.h"

namespace zs {
namespace {

constexpr std::string_view kInherited = "inherited:";

// What one node told: name to value.
using Told = std::map<std::string, std::string>;

// One part of a key, as each node told it.
using Part = std::vector<Told>;

struct Parts {
  explicit Parts(size_t nodes)
      : engine(nodes),
        software(nodes),
        hardware(nodes),
        inherited(nodes),
        files(nodes) {}

  Part engine;
  Part software;
  Part hardware;
  Part inherited;
  Part files;
};

void AddFacts(const CheckResult& result, Told& told) {
  told.insert(result.facts.begin(), result.facts.end());
}

void AddMachine(const CheckResult& result, Parts& parts, size_t node) {
  for (const auto& [name, value] : result.facts) {
    if (name.starts_with(kInherited)) {
      parts.inherited[node][name.substr(kInherited.size())] = value;
    } else {
      (name == "os" ? parts.software : parts.hardware)[node][name] = value;
    }
  }
}

// Files of one name in two folders are told apart by their order.
void AddFile(const CheckResult& result, Told& files) {
  files[std::to_string(files.size()) + " " +
        std::filesystem::path(result.subject).filename().string()] =
      result.value;
}

void Add(const Experiment& experiment, const CheckResult& result, size_t node,
         Parts& parts) {
  const bool compared = !result.subject.empty();
  if (result.name == "machine") {
    AddMachine(result, parts, node);
  } else if (result.name == "gpus") {
    AddFacts(result, parts.hardware[node]);
  } else if (result.name == "container" || result.name == "engine") {
    AddFacts(result, parts.software[node]);
  } else if (result.name == "version" && compared) {
    parts.software[node][result.subject] = result.value;
  } else if (result.name == "program") {
    AddFacts(result, parts.engine[node]);
  } else if (result.name == "same_tree" && compared && experiment.megatron &&
             result.subject == experiment.megatron->root) {
    parts.engine[node]["tree"] = result.value;
  } else if ((result.name == "same_tree" || result.name == "same_file") &&
             compared) {
    AddFile(result, parts.files[node]);
  }
}

Json Merged(const Part& part, const std::string& name) {
  Json values = Json::array();
  for (const Told& told : part) {
    const auto found = told.find(name);
    values.push_back(found == told.end() ? Json() : Json(found->second));
  }
  const bool equal = std::adjacent_find(values.begin(), values.end(),
                                        std::not_equal_to<>()) == values.end();
  return equal ? values.front() : values;
}

// Empty where no node told anything.
std::string PartText(const Part& part) {
  Json json = Json::object();
  for (const Told& told : part) {
    for (const auto& [name, value] : told) {
      if (!json.contains(name)) {
        json[name] = Merged(part, name);
      }
    }
  }
  return json.empty() ? "" : DumpJson(json);
}

// Secrets by their hash; one text for each node where these differ.
std::string InheritedText(const Part& part) {
  const bool equal = std::adjacent_find(part.begin(), part.end(),
                                        std::not_equal_to<>()) == part.end();
  if (equal) {
    return VariablesPart(part.front());
  }
  std::string text;
  for (const Told& told : part) {
    text += (text.empty() ? "[" : ",") + VariablesPart(told);
  }
  return text + "]";
}

// Whether NAME, or with a '*' at its end any name that begins so, has a value.
bool Has(const Told& told, std::string_view name) {
  const bool any = name.ends_with('*');
  name.remove_suffix(any ? 1 : 0);
  return std::any_of(told.begin(), told.end(), [&](const auto& entry) {
    return !entry.second.empty() &&
           (any ? entry.first.starts_with(name) : entry.first == name);
  });
}

// What a node must have told for the key to be whole, and did not.
std::string Missing(const Experiment& experiment, const Parts& parts) {
  std::string missing;
  const auto want = [&missing](bool wanted, const Part& part,
                               const char* name) {
    for (size_t node = 0; wanted && node < part.size(); ++node) {
      if (!Has(part[node], name)) {
        missing += (missing.empty() ? "" : ", ") + std::string(name) +
                   " of node " + std::to_string(node);
      }
    }
  };
  const bool own = RunsEngine(experiment);
  want(true, parts.software, "kernel");
  want(true, parts.hardware, "cores");
  want(experiment.device == "cuda", parts.hardware, "gpu *");
  want(own, parts.software, "engine");
  want(!own, parts.engine, "program");
  want(experiment.megatron.has_value(), parts.engine, "tree");
  for (size_t node = 0; node < parts.engine.size(); ++node) {
    for (const auto& [name, value] : parts.engine[node]) {
      want(value.empty(), {parts.engine[node]}, name.c_str());
    }
  }
  return missing;
}

}  // namespace

Surroundings AnswersOf(const Experiment& experiment,
                       const std::vector<CheckResult>& results) {
  const std::vector<std::string>& nodes = experiment.topology.nodes;
  Parts parts(nodes.size());
  for (const CheckResult& result : results) {
    const auto at = std::find(nodes.begin(), nodes.end(), result.node);
    if (at != nodes.end()) {
      Add(experiment, result, static_cast<size_t>(at - nodes.begin()), parts);
    }
  }
  Surroundings answers;
  // Our engine is known by what this host puts there.
  answers.engine = RunsEngine(experiment) ? "" : PartText(parts.engine);
  answers.software = PartText(parts.software);
  answers.hardware = PartText(parts.hardware);
  answers.inherited = InheritedText(parts.inherited);
  answers.files = PartText(parts.files);
  answers.unknown = Missing(experiment, parts);
  return answers;
}

std::map<std::string, std::string> EngineVersions(const std::string& printed) {
  std::map<std::string, std::string> versions;
  std::string_view rest = printed;
  for (bool first = true; !rest.empty(); first = false) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const size_t blank = line.find(' ');
    if (first) {
      versions["engine"] = line;
    } else if (blank != std::string_view::npos) {
      versions[std::string(line.substr(0, blank))] = line.substr(blank + 1);
    }
  }
  return versions;
}

}  // namespace zs
