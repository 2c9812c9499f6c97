#include "results/export/openmetrics.h"

#include <cstdio>
#include <map>
#include <optional>
#include <utility>

namespace zs::results {
namespace {

// A label's value: quotes, backslashes and line feeds are escaped.
std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::string Number(std::optional<int> value) {
  return value ? std::to_string(*value) : "";
}

std::string LabelsOf(const ExportedRun& exported) {
  const RunRow& run = exported.run;
  const std::pair<const char*, std::string> labels[] = {
      {"sweep", run.sweep},
      {"experiment", run.experiment.name},
      {"run", std::to_string(run.id)},
      {"model", run.experiment.model},
      {"zero_stage", Number(run.effective.zero_stage)},
      {"world_size", Number(run.effective.world_size)},
      {"device", run.effective.device}};
  std::string out;
  for (const auto& [name, value] : labels) {
    out += (out.empty() ? "{" : ",") + std::string(name) + "=\"" +
           Escaped(value) + "\"";
  }
  return out + "}";
}

// "1700000012.500", seconds since 1970.
std::string Stamp(const RunRow& run) {
  char text[40];
  const int64_t ms = run.ended_unix_ms.value_or(run.started_unix_ms);
  std::snprintf(text, sizeof text, " %lld.%03lld",
                static_cast<long long>(ms / 1000),
                static_cast<long long>(ms % 1000));
  return text;
}

std::string Value(double value) {
  char text[40];
  std::snprintf(text, sizeof text, " %.17g", value);
  return text;
}

}  // namespace

std::string OpenMetricsText(const std::vector<ExportedRun>& runs) {
  std::map<std::string, std::string> samples;  // of each family
  for (const ExportedRun& run : runs) {
    for (const auto& [name, value] : FiguresOf(run)) {
      samples[name] += "zerosweep_" + name + LabelsOf(run) + Value(value) +
                       Stamp(run.run) + "\n";
    }
  }
  std::string text;
  for (const auto& [name, lines] : samples) {
    text += "# TYPE zerosweep_" + name + " gauge\n# HELP zerosweep_" + name +
            " See docs/metrics.md.\n" + lines;
  }
  return text + "# EOF\n";
}

}  // namespace zs::results
