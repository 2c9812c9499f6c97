#include "runner/sweep/step_recorder.h"

namespace zs {
namespace {

constexpr size_t kBatchRows = 512;
constexpr int64_t kBatchNs = 1'000'000'000;

}  // namespace

void StepRecorder::Add(const results::StepRow& step) {
  const int64_t now_ns = clock_.monotonic_ns();
  if (pending_.empty()) {
    last_commit_ns_ = now_ns;
  }
  pending_.push_back(step);
  if (pending_.size() % kBatchRows != 0 &&
      now_ns - last_commit_ns_ < kBatchNs) {
    return;
  }
  last_commit_ns_ = now_ns;
  status_ = store_.AppendSteps(run_id_, pending_);
  if (status_.ok()) {
    pending_.clear();
  }
}

}  // namespace zs
