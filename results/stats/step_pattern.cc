#include "results/stats/step_pattern.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "results/stats/summary.h"
#include "results/stats/trend.h"

namespace zs::results {
namespace {

using Values = std::vector<double>;

constexpr size_t kFewest = 10;
constexpr double kOutlierScore = 3.5;
constexpr double kOutlierShare = 0.03;
constexpr double kDriftShare = 0.01;
constexpr double kLeastPart = 0.15;
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

// The size of the lower part in the split of SORTED that explains most.
size_t BestSplit(const Values& sorted) {
  const double n = static_cast<double>(sorted.size());
  const double mean = *Mean(sorted);
  double low_sum = 0;
  double best = -1;
  size_t split = 0;
  for (size_t i = 1; i < sorted.size(); ++i) {
    low_sum += sorted[i - 1];
    const double k = static_cast<double>(i);
    const double distance = mean * n * k / n - low_sum;
    const double explained = distance * distance / (k * (n - k));
    if (explained > best) {
      best = explained;
      split = i;
    }
  }
  return split;
}

double VarianceOf(std::span<const double> values) {
  const double mean = *Mean(values);
  double sum = 0;
  for (const double value : values) {
    sum += (value - mean) * (value - mean);
  }
  return sum / static_cast<double>(values.size());
}

std::optional<StepPattern> Bimodal(std::span<const double> times) {
  Values sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t split = BestSplit(sorted);
  const std::span<const double> low(sorted.data(), split);
  const std::span<const double> high(sorted.data() + split,
                                     sorted.size() - split);
  const double least = kLeastPart * static_cast<double>(sorted.size());
  if (static_cast<double>(std::min(low.size(), high.size())) < least) {
    return std::nullopt;
  }
  const double apart = *Mean(high) - *Mean(low);
  const double spread = std::sqrt(VarianceOf(low) + VarianceOf(high));
  StepPattern pattern;
  pattern.kind = PatternKind::kBimodal;
  pattern.size = *Mean(high) / *Mean(low);
  if (std::sqrt(2.0) * apart <= kAshman * spread ||
      pattern.size < 1 + kModeShare) {
    return std::nullopt;
  }
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] >= high.front()) {
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
