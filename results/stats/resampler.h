// Draws resamples of a run for the block bootstrap.
#ifndef RESULTS_STATS_RESAMPLER_H_
#define RESULTS_STATS_RESAMPLER_H_

#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace zs::results {

// Runs above this are drawn as medians of batches.
inline constexpr size_t kLongestDrawn = 4096;

// The logarithms of a run, or of its batches, less their trend.
struct Residuals {
  std::vector<double> values;
  double slope = 0;      // a value
  bool batched = false;  // then their mean stands for the median
};

// RUN has positive values.
Residuals ResidualsOf(std::span<const double> run);

// Centers of resamples: blocks of LENGTH values that wrap around the end, the
// trend put back. RESIDUALS must outlive it.
class Resampler {
 public:
  Resampler(const Residuals& residuals, size_t length);

  double DrawCenter(std::mt19937_64& random);

 private:
  double MedianOfSample();

  const Residuals& residuals_;
  size_t length_;
  std::vector<double> sample_;
};

}  // namespace zs::results

#endif  // RESULTS_STATS_RESAMPLER_H_
