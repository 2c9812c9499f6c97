#include "runner/sweep/step_recorder.h"

namespace zs {
namespace {

constexpr size_t kBatchRows = 512;
constexpr int64_t kBatchNs = 1'000'000'000;

results::StepRow RowOf(const StepEvent& step) {
  results::StepRow row;
  row.step = step.step;
  row.loss = step.loss;
  row.grad_norm = step.grad_norm;
  row.lr = step.lr;
  row.tokens = step.tokens;
  row.step_ms = step.step_ms;
  row.data_ms = step.data_ms;
  row.forward_ms = step.forward_ms;
  row.backward_ms = step.backward_ms;
  row.optimizer_ms = step.optimizer_ms;
  row.comm_exposed_ms = step.comm_exposed_ms;
  for (const CommUse& use : step.comm) {
    row.comm.push_back(
        {.op = use.op, .calls = use.calls, .bytes = use.bytes, .ms = use.ms});
  }
  return row;
}

}  // namespace

void StepRecorder::Add(const StepEvent& step) {
  const int64_t now_ns = clock_.monotonic_ns();
  if (pending_.empty()) {
    last_commit_ns_ = now_ns;
  }
  pending_.push_back(RowOf(step));
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
