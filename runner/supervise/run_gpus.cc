// The part of Run that samples GPUs. A sampler that fails is worth a note; the
// run goes on without.
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runner/supervise/run.h"

namespace zs {

void Run::StartGpuSampler(NodeLink& link) {
  GpuSampler& sampler = gpu_samplers_[link.index()];
  if (!link.node().uses_gpus || given_up_) {
    return;
  }
  if (auto command = sampler.NextCommand()) {
    // A broken connection shows elsewhere.
    (void)link.Send(
        StartMsg{kGpuSamplerId, link.token(), "", *std::move(command), {}});
  } else {
    TellOfGpuSampler(link, sampler.last_words().empty()
                               ? "nvidia-smi told nothing"
                               : sampler.last_words());
  }
}

bool Run::TakeOfGpuSampler(NodeLink& link, const Message& message) {
  GpuSampler& sampler = gpu_samplers_[link.index()];
  const auto* const output = std::get_if<OutputMsg>(&message);
  const auto* const failed = std::get_if<StartFailedMsg>(&message);
  const auto* const exited = std::get_if<ExitedMsg>(&message);
  if (output != nullptr && output->id == kGpuSamplerId) {
    const auto samples = sampler.Feed(output->bytes, output->unix_us / 1000);
    if (!samples.empty()) {
      observer_.OnGpuSamples(samples);
    }
  } else if (failed != nullptr && failed->id == kGpuSamplerId) {
    TellOfGpuSampler(link, failed->why);
  } else if (exited != nullptr && exited->id == kGpuSamplerId) {
    if (!sampler.answered()) {
      StartGpuSampler(link);  // in another way
    } else if (!given_up_) {
      TellOfGpuSampler(link, "nvidia-smi ended in the middle of the run");
    }
  } else {
    const auto* const started = std::get_if<StartedMsg>(&message);
    return started != nullptr && started->id == kGpuSamplerId;
  }
  return true;
}

void Run::TellOfGpuSampler(const NodeLink& link, const std::string& what) {
  outcome_.notes.push_back("node " + link.node().name +
                           ": no samples of its GPUs: " + what);
}

}  // namespace zs
