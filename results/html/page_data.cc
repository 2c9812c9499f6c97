#include "results/html/page_data.h"

#include <algorithm>
#include <cmath>

#include "results/html/gpu_series.h"
#include "results/report/comparison_json.h"
#include "results/report/downsample.h"
#include "results/report/operations.h"
#include "results/report/step_parts.h"

namespace zs::results {
namespace {

// Points of a series, and of all together: more only make the page slow.
constexpr size_t kMostPoints = 2000;
constexpr size_t kMostPointsInAll = 60000;
constexpr size_t kFewestPoints = 200;
constexpr size_t kMostLosses = 300;
constexpr size_t kMostGpuPoints = 240;
constexpr size_t kFewestGpuPoints = 40;
constexpr double kDigits = 1e6;  // of what is drawn

Json OrNull(std::optional<double> value) {
  return value ? Json(*value) : Json();
}

double Rounded(double value) {
  return std::round(value * kDigits) / kDigits;
}

Json SeriesJson(const std::vector<StepPoint>& points, size_t most) {
  Json series = Json::array();
  for (const StepPoint& point : Downsampled(points, most)) {
    series.push_back({point.step, Rounded(point.ms)});
  }
  return series;
}

Json LedgerJson(const std::vector<Operation>& ledger) {
  Json rows = Json::array();
  for (const Operation& row : ledger) {
    rows.push_back({{"op", row.op},
                    {"calls", OrNull(row.calls)},
                    {"bytes", OrNull(row.bytes)},
                    {"theory", OrNull(row.theory_bytes)},
                    {"ms", OrNull(row.ms)}});
  }
  return rows;
}

Json BandwidthJson(const std::vector<BandwidthRow>& rows) {
  Json points = Json::array();
  for (const BandwidthRow& row : rows) {
    if (row.busbw_gb_s) {
      const bool in_place = row.in_place.value_or(false);
      points.push_back({row.op + (in_place ? ", in place" : ""), row.size_bytes,
                        *row.busbw_gb_s});
    }
  }
  return points;
}

Json GpuJson(const RunEvidence& run, size_t most) {
  Json gpu = Json::object();
  for (const GpuMetric& metric :
       GpuSeries(run.gpu, run.run.started_unix_ms, most)) {
    Json lines = Json::array();
    for (const GpuLine& line : metric.lines) {
      Json points = Json::array();
      for (const auto& [seconds, value] : line.points) {
        points.push_back({Rounded(seconds), Rounded(value)});
      }
      lines.push_back({{"name", line.name}, {"points", std::move(points)}});
    }
    gpu[metric.name] = std::move(lines);
  }
  return gpu;
}

// Every part; null what no step told.
Json PartsJson(const std::map<std::string, double>& medians) {
  Json parts = Json::object();
  for (const StepPart& part : kStepParts) {
    const auto found = medians.find(part.term);
    parts[part.term] = found == medians.end() ? Json() : Json(found->second);
  }
  return parts;
}

void AddEvidence(const RunEvidence& run, size_t gpu_points, Json& e) {
  e["model"] = run.run.experiment.model;
  e["losses"] = SeriesJson(run.losses, kMostLosses);
  e["parts"] = PartsJson(run.parts);
  e["predicted"] = run.predicted;
  e["ledger"] = LedgerJson(run.ledger);
  e["bandwidths"] = BandwidthJson(run.bandwidths);
  e["roof"] = OrNull(run.roof_busbw_gb_s);
  e["gpu"] = GpuJson(run, gpu_points);
}

}  // namespace

Json PageData(const Comparison& comparison, const Evidence& evidence) {
  Json data = ToJson(comparison);
  data.erase("notes");  // they stand in the page
  data.erase("differences");
  const size_t count = std::max<size_t>(1, comparison.experiments.size());
  const size_t most =
      std::clamp(kMostPointsInAll / count, kFewestPoints, kMostPoints);
  const size_t gpu_points =
      std::clamp(6 * kMostGpuPoints / count, kFewestGpuPoints, kMostGpuPoints);
  for (size_t i = 0; i < comparison.experiments.size(); ++i) {
    const ComparedExperiment& compared = comparison.experiments[i];
    Json& e = data["experiments"][i];
    e["outliers"] = compared.outliers;
    e["series"] = SeriesJson(compared.times, most);
    if (i < evidence.runs.size()) {
      AddEvidence(evidence.runs[i], gpu_points, e);
    }
  }
  return data;
}

}  // namespace zs::results
