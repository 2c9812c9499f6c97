#include "runner/bundle/bundle.h"

#include <utility>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/strings.h"
#include "results/report/run_tables.h"
#include "results/report/table_writer.h"
#include "results/store/mask.h"
#include "runner/plan/key.h"

namespace zs {
namespace {

constexpr int64_t kMostLogBytes = int64_t{256} << 20;
constexpr char kManifest[] = "manifest.json";

std::string Pretty(const std::string& json) {
  const Result<Json> document = ParseJson(json);
  return document.ok() ? DumpJsonPretty(results::MaskDocument(*document)) + "\n"
                       : results::MaskSecrets(json);
}

std::string CommandText(const results::SweepStart& start) {
  std::string text = "runner";
  const Result<Json> args = ParseJson(start.args_json);
  if (args.ok() && args->is_array()) {
    for (const Json& word : *args) {
      text +=
          " " + (word.is_string() ? word.get<std::string>() : DumpJson(word));
    }
  }
  return results::MaskSecrets(text) + "\n";
}

results::Table StepTable(const std::vector<results::StepRow>& steps) {
  using results::NumberCell;
  results::Table table;
  for (const char* name :
       {"step", "step_ms", "data_ms", "forward_ms", "backward_ms",
        "optimizer_ms", "comm_exposed_ms", "loss", "grad_norm", "lr"}) {
    table.columns.push_back({name, name, true});
  }
  for (const results::StepRow& s : steps) {
    table.rows.push_back(
        {results::IntCell(s.step), NumberCell(s.step_ms, 4),
         NumberCell(s.data_ms, 4), NumberCell(s.forward_ms, 4),
         NumberCell(s.backward_ms, 4), NumberCell(s.optimizer_ms, 4),
         NumberCell(s.comm_exposed_ms, 4), NumberCell(s.loss, 9),
         NumberCell(s.grad_norm, 9), NumberCell(s.lr, 9)});
  }
  return table;
}

// The last part of a path, unlike all in FILES.
std::string LogName(const std::string& path, const ArchiveFiles& files) {
  const std::string base = path.substr(path.rfind('/') + 1);
  std::string name = "logs/" + base;
  for (int i = 2; files.count(name) > 0; ++i) {
    name = "logs/" + std::to_string(i) + "_" + base;
  }
  return name;
}

Status AddLogs(const results::Reader& reader, int64_t run_id,
               ArchiveFiles& files, Json& missing) {
  ASSIGN_OR_RETURN(const auto artifacts, reader.Artifacts(run_id));
  for (const results::ArtifactRow& artifact : artifacts) {
    if (artifact.kind != "log") {
      continue;
    }
    const auto text = ReadFile(artifact.path, kMostLogBytes);
    if (text.ok()) {
      files[LogName(artifact.path, files)] = results::MaskSecrets(*text);
    } else {
      missing.push_back(text.status().message());
    }
  }
  return OkStatus();
}

Status AddRecord(const results::Reader& reader, int64_t run_id,
                 ArchiveFiles& files) {
  ASSIGN_OR_RETURN(const auto tables, results::RunTables(reader, run_id));
  files["run.txt"] = results::MaskSecrets(
      results::WriteTables(tables, results::Format::kTable, {}));
  files["run.json"] = results::MaskSecrets(
      results::WriteTables(tables, results::Format::kJson, {}));
  ASSIGN_OR_RETURN(const auto steps, reader.Steps(run_id, {}));
  files["steps.csv"] =
      results::WriteTables({StepTable(steps)}, results::Format::kCsv, {});
  return OkStatus();
}

std::map<std::string, std::string> KeyParts(const ArchiveFiles& files) {
  std::map<std::string, std::string> parts;
  const auto found = files.find("key.json");
  const Result<Json> json = found == files.end()
                                ? Result<Json>(NotFoundError(""))
                                : ParseJson(found->second);
  if (json.ok() && json->is_object()) {
    for (const auto& [name, value] : json->items()) {
      parts[name] = DumpJson(value);
    }
  }
  return parts;
}

void CheckFiles(const ArchiveFiles& files, const Json& listed,
                std::vector<std::string>& faults) {
  for (const auto& [path, hash] : listed.items()) {
    const auto found = files.find(path);
    if (found == files.end()) {
      faults.push_back(path + " is missing");
    } else if (hash != Json(Sha256Hex(found->second))) {
      faults.push_back(path + " is not what was written");
    }
  }
  for (const auto& [path, text] : files) {
    if (path != kManifest && !listed.contains(path)) {
      faults.push_back(path + " is not in the manifest");
    }
  }
}

}  // namespace

Result<ArchiveFiles> BundleOf(const results::Reader& reader, int64_t run_id,
                              const std::string& runner_version,
                              const ArchiveFiles& extra) {
  ASSIGN_OR_RETURN(const results::RunRow run, reader.Run(run_id));
  ASSIGN_OR_RETURN(const results::SweepRow sweep, reader.Sweep(run.sweep_id));
  ASSIGN_OR_RETURN(const std::string environment,
                   reader.EnvironmentJson(run_id));
  ArchiveFiles files = extra;
  files["experiment.json"] = Pretty(run.experiment.spec_json);
  files["key.json"] = Pretty(run.experiment.key_parts_json);
  files["environment.json"] = Pretty(environment);
  files["command.txt"] = CommandText(sweep.start);
  RETURN_IF_ERROR(AddRecord(reader, run_id, files));
  Json missing = Json::array();
  RETURN_IF_ERROR(AddLogs(reader, run_id, files, missing));
  Json hashes = Json::object();
  for (const auto& [path, text] : files) {
    hashes[path] = Sha256Hex(text);
  }
  const Json manifest = {
      {"schema", 1},
      {"runner", runner_version},
      {"run", run_id},
      {"sweep", run.sweep},
      {"experiment", run.experiment.name},
      {"key", run.experiment.key},
      {"again", results::MaskSecrets("runner " + sweep.start.file + " --only " +
                                     run.experiment.name + " --rerun")},
      {"missing", missing},
      {"files", hashes}};
  files[kManifest] = DumpJsonPretty(manifest) + "\n";
  return files;
}

Result<BundleCheck> CheckBundle(
    const ArchiveFiles& files, const std::string& runner_version,
    const std::map<std::string, std::string>& here) {
  const auto found = files.find(kManifest);
  if (found == files.end()) {
    return InvalidArgumentError(
        "it has no manifest.json: not an archive of `runner bundle`");
  }
  const Result<Json> manifest = ParseJson(found->second);
  if (!manifest.ok() || !manifest->is_object() ||
      manifest->value("schema", Json()) != Json(1) ||
      !manifest->value("files", Json()).is_object()) {
    return InvalidArgumentError("its manifest.json cannot be read");
  }
  BundleCheck check;
  const auto text = [&](const char* name) {
    const Json value = manifest->value(name, Json());
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  check.experiment = text("experiment");
  check.again = text("again");
  CheckFiles(files, (*manifest)["files"], check.faults);
  if (text("runner") != runner_version) {
    check.differences.push_back("runner: " + text("runner") + " -> " +
                                runner_version);
  }
  // A part that one side does not know is no difference.
  std::map<std::string, std::string> then;
  std::map<std::string, std::string> now;
  for (auto& [name, value] : KeyParts(files)) {
    const auto part = here.find(name);
    if (part != here.end()) {
      then[name] = value;
      now[name] = part->second;
    }
  }
  for (const Difference& difference : Explain(then, now)) {
    check.differences.push_back(ToString(difference));
  }
  return check;
}

}  // namespace zs
