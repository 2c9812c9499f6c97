// Step times with known truth, for tests.
#ifndef RESULTS_STATS_SYNTHETIC_H_
#define RESULTS_STATS_SYNTHETIC_H_

#include <cmath>
#include <random>
#include <vector>

namespace zs::results {

// N times with median MEDIAN_MS: the exponential of an AR(1) process with
// standard deviation NOISE and correlation PHI between neighbours.
inline std::vector<double> SyntheticTimes(int n, double median_ms, double phi,
                                          double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> times;
  double x = normal(random);
  for (int i = 0; i < n; ++i) {
    times.push_back(median_ms * std::exp(noise * x));
    x = phi * x + std::sqrt(1 - phi * phi) * normal(random);
  }
  return times;
}

}  // namespace zs::results

#endif  // RESULTS_STATS_SYNTHETIC_H_
