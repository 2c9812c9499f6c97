// Whether a series moves from its beginning to its end.
#ifndef RESULTS_STATS_TREND_H_
#define RESULTS_STATS_TREND_H_

#include <optional>
#include <span>

namespace zs::results {

// Scores of the normal distribution that a trend must reach, on both sides.
inline constexpr double kClearTrend = 2.576;  // 1%: worth a word
inline constexpr double kLikelyTrend = 1.96;  // 5%: not to be taken for noise

// The change of SERIES a value, where it has a trend: the slope of Sen,
// "Estimates of the regression coefficient based on Kendall's tau", JASA 63
// (1968), if the test of Mann (1945) and Kendall reaches SCORE, its variance
// widened for autocorrelation (Hamed and Rao, Journal of Hydrology 204, 1998,
// for AR(1)). Nothing for fewer than ten values or one that is not finite. Of
// long series medians of neighbours are looked at.
std::optional<double> TrendOf(std::span<const double> series,
                              double score = kClearTrend);

}  // namespace zs::results

#endif  // RESULTS_STATS_TREND_H_
