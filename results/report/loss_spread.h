// How far the losses of runs of the same thing are from each other.
#ifndef RESULTS_REPORT_LOSS_SPREAD_H_
#define RESULTS_REPORT_LOSS_SPREAD_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "results/store/reader.h"

namespace zs::results {

// Takes the steps of one run after the other.
class LossSpread {
 public:
  // Losses that are not a number, or not positive, say nothing about rounding.
  void Add(const std::vector<StepFigure>& steps);

  // The largest relative difference between two runs at the same step; 0 with
  // one run.
  double largest() const { return largest_; }

 private:
  std::map<int64_t, std::pair<double, double>> ranges_;  // by step
  double largest_ = 0;
};

}  // namespace zs::results

#endif  // RESULTS_REPORT_LOSS_SPREAD_H_
