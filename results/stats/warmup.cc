#include "results/stats/warmup.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "results/stats/summary.h"

namespace zs::results {
namespace {

constexpr double kPenalty = 15;
constexpr size_t kShortest = 2;
// Work grows with the square of the length, and warm-up is at the beginning.
constexpr size_t kLongest = 1000;
// Spreads below this (0.1% of the time) are taken for this: a few equal times
// in a row are chance, not a segment of infinite likelihood.
constexpr double kLeastSpread = 1e-3;
// Levels nearer than this are the same, whatever the spread.
constexpr double kSameLevel = 0.01;

// Means and variances of any part of a series in constant time.
class PrefixSums {
 public:
  explicit PrefixSums(std::span<const double> series)
      : sums_(1, 0.0), squares_(1, 0.0) {
    for (const double value : series) {
      sums_.push_back(sums_.back() + value);
      squares_.push_back(squares_.back() + value * value);
    }
  }
  double MeanOf(size_t begin, size_t end) const {
    return (sums_[end] - sums_[begin]) / static_cast<double>(end - begin);
  }
  double VarianceOf(size_t begin, size_t end) const {
    const double mean = MeanOf(begin, end);
    const double square =
        (squares_[end] - squares_[begin]) / static_cast<double>(end - begin);
    return std::max(square - mean * mean, kLeastSpread * kLeastSpread);
  }
  // -2 log likelihood of a normal segment, without constants.
  double CostOf(size_t begin, size_t end) const {
    return static_cast<double>(end - begin) * std::log(VarianceOf(begin, end));
  }

 private:
  std::vector<double> sums_;
  std::vector<double> squares_;
};

// Logarithms of TIMES less that of their median (so that sums of squares keep
// their digits); empty where a time has none.
std::vector<double> CenteredLogs(std::span<const double> times) {
  const std::optional<double> median = Median(times);
  std::vector<double> logs;
  for (const double time : times) {
    if (!median || time <= 0) {
      return {};
    }
    logs.push_back(std::log(time / *median));
  }
  return logs;
}

}  // namespace

std::vector<size_t> ChangePoints(std::span<const double> series) {
  const size_t n = series.size();
  if (!Mean(series)) {
    return {};
  }
  const PrefixSums sums(series);
  const double penalty =
      kPenalty * std::log(static_cast<double>(std::max<size_t>(n, 2)));
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<size_t> previous(n + 1, 0);
  best[0] = -penalty;
  for (size_t end = kShortest; end <= n; ++end) {
    for (size_t begin = 0; begin + kShortest <= end; ++begin) {
      const double cost = best[begin] + sums.CostOf(begin, end) + penalty;
      if (cost < best[end]) {
        best[end] = cost;
        previous[end] = begin;
      }
    }
  }
  std::vector<size_t> starts;
  for (size_t end = n; end > 0; end = previous[end]) {
    starts.push_back(previous[end]);
  }
  std::reverse(starts.begin(), starts.end());
  return starts;
}

std::optional<size_t> SteadyFrom(std::span<const double> times_ms) {
  const std::vector<double> logs =
      CenteredLogs(times_ms.first(std::min(times_ms.size(), kLongest)));
  const std::vector<size_t> starts = ChangePoints(logs);
  if (starts.empty()) {
    return std::nullopt;
  }
  const PrefixSums sums(logs);
  const double level = sums.MeanOf(starts.back(), logs.size());
  const double tolerance = std::max(
      std::sqrt(sums.VarianceOf(starts.back(), logs.size())), kSameLevel);
  // The end of the last segment that is clearly slower than the last one.
  size_t steady = 0;
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    if (sums.MeanOf(starts[i], starts[i + 1]) > level + tolerance) {
      steady = starts[i + 1];
    }
  }
  if (steady * 2 > times_ms.size()) {
    return std::nullopt;
  }
  return steady;
}

}  // namespace zs::results
