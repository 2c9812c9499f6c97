// How much faster one side is than another, and how sure that is.
#ifndef RESULTS_REPORT_SPEED_RATIO_H_
#define RESULTS_REPORT_SPEED_RATIO_H_

#include <cstdint>
#include <vector>

#include "results/report/comparison.h"
#include "results/report/measured_side.h"

namespace zs::results {

// Sets SIDE's ratio of speeds, tokens over time, against BASELINE, or why there
// is none: a side without a measurement, another world size, too few steps.
void SetRatio(const MeasuredSide& baseline, double margin, uint64_t seed,
              MeasuredSide& side);

// With several pairs one of them differs by chance too easily: FASTER and
// SLOWER stand only where the p-value survives Holm's correction over
// ALL.
void CorrectForMany(const std::vector<SpeedRatio*>& all);

// With one run a side nobody can tell a difference from what other programs
// did to one of them: where they took much of the processors the word is
// UNDECIDED.
void DoubtDisturbed(std::vector<ComparedExperiment>& experiments);

}  // namespace zs::results

#endif  // RESULTS_REPORT_SPEED_RATIO_H_
