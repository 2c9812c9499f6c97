// What is not plain noise in a series of step times.
#ifndef RESULTS_STATS_STEP_PATTERN_H_
#define RESULTS_STATS_STEP_PATTERN_H_

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace zs::results {

enum class PatternKind {
  kOutliers,  // single steps far from the others
  kPeriodic,  // slow steps at equal distances
  kDrift,     // the level moves from the first step to the last
  kBimodal,   // two levels, now the one, now the other
};

// "outliers", "periodic", "drift", "bimodal".
std::string_view Name(PatternKind kind);

struct StepPattern {
  PatternKind kind = PatternKind::kOutliers;
  std::vector<size_t> indexes;  // the steps meant; none for drift
  // outliers: the largest one over the median; periodic: the period in steps;
  // drift: the change from first to last over the median (0.03: 3% slower);
  // bimodal: the slow level over the fast one.
  double size = 0;
};

// The patterns of TIMES, a series in order with at least ten values; none for
// shorter series and bad values.
// - Outliers: modified z-score above 3.5 (Iglewicz and Hoaglin, "How to detect
//   and handle outliers", 1993) and 3% from the median.
// - Periodic: at least three slow outliers, all distances within one step.
// - Drift: a trend (trend.h) of at least 1% from the first step to the last.
// - Bimodal: the best split in two (Otsu 1979), both parts at least 15% of the
//   steps, apart by D > 4 (Ashman, Bird and Zepf, Astronomical Journal 108,
//   1994) and 2%.
std::vector<StepPattern> PatternsOf(std::span<const double> times_ms);

}  // namespace zs::results

#endif  // RESULTS_STATS_STEP_PATTERN_H_
