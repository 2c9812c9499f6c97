#include "results/html/gpu_series.h"

#include <algorithm>
#include <map>
#include <optional>

#include "results/report/downsample.h"

namespace zs::results {
namespace {

constexpr size_t kMostGpus = 8;

using Field = std::optional<double> GpuSample::*;

struct Sampled {
  const char* name;
  Field field;
};
constexpr Sampled kSampled[] = {{"util_pct", &GpuSample::util_pct},
                                {"power_w", &GpuSample::power_w},
                                {"temp_c", &GpuSample::temp_c},
                                {"sm_clock_mhz", &GpuSample::sm_clock_mhz}};

double Seconds(const GpuSample& sample, int64_t start_unix_ms) {
  return static_cast<double>(sample.at_unix_ms - start_unix_ms) / 1000;
}

// Thinned as step times are: `step` is the time in ms.
std::vector<std::pair<double, double>> Thinned(
    const std::vector<std::pair<double, double>>& points, size_t most) {
  std::vector<StepPoint> steps;
  steps.reserve(points.size());
  for (const auto& [seconds, value] : points) {
    steps.push_back({static_cast<int64_t>(seconds * 1000), value});
  }
  std::vector<std::pair<double, double>> out;
  for (const StepPoint& p : Downsampled(steps, most)) {
    out.emplace_back(static_cast<double>(p.step) / 1000, p.ms);
  }
  return out;
}

using ByGpu = std::map<std::pair<int, int>, std::vector<const GpuSample*>>;

std::vector<GpuLine> LineOfEach(const ByGpu& gpus, Field field, int64_t start,
                                size_t most) {
  std::vector<GpuLine> lines;
  for (const auto& [where, samples] : gpus) {
    GpuLine line;
    line.name = "node " + std::to_string(where.first) + " gpu " +
                std::to_string(where.second);
    for (const GpuSample* sample : samples) {
      if (sample->*field) {
        line.points.emplace_back(Seconds(*sample, start), *(sample->*field));
      }
    }
    line.points = Thinned(line.points, most);
    if (!line.points.empty()) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

// All GPUs within stretches of equal time.
std::vector<GpuLine> LinesOfAll(const std::vector<GpuSample>& samples,
                                Field field, int64_t start, size_t most) {
  struct Stretch {
    double lowest, sum, highest, count;
  };
  double last = 0;
  for (const GpuSample& sample : samples) {
    last = std::max(last, Seconds(sample, start));
  }
  const double width = std::max(last / static_cast<double>(most), 1e-3);
  std::map<int64_t, Stretch> stretches;
  for (const GpuSample& sample : samples) {
    if (!(sample.*field)) {
      continue;
    }
    const double value = *(sample.*field);
    const auto at = static_cast<int64_t>(Seconds(sample, start) / width);
    auto [it, added] = stretches.try_emplace(at, Stretch{value, 0, value, 0});
    it->second.lowest = std::min(it->second.lowest, value);
    it->second.highest = std::max(it->second.highest, value);
    it->second.sum += value;
    it->second.count += 1;
  }
  std::vector<GpuLine> lines = {{"lowest", {}}, {"mean", {}}, {"highest", {}}};
  for (const auto& [at, s] : stretches) {
    const double seconds = static_cast<double>(at) * width;
    lines[0].points.emplace_back(seconds, s.lowest);
    lines[1].points.emplace_back(seconds, s.sum / s.count);
    lines[2].points.emplace_back(seconds, s.highest);
  }
  return stretches.empty() ? std::vector<GpuLine>() : lines;
}

}  // namespace

std::vector<GpuMetric> GpuSeries(const std::vector<GpuSample>& samples,
                                 int64_t start_unix_ms, size_t most) {
  ByGpu gpus;
  for (const GpuSample& sample : samples) {
    gpus[{sample.node_rank, sample.gpu}].push_back(&sample);
  }
  std::vector<GpuMetric> metrics;
  for (const Sampled& sampled : kSampled) {
    GpuMetric metric{
        sampled.name,
        gpus.size() <= kMostGpus
            ? LineOfEach(gpus, sampled.field, start_unix_ms, most)
            : LinesOfAll(samples, sampled.field, start_unix_ms, most)};
    if (!metric.lines.empty()) {
      metrics.push_back(std::move(metric));
    }
  }
  return metrics;
}

}  // namespace zs::results
