#include "results/export/mlflow.h"

#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "base/json.h"

namespace zs::results {
namespace {

using Files = std::map<std::string, std::string>;

constexpr size_t kLongestParameter = 6000;  // MLflow's limit

// A YAML scalar: JSON's strings are YAML's double-quoted ones.
std::string Yaml(const std::string& text) {
  return DumpJson(Json(text));
}

// An id of MLflow's form: 18 decimal digits.
std::string ExperimentId(const std::string& sweep) {
  std::string digits = "1";
  for (const char c : Sha256Hex("sweep " + sweep).substr(0, 17)) {
    digits += static_cast<char>('0' + (c <= '9' ? c - '0' : c - 'a') % 10);
  }
  return digits;
}

std::string RunId(const RunRow& run) {
  return Sha256Hex(run.token + " " + run.sweep + " " + std::to_string(run.id))
      .substr(0, 32);
}

std::string Number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string ExperimentMeta(const RunRow& run, const std::string& id) {
  const std::string at = std::to_string(run.started_unix_ms);
  return "artifact_location: " + Yaml("./" + id) + "\ncreation_time: " + at +
         "\nexperiment_id: '" + id + "'\nlast_update_time: " + at +
         "\nlifecycle_stage: active\nname: " + Yaml(run.sweep) + "\n";
}

std::string RunMeta(const RunRow& run, const std::string& experiment_id,
                    const std::string& id) {
  return "artifact_uri: " +
         Yaml("./" + experiment_id + "/" + id + "/artifacts") + "\nend_time: " +
         std::to_string(run.ended_unix_ms.value_or(run.started_unix_ms)) +
         "\nentry_point_name: ''\nexperiment_id: '" + experiment_id +
         "'\nlifecycle_stage: active\nrun_id: " + id +
         "\nrun_name: " + Yaml(run.experiment.name) + "\nrun_uuid: " + id +
         "\nsource_name: ''\nsource_type: 4\nsource_version: ''"
         "\nstart_time: " +
         std::to_string(run.started_unix_ms) +
         "\nstatus: 3\ntags: []\nuser_id: ''\n";
}

// A name that MLflow takes and that is no path: letters, digits, _ - . and /.
std::string SafeName(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                    (c == '.' && !out.empty() && out.back() != '.');
    out += ok ? c : '_';
  }
  return out.empty() ? "_" : out;
}

void AddParameters(const std::string& path, const Json& value,
                   const std::string& folder, Files& files) {
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) {
      AddParameters(path.empty() ? name : path + "." + name, inner, folder,
                    files);
    }
    return;
  }
  if (!path.empty()) {
    const std::string text =
        value.is_string() ? value.get<std::string>() : DumpJson(value);
    files[folder + SafeName(path)] = text.substr(0, kLongestParameter);
  }
}

// Lines of "time value step".
struct Series {
  const char* name;
  std::optional<double> StepRow::*field;
};

constexpr Series kSeries[] = {{"loss", &StepRow::loss},
                              {"grad_norm", &StepRow::grad_norm},
                              {"step_ms", &StepRow::step_ms},
                              {"step_exposed_ms", &StepRow::comm_exposed_ms}};

void AddSeries(const RunRow& run, const std::vector<StepRow>& steps,
               const std::string& folder, Files& files) {
  for (const Series& series : kSeries) {
    double at_ms = static_cast<double>(run.started_unix_ms);
    std::string lines;
    for (const StepRow& step : steps) {
      at_ms += step.step_ms.value_or(0);
      if (step.*series.field) {
        lines += std::to_string(std::llround(at_ms)) + " " +
                 Number(*(step.*series.field)) + " " +
                 std::to_string(step.step) + "\n";
      }
    }
    if (!lines.empty()) {
      files[folder + series.name] = lines;
    }
  }
}

Status AddRun(const Reader& reader, const ExportedRun& exported, Files& files) {
  const RunRow& run = exported.run;
  const std::string experiment_id = ExperimentId(run.sweep);
  const std::string id = RunId(run);
  const std::string folder = experiment_id + "/" + id + "/";
  files.emplace(experiment_id + "/meta.yaml",
                ExperimentMeta(run, experiment_id));
  files[folder + "meta.yaml"] = RunMeta(run, experiment_id, id);
  files[folder + "tags/mlflow.runName"] = run.experiment.name;
  files[folder + "tags/zerosweep.run"] = std::to_string(run.id);
  files[folder + "tags/zerosweep.key"] = run.experiment.key;
  const Result<Json> spec = ParseJson(run.experiment.spec_json);
  if (spec.ok()) {
    AddParameters("", *spec, folder + "params/", files);
  }
  const std::string end =
      std::to_string(run.ended_unix_ms.value_or(run.started_unix_ms));
  for (const auto& [name, value] : FiguresOf(exported)) {
    files[folder + "metrics/" + name] = end + " " + Number(value) + " 0\n";
  }
  ASSIGN_OR_RETURN(const auto steps, reader.Steps(run.id, {}));
  AddSeries(run, steps, folder + "metrics/", files);
  return OkStatus();
}

}  // namespace

Result<Files> MlflowFiles(const Reader& reader,
                          const std::vector<ExportedRun>& runs) {
  Files files;
  for (const ExportedRun& run : runs) {
    RETURN_IF_ERROR(AddRun(reader, run, files));
  }
  return files;
}

}  // namespace zs::results
