// How values of a series depend on those before them.
#ifndef RESULTS_STATS_DEPENDENCE_H_
#define RESULTS_STATS_DEPENDENCE_H_

#include <cstddef>
#include <span>
#include <vector>

namespace zs::results {

// SERIES' autocovariances R(0) .. R(LAGS), each sum over n; LAGS < its size.
// Brockwell and Davis, "Time Series: Theory and Methods" (1991), section 7.2.
std::vector<double> Autocovariances(std::span<const double> series,
                                    size_t lags);

// SERIES with values further than three standard deviations (by the median
// deviation, Hampel 1974) from its median replaced by the one before: single
// spikes hide how neighbours depend on each other.
std::vector<double> WithoutSpikes(std::span<const double> series);

// The correlation of neighbours, corrected for the bias that short series have
// (Kendall, "Note on bias in the estimation of autocorrelation", Biometrika 41,
// 1954): 0 to 0.95.
double NeighbourCorrelation(std::span<const double> series);

// The variance of a mean of LENGTH values of an AR(1) process whose neighbours
// correlate by PHI, times LENGTH, over that of one value.
double VarianceFactor(double phi, size_t length);

// The block length for resampling SERIES: that of Politis and White, "Automatic
// block-length selection for the dependent bootstrap", Econometric Reviews 23
// (2004), corrected by Patton, Politis and White, 28 (2009), at least the cube
// root of its size (their estimate alone misses weak dependence in short
// series), at most a third of it and three square roots.
int BlockLength(std::span<const double> series);

}  // namespace zs::results

#endif  // RESULTS_STATS_DEPENDENCE_H_
