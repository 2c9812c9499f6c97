#include "runner/sweep/gpu_recorder.h"

#include <string>

namespace zs {
namespace {

constexpr int64_t kBatchNs = 5'000'000'000;

}  // namespace

void GpuRecorder::Add(const std::vector<results::GpuSample>& samples) {
  for (const results::GpuSample& sample : samples) {
    if (sample.ecc_errors) {
      const auto [it, added] =
          ecc_.try_emplace({sample.node_rank, sample.gpu},
                           EccErrors{*sample.ecc_errors, *sample.ecc_errors});
      it->second.last = *sample.ecc_errors;
    }
  }
  const int64_t now_ns = clock_.monotonic_ns();
  if (pending_.empty()) {
    oldest_ns_ = now_ns;
  }
  for (const results::GpuSample& sample : samples) {
    pending_.push_back(sample);
    pending_.back().step = step_;
  }
  if (now_ns - oldest_ns_ >= kBatchNs) {
    (void)Finish();
  }
}

Status GpuRecorder::Finish() {
  if (pending_.empty()) {
    return OkStatus();
  }
  oldest_ns_ = clock_.monotonic_ns();
  RETURN_IF_ERROR(store_.AppendGpuSamples(run_id_, pending_));
  pending_.clear();
  return OkStatus();
}

std::vector<results::FindingRow> GpuRecorder::Findings(
    const std::vector<std::string>& nodes) const {
  std::vector<results::FindingRow> findings;
  for (const auto& [where, errors] : ecc_) {
    if (errors.last <= errors.first) {
      continue;
    }
    const auto& [node_rank, gpu] = where;
    const bool named = node_rank < static_cast<int>(nodes.size());
    findings.push_back(
        {.code = "cuda-ecc-uncorrectable",
         .severity = results::Severity::kError,
         .node = named ? nodes[node_rank] : std::to_string(node_rank),
         .message = "GPU " + std::to_string(gpu) + ": " +
                    std::to_string(errors.last - errors.first) +
                    " uncorrected memory errors during the run",
         .hint = "see `nvidia-smi -q -d ECC,ROW_REMAPPER` there; reset the GPU "
                 "or take the node out"});
  }
  return findings;
}

}  // namespace zs
