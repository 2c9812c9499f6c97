// Single numbers that describe a sample. A sample that cannot be described
// (empty, or with a value that is not finite) gives nothing, never NaN.
// Definitions: docs/metrics.md.
#ifndef RESULTS_STATS_SUMMARY_H_
#define RESULTS_STATS_SUMMARY_H_

#include <optional>
#include <span>

namespace zs::results {

// The P-quantile, 0 <= P <= 1, by linear interpolation between order
// statistics: type 7 of Hyndman and Fan, "Sample Quantiles in Statistical
// Packages", The American Statistician 50 (1996), the default of R and NumPy.
std::optional<double> Quantile(std::span<const double> sample, double p);

// Quantile at 1/2.
std::optional<double> Median(std::span<const double> sample);

std::optional<double> Mean(std::span<const double> sample);

// Standard deviation (n - 1 in the denominator) over mean. Nothing for fewer
// than two values or a mean that is not positive.
std::optional<double> CoefficientOfVariation(std::span<const double> sample);

// All AMOUNTS over all the time: how rates are averaged (the arithmetic mean of
// rates would count a fast second more than a slow one). TIMES_MS are as many.
// Per second; nothing where the times do not add up to more than zero.
std::optional<double> RatePerSecond(std::span<const double> amounts,
                                    std::span<const double> times_ms);

}  // namespace zs::results

#endif  // RESULTS_STATS_SUMMARY_H_
