// Step times with known truth, for tests.
#ifndef RESULTS_STATS_SYNTHETIC_H_
#define RESULTS_STATS_SYNTHETIC_H_

#include <cmath>
#include <random>
#include <vector>

namespace zs::results {

// What lies on top of the AR(1) noise. The median stays what was asked for, or
// moves on both sides of a comparison alike.
enum class SyntheticKind {
  kPlain,
  kDrift,    // 4% from the first step to the last, about the middle
  kSpikes,   // one step in twenty is 20 to 70% slower
  kBimodal,  // three steps in ten are 8% slower
};

// N times with median MEDIAN_MS: the exponential of an AR(1) process with
// standard deviation NOISE and correlation PHI between neighbours.
inline std::vector<double> SyntheticTimes(
    int n, double median_ms, double phi, double noise, unsigned seed,
    SyntheticKind kind = SyntheticKind::kPlain) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double> times;
  double x = normal(random);
  for (int i = 0; i < n; ++i) {
    double y = noise * x;
    if (kind == SyntheticKind::kDrift) {
      y += 0.04 * (i - (n - 1) / 2.0) / (n - 1);
    } else if (kind == SyntheticKind::kSpikes && uniform(random) < 0.05) {
      y += 0.2 + 0.5 * uniform(random);
    } else if (kind == SyntheticKind::kBimodal && uniform(random) < 0.3) {
      y += 0.08;
    }
    times.push_back(median_ms * std::exp(y));
    x = phi * x + std::sqrt(1 - phi * phi) * normal(random);
  }
  return times;
}

}  // namespace zs::results

#endif  // RESULTS_STATS_SYNTHETIC_H_
