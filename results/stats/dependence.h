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

// The correlation of neighbours as the series shows it; 0 where all are equal.
double ShownCorrelation(std::span<const double> series);

// SHOWN, the correlation of neighbours in series of SIZE values, without the
// bias that short series have (Kendall, "Note on bias in the estimation of
// autocorrelation", Biometrika 41, 1954): 0 to 0.95.
double CorrectedCorrelation(double shown, double size);

// The correlation of neighbours, corrected.
double NeighbourCorrelation(std::span<const double> series);

// How many times the variance of the median of LENGTH values of a Gaussian
// AR(1) process, whose neighbours correlate by PHI, is that of independent
// ones. A median moves with the signs of the values about it, and signs of
// normal values that correlate by r correlate by 2/pi asin(r) (Sheppard, "On
// the application of the theory of error to cases of normal distribution and
// normal correlation", 1899; Bahadur, "A note on quantiles in large samples",
// 1966).
double MedianFactor(double phi, size_t length);

// The block length for resampling SERIES: that of Politis and White, "Automatic
// block-length selection for the dependent bootstrap", Econometric Reviews 23
// (2004), corrected by Patton, Politis and White, 28 (2009), at least the cube
// root of its size (their estimate alone misses weak dependence in short
// series), at most three square roots, and at most a tenth of it or one and a
// half cube roots: fewer than about ten blocks say too little of their spread.
int BlockLength(std::span<const double> series);

}  // namespace zs::results

#endif  // RESULTS_STATS_DEPENDENCE_H_
