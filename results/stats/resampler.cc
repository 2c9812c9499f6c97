#include "results/stats/resampler.h"

#include <algorithm>
#include <cmath>

#include "results/stats/summary.h"
#include "results/stats/trend.h"

namespace zs::results {
namespace {

constexpr size_t kBatches = 512;

// An integer below BOUND, the same with every library (unlike the standard's
// distributions).
size_t Below(std::mt19937_64& random, size_t bound) {
  return static_cast<size_t>(random() % bound);
}

}  // namespace

Residuals ResidualsOf(std::span<const double> run) {
  Residuals r;
  r.batched = run.size() > kLongestDrawn;
  const size_t batch = r.batched ? run.size() / kBatches : 1;
  for (size_t i = 0; i + batch <= run.size(); i += batch) {
    r.values.push_back(
        std::log(batch == 1 ? run[i] : *Median(run.subspan(i, batch))));
  }
  r.slope = TrendOf(r.values, kLikelyTrend).value_or(0);
  const double middle = static_cast<double>(r.values.size() - 1) / 2;
  for (size_t i = 0; i < r.values.size(); ++i) {
    r.values[i] -= r.slope * (static_cast<double>(i) - middle);
  }
  return r;
}

Resampler::Resampler(const Residuals& residuals, size_t length)
    : residuals_(residuals),
      length_(length),
      sample_(residuals.values.size()) {}

double Resampler::DrawCenter(std::mt19937_64& random) {
  const std::vector<double>& values = residuals_.values;
  const double middle = static_cast<double>(values.size() - 1) / 2;
  size_t filled = 0;
  while (filled < sample_.size()) {
    size_t from = Below(random, values.size());
    const size_t end = std::min(filled + length_, sample_.size());
    for (; filled < end; ++filled) {
      sample_[filled] =
          values[from] +
          residuals_.slope * (static_cast<double>(filled) - middle);
      from = from + 1 == values.size() ? 0 : from + 1;
    }
  }
  return residuals_.batched ? *Mean(sample_) : MedianOfSample();
}

double Resampler::MedianOfSample() {
  const auto middle =
      sample_.begin() + static_cast<std::ptrdiff_t>(sample_.size() / 2);
  std::nth_element(sample_.begin(), middle, sample_.end());
  return sample_.size() % 2 == 1
             ? *middle
             : (*middle + *std::max_element(sample_.begin(), middle)) / 2;
}

}  // namespace zs::results
