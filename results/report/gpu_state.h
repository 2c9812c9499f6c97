// How the GPUs of a run were clocked, from samples of them.
#ifndef RESULTS_REPORT_GPU_STATE_H_
#define RESULTS_REPORT_GPU_STATE_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/report/comparison.h"
#include "results/store/reader.h"
#include "results/store/record.h"

namespace zs::results {

// Those of SAMPLES in which a GPU was at work on the steps of WINDOW: before
// them kernels are chosen and clocks settle. What is unknown leaves none out.
std::vector<GpuSample> SamplesAtWork(const std::vector<GpuSample>& samples,
                                     const StepWindow& window);

// What no sample tells is absent.
struct GpuState {
  std::optional<double> sm_clock_mhz;  // median
  std::optional<double> power_cap_w;   // median
  // Share of the samples in which the power cap held the clock down; unknown
  // where there is none.
  std::optional<double> power_capped;
};

// Of samples at work.
GpuState GpuStateOf(std::span<const GpuSample> samples);

// What differs between two runs by more than samples do: clocks by 3%
// or power caps by 1% (unfair), the share of the time under the cap by a fifth
// (noted).
// Something that only one side knows is noted with the word unknown.
std::vector<Difference> GpuDifferences(const std::string& experiment,
                                       const GpuState& baseline,
                                       const GpuState& side);

}  // namespace zs::results

#endif  // RESULTS_REPORT_GPU_STATE_H_
