// What was predicted for a run beside what it took.
#ifndef RESULTS_HTML_PREDICTION_GAP_H_
#define RESULTS_HTML_PREDICTION_GAP_H_

#include <optional>
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

// The part of GAPS' time that is furthest, in ms, from what was predicted;
// empty where the step as a whole was predicted to 5% or no part is known.
std::optional<Gap> Culprit(const std::vector<Gap>& gaps);

}  // namespace zs::results

#endif  // RESULTS_HTML_PREDICTION_GAP_H_
