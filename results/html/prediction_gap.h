// What was predicted for a run beside what it took.
#ifndef RESULTS_HTML_PREDICTION_GAP_H_
#define RESULTS_HTML_PREDICTION_GAP_H_

#include <string>
#include <vector>

#include "results/html/evidence.h"
#include "results/report/comparison.h"

namespace zs::results {

// One term of a prediction that was measured too, in the same unit.
struct Gap {
  std::string term;  // "whole step", "backward", "optimizer state", ...
  double predicted = 0;
  double measured = 0;
  bool is_memory = false;  // bytes; otherwise ms

  double ratio() const { return predicted > 0 ? measured / predicted : 0; }
};

// The terms of E's time and memory: the whole first, then the parts.
std::vector<Gap> GapsOf(const ComparedExperiment& e, const RunEvidence& run);

}  // namespace zs::results

#endif  // RESULTS_HTML_PREDICTION_GAP_H_
