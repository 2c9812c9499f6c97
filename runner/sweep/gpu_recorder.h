// Samples of GPUs on their way into the record.
#ifndef RUNNER_SWEEP_GPU_RECORDER_H_
#define RUNNER_SWEEP_GPU_RECORDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "results/store/record.h"
#include "results/store/store.h"

namespace zs {

// Commits the samples of one run some seconds at a time. Not thread-safe.
class GpuRecorder {
 public:
  // All outlive the recorder.
  GpuRecorder(results::Store& store, int64_t run_id, const Clock& clock)
      : store_(store), run_id_(run_id), clock_(clock) {}

  // STEP has been reported: samples from now on belong to what follows it.
  void StepIs(int64_t step) { step_ = step; }

  // Takes SAMPLES; commits where the oldest has waited long enough. A commit
  // that fails is tried again with the next one: nothing is dropped.
  void Add(const std::vector<results::GpuSample>& samples);

  // Commits what is left.
  Status Finish();

  // What the samples say is wrong: uncorrected memory errors that came during
  // the run. NODES are the names by node rank.
  std::vector<results::FindingRow> Findings(
      const std::vector<std::string>& nodes) const;

 private:
  struct EccErrors {
    int64_t first = 0;
    int64_t last = 0;
  };

  results::Store& store_;
  int64_t run_id_;
  const Clock& clock_;
  std::vector<results::GpuSample> pending_;
  int64_t oldest_ns_ = 0;
  int64_t step_ = 0;
  std::map<std::pair<int, int>, EccErrors> ecc_;  // by node rank and GPU
};

}  // namespace zs

#endif  // RUNNER_SWEEP_GPU_RECORDER_H_
