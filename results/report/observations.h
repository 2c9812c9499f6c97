// What the step times of one run say besides their median.
#ifndef RESULTS_REPORT_OBSERVATIONS_H_
#define RESULTS_REPORT_OBSERVATIONS_H_

#include <span>
#include <string>
#include <vector>

#include "results/report/comparison.h"

namespace zs::results {

// Adds to SIDE the outliers and observations of TIMES, the steps of its window:
// "slow steps 12, 44 (up to 2.00x the median)", "every 10 steps ...".
void Observe(std::span<const StepPoint> times, ComparedExperiment& side);

// The first step of TIMES (steps after the declared warm-up) that belongs to
// the steady part, and adds to SIDE what was found: more warm-up, or no steady
// part at all.
int64_t FirstSteadyStep(std::span<const StepPoint> times,
                        ComparedExperiment& side);

// Adds to SIDE the hosts where other programs took much of the processors.
// NODES may hold a host once for each run: its worst share is told. Ranks on
// CPUs suffer earlier than those that wait for GPUs.
void ObserveOtherPrograms(std::span<const NodeRow> nodes,
                          ComparedExperiment& side);

// Adds to SIDE the GPUs among SAMPLES (at work: gpu_state.h) whose clock
// changes by 5% from the first third of a run to the last, or lies 5% below
// that of the middle GPU. GPUs with fewer than nine samples of a clock are not
// looked at.
void ObserveClocks(std::span<const GpuSample> samples,
                   ComparedExperiment& side);

}  // namespace zs::results

#endif  // RESULTS_REPORT_OBSERVATIONS_H_
