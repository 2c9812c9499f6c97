#include "results/stats/step_pattern.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "results/stats/levels.h"
#include "results/stats/summary.h"
#include "results/stats/trend.h"

namespace zs::results {
namespace {

using Values = std::vector<double>;

constexpr size_t kFewest = 10;
constexpr double kOutlierScore = 3.5;
constexpr double kOutlierShare = 0.03;
constexpr double kDriftShare = 0.01;
constexpr double kAshman = 4;
constexpr double kModeShare = 0.02;

// The middle deviation from MEDIAN as a standard deviation: the median one, or
// the mean one where most values are equal.
double RobustSpread(std::span<const double> values, double median) {
  Values deviations;
  for (const double value : values) {
    deviations.push_back(std::abs(value - median));
  }
  const double middle = *Median(deviations);
  return middle > 0 ? middle / 0.6745 : 1.253314 * *Mean(deviations);
}

std::optional<StepPattern> Outliers(std::span<const double> times,
                                    double median) {
  const double spread = RobustSpread(times, median);
  StepPattern pattern;
  double farthest = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    const double distance = std::abs(times[i] - median);
    if (distance > kOutlierScore * spread &&
        distance > kOutlierShare * median) {
      pattern.indexes.push_back(i);
      if (distance > farthest) {
        farthest = distance;
        pattern.size = times[i] / median;
      }
    }
  }
  // More than a fifth are no outliers but another level.
  if (pattern.indexes.empty() || pattern.indexes.size() * 5 > times.size()) {
    return std::nullopt;
  }
  return pattern;
}

// Whether the slow steps of OUTLIERS come at equal distances.
std::optional<StepPattern> Periodic(std::span<const double> times,
                                    double median,
                                    const StepPattern& outliers) {
  StepPattern pattern;
  pattern.kind = PatternKind::kPeriodic;
  Values gaps;
  for (const size_t index : outliers.indexes) {
    if (times[index] < median) {
      continue;
    }
    if (!pattern.indexes.empty()) {
      gaps.push_back(static_cast<double>(index - pattern.indexes.back()));
    }
    pattern.indexes.push_back(index);
  }
  if (gaps.size() < 2) {
    return std::nullopt;
  }
  pattern.size = *Median(gaps);
  const bool equal = std::all_of(gaps.begin(), gaps.end(), [&](double gap) {
    return std::abs(gap - pattern.size) <= 1;
  });
  return equal && pattern.size >= 2 ? std::optional(pattern) : std::nullopt;
}

std::optional<StepPattern> Drift(std::span<const double> times, double median) {
  const std::optional<double> slope = TrendOf(times);
  StepPattern pattern;
  pattern.kind = PatternKind::kDrift;
  pattern.size =
      slope.value_or(0) * static_cast<double>(times.size() - 1) / median;
  if (std::abs(pattern.size) < kDriftShare) {
    return std::nullopt;
  }
  return pattern;
}

// A trend is no second level: it is taken out first.
std::optional<StepPattern> Bimodal(std::span<const double> times) {
  Values values(times.begin(), times.end());
  const double slope = TrendOf(times, kLikelyTrend).value_or(0);
  const double middle = static_cast<double>(times.size() - 1) / 2;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] -= slope * (static_cast<double>(i) - middle);
  }
  const std::optional<TwoLevels> levels = TwoLevelsOf(values);
  if (!levels || levels->separation <= kAshman) {
    return std::nullopt;
  }
  StepPattern pattern;
  pattern.kind = PatternKind::kBimodal;
  pattern.size = levels->high / levels->low;
  if (pattern.size < 1 + kModeShare) {
    return std::nullopt;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= levels->border) {
      pattern.indexes.push_back(i);
    }
  }
  return pattern;
}

}  // namespace

std::string_view Name(PatternKind kind) {
  switch (kind) {
    case PatternKind::kOutliers:
      return "outliers";
    case PatternKind::kPeriodic:
      return "periodic";
    case PatternKind::kDrift:
      return "drift";
    case PatternKind::kBimodal:
      return "bimodal";
  }
  return "";
}

std::vector<StepPattern> PatternsOf(std::span<const double> times_ms) {
  const std::optional<double> median = Median(times_ms);
  const bool positive = std::all_of(times_ms.begin(), times_ms.end(),
                                    [](double time) { return time > 0; });
  if (times_ms.size() < kFewest || !median || !positive) {
    return {};
  }
  std::vector<StepPattern> patterns;
  if (const auto outliers = Outliers(times_ms, *median)) {
    const auto periodic = Periodic(times_ms, *median, *outliers);
    patterns.push_back(periodic ? *periodic : *outliers);
  }
  if (const auto drift = Drift(times_ms, *median)) {
    patterns.push_back(*drift);
  }
  if (const auto bimodal = Bimodal(times_ms)) {
    patterns.push_back(*bimodal);
  }
  return patterns;
}

}  // namespace zs::results
