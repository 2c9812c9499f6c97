// Steps on their way into the record.
#ifndef RUNNER_SWEEP_STEP_RECORDER_H_
#define RUNNER_SWEEP_STEP_RECORDER_H_

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "results/store/record.h"
#include "results/store/store.h"

namespace zs {

// Commits the steps of one run in batches: a commit costs a flush of the disk,
// a step of a small model less than that. Not thread-safe.
class StepRecorder {
 public:
  // All outlive the recorder.
  StepRecorder(results::Store& store, int64_t run_id, const Clock& clock)
      : store_(store), run_id_(run_id), clock_(clock) {}

  // Takes STEP; commits where the batch is full or old. A commit that fails is
  // tried again with the next batch: nothing is dropped.
  void Add(const results::StepRow& step);

  // The steps that are not committed yet, for the run's last transaction.
  std::vector<results::StepRow> Take() { return std::move(pending_); }

  // The last failure of a commit; OK when a later one went through.
  const Status& status() const { return status_; }

 private:
  results::Store& store_;
  int64_t run_id_;
  const Clock& clock_;
  std::vector<results::StepRow> pending_;
  int64_t last_commit_ns_ = 0;
  Status status_;
};

}  // namespace zs

#endif  // RUNNER_SWEEP_STEP_RECORDER_H_
